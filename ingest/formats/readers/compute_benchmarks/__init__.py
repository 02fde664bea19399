"""Benchmarks of processors, memory and GPUs, from Linpack and STREAM to machine learning."""
