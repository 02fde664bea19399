"""Caliper profiles: its own files and its JSON, and which of a run's numbers are parameters."""

import io
import json
import zipfile

import pytest

from ingest.formats import FormatError, parse
from tests.ingest.formats import cubex

INT, DOUBLE, STRING = 1, 5, 3
"""Nodes of types that every file begins with."""
VALUE, NESTED, GLOBAL, HIDDEN = 1, 256, 512, 128


class Cali:
    """Writes a file: attributes, then regions, then records."""

    def __init__(self):
        self.lines, self.next = [], 20
        self.unit = self.attribute("attribute.unit", STRING, 64)
        self.alias = self.attribute("attribute.alias", STRING, 64)

    def node(self, attribute, data, parent=None):
        """A node; its number."""
        above = "" if parent is None else f",parent={parent}"
        self.lines.append(f"__rec=node,id={self.next},attr={attribute},data={data}{above}")
        self.next += 1
        return self.next - 1

    def attribute(self, name, kind, properties, unit="", alias=""):
        """An attribute; its number."""
        parent = kind
        if unit:
            parent = self.node(self.unit, unit, parent)
        if alias:
            parent = self.node(self.alias, alias, parent)
        return self.node(8, name, self.node(10, properties, parent))

    def record(self, region, values):
        """A record of a region's values by attribute."""
        attributes, data = "=".join(map(str, values)), "=".join(map(str, values.values()))
        self.lines.append(f"__rec=ctx,ref={region},attr={attributes},data={data}")

    def globals(self, **values):
        """What is known of the run."""
        numbers = [self.attribute(name, STRING, GLOBAL | VALUE) for name in values]
        data = "=".join(str(value).replace(",", "\\,") for value in values.values())
        self.lines.append(f"__rec=globals,attr={'='.join(map(str, numbers))},data={data}")


def run(factor=1.0, **about):
    """main calls solve; two records of solve."""
    cali = Cali()
    time = cali.attribute("sum#time", DOUBLE, VALUE, unit="sec", alias="Time")
    count = cali.attribute("count", INT, VALUE)
    rank = cali.attribute("mpi.rank", INT, VALUE)
    region = cali.attribute("region", STRING, NESTED)
    main = cali.node(region, "main")
    solve = cali.node(region, "a->b", main)
    cali.record(main, {time: 2 * factor, count: 1})
    cali.record(solve, {time: 1 * factor, count: 4, rank: 0})
    cali.record(solve, {time: 3 * factor, count: 4, rank: 1})
    cali.lines.append(f"__rec=ctx,attr={time},data=9")
    cali.globals(**about)
    return "\n".join(cali.lines).encode()


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
        "these vary between runs as well and could be parameters: numhosts, elapsed_time",
        "2 values outside of any region were left out",
    )


@pytest.mark.parametrize(("scaling", "values"), [("weak", [2.0]), ("strong", [4.0]), ("ranks", [1.0, 3.0])])
def test_processes(read, scaling, values):
    campaign = read(run(jobsize=8), scaling=scaling)
    assert campaign.series["main->a→b", "Time"].tolist() == [values]


def test_one_run_has_the_parameters_whose_names_are_known(read):
    about = {"jobsize": 8, "mpi.world.size": 8, "problem_size": 30, "iterations": 100, "user": "x"}
    campaign = read(run(**about))
    assert campaign.parameters == ("mpi.world.size", "problem_size")
    assert campaign.metadata["iterations"] == "100"


def test_of_a_run_s_numbers_of_processes_one_and_the_threads_are_parameters(read):
    about = {"numhosts": 2, "SLURM_NTASKS": 8, "jobsize": 8, "problem_size": 30, "OMP_NUM_THREADS": 4}
    assert read(run(**about)).parameters == ("jobsize", "OMP_NUM_THREADS", "problem_size")


def test_runs_at_one_point_are_repetitions(read):
    campaign = read({"a.cali": run(1, jobsize=8), "b.cali": run(2, jobsize=8)}, "runs.tar")
    assert campaign.series["main", "Time"].tolist() == [[2.0, 4.0]]


