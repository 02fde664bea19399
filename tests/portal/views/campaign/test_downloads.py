"""Users can download the files that were uploaded."""

import csv
import io
import json
from math import log2

import pytest
from django.core.files.base import ContentFile

from ingest.formats import parse
from ingest.models import Campaign, Series, Upload
from ingest.services import upload_receive
from ingest.tasks import upload_ingest
from modeling.models import ModelRun
from modeling.tasks import run_execute
from perfweb.accounts.models import Role
from perfweb.portal.files.exports import plain_name
from tests.factories import make_application, make_campaign, make_member, make_project, make_run

pytestmark = pytest.mark.django_db

LINES = [
    {"params": {"p": p}, "callpath": path, "metric": "time", "value": [factor * p, factor * p + 0.1 + 0.2]}
    for path, factor in (("main->solve", 1.0), ("=1+1", 2.0))
    for p in (4, 8, 16, 32, 64)
    if (path, p) != ("=1+1", 64)
]
CONTENT = "\n".join(map(json.dumps, LINES)).encode()


@pytest.fixture
def upload(client):
    project = make_project("storm")
    file = ContentFile(CONTENT, name="ru\tn→.jsonl")
    upload = upload_receive(project=project, application="hydro", version="1.0", file=file, user=None)
    upload_ingest(upload.pk)
    run_execute(ModelRun.objects.get().pk)
    client.force_login(make_member(project, Role.VIEWER))
    return upload


def text(answer):
    assert answer.status_code == 200
    assert answer["Content-Disposition"].startswith("attachment; filename=")
    assert answer["X-Content-Type-Options"] == "nosniff"
    return b"".join(answer.streaming_content).decode()


def test_an_uploaded_file_is_downloaded_unchanged(client, upload):
    answer = client.get(f"/uploads/{upload.pk}/file/")
    assert text(answer) == CONTENT.decode()
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"] == 'attachment; filename="run-.jsonl"'


@pytest.mark.parametrize(
    ("sent", "saved"),
    [("ünï.jsonl", "uni.jsonl"), ("測定.csv", "file.csv"), ("測定", "file"), ("a b;c.d", "a-b-c.d")],
)
def test_a_file_name_without_visible_characters_is_replaced(sent, saved):
    assert plain_name(sent) == saved


def test_a_missing_file_is_reported(client, upload):
    upload.file.storage.delete(upload.file.name)
    assert client.get(f"/uploads/{upload.pk}/file/").status_code == 404


def test_downloaded_json_lines_can_be_uploaded_again(client, upload, tmp_path):
    file = tmp_path / "again.jsonl"
    file.write_text(text(client.get(f"/campaigns/{Campaign.objects.get().pk}/values.jsonl")))
    again, first = parse(file), parse(upload.file.path)
    assert again.parameters == first.parameters
    rows = {tuple(point): place for place, point in enumerate(again.points.tolist())}
    order = [rows[tuple(point)] for point in first.points.tolist()]
    assert again.series.keys() == first.series.keys()
    for key, values in first.series.items():
        assert repr(again.series[key][order].tolist()) == repr(values.tolist())


def test_csv_has_a_row_per_value_and_no_formulas(client, upload):
    rows = list(
        csv.DictReader(io.StringIO(text(client.get(f"/campaigns/{Campaign.objects.get().pk}/values.csv"))))
    )
    assert len(rows) == 18
    assert {row["kernel"] for row in rows} == {"main->solve", "'=1+1"}
    assert float(rows[0]["value"]) in (2.0 * 4, 1.0 * 4)
    assert sum(float(row["value"]) for row in rows) == pytest.approx(
        sum(sum(line["value"]) for line in LINES)
    )


