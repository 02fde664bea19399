"""How well an application's own forecasts held: predictions next to later measurements.

Forecasts are recorded and scored elsewhere; nothing is modelled here.
"""
