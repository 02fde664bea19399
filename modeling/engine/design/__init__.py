"""Plan what to measure next, from the parameters that functions depend on, and from open questions of the
models.

In this package, a run is one execution of the program, and its repetitions are further runs at the same
point. No module here reads a file. Plans are returned as arrays with reasons.
"""
