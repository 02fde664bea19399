"""Reads the results of nvbench: its JSON and its CSV, which have the same kernels, parameters and metrics."""
