"""Reads what benchmarks and applications print for people, with one module for each program. Other packages
read tables (`table`), and the JSON and XML of benchmarking tools.
"""
