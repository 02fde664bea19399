"""The release gate: the verdict of a policy on a version, with reasons.

The verdict uses stored comparisons and expectations; nothing is modelled or compared here.
"""
