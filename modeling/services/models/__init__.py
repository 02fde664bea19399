"""Makes models: the runs of modelers over campaigns, their portions, and the judgement of the laws found.

What follows from models is written in `predictions` and `changes`.
"""
