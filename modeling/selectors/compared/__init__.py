"""Compare modelers by the errors of their runs over all kernels of a campaign."""
