"""The pages of one application: overview, history, comparison of two versions, settings, and its address.

Pages of one of its campaigns, and of their kernels, are in `campaign`.
"""
