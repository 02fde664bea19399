"""Predictions that follow the campaign's trends just beyond the largest measured parameter values. A *trend*
is the difference between the predicted growth and the growth of the law.
"""
