"""Answers from finished models: whether a law is identifiable and stable, how a kernel scales, how far to
trust a prediction.

Laws that users see are not fitted here.
"""
