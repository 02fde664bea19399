"""Write comparisons of campaigns, joined kernels, and results of expectations."""
