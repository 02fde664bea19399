"""Benchmarks of file systems and disks."""
