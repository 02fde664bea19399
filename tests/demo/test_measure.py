"""The script writes files that the portal can read, and the committed files are complete."""

import json
from datetime import datetime
from itertools import pairwise

import numpy as np
import pytest

from ingest.formats import parse
from perfweb.demo.application.versions import VERSIONS
from perfweb.demo.measure import DATA, Plan, measure, write
from tests.demo.test_simulation import KERNELS

COMMUNICATION = {"main->timestep->halo_exchange", "main->timestep->reduction"}


def test_a_small_plan_is_measured_and_written(tmp_path):
    plan = Plan(versions=VERSIONS[1:3], processes=(2, 4), sizes=(256,), repetitions=2, trials=1)
    write(plan, measure(plan, np.random.default_rng(1)), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"1.1.jsonl", "1.2.jsonl", "versions.json"}
    campaign = parse(tmp_path / "1.1.jsonl")
    assert campaign.parameters == ("p", "n")
    assert sorted(campaign.points.tolist()) == [[2, 256], [4, 256]]
    assert {kernel for kernel, metric in campaign.series if metric == "time"} == KERNELS
    assert campaign.series["main->timestep->fft", "time"].shape == (2, 2)


def test_values_keep_five_digits(tmp_path):
    plan = Plan(versions=VERSIONS[:1], processes=(4,), sizes=(256,), repetitions=1)
    write(plan, {("1.0", (4, 256), "main->read_input", "time"): [0.000123456789]}, tmp_path)
    assert json.loads((tmp_path / "1.0.jsonl").read_text())["value"] == [0.00012346]


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.label)
def test_the_committed_campaign_is_complete(version):
    path = DATA / f"{version.label}.jsonl"
    assert path.stat().st_size < 150_000
    campaign = parse(path)
    assert sorted(map(tuple, campaign.points.tolist())) == Plan().points
    times = {kernel: values for (kernel, metric), values in campaign.series.items() if metric == "time"}
    assert set(times) == KERNELS
    assert all(values.shape == (25, 5) and (values > 0).all() for values in times.values())
    counted = {kernel for kernel, metric in campaign.series if metric == "bytes_received"}
    assert counted == COMMUNICATION


def test_the_committed_history_matches_the_code():
    about = json.loads((DATA / "versions.json").read_text())
    assert [version["label"] for version in about["versions"]] == [version.label for version in VERSIONS]
    assert [version["summary"] for version in about["versions"]] == [v.summary for v in VERSIONS]
    dates = [datetime.fromisoformat(version["committed_at"]) for version in about["versions"]]
    assert all(earlier < later for earlier, later in pairwise(dates))
