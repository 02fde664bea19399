"""The origin of runs: names, times, and runs that are sent in any order."""

import json

import numpy as np
import pytest

from ingest.formats import FormatError, parse
from ingest.formats.campaign.origins import (
    NO_RUN,
    UNKNOWN,
    Origin,
    Origins,
    day_of,
    from_one,
    origin_of,
    with_sent,
)
from ingest.formats.collecting import collector, spool
from ingest.formats.collecting.merging import merge
from tests.ingest.formats import cubex
from tests.ingest.formats.cali import GLOBAL, STRING, Cali


@pytest.fixture
def read(tmp_path):
    def read(text, name="campaign.jsonl"):
        path = tmp_path / name
        path.write_text(text)
        return parse(path)

    return read


def line(value, kernel="main", p=8, **told):
    return json.dumps({"params": {"p": p}, "callpath": kernel, "value": value, **told})


def jobs(origins):
    """Return the job of each run at each point. An empty text means that the job is unknown."""
    names = [origin.job for origin in origins.known]
    return [["" if label < 0 else names[label] for label in row if label != NO_RUN] for row in origins.labels]


@pytest.mark.parametrize(
    ("about", "origin"),
    [
        ({"job": 17.0, "node": "n1"}, Origin("17", "n1")),
        ({"slurm_job_id": "17", "host": "login1", "slurm_job_nodelist": "n[1-4]"}, Origin("17", "n[1-4]")),
        ({"slurm.jobid": "17", "launchdate": "1700000000", "mpi.hostname": "n1"},
         Origin("17", "n1", "2023-11-14")),
        ({"PBS_JOBID": "17[3].server"}, Origin("17[3].server")),
        ({"Job": "a\0b"}, Origin("a b")),
        ({"time": "2026-11-23T10:00:00+01:00"}, Origin(day="2026-11-23")),
        ({"job": True, "node": ["a"], "time": "soon"}, None),
        ({"compiler": "gcc"}, None),
    ],
)  # fmt: skip
def test_names_used_by_schedulers_and_tools_are_recognised(about, origin):
    assert origin_of(about) == origin


def test_long_lists_of_nodes_stay_different():
    lists = [",".join(f"node{at}" for at in range(start, start + 99)) for start in (0, 1)]
    first, second = (origin_of({"nodelist": nodes}).node for nodes in lists)
    assert first != second
    assert len(first) == 80


@pytest.mark.parametrize(
    ("time", "day"),
    [
        ("2026-11-23", "2026-11-23"),
        ("20261123", "2026-11-23"),
        ("Mon Nov 23 10:41:06 2026", "2026-11-23"),
        ("23/Nov/2026 10:41:06", "2026-11-23"),
        (1795430000.0, "2026-11-23"),
        ("1795430000123", "2026-11-23"),
        (1.5, ""),
        ("1.5", ""),
        ("yesterday", ""),
        (None, ""),
    ],
)
def test_times_are_reduced_to_days(time, day):
    assert day_of(time) == day


def test_lines_are_ordered_by_job(read):
    text = [line([1, 2], job="a"), line(3, job="b"), line(4, job="a"), line(5, job="b", p=16)]
    campaign = read("\n".join([*text, line([6, 7, 8], "main->k", job="a"), line(9, "main->k", job="b")]))
    assert campaign.series["main", "time"][0].tolist() == [1, 2, 4, 3]
    assert jobs(campaign.origins) == [["a", "a", "a", "b"], ["b"]]
    assert campaign.series["main->k", "time"][0].tolist() == [6, 7, 8, 9]


