"""Reads what benchmarks and applications print for people, with one module for each program."""
