"""Logs of LAMMPS and SPARTA."""

import pytest

from ingest.formats import FormatError, parse
from ingest.formats.limits import Limits


@pytest.fixture
def read(tmp_path):
    def read(*parts, **limits):
        path = tmp_path / "log.lammps"
        path.write_text("LAMMPS (2 Aug 2023)\n" + "\n".join(parts))
        return parse(path, limits=Limits(**limits))

    return read


def report(time=8.0, atoms=4000, steps=100, tasks="2 MPI tasks x 4 OpenMP threads", what="atoms"):
    return f"""
   Step          Temp          E_pair
         0   3             -6.7733681
       100   1.6510577     -4.7567887
Loop time of {time} on 8 procs for {steps} steps with {atoms} {what}

Performance: 5000.1 tau/day, {steps / time} timesteps/s, 4.5 Matom-step/s
99.8% CPU use with {tasks}

MPI task timing breakdown:
Section |  min time  |  avg time  |  max time  |%varavg| %total
---------------------------------------------------------------
Pair    | {time / 4}   | {time / 2} | {time}  |   7.9 | 50.00
Neigh   | 0.25         | 0.5        | 0.75    |   6.1 | 12.50
Other   |              | 0.125      |         |       |  1.50

Nlocal:           500 ave         510 max         490 min
Total wall time: 0:00:08
"""


def values(campaign, kernel, metric="time"):
    return {
        tuple(point): runs
        for point, runs in zip(
            campaign.points.tolist(), campaign.series[kernel, metric].tolist(), strict=True
        )
    }


def test_it_works(read):
    campaign = read(report(), report(time=16.0, atoms=8000), report(time=9.0))
    assert campaign.format == "lammps"
    assert campaign.parameters == ("processes", "steps", "atoms", "threads")
    assert values(campaign, "main")[2, 100, 4000, 4] == [8, 9]
    assert values(campaign, "main->Pair")[2, 100, 8000, 4][0] == 8
    assert values(campaign, "main->Other")[2, 100, 4000, 4] == [0.125, 0.125]
    assert values(campaign, "main", "timesteps/s")[2, 100, 4000, 4][0] == 12.5
    assert campaign.units == {"time": "s"}


def test_the_number_of_particles_is_a_metric(read):
    campaign = read(*(report(atoms=number, what="particles") for number in (33672, 33849)))
    assert campaign.parameters == ("processes", "steps", "threads")
    assert campaign.series["main", "particles"].tolist() == [[33672, 33849]]


def test_a_run_without_threads_has_one_thread(read):
    assert read(report(tasks="8 MPI tasks x no OpenMP threads")).points.tolist() == [[8, 100, 4000, 1]]


def test_a_run_without_steps_is_left_out(read):
    assert read(report(steps=0), report()).points.tolist() == [[2, 100, 4000, 4]]


def test_a_run_without_a_table_of_sections_has_only_its_total(read):
    campaign = read("Loop time of 1.5 on 4 procs for 10 steps with 500 atoms")
    assert campaign.parameters == ("processes", "steps", "atoms")
    assert list(campaign.series) == [("main", "time")]


@pytest.mark.parametrize("text", ["ERROR: Lost atoms", report(steps=0)])
def test_a_log_without_a_run_is_refused(read, text):
    with pytest.raises(
        FormatError, match=r"an output without results; expected a finished run: “Loop time of"
    ):
        read(text)


def test_errors_name_the_line(read):
    with pytest.raises(FormatError, match="line 3: found “1-5”"):
        read("", "Loop time of 1-5 on 4 procs for 10 steps with 500 atoms")


def test_lines_without_results_are_limited(read):
    with pytest.raises(FormatError, match="more than 5 lines without measurements"):
        read("other output\n" * 10, unmeasured=5)
