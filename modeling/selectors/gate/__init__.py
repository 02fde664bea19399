"""The release gate: the verdict of a policy on a version, from stored comparisons and expectations."""
