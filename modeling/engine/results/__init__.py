"""The results of every modeler: models, their segments, posteriors and rival laws.

The package `modelers` finds laws, and `questions` draws conclusions from them.
"""
