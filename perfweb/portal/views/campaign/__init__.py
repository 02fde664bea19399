"""The pages of one campaign: overview, kernels, files, choice of its parameters, deletion.

How campaigns of several versions compare is shown in `application`.
"""
