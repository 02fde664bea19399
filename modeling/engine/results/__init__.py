"""The results of every modeler: models, their segments, posteriors and rival laws.

Laws are found in `modelers`; conclusions from them are drawn in `questions`.
"""
