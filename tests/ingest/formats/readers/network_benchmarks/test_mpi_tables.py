"""Tables printed by OSU Micro-Benchmarks and Intel MPI Benchmarks."""

import numpy as np
import pytest

from ingest.formats import FormatError, parse

OSU = """
mpirun -np 4 ./osu_allreduce -m 4:8

# OSU MPI Allreduce Latency Test v5.8
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
4                       2.31              2.01              2.60        1000
8                       2.41              2.02              2.61        1000
srun --ntasks=8 ./osu_allreduce

# OSU MPI Allreduce Latency Test v5.8
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
4                       3.31              3.01              3.60        1000
8                       3.41              3.02              3.61        1000
slurmstepd: done
"""

IMB = """#------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part
#------------------------------------------------------------
# Benchmarking PingPong
# #processes = 2
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.18         0.00
            1         1000         0.20         5.00
            2         1000         0.21        10.00
            4         1000         0.22        20.00

#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 4
# ( 4 additional processes waiting in MPI_Barrier)
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.03         0.03         0.03
            4         1000         4.50        18.59        11.69

# All processes entering MPI_Finalize
"""


@pytest.fixture
def read(tmp_path):
    def read(text, point=""):
        path = tmp_path / "job-1234.out"
        path.write_text(text)
        return parse(path, point=point)

    return read


def values(campaign, kernel, metric):
    """Return the values of a series by point."""
    table = campaign.series[kernel, metric]
    rows = zip(map(tuple, campaign.points.tolist()), table.tolist(), strict=True)
    return {point: row[0] for point, row in rows if not np.isnan(row[0])}


def test_osu(read):
    campaign = read(OSU)
    assert campaign.format == "mpi-tables"
    assert campaign.parameters == ("processes", "bytes")
    found = values(campaign, "MPI Allreduce Latency", "avg_latency")
    assert found == {(4, 4): 2.31, (4, 8): 2.41, (8, 4): 3.31, (8, 8): 3.41}
    assert {metric for _, metric in campaign.series} == {"avg_latency", "min_latency", "max_latency"}
    assert campaign.units["avg_latency"] == "us"


def test_the_number_of_processes_may_be_sent_with_the_file(read):
    text = (
        "# OSU MPI Latency Test v7.1\n# Datatype: MPI_CHAR.\n# Size      Latency (us)\n1   0.20\n2   0.21\n"
    )
    assert read(text).parameters == ("bytes",)
    assert read(text, "processes=2").points.tolist() == [[1, 2], [2, 2]]


def test_rates_and_settings_in_brackets_are_read(read):
    campaign = read(
        "# OSU MPI Multiple Bandwidth / Message Rate Test v5.9\n# [ pairs: 2 ] [ window size: 64 ]\n"
        "# Size                  MB/s        Messages/s\n1                       9.94        9940000.17\n"
    )
    assert campaign.units == {"bandwidth": "MB/s", "message_rate": "1/s"}
    assert {kernel for kernel, _ in campaign.series} == {"MPI Multiple Bandwidth / Message Rate"}


def test_a_table_without_sizes_has_one_row(read):
    campaign = read("# OSU MPI Barrier Latency Test v7.1\n# Avg Latency(us)\n             0.56\n")
    assert campaign.parameters == ("configuration",)
    assert campaign.series["MPI Barrier Latency", "avg_latency"].tolist() == [[0.56]]


def test_imb(read):
    campaign = read(IMB)
    assert campaign.parameters == ("processes", "bytes")
    assert values(campaign, "PingPong", "t") == {(2, 1): 0.2, (2, 2): 0.21, (2, 4): 0.22}
    assert values(campaign, "Allreduce", "t_avg") == {(4, 4): 11.69}
    assert campaign.units["t_avg"] == "us"
    assert campaign.units["bandwidth"] == "MB/s"
    assert values(campaign, "PingPong [bytes=0]", "t") == {(2, 1): 0.18}


def test_a_repeated_table_contains_repetitions(read):
    campaign = read(IMB + IMB)
    assert campaign.series["PingPong", "t"].shape[1] == 2


def test_a_row_that_does_not_fit_its_columns_is_named(read):
    with pytest.raises(FormatError, match="line 6: found a row of 2 numbers below the columns"):
        read(OSU.replace("2.31              2.01              2.60        1000", "2.31"))


def test_sizes_that_imb_did_not_measure_are_missing(read):
    stopped = IMB.replace(
        "            4         1000         0.22        20.00",
        '            4 time-out.; Time limit (secs_per_sample * msg_sizes_list_len) is over; use "-time X"',
    )
    campaign = read(stopped)
    assert campaign.series["PingPong", "t"].shape == (4, 1)
    assert np.isnan(campaign.series["PingPong", "t"]).sum() == 2
    assert campaign.notes[0] == ("line 11: PingPong at 4 bytes was not measured; time or memory ran out")


def test_osu_may_have_checked_the_data(read):
    campaign = read(
        "# OSU MPI Latency Test v7.5\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)        Validation\n"
        "1                       3.00              Pass\n2                       2.99              Fail\n"
        "4                       2.98              Pass\n"
    )
    assert campaign.points.tolist() == [[1], [4]]
    assert campaign.series["MPI Latency", "avg_latency"].tolist() == [[3], [2.98]]
    assert {metric for _, metric in campaign.series} == {"avg_latency"}
    assert campaign.notes == ("line 5: MPI Latency at 2 bytes failed its validation and was left out",)


def test_a_word_in_a_row_is_named_with_its_line(read):
    with pytest.raises(FormatError, match="line 3: found “slow”; expected a number"):
        read("# OSU MPI Latency Test v7.5\n# Size       Avg Latency(us)\n1                       slow\n")
