"""Options choose how a file is read whose format allows several ways."""

import pytest
from django.core.exceptions import ValidationError

from ingest.fields.options import options_parse, options_written
from ingest.models import Series, Upload
from ingest.services import preview_reread, preview_store
from ingest.tasks import upload_ingest
from tests.ingest.formats import cubex
from tests.ingest.sent import send

RUNS = cubex.tar({f"app.p{p}/profile.cubex": cubex.profile(*cubex.simple(p)) for p in (2, 4)})


def stored(upload: Upload) -> dict[str, list[float]]:
    """Read the upload, and return the stored values of every kernel."""
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert upload.error is None
    rows = Series.objects.filter(campaign=upload.campaign, metric__name="time")
    return {row.kernel.path: row.values for row in rows.select_related("kernel")}


def test_pairs_are_parsed_and_written_again():
    text = "scaling=strong; metrics=time, visits"
    assert options_parse(f" {text} ;") == {"scaling": "strong", "metrics": "time, visits"}
    assert options_written(options_parse(text)) == text
    assert options_parse("") == {}


@pytest.mark.parametrize("text", ["strong", "scaling=", "=strong", "scaling=strong; scaling=weak"])
def test_text_without_pairs_is_refused(text):
    with pytest.raises(ValidationError, match="expected"):
        options_parse(text)


def test_options_change_how_a_file_is_read(project):
    mean = stored(send(project, RUNS))
    # The run has two locations, whose values are summed.
    total = stored(send(project, RUNS, options={"scaling": "strong"}))
    assert total["main"] == [2 * value for value in mean["main"]]
    assert Upload.objects.filter(state="stored").count() == 2


def test_equivalent_options_give_the_same_upload(project):
    first = send(project, RUNS, options={"scaling": "strong", "inclusive": "no"})
    assert send(project, RUNS, options={"inclusive": "no", "scaling": "strong"}) == first
    assert send(project, RUNS) != first


@pytest.mark.parametrize(
    ("options", "format", "said"),
    [
        ({"scalign": "strong"}, "", "Found “scalign”, expected scaling or inclusive or metrics"),
        ({"inclusive": "yes"}, "caliper", "Found “inclusive”, expected parameters or scaling or metrics"),
        ({"scaling": "strong"}, "jsonl", "expected none for this format"),
        ({"metrics": "x" * 2000}, "", "at most 2000"),
        ({"metrics": "a\nb"}, "", "printable"),
    ],
)
def test_impossible_options_are_refused(project, options, format, said):
    with pytest.raises(ValidationError) as refused:
        send(project, RUNS, options=options, format=format)
    assert said in refused.value.message_dict["options"][0]
    assert not Upload.objects.exists()


def test_options_of_another_format_are_refused(project):
    upload = send(project, options={"scaling": "strong"})
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert upload.state == "failed"
    assert "found the option “scaling”" in upload.error["message"]


def test_a_preview_is_read_again_with_other_options(project):
    upload = send(project, RUNS, dry_run=True, options={"metrics": "visits"})
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    preview_reread(upload=upload, options={"metrics": "time", "scaling": "strong"})
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert [metric["name"] for metric in upload.diagnosis["metrics"]] == ["time"]
    kept = preview_store(upload=upload, roles={}, units={}, metric_units={})
    assert stored(kept)["main"] == stored(send(project, RUNS, options={"scaling": "strong"}))["main"]


def test_an_unreadable_preview_is_read_again_with_other_options(project):
    upload = send(project, RUNS, dry_run=True, options={"scaling": "sideways"})
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert "sideways" in upload.error["message"]
    preview_reread(upload=upload, options={})
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.error) == ("read", None)


def test_stored_and_unknown_uploads_are_not_read_again(project):
    upload = send(project, RUNS, dry_run=True)
    with pytest.raises(ValidationError, match="is being read"):
        preview_reread(upload=upload, options={})
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    with pytest.raises(ValidationError, match="scalign"):
        preview_reread(upload=upload, options={"scalign": "strong"})
