"""Plan what to measure next: from the parameters that functions depend on, or from the uncertainty of models.

A run is one execution of the program, and repetitions are several runs at the same point. The C candidates
are the points that may be measured. The modelers fit the laws; this package chooses runs, and returns them as
a plan with reasons.
"""
