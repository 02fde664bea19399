"""Decides what each column of a table is, by the names in the header and by the cells; `decision` is where to
start.

Wide tables, `p, n, kernel, time, visits`: columns before the kernel are parameters, columns after it metrics.
In a table without a kernel, or with the kernel first, a column is a metric if its name says so or carries a
unit, as in `time [s]`. If no name shows a metric, as in `nodes, solve, exchange`, every column that is not a
known parameter is a metric if nearly all of its values differ. If there is no such column, the last column is
the metric, unless its name is that of a parameter. If most rows have a text of their own, only columns with
the names of parameters are parameters, because no column varies within a kernel.

Long tables, `p, n, kernel, metric, value`: all other numeric columns are parameters.

Text columns become part of the kernel's name (`main [compiler=gcc]`). Columns that only identify runs (their
numbers, hosts, dates, ids) or describe the spread are left out, so that the runs of one point are
repetitions.

The words that names are compared with are in `headings`, and what is known about the cells in `profiles`,
both in the folder above.
"""
