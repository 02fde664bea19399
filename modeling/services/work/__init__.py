"""Limit the time of work on many kernels, and confine failures to the kernels that cause them."""