@pytest.fixture
def campaign(client):
    project = make_project("storm")
    application = make_application(project)
    application.metrics.update(name="ti_me")
    application.metrics.update(name="time")
    campaign = make_campaign(application, "1.0")
    make_run(campaign, {
        "main->ha_lo&": (0.5, [(0.25, (1.0, 0.0, 0.0, 1.0))]),
        '=x"""\\': (2.0, []),
    })  # fmt: skip
    client.force_login(make_member(project, Role.VIEWER))
    return campaign


def test_the_python_file_computes_the_values_of_the_laws(client, campaign):
    source = text(client.get(f"/campaigns/{campaign.pk}/models.py"))
    names: dict[str, object] = {}
    exec(compile(source, "models.py", "exec"), names)
    models = names["MODELS"]
    assert models["main->ha_lo&", "time"](16.0, 1024.0) == pytest.approx(0.5 + 0.25 * 16 * log2(1024))
    assert models['=x"""\\', "time"](16.0, 1024.0) == 2.0
    assert names["UNITS"] == {"time": "s"}


def test_models_are_downloaded_as_json(client, campaign):
    found = json.loads(text(client.get(f"/campaigns/{campaign.pk}/models.json")))
    assert found["of"] == "Hydro 1.0 on cluster-a"
    assert found["parameters"] == ["p", "n"]
    row = next(row for row in found["models"] if row["kernel"] == "main->ha_lo&")
    assert (row["metric"], row["unit"], row["better"], row["smape"]) == ("time", "s", "lower", 0.02)
    assert row["law"] == "0.5 + 0.25·p·log2(n)"
    target = ModelRun.objects.get(campaign=campaign).target
    largest = [
        target.get(name, max(column))
        for name, column in zip("pn", zip(*campaign.points, strict=True), strict=True)
    ]
    assert row["formula's value"] == pytest.approx(0.5 + 0.25 * largest[0] * log2(largest[1]))


def test_models_are_downloaded_as_csv(client, campaign):
    rows = list(csv.DictReader(io.StringIO(text(client.get(f"/campaigns/{campaign.pk}/models.csv")))))
    assert {row["kernel"] for row in rows} == {"main->ha_lo&", '\'=x"""\\'}
    assert {(row["unit"], row["target"], row["interval"]) for row in rows} == {
        ("s", "p = 65,536, n = 8,000", "95 %")
    }


def test_models_are_downloaded_as_latex(client, campaign):
    found = text(client.get(f"/campaigns/{campaign.pk}/models.tex"))
    assert r"main-\textgreater{}ha\_lo\& & time in s & $0.5 + 0.25 \cdot p \cdot \log_2(n)$ & $" in found
    assert r"=x{\char34}{\char34}{\char34}\textbackslash{} & time in s" in found
    caption = "Hydro 1.0 on cluster-a: laws, and predictions at p = 65,536, n = 8,000 with their "
    assert rf"\caption{{{caption}95 \% intervals.}} \\" in found


def test_without_models_the_files_have_no_rows(client, campaign):
    ModelRun.objects.all().delete()
    assert json.loads(text(client.get(f"/campaigns/{campaign.pk}/models.json")))["models"] == []
    assert text(client.get(f"/campaigns/{campaign.pk}/models.py")).endswith("\nMODELS = {\n}\n")


def test_the_campaign_page_links_to_the_downloads(client, campaign, django_assert_max_num_queries):
    with django_assert_max_num_queries(12):
        page = client.get(f"/campaigns/{campaign.pk}/").content.decode()
    for name in ("values.jsonl", "values.csv", "models.json", "models.csv", "models.tex", "models.py"):
        assert f"/campaigns/{campaign.pk}/{name}" in page
    assert f"/uploads/{Upload.objects.get().pk}/file/" in page
    assert f"/campaigns/{campaign.pk}/delete/" not in page  # A viewer may not delete.


def test_the_number_of_queries_does_not_grow_with_the_kernels(client, upload, django_assert_max_num_queries):
    assert Series.objects.count() == 2
    with django_assert_max_num_queries(8):
        text(client.get(f"/campaigns/{Campaign.objects.get().pk}/values.jsonl"))
