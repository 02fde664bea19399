"""The kernel's main chart: measured values, law, interval, extrapolation and target, with residuals below.

The scene describes the content, traces and notes draw it; the content of the scene is chosen in `kernel`.
"""
