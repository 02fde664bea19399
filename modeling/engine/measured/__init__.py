"""What was measured: repetitions and their noise, the layout of the points, what a fit sees of both.

No law is fitted here; that is done in `modelers`.
"""
