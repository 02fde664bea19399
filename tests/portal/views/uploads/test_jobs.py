import ast
import re
import subprocess
import sys

import pytest

from perfweb.accounts.models import Role
from tests.factories import make_application, make_member, make_project

pytestmark = pytest.mark.django_db


def test_the_downloaded_client_contains_the_portals_address(client, tmp_path):
    answer = client.get("/client/perfweb.py")
    assert answer["Content-Disposition"] == 'attachment; filename="perfweb.py"'
    assert answer["Content-Type"].startswith("text/x-python")
    ast.parse(answer.content)
    file = tmp_path / "perfweb.py"
    file.write_bytes(answer.content)
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import perfweb; print(perfweb.PORTAL)"
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "http://testserver\n"


def test_snippets_contain_the_readers_names(client, django_assert_max_num_queries):
    project = make_project("storm")
    for slug in ("hydro", "lulesh"):
        make_application(project, slug)
    make_application(make_project("calm"), "secret")
    client.force_login(make_member(project, Role.CONTRIBUTOR))
    with django_assert_max_num_queries(12):
        page = client.get("/upload/from-a-job/?application=storm/lulesh").content.decode()
    assert "curl -fsSO http://testserver/client/perfweb.py" in page
    assert page.count("--application lulesh") >= 8
    assert "--application hydro" not in page
    assert "secret" not in page.replace("secrets.PERFWEB_TOKEN", "")
    assert "/projects/storm/tokens/" in page
    assert "@address@" not in page
    assert "@application@" not in page
    for name in ("Slurm", "ReFrame", "JUBE", "Score-P", "Caliper", "GitLab CI", "GitHub Actions"):
        assert f"<summary>{name}</summary>" in page


def test_without_an_application_snippets_use_an_example_name(client):
    client.force_login(make_member(make_project()))
    page = client.get("/upload/from-a-job/?application=nothing").content.decode()
    assert "--application my-application" in page


@pytest.mark.parametrize("command", ["upload", "flush"])
def test_every_option_in_the_snippets_exists_in_the_client(command):
    from perfweb.client import perfweb  # noqa: PLC0415 -- as a program it has the portal's own name
    from perfweb.portal.text.commands import FIRST, snippets  # noqa: PLC0415

    first = [snippet.filled("http://portal", "hydro") for snippet in FIRST]
    for snippet in (*first, *snippets("http://portal", "hydro")):
        text = snippet.text.replace("\\\n", " ")
        for arguments in re.findall(rf'perfweb\.py(?:}}")? {command}(.*)', text):
            words = re.split(r"#|\|\||>&2", arguments)[0].replace('"', "").split()
            options = perfweb.options_read([command, *(word for word in words if word != "+")])
            assert options.command == command


def test_slurms_script_is_that_of_a_plan():
    from perfweb.portal.text.commands import snippets  # noqa: PLC0415

    text = next(found.text for found in snippets("http://portal", "hydro") if found.title == "Slurm")
    assert "#SBATCH --array=0-4\n#SBATCH --ntasks=64" in text
    assert 'srun --ntasks="$p" ./hydro "$p" > "$output"' in text
    assert "--campaign scaling --run" in text
