"""Make models: the runs of modelers over campaigns, their portions, and the judgement of the laws found.

The packages `predictions` and `changes` write the results that are derived from models.
"""