def test_the_user_may_choose(read):
    campaign = read(RUNS, "runs.tar", parameters="numhosts, jobsize", metrics="count")
    assert campaign.parameters == ("numhosts", "jobsize")
    assert {metric for _, metric in campaign.series} == {"count"}
    with pytest.raises(FormatError, match="do not all have a number “colour”"):
        read(RUNS, "runs.tar", parameters="colour")
    with pytest.raises(FormatError, match="the scaling “huge”"):
        read(RUNS, "runs.tar", scaling="huge")


def test_a_grid_has_both_parameters(read):
    runs = {
        f"{p}.{n}.{r}.cali": run(jobsize=p, size=n, numhosts=p, elapsed_time=r + p)
        for p in (2, 4)
        for n in (10, 20)
        for r in (0.1, 0.2)
    }
    campaign = read(runs, "runs.tar")
    assert campaign.parameters == ("jobsize", "size")
    assert campaign.series["main", "Time"].shape == (4, 2)


def test_runs_without_parameters_say_what_there_is(read):
    with pytest.raises(FormatError, match="names no parameter that is known") as raised:
        read(run(colours=3, user="x"))
    assert "colours" in raised.value.expected


SPLIT = {
    "data": [[0, 2.0, 1], [1, 1.5, None], [None, 9, 1]],
    "columns": ["path", "time", "mpi.rank"],
    "column_metadata": [
        {"is_value": False},
        {"is_value": True, "attribute.unit": "sec"},
        {"is_value": True},
    ],
    "nodes": [{"label": "main", "column": "path"}, {"label": "solve", "column": "path", "parent": 0}],
    "jobsize": 8,
    "cluster": "x",
}
OBJECT = {
    "records": [{"path": "main", "time": 2.0}, {"path": "main/solve", "time": 1.5, "region": "solve"}],
    "globals": {"jobsize": "8", "cluster": "x"},
    "attributes": {},
}


@pytest.mark.parametrize("content", [SPLIT, OBJECT])
def test_json(read, content):
    campaign = read(content, "run.json")
    assert campaign.format == "caliper"
    assert campaign.parameters == ("jobsize",)
    assert campaign.series["main", "time"].tolist() == [[2.0]]
    assert campaign.series["main->solve", "time"].tolist() == [[1.5]]
    assert campaign.metadata["cluster"] == "x"
    assert len(campaign.series) == 2


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (SPLIT | {"columns": ["path"]}, "3 entries of “column_metadata” for 1 columns"),
        (SPLIT | {"columns": ["path", 1, 2]}, "the columns"),
        (SPLIT | {"data": [[0, 1]]}, "“[0.0, 1.0]”"),
        (SPLIT | {"data": [[7, 1.0, 1]]}, "the node “7.0”"),
        (SPLIT | {"data": [["x", 1.0, 1]]}, "the node “x”"),
        (SPLIT | {"data": [[0, "fast", 1]]}, 'time “["fast"]”'),
        (SPLIT | {"data": {}}, "“{}"),
        (SPLIT | {"nodes": [{"label": "main", "parent": 0}]}, "the node “0.0”"),
        (SPLIT | {"nodes": [7]}, "“7.0”"),
        (SPLIT | {"column_metadata": [7]}, "“7.0”"),
        (SPLIT | {"data": [[0, -1.0, 1]]}, "the value “-1.0”"),
        (OBJECT | {"globals": []}, "“[]”"),
        (OBJECT | {"records": [7]}, "“7.0”"),
        (OBJECT | {"records": []}, "no points|no values"),
    ],
)
def test_json_that_is_wrong(read, content, found):
    with pytest.raises(FormatError) as raised:
        read(content, "run.json")
    assert any(part in raised.value.found for part in found.split("|"))
    assert raised.value.file == "run.json"


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


def test_a_region_that_calls_itself_for_ever_is_refused_in_time(read):
    lines = run(jobsize=8).split(b"\n")
    loop = b"__rec=node,id=900,attr=8,data=x,parent=901\n__rec=node,id=901,attr=8,data=x,parent=901"
    with pytest.raises(FormatError):
        read(b"\n".join([*lines, loop, b"__rec=ctx,ref=901"]))


def test_a_zip_file_of_json_by_name(tmp_path):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for p in (2, 4):
            archive.writestr(f"{p}.json", json.dumps(SPLIT | {"jobsize": p}))
    (tmp_path / "runs.zip").write_bytes(file.getvalue())
    assert parse(tmp_path / "runs.zip", "caliper").points.tolist() == [[2.0], [4.0]]
