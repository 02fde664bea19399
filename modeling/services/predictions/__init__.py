"""Write values at the default target, totals, trends, and scores of predictions."""
