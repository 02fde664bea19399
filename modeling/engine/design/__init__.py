"""Plan what to measure next, from the parameters on which functions depend and from the questions that models
leave open.

In this package, a run is one execution of the program; its repetitions are further runs at the same point.
Laws are fitted by the modelers, and no file is read; plans are returned as arrays with reasons.
"""
