"""Functions that write, a room for each subject: models, predictions, changes, alerts, releases and plans.

Functions that only read are in `modeling.selectors`; the mathematics is in `modeling.engine`.
"""
