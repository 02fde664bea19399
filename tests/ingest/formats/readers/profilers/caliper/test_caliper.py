"""Caliper's own files: how the records of a run are combined, and which of its numbers are parameters."""

import json

import pytest

from ingest.formats import FormatError, parse
from tests.ingest.formats import cubex
from tests.ingest.formats.cali import DOUBLE, INT, NESTED, STRING, VALUE, Cali, profile, run


@pytest.fixture
def read(tmp_path):
    def read(content, name="run.cali", **options):
        path = tmp_path / name
        if name.endswith(".tar"):
            content = cubex.tar(content)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return parse(path, options=options)

    return read


RUNS = {
    f"runs/{p}.cali": run(p, jobsize=p, numhosts=1 + p // 4, elapsed_time=9 / p, cluster="x,y")
    for p in (2, 4)
}


def test_it_works(read):
    campaign = read(RUNS, "runs.tar")
    assert campaign.format == "caliper"
    assert campaign.parameters == ("jobsize",)
    assert campaign.points.tolist() == [[2.0], [4.0]]
    assert campaign.series["main", "Time"].tolist() == [[4.0], [8.0]]
    assert campaign.series["main->a→b", "Time"].tolist() == [[4.0], [8.0]]
    assert {metric for _, metric in campaign.series} == {"Time", "count"}
    assert campaign.units["Time"] == "s"
    assert campaign.metadata == {"cluster": "x,y"}
    assert campaign.notes == (
        "numhosts vary between runs but are not parameters; name the parameters in the option "
        "parameters, such as parameters=jobsize,numhosts, or on the campaign's page",
        "2 values outside of any region were left out",
    )
    assert [run["elapsed_time"] for run in campaign.runs] == [4.5, 2.25]


@pytest.mark.parametrize(("scaling", "values"), [("weak", [2.0]), ("strong", [4.0]), ("ranks", [1.0, 3.0])])
def test_processes(read, scaling, values):
    campaign = read(run(jobsize=8), scaling=scaling)
    assert campaign.series["main->a→b", "Time"].tolist() == [values]


def test_known_parameters_of_a_single_run_are_chosen(read):
    about = {"mpi.world.size": 8, "problem_size": 30, "iterations": 100, "user": "x"}
    campaign = read(run(**about))
    assert campaign.parameters == ("mpi.world.size", "problem_size")
    assert campaign.metadata["iterations"] == "100"


def test_one_number_of_processes_and_the_threads_are_parameters(read):
    about = {"numhosts": 2, "SLURM_NTASKS": 8, "jobsize": 8, "problem_size": 30, "OMP_NUM_THREADS": 4}
    assert read(run(**about)).parameters == ("jobsize", "OMP_NUM_THREADS", "problem_size")


def test_runs_at_one_point_are_repetitions(read):
    campaign = read({"a.cali": run(1, jobsize=8), "b.cali": run(2, jobsize=8)}, "runs.tar")
    assert campaign.series["main", "Time"].tolist() == [[2.0, 4.0]]


def test_users_can_choose_parameters(read):
    campaign = read(RUNS, "runs.tar", parameters="numhosts, jobsize", metrics="count")
    assert campaign.parameters == ("numhosts", "jobsize")
    assert {metric for _, metric in campaign.series} == {"count"}
    with pytest.raises(FormatError, match="some runs without a number “colour”"):
        read(RUNS, "runs.tar", parameters="colour")
    with pytest.raises(FormatError, match="the scaling “huge”"):
        read(RUNS, "runs.tar", scaling="huge")


def test_both_parameters_of_a_grid_are_chosen(read):
    runs = {
        f"{p}.{n}.{r}.cali": run(jobsize=p, size=n, numhosts=p, elapsed_time=r + p)
        for p in (2, 4)
        for n in (10, 20)
        for r in (0.1, 0.2)
    }
    campaign = read(runs, "runs.tar")
    assert campaign.parameters == ("jobsize", "size")
    assert campaign.series["main", "Time"].shape == (4, 2)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"hello", "no record of Caliper"),
        (b"__rec=ctx,ref=9999", "no record of Caliper"),
        (b"__rec=ctx,attr=9999,data=1", "no record of Caliper"),
        (b"__rec=node,id=x,attr=8", "no record of Caliper"),
        (b"__rec=node,id=50", "no record of Caliper"),
        (b"__rec=ctx,ref=1\\", "no record of Caliper"),
        (b"__rec=node,id=60,attr=8,data=\xff\xfe", "the byte 0xff"),
        (b"__rec=ctx,data=" + b"1" * 5_000_000, "a line of over"),
    ],
)
def test_errors_name_the_line(read, line, found):
    lines = run(jobsize=8).split(b"\n")
    with pytest.raises(FormatError, match=found) as raised:
        read(b"\n".join([*lines[:3], line, *lines[3:]]))
    assert (raised.value.file, raised.value.line) == ("run.cali", 4)


def test_an_error_in_an_archive_names_the_file(read):
    with pytest.raises(FormatError) as raised:
        read({"good.cali": run(jobsize=8), "bad.cali": b"__rec=node,id=1\nhello"}, "runs.tar")
    assert raised.value.file == "runs.tar, bad.cali"