def test_a_series_that_lacks_a_run_has_unknown_origins_there(read):
    text = [line([1, 2], job="a"), line(3, job="b"), line([4, 5], p=16, job="b")]
    campaign = read(
        "\n".join([*text, line([6, 7], "main->k", job="b"), line([8, 9], "main->k", 16, job="b")])
    )
    # At p = 8, job a has two runs and job b has two. main lacks one of them, and main->k has only those of b.
    assert jobs(campaign.origins) == [["a", "a", "b", "b"], ["b", "b"]]
    labels = campaign.origins.of_series(np.array([3, 2]))
    assert labels.tolist() == [[UNKNOWN] * 4, [1, 1, NO_RUN, NO_RUN]]


def test_lines_without_a_job_have_unknown_origins(read):
    campaign = read("\n".join([line([1, 2]), line(3, job="a")]))
    assert sorted(jobs(campaign.origins)[0]) == ["", "", "a"]
    assert campaign.series["main", "time"].tolist() == [[1, 2, 3]]
    assert read(line(1)).origins is None


def test_an_invalid_job_is_refused(read):
    with pytest.raises(FormatError, match="job"):
        read(line(1, job=[1]))


def test_values_added_together_keep_their_origins(read, monkeypatch):
    """The result is compared with a slow, obvious way: sorting the lines by job."""
    for module in (spool, collector):
        monkeypatch.setattr(module, "SORTED_AT_ONCE", 80)
    random = np.random.default_rng(3)
    found = [
        (f"k{random.integers(4)}", int(random.integers(1, 4)), f"j{random.integers(3)}", float(value))
        for value in range(1, 200)
    ]
    campaign = read("\n".join(line(value, kernel, p, job=job) for kernel, p, job, value in found))
    order = [origin.job for origin in campaign.origins.known]
    for (kernel, _), table in campaign.series.items():
        for (p,), row in zip(campaign.points.tolist(), table, strict=True):
            expected = [
                value for job in order for name, at, of, value in found if (name, at, of) == (kernel, p, job)
            ]
            assert row[np.isfinite(row)].tolist() == expected


def test_columns_of_a_table_contain_origins(read):
    rows = ["p,kernel,time [s],job,host,date", "2,k,1,17,n1,2026-11-22", "2,k,2,18,n2,2026-11-23"]
    campaign = read("\n".join([*rows, "2,k,3,17,n1,2026-11-22"]), "runs.csv")
    assert campaign.parameters == ("p",)
    assert campaign.series["k", "time"].tolist() == [[1, 3, 2]]
    assert campaign.origins.known == (Origin("17", "n1", "2026-11-22"), Origin("18", "n2", "2026-11-23"))
    assert campaign.origins.labels.tolist() == [[0, 0, 1]]


def test_a_caliper_profile_contains_its_job(tmp_path):
    made = Cali()
    region = made.attribute("region", STRING, 256)
    time = made.attribute("sum#time", 5, 1)
    jobid = made.attribute("slurm.jobid", STRING, GLOBAL)
    made.record(made.node(region, "main"), {time: 1.5})
    made.lines.append(f"__rec=globals,attr={jobid},data=4711")
    path = tmp_path / "run.cali"
    path.write_bytes(made.content)
    assert parse(path, point="p=4").origins.known == (Origin("4711"),)


def test_cube_profiles_contain_nodes_and_score_p_names_the_day(tmp_path):
    runs = {
        "scorep-20260131_1200_17/profile.cubex": ("n2", "n1"),
        "scorep-20260201_1300_18/profile.cubex": ("n3",),
    }
    members = cubex.files(*cubex.simple())
    path = tmp_path / "runs.tar"
    path.write_bytes(
        cubex.tar({name: cubex.tar(cubex.on_nodes(members, *nodes)) for name, nodes in runs.items()})
    )
    known = parse(path).origins.known
    assert known == (Origin("", "n1,n2", "2026-01-31"), Origin("", "n3", "2026-02-01"))


