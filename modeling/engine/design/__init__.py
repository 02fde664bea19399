"""Plan what to measure next: from the parameters that functions depend on, or from the uncertainty of models.

The modelers fit the laws; this package chooses runs, and returns them as a plan with reasons.

These words have one meaning in all modules. A *run* is one execution of the program, and *repetitions* are
several runs at the same point. The C *candidates* are the points that may be measured. The *target* is the
point whose prediction the runs should make more certain. The *half width* of an interval is the logarithm of
the factor from its middle to its end. What is *open* is what runs should reduce: the variance of the
logarithm of the prediction at the target or, between two rival laws, the logarithm of the Bayes factor that
is still missing. The *gain* of a run is the expected decrease of what is open. A *group* is a set of runs
that shared a job, a node or a day; these are *kinds* of groups. A *version* is a version of the program.
"""
