"""Small pictures drawn on the server: sparklines, histograms, bars and grids of points as inline SVG.

They need no script and stand in tables and sentences; charts to explore are in the folder above.
"""
