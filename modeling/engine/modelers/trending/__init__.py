"""Predictions that follow the campaign's trends just beyond the kernels' largest values. Laws, deviations and
segments are found by the other modelers.
"""