def test_a_value_that_is_no_number_is_refused(read):
    with pytest.raises(FormatError, match="no record of Caliper: “ValueError"):
        read(run("x", jobsize=8))


def test_a_region_that_contains_itself_is_refused_in_time(read):
    lines = run(jobsize=8).split(b"\n")
    loop = b"__rec=node,id=900,attr=8,data=x,parent=901\n__rec=node,id=901,attr=8,data=x,parent=901"
    with pytest.raises(FormatError):
        read(b"\n".join([*lines, loop, b"__rec=ctx,ref=901"]))


def test_units_come_from_the_file_or_from_the_name(read):
    cali = Cali()
    region = cali.node(cali.attribute("region", STRING, NESTED), "main")
    named = {
        cali.attribute("sum#time.duration", DOUBLE, VALUE, unit="sec", alias="Time"): 1,
        cali.attribute("sum#gpu.duration", DOUBLE, VALUE, unit="nsec", alias="GPU time"): 1,
        cali.attribute("inclusive#sum#time.duration.ns", DOUBLE, VALUE, alias="time (inc)"): 1,
        cali.attribute("scale#sum#time.duration.ns", DOUBLE, VALUE): 1,
        cali.attribute("count", INT, VALUE): 1,
    }
    cali.record(region, named)
    units = read(cali.content).units
    assert units == {
        "Time": "s",
        "GPU time": "ns",
        "time (inc)": "ns",
        "scale#sum#time.duration.ns": "",
        "count": "",
    }


def test_metrics_with_the_same_alias_keep_their_own_names(read):
    cali = Cali()
    region = cali.node(cali.attribute("region", STRING, NESTED), "main")
    times = [cali.attribute(name, DOUBLE, VALUE, alias="Time") for name in ("sum#a", "sum#b")]
    cali.record(region, {times[0]: 1, times[1]: 2})
    campaign = read(cali.content)
    assert {key[1]: values.tolist() for key, values in campaign.series.items()} == {
        "sum#a": [[1.0]],
        "sum#b": [[2.0]],
    }


def test_a_derived_metric_with_negative_values_is_left_out_and_named(read):
    runs = {
        "a.cali": profile([(0, 1, 0.5)], ["time", "topdown.l1"], jobsize=2),
        "b.cali": profile([(0, 1, -0.5)], ["time", "topdown.l1"], jobsize=4),
    }
    campaign = read(runs, "runs.tar")
    assert list(campaign.series) == [("main", "time")]
    assert campaign.notes[0].startswith("the metric topdown.l1 was left out: it is -0.5 in main of b.cali")
    with pytest.raises(FormatError, match=r"the value “-0\.5” of topdown\.l1 in main"):
        read(runs, "runs.tar", metrics="topdown.l1")


def test_a_file_without_parameters_is_one_configuration(read):
    cali = Cali()
    time, region = cali.attribute("time", DOUBLE, VALUE), cali.attribute("region", STRING, NESTED)
    cali.record(cali.node(region, "main"), {time: 1})
    campaign = read(cali.content)
    assert (campaign.parameters, campaign.points.tolist()) == (("configuration",), [[1.0]])
    assert list(campaign.runs) == [{}]


class TestPointsBesideTheFiles:
    """Uploads of Caliper files may be sent together with the coordinates of their point."""

    @pytest.fixture
    def placed(self, tmp_path):
        def placed(point, content=None):
            runs = {
                f"np{p}/{n}.cali": profile([(0, p * n)], ["time"], jobsize=5, size=n)
                for p in (2, 4)
                for n in (1, 3)
            }
            path = tmp_path / "runs"
            path.write_bytes(content or cubex.tar(runs))
            return parse(path, point=point)

        return placed

    def test_a_pattern_adds_a_parameter_to_those_of_the_runs(self, placed):
        campaign = placed("np{p}/*.cali")
        assert campaign.parameters == ("p", "size")
        assert campaign.points.tolist() == [[2, 1], [2, 3], [4, 1], [4, 3]]
        assert [run["p"] for run in campaign.runs] == [2, 2, 4, 4]

    def test_it_replaces_what_the_run_says(self, placed):
        campaign = placed("np{jobsize}/*.cali")
        assert campaign.parameters == ("jobsize", "size")
        assert campaign.points[:, 0].tolist() == [2, 2, 4, 4]

    def test_a_single_file_has_the_point_that_was_told(self, placed):
        campaign = placed("p=64", profile([(0, 1)], ["time"]))
        assert (campaign.parameters, campaign.points.tolist()) == (("p",), [[64.0]])


def test_a_note_names_different_compilers_at_one_point(read):
    runs = {f"{name}.cali": profile([(0, 1)], ["time"], compiler=name, launchdate=name) for name in "ab"}
    assert (
        read(runs, "runs.tar")
        .notes[0]
        .startswith("runs that count as repetitions of one point differ in compiler (a, b)")
    )


def test_names_may_contain_escaped_characters(read):
    cali = Cali()
    time, region = cali.attribute("time", DOUBLE, VALUE), cali.attribute("region", STRING, NESTED)
    cali.record(cali.node(region, r"f(a\, b\=1\\)"), {time: 1})
    assert list(read(cali.content).series) == [("f(a, b=1\\)", "time")]
