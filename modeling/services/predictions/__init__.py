"""Write what is predicted from models: values at the default target, totals, trends, and scores of
predictions.
"""
