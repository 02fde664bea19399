"""The results of modelers: models, their segments and their posteriors.

The package `modelers` finds laws, and `questions` draws conclusions from them.
"""
