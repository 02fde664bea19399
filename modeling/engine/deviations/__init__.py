"""How far kernels are from their laws: the processes in log x, and draws of many kernels together.

Which law they deviate from is found in `modelers`.
"""
