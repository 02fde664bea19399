"""Plan what to measure next, from the parameters that functions depend on or from the uncertainty of models.

`first` plans the first runs of a program of which nothing is known. `deduced` does this for a program whose
profile shows on which parameters each function depends. `following` plans further runs of a measured program.

These words have one meaning in the package:

    run         one execution of the program; *repetitions* are runs at the same point
    candidates  the C points that may be measured
    target      the point whose prediction the runs should make more certain
    half width  the logarithm of the factor from the middle of an interval to its end
    open        what runs should reduce: the variance of the log prediction at the target, or the logarithm
                of the Bayes factor that is missing between two rival laws
    gain        by how much a run is expected to reduce what is open
    group       runs that shared a job, a node or a day; job, node and day are *kinds* of groups
    version     a version of the program
"""
