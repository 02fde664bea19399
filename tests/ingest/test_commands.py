"""`manage.py import_campaign`."""

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


def import_campaign(file, *arguments):
    output = StringIO()
    options = ["--application", "hydro", "--version", "1.0", *arguments]
    call_command("import_campaign", str(file), *options, stdout=output)
    return output.getvalue()


def test_it_works(file):
    make_project()
    assert "run.jsonl for hydro 1.0" in import_campaign(file, "--machine", "cluster-a")
    campaign = Campaign.objects.get()
    assert (campaign.version.label, campaign.machine.name) == ("1.0", "cluster-a")


def test_options_of_the_format(tmp_path):
    make_project()
    path = tmp_path / "runs.tar"
    path.write_bytes(cubex.tar({"app.p2/profile.cubex": cubex.profile(*cubex.simple())}))
    import_campaign(path, "--options", "scaling=strong; metrics=time")
    assert Upload.objects.get().options == {"scaling": "strong", "metrics": "time"}
    with pytest.raises(CommandError, match="expected name=value pairs"):
        import_campaign(path, "--options", "strong")


def test_the_same_file_twice_is_stored_once(file):
    make_project()
    import_campaign(file)
    import_campaign(file)
    assert Campaign.objects.count() == 1


def test_the_project_is_named_where_there_are_several(file):
    first, _ = make_project("first"), make_project("second")
    with pytest.raises(CommandError, match="first, second"):
        import_campaign(file)
    import_campaign(file, "--project", "first")
    assert Upload.objects.get().project == first


def test_a_bad_file_is_told_with_its_line(file):
    make_project()
    file.write_text(measured(solve=1.0) + "\n{")
    with pytest.raises(CommandError, match=r"run\.jsonl, line 6: found no JSON"):
        import_campaign(file)


def test_a_file_that_is_not_there(tmp_path):
    make_project()
    with pytest.raises(CommandError, match="No such file"):
        import_campaign(tmp_path / "nothing")


def test_a_field_that_is_refused(file):
    make_project()
    with pytest.raises(CommandError, match="Found “xlsx”, expected one of"):
        import_campaign(file, "--format", "xlsx")
