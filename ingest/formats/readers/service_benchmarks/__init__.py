"""Benchmarks of servers and databases."""
