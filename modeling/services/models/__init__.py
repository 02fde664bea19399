"""Write models: runs of modelers over campaigns, the portions of runs, and the stability of laws.

The packages `predictions` and `changes` write what is derived from models.
"""
