"""Measured data: repetitions and their noise, and the layout of points."""
