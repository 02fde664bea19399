"""Benchmarks of communication between processes, nodes or GPUs."""
