"""What every modeler answers with: models, their segments, posteriors and rival laws.

How they are found is in `modelers`; what follows from them is in `questions`.
"""
