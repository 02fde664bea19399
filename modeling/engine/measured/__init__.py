"""The measured data: repetitions and their noise, the layout of the points, and the data that modelers fit.

No law is fitted here; the package `modelers` does that.
"""
