"""Tables among other lines of a program's output."""

import pytest

from ingest.formats import FormatError
from tests.ingest.formats.memory import seconds_of_children

OUTPUT = """$ python run.py benchmarks/state/
Running on CPU, please wait

size          backend     calls     mean      stdev     25%       max
----------------------------------------------------------------------
   4,096  numba         10,000     0.001     0.000     0.001     0.003
   4,096  numpy         10,000     0.002     0.000     0.002     0.005

  65,536  numba          1,000     0.016     0.000     0.016     0.017
  65,536  numpy          1,000     0.032     0.000     0.032     0.040

(time in wall seconds, less is better)
"""


def test_it_works(read):
    campaign = read(OUTPUT)
    assert campaign.format == "printed-table"
    assert (campaign.parameters, campaign.points.tolist()) == (("size",), [[4096], [65536]])
    assert campaign.series["main [backend=numba]", "mean"].tolist() == [[0.001], [0.016]]
    assert campaign.series["main [backend=numpy]", "mean"].tolist() == [[0.002], [0.032]]
    assert campaign.notes[0] == "read from the table below line 4"


@pytest.mark.parametrize("separator", [",", ";", "\t", " | ", "   ", " "])
def test_columns_may_have_any_separator(read, separator):
    rows = [("ranks", "time"), ("2", "8.5"), ("4", "4.25")]
    table = "\n".join(separator.join(row) for row in rows)
    campaign = read(f"Solver 1.2 begins. Have fun!\nReading the input\n{table}\nThat is all, good bye.\n")
    assert (campaign.parameters, campaign.series["main", "time"].tolist()) == (("ranks",), [[8.5], [4.25]])


def test_cells_may_have_units_behind_a_blank(read):
    campaign = read(
        "clock: 2490 2490 2490\n"
        "     data set   exec time     spread        Eff. bw\n"
        "         2 kB         4ms       0.3%   24476.7 GB/s\n"
        "         4 kB         5ms       0.1%   25185.9 GB/s\n"
    )
    assert (campaign.parameters, campaign.points.tolist()) == (("data set",), [[2], [4]])
    assert campaign.series["main", "Eff. bw"].tolist() == [[24476.7], [25185.9]]
    assert campaign.units == {"exec time": "ms", "Eff. bw": "GB/s"}


def test_each_of_several_tables_is_a_kernel(read):
    table = "{}:\nranks  time\n=====  ====\n2      {}\n4      1.5\n"
    campaign = read("Results follow below\n" + table.format("Assembly", 3) + table.format("Solve", 9))
    assert {key: values.tolist() for key, values in campaign.series.items()} == {
        ("Assembly", "time"): [[3], [1.5]],
        ("Solve", "time"): [[9], [1.5]],
    }
    assert campaign.notes[0] == "read from tables below lines 3, 8"


def test_a_baseline_above_the_table_is_left_out(read):
    campaign = read("Size: 100\nBaseline time: 2.5\n\nworkers time speedup\n1 2.5 1\n2 1.5 1.7\n4 0.9 2.8\n")
    assert campaign.parameters == ("workers",)
    assert campaign.series["main", "time"].ravel().tolist() == [2.5, 1.5, 0.9]


def test_a_run_without_result_ends_no_table(read):
    campaign = read("Hello there\nranks  time\n2      8\n4      timeout\n8      2\nBye bye now, all\n")
    assert campaign.series["main", "time"][[0, 2], 0].tolist() == [8, 2]


@pytest.mark.parametrize(
    "text",
    [
        "Hello\nname  age\nAda   36\nBob   41\n",  # nothing is measured
        "Hello there\ntime  ranks\n8     2\n4     4\n",  # the first column is measured
        "Hello there\nranks  time\n2      8\n",  # a single row
        "Input\nHPL.out   output file name (if any)\n6         device out (6=stdout)\n1         sizes (N)\n",
        "Training begins\nafter loss\nLoss: 2.25\nLoss: 1.64\n",  # a sentence
        "Hello there\nranks  time\nfew    long\nmany   short\n",  # no numbers
    ],
)
def test_other_texts_are_refused(read, text):
    with pytest.raises(FormatError, match="a text that was not recognised"):
        read(text)


def test_long_logs_are_read_quickly(read):
    log = "".join(f"step {step} of the solver took {step}.5 units of its time\n" for step in range(100_000))
    before = seconds_of_children()
    campaign = read(f"{OUTPUT}{log}{OUTPUT}")
    assert seconds_of_children() - before < 3
    assert campaign.notes[0] == "read from tables below lines 4, 100016"
