"""The parts of the kernel's page, one card or tab per module: law, rivals, noise, scaling, segments.

The view parses the request and answers; charts are drawn in `charts`, and the numbers come from selectors.
"""
