"""Small pictures drawn on the server as inline SVG: sparklines, histograms, bars and grids of points.

They need no script and are used in tables and sentences; charts to explore are in the folder above.
"""
