"""Frameworks that run tests and benchmarks on clusters, and collect their figures: ReFrame and JUBE."""
