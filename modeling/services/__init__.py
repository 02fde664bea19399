"""The functions that write to the database, in one package for each subject.

Functions that only read are in `modeling.selectors`, and the mathematics is in `modeling.engine`.
"""
