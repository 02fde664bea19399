"""Flat profiles of gprof."""

GPROF = """Flat profile:

Each sample counts as 0.01 seconds.
  %   cumulative   self              self     total
 time   seconds   seconds    calls  ms/call  ms/call  name
 75.00      1.50     1.50      100    15.00    20.00  Solver::step(double*, int)
 25.00      2.00     0.25                             main
  0.00      2.00     0.25                             main

 %         the percentage of the total running time of the
time       program used by this function.

\t\t     Call graph (explanation follows)

index % time    self  children    called     name
[1]    100.0    0.00    2.00                 main [1]
                1.50    0.50     100/100         Solver::step(double*, int) [2]
"""


def test_gprof(read):
    campaign = read(GPROF + GPROF.replace("1.50     1.50", "1.60     1.60"))
    assert campaign.format == "gprof"
    assert {key: values.tolist() for key, values in campaign.series.items()} == {
        ("Solver::step(double*, int)", "self time"): [[1.5, 1.6]],
        ("Solver::step(double*, int)", "calls"): [[100, 100]],
        ("main", "self time"): [[0.5, 0.5]],
    }
    assert campaign.units == {"self time": "s"}
