"""Models of kernels that follow one law up to a break and another one beyond it. A *segment* is a range of
one parameter's values without a break.
"""
