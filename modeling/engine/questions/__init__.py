"""Questions to finished models: identifiable growth, scaling, stability, trust.

Nothing here fits a law to be shown.
"""
