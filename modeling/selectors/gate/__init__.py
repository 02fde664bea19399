"""The release gate: the verdict of a policy on a version, with reasons.

The verdict is computed from stored comparisons and expectations. Nothing is modelled or compared here.
"""
