"""The command `manage.py import_campaign`."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from ingest.models import Campaign, Upload
from tests.factories import make_project
from tests.ingest.formats import cubex
from tests.ingest.sent import measured

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text(measured(solve=1.0))
    return path


def import_campaign(*arguments, application="hydro"):
    output = StringIO()
    options = ["--application", application, "--version", "1.0"]
    call_command("import_campaign", *map(str, arguments), *options, stdout=output)
    return output.getvalue()


def test_it_works(file):
    make_project()
    assert "run.jsonl for hydro 1.0" in import_campaign(file, "--machine", "cluster-a")
    campaign = Campaign.objects.get()
    assert (campaign.version.label, campaign.machine.name) == ("1.0", "cluster-a")


def test_a_name_that_is_no_address_is_reported(file):
    make_project()
    told = import_campaign(file, application="My Solver 2")
    assert "The application “My Solver 2” is stored as my-solver-2." in told
    assert Campaign.objects.get().version.application.name == "My Solver 2"
    with pytest.raises(CommandError, match="at least one letter"):
        import_campaign(file, application="++")


def test_options_of_the_format_are_used(tmp_path):
    make_project()
    path = tmp_path / "runs.tar"
    path.write_bytes(cubex.tar({"app.p2/profile.cubex": cubex.profile(*cubex.simple())}))
    import_campaign(path, "--options", "scaling=strong; metrics=time")
    assert Upload.objects.get().options == {"scaling": "strong", "metrics": "time"}
    with pytest.raises(CommandError, match="expected name=value pairs"):
        import_campaign(path, "--options", "strong")


def test_modelers_of_the_campaign_are_stored(file):
    make_project()
    import_campaign(file, "--modelers", "adaptive, evidence")
    runs = Campaign.objects.get().runs.order_by("-shown")
    assert [run.modeler for run in runs] == ["adaptive", "evidence"]
    with pytest.raises(CommandError, match="expected some of evidence"):
        import_campaign(file, "--modelers", "oracle")


def test_the_same_file_twice_is_stored_once(file):
    make_project()
    import_campaign(file)
    import_campaign(file)
    assert Campaign.objects.count() == 1


def test_with_several_projects_one_must_be_named(file):
    first, _ = make_project("first"), make_project("second")
    with pytest.raises(CommandError, match="first, second"):
        import_campaign(file)
    import_campaign(file, "--project", "first")
    assert Upload.objects.get().project == first


def test_an_invalid_file_is_reported_with_its_line(file):
    make_project()
    file.write_text(measured(solve=1.0) + "\n{")
    with pytest.raises(CommandError, match=r"run\.jsonl, line 6: found no JSON"):
        import_campaign(file)


def test_a_missing_file_is_reported(tmp_path):
    make_project()
    with pytest.raises(CommandError, match="No such file"):
        import_campaign(tmp_path / "nothing")


def test_an_invalid_field_is_refused(file):
    make_project()
    with pytest.raises(CommandError, match="Found “xlsx”, expected one of"):
        import_campaign(file, "--format", "xlsx")


def benchmark(time):
    about = {"name": "BM_solve", "real_time": time, "cpu_time": time, "time_unit": "s"}
    return json.dumps({"context": {}, "benchmarks": [about]})


@pytest.fixture
def runs(tmp_path):
    """Write files that do not contain their point."""
    make_project()
    files = [tmp_path / f"p{p}" / "result.json" for p in (4, 8, 16)]
    for number, file in enumerate(files, 1):
        file.parent.mkdir()
        file.write_text(benchmark(number))
    return files


def points():
    campaign = Campaign.objects.get()
    return campaign.parameters, campaign.points


def test_a_pattern_gives_the_points_of_many_files(runs):
    import_campaign(*runs, "--campaign", "night", "--point", "p{p}/result")
    assert points() == (["p"], [[4], [8], [16]])


def test_a_table_gives_the_points_of_many_files(runs, tmp_path):
    table = tmp_path / "points.csv"
    table.write_text("file,p,n\n" + "".join(f"{file},{4 * row},7\n" for row, file in enumerate(runs, 1)))
    import_campaign(*runs, "--campaign", "night", "--table", str(table))
    assert points() == (["p", "n"], [[4, 7], [8, 7], [12, 7]])


def test_a_file_that_the_table_lacks_is_named_before_anything_is_stored(runs, tmp_path):
    table = tmp_path / "points.csv"
    table.write_text(f"file,p\n{runs[0]},4\n")
    with pytest.raises(CommandError, match=r"has no row whose column “file” is .*p8"):
        import_campaign(*runs, "--campaign", "night", "--table", str(table))
    assert not Upload.objects.exists()


def test_points_of_several_files_need_a_campaign(runs):
    with pytest.raises(CommandError, match="--campaign"):
        import_campaign(*runs, "--point", "p{p}/")


def test_a_folder_is_packed(tmp_path):
    make_project()
    for p in (2, 4):
        run = tmp_path / "runs" / f"app.p{p}"
        run.mkdir(parents=True)
        (run / "profile.cubex").write_bytes(cubex.profile(*cubex.simple()))
    import_campaign(tmp_path / "runs")
    assert points() == (["p"], [[2], [4]])


def test_an_invalid_file_does_not_affect_others(runs):
    runs[1].write_text("nothing")
    with pytest.raises(CommandError, match=r"result\.json: found"):
        import_campaign(*runs, "--campaign", "night", "--point", "p{p}/")
    assert points() == (["p"], [[4], [16]])
