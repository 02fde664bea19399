"""Answers from finished models: identifiability, stability, scaling, and trust in predictions."""
