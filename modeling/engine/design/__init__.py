"""What to measure next: designs from the parameters that functions depend on, and from open questions of
the models.

In this room, a run is one execution of the program, and its repetitions are further runs at the same point.
Nothing here fits a law or reads a file; plans are returned as arrays with reasons.
"""
