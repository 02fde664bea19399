"""The kernel's main chart: measured values, law, interval, extrapolation and target, with residuals below.

The scene says what is shown, traces and notes draw it; what is put into the scene is decided in `kernel`.
"""
