"""Kernels whose predictions right beyond their largest values follow the campaign's trends.

Laws, deviations and segments themselves are found by the modelers of these.
"""
