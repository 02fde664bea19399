"""The functions that write to the database, in one package for each subject: models, predictions, changes,
alerts, releases and plans.

Functions that only read are in `modeling.selectors`, and the mathematics is in `modeling.engine`.
"""
