"""Models of kernels that follow one law up to a break and another one beyond it. The law of each segment is
found by the evidence modeler.
"""
