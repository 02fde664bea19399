"""Predictions that follow the campaign's trends just beyond the largest measured parameter values. A *trend*
is the difference between the growth that is predicted there and the growth of the law. Laws, deviations and
segments are found by the other modelers.
"""
