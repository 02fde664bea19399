"""How an application's own forecasts fared: what was foretold beside what was measured later.

Forecasts are written down and scored elsewhere; nothing is modelled here.
"""
