"""Answers from finished models: whether a law is identifiable and stable, how a kernel scales, how far to
trust a prediction.

The laws that users see come from `modelers`. Here, laws are fitted only to compare them with those.
"""
