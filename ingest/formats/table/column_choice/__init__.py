"""Decides what each column of a table is, by names and cells; `decision` is where to start.

Wide tables, `p, n, kernel, time, visits`: columns before the kernel are parameters, columns after it metrics.
Without a kernel, or with the kernel first, a metric is known by its name or unit, as in `time [s]`. Without
such a name, columns whose values nearly all differ are metrics, or else the last column. If most rows have
a text of their own, only known names are parameters, because no column varies within a kernel.

Long tables, `p, n, kernel, metric, value`: all other numeric columns are parameters.

Text columns become part of the kernel's name (`main [compiler=gcc]`). Columns that only identify runs, or
describe the spread, are left out, so that the runs of one point are repetitions.

The words of names are in `headings`, and what is known about cells in `profiles`, in the folder above.
"""
