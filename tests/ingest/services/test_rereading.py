"""All runs of a campaign together decide which numbers in their files are parameters."""

import json
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from ingest.models import Campaign, Series, Upload
from ingest.services import campaign_numbers, parameters_choose
from ingest.tasks import campaign_reread, upload_ingest, uploads_sweep
from modeling.models import ModelRun
from tests.factories import make_user
from tests.ingest.sent import send


def profile(time, **known):
    """Return a run as Caliper writes it."""
    records = [{"path": "main/solve", "time": time}]
    return json.dumps({"globals": {name: str(value) for name, value in known.items()}, "records": records})


def store(project, content, **fields):
    upload = send(project, content, campaign="night", **fields)
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert upload.error is None
    return upload


def grow(project, runs):
    for run in runs:
        store(project, profile(1.0 + run["problem_size"] / run["jobsize"], **run))
    return Campaign.objects.get()


SIZES = [{"jobsize": 20, "problem_size": size, "omp_max_threads": 4} for size in (10, 20, 30, 40, 50)]


def test_files_of_one_size_each_form_a_series_over_sizes(project):
    campaign = grow(project, SIZES)
    assert campaign.parameters == ["problem_size"]
    assert campaign.points == [[10], [20], [30], [40], [50]]
    assert Series.objects.get().values == [1.5, 2.0, 2.5, 3.0, 3.5]
    assert list(campaign.version.application.parameters.values_list("name", flat=True)) == ["problem_size"]


def test_a_parameter_that_varies_later_changes_the_points_of_all_runs(project):
    runs = [*SIZES[:3], *({**run, "jobsize": 80} for run in SIZES[:3])]
    campaign = grow(project, runs)
    assert sorted(campaign.parameters) == ["jobsize", "problem_size"]
    assert len(campaign.points) == 6
    assert campaign.repetitions == 1


def test_the_order_of_the_files_does_not_matter(project):
    one = grow(project, SIZES)
    for run in reversed(SIZES):
        store(project, profile(1.0 + run["problem_size"] / run["jobsize"], **run), version="2")
    other = Campaign.objects.exclude(pk=one.pk).get()
    assert other.parameters == one.parameters
    assert sorted(other.points) == sorted(one.points)


def test_runs_at_one_point_are_repetitions(project):
    for number, time in enumerate((1.0, 1.5, 1.25)):
        store(project, profile(time, jobsize=8, launchdate=1700000000 + number))
    assert Campaign.objects.get().points == [[8]]
    assert Series.objects.get().values == [1.0, 1.5, 1.25]


def test_the_campaign_notes_numbers_that_differ_at_one_point(project):
    for level, time in ((1.5, 1.0), (2.5, 4.0)):
        store(project, profile(time, jobsize=8, viscosity=level))
    store(project, profile(2.0, jobsize=16, viscosity=3.5))
    campaign = Campaign.objects.get()
    assert campaign.parameters == ["jobsize"]
    assert "viscosity" in campaign.run_notes[0]
    assert "jobsize = 8" in campaign.run_notes[0]


def test_a_corrected_file_is_considered_in_the_choice(project):
    wrong = store(project, profile(1.0, jobsize=8, problem_size=10))
    store(project, profile(2.0, jobsize=8, problem_size=20))
    store(project, profile(1.0, jobsize=16, problem_size=20), replaces=wrong.pk)
    assert Campaign.objects.get().parameters == ["jobsize"]


class TestChosenAfterwards:
    """The owners of a stored campaign choose its parameters."""

    @pytest.fixture
    def campaign(self, project):
        campaign = grow(project, [{**run, "mesh_level": run["problem_size"] / 10} for run in SIZES])
        Campaign.objects.update(settles_at=None)
        return campaign

    def test_it_works(self, campaign):
        assert campaign_numbers(campaign)["mesh_level"] == [1, 2, 3, 4, 5]
        parameters_choose(campaign=campaign, parameters=["mesh_level"], user=make_user("ada"))
        campaign_reread(campaign.pk)
        campaign.refresh_from_db()
        assert (campaign.parameters, campaign.queued_at) == (["mesh_level"], None)
        assert campaign.points == [[1], [2], [3], [4], [5]]
        assert Series.objects.get().values == [1.5, 2.0, 2.5, 3.0, 3.5]
        assert ModelRun.objects.get().campaign == campaign

    def test_the_choice_applies_to_further_files(self, campaign, project):
        parameters_choose(campaign=campaign, parameters=["mesh_level"], user=make_user("ada"))
        campaign_reread(campaign.pk)
        store(project, profile(4.0, **SIZES[0] | {"problem_size": 60, "mesh_level": 6}))
        campaign.refresh_from_db()
        assert campaign.parameters == ["mesh_level"]
        assert campaign.points[-1] == [6]

    @pytest.mark.parametrize("names", [[], ["mesh"], ["mesh_level", "host"]])
    def test_numbers_that_some_runs_lack_are_refused(self, campaign, names):
        with pytest.raises(ValidationError, match="expected some of"):
            parameters_choose(campaign=campaign, parameters=names, user=make_user("ada"))
        campaign.refresh_from_db()
        assert campaign.queued_at is None

    def test_a_lost_message_is_sent_again(self, campaign, monkeypatch):
        parameters_choose(campaign=campaign, parameters=["mesh_level"], user=make_user("ada"))
        sent = []
        monkeypatch.setattr(
            "ingest.work.current_app.send_task", lambda task, args, **_: sent.append((task, args))
        )
        uploads_sweep()
        assert sent == []  # The request was made too recently.
        Campaign.objects.update(queued_at=timezone.now() - timedelta(minutes=1))
        uploads_sweep()
        assert sent == [("ingest.tasks.campaign_reread", [campaign.pk])]

    def test_a_missing_file_leaves_the_campaign_unchanged(self, campaign):
        Upload.objects.first().file.delete(save=False)
        parameters_choose(campaign=campaign, parameters=["mesh_level"], user=make_user("ada"))
        campaign_reread(campaign.pk)
        campaign.refresh_from_db()
        assert campaign.parameters == ["problem_size"]
        assert "No such file" in campaign.reread_error
