"""Questions that are answered from finished models: identifiable growth, scaling, stability, trust.

Laws that users see are not fitted here.
"""
