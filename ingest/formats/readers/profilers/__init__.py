"""Profiles of programs: the times and counters of functions, of GPU kernels, and of input and output."""