def test_tau_profiles_contain_nodes_and_day(tmp_path):
    def profile(node):
        facts = {"Hostname": node, "Local Time": "2026-03-01T07:16:01-08:00", "SLURM_JOB_ID": "17"}
        told = "".join(
            f"<attribute><name>{name}</name><value>{value}</value></attribute>"
            for name, value in facts.items()
        )
        return f'1 templated_functions_MULTI_TIME\n# <metadata>{told}</metadata>\n"main" 1 0 5 5 0\n'.encode()

    path = tmp_path / "runs.tar"
    path.write_bytes(cubex.tar({f"p2/profile.{rank}.0.0": profile(f"n{2 - rank}") for rank in range(2)}))
    assert parse(path).origins.known == (Origin("17", "n1,n2", "2026-03-01"),)


def test_rows_of_a_reframe_log_contain_their_jobs(read):
    header = "job_completion_time|display_name|jobid|job_nodelist|result|time_value"
    rows = [f"2026-03-01T10:0{job}:00|stream %n=8|{job}|n{job}|pass|{job}.5" for job in (2, 1)]
    campaign = read("\n".join([header, *rows]), "perf.log")
    assert campaign.origins.known == (Origin("2", "n2", "2026-03-01"), Origin("1", "n1", "2026-03-01"))
    assert campaign.series["stream", "time"].tolist() == [[2.5, 1.5]]


def test_cases_of_a_reframe_report_contain_their_jobs(read):
    case = {"display_name": "stream %n=8", "result": "pass", "jobid": "17", "nodelist": ["n2", "n1"]}
    case |= {"job_completion_time_unix": 1772359200.0, "perfvalues": {"a:b:time": [1, 0, None, None, "s"]}}
    report = {"session_info": {}, "runs": [{"testcases": [case]}]}
    known = read(json.dumps(report), "report.json").origins.known
    assert known == (Origin("17", "n1,n2", "2026-03-01"),)


def test_files_of_an_archive_keep_the_origin_of_each(tmp_path):
    def result(p, node):
        run = {"name": f"solve/p:{p}", "real_time": 1.5, "time_unit": "s", "iterations": 1}
        context = {"host_name": node, "date": "2026-03-01T10:00:00"}
        return json.dumps({"context": context, "benchmarks": [run]}).encode()

    path = tmp_path / "runs.tar"
    path.write_bytes(cubex.tar({f"{node}.json": result(8, node) for node in ("n1", "n2")}))
    assert [origin.node for origin in parse(path).origins.known] == ["n1", "n2"]


def test_sent_metadata_complete_the_origins_in_a_file():
    origins = Origins((Origin("", "n1", ""), Origin("18", "", "")), np.array([[0, 1, UNKNOWN, NO_RUN]]))
    found = with_sent(origins, Origin("17", "", "2026-03-01"))
    assert [found.known[label] for label in found.labels[0, :3]] == [
        Origin("17", "n1", "2026-03-01"),
        Origin("18", "", "2026-03-01"),
        Origin("17", "", "2026-03-01"),
    ]
    assert found.labels[0, 3] == NO_RUN


def test_merged_campaigns_keep_the_origins_of_each(read):
    first = read("\n".join([line([1, 2], job="a"), line(3, job="a", p=16)]))
    second = read("\n".join([line(4, job="b", p=16), line(5, job="a"), line(6, job="b", p=32)]))
    merged = merge(first, second)
    assert jobs(merged.origins) == [["a", "a", "a"], ["a", "b"], ["b"]]
    assert merged.series["main", "time"][1, :2].tolist() == [3, 4]
    unknown = merge(first, read(line([7, 8])))
    assert jobs(unknown.origins) == [["a", "a", "", ""], ["a"]]


def test_all_runs_of_a_file_may_have_one_origin():
    series = [np.array([[1.0, 2.0], [3.0, np.nan]]), np.array([[1.0, np.nan], [3.0, np.nan]])]
    origins = from_one(Origin("a"), series)
    assert origins == Origins((Origin("a"),), origins.labels)
    assert origins.labels.tolist() == [[0, 0], [0, NO_RUN]]
