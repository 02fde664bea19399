"""Readers of what benchmarks and applications print for people, one module for each program. Tables that
people export are not read here, see `table`; nor is the JSON or XML of benchmarking tools.
"""
