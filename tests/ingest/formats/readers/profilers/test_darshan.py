"""Outputs of darshan-parser."""

import pytest

from ingest.formats import FormatError

HEAD = """# darshan log version: 3.41
# exe: ./ior -b 1g
# jobid: 4478544
# nprocs: {processes}
# run time: 60.5

# POSIX module data
"""
TOTAL = """total_POSIX_OPENS: 48
total_POSIX_BYTES_READ: 4096
total_POSIX_MAX_BYTE_READ: 4095
total_POSIX_F_READ_TIME: 6.25
total_MPIIO_BYTES_WRITTEN: 512
"""
EACH = """#<module>\t<rank>\t<record id>\t<counter>\t<value>\t<file name>\t<mount pt>\t<fs type>
POSIX\t-1\t1234\tPOSIX_OPENS\t4\t/scratch/a\t/scratch\tlustre
POSIX\t-1\t1234\tPOSIX_BYTES_READ\t4096\t/scratch/a\t/scratch\tlustre
POSIX\t0\t5678\tPOSIX_OPENS\t1\t/scratch/b\t/scratch\tlustre
POSIX\t0\t5678\tPOSIX_BYTES_READ\t-1\t/scratch/b\t/scratch\tlustre
MPI-IO\t0\t5678\tMPIIO_F_WRITE_TIME\t0.5\t/scratch/b\t/scratch\tlustre
"""


def test_totals_are_metrics_of_interfaces(read):
    campaign = read(HEAD.format(processes=48) + TOTAL)
    assert (campaign.format, campaign.parameters) == ("darshan", ("processes",))
    assert campaign.points.tolist() == [[48]]
    assert {key: values.tolist() for key, values in campaign.series.items()} == {
        ("main", "run time"): [[60.5]],
        ("main->POSIX", "opens"): [[48]],
        ("main->POSIX", "bytes read"): [[4096]],
        ("main->POSIX", "read time"): [[6.25]],
        ("main->MPIIO", "bytes written"): [[512]],
    }
    assert campaign.units == {"run time": "s", "bytes read": "B", "bytes written": "B", "read time": "s"}


def test_counters_of_files_are_added(read):
    """They were read as a table with the metric <value>, in which bytes and seconds were mixed."""
    campaign = read(HEAD.format(processes=4) + EACH)
    assert campaign.format == "darshan"
    assert campaign.series["main->POSIX", "opens"].tolist() == [[5]]
    assert campaign.series["main->POSIX", "bytes read"].tolist() == [[4096]]
    assert campaign.series["main->MPIIO", "write time"].tolist() == [[0.5]]


def test_several_outputs_are_several_runs(read):
    campaign = read("".join(HEAD.format(processes=processes) + EACH for processes in (4, 8, 8)))
    assert campaign.points.tolist() == [[4], [8]]
    assert campaign.series["main->POSIX", "opens"][1].tolist() == [5, 5]


def test_a_head_without_results_is_refused(read):
    with pytest.raises(FormatError, match="an output without results"):
        read("# darshan log version: 3.41\n# nprocs: 4\n")
