"""Compare the kernels of two campaigns: which kernels changed, and by how much.

All quantities but the location are logarithms of ratios after / before:

    location    one value that stands for all repetitions at a point, see `locations`
    level       a kernel's ratio over all points
    shift       the ratio that all kernels share, as on a slower machine
    drift       a deviation of a kernel's level from the shift that no change of code caused
    scatter     deviations at single points, between campaigns, that repetitions do not show
    odd point   a point at which a kernel's scatter is several times as large as at its other points
    class of scatter  the standard deviation of a kernel's scatter, with or without odd points
    factor      a change of code that multiplied all values of a kernel by one number
    overhead    a change of code that added the same amount to all values of a kernel, or removed it
    law         a change of code after which a kernel grows differently

Modules, in the order in which a comparison uses them:

    pair                what was measured, and at which common points
    located             one value for the repetitions of a point (locations, middle_half, outermost, widths)
    log_ratios          ratios at the common points, and point_shifts, which are removed from them
    change_evidence     the likelihood of each explanation (likelihood, covariances), and level_mixture
    learning            what all kernels share (shared_change, usual_drift), and shared_growth
    judgement           which kernels changed (verdict_threshold), and overhead
    law_ratio           after / before at the target
    comparison          all of this

`exceedance` computes probabilities for the gate from the results, and `pooled` one law for several versions.
"""
