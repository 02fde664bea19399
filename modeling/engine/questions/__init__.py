"""What is asked of finished models: growth that can be told, scaling, stability, trust.

Nothing here fits a law to be shown.
"""
