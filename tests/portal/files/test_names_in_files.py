"""Exported files may contain names that spreadsheets, Python and LaTeX would read as something else."""

import csv
import io
import json
import re
from math import log2

import pytest
from django.test import Client

from ingest.models import Campaign, Kernel
from modeling.models import Model
from perfweb.portal.files.exports import csv_row, plain_name, safe_text
from tests.factories import make_application, make_campaign, make_member, make_project, make_run, make_series
from tests.modeling.engine.latex_source import latex_problems

pytestmark = pytest.mark.django_db

PAIRS = (
    ("a-b", "a_b"), ("log2", "class"), ("1p", "π"), ("x", "X"), ("ｐ", "p"), ("match", "__debug__"),
    ("None", "_"), ("-", "("), ("np", "sqrt"), ("lambda", "_lambda"), ('"""\\', "'); raise SystemExit #"),
    ("nan", "½"), ("{p}", "%{y}"), ("=1+1", "$x^2$ & #"), ("MODELS", "PARAMETERS"), ("kernel", "value"),
)  # fmt: skip
KERNELS = (
    "=1+1", "  =1+1", '"=1+1', "＝4+5", "＠SUM(A1)", "@x", "-p", "+p", "'=1+1", "x;=2+3", "x; ＋3;'-4",
    'a;"=b";c', "operator<<(a, -b)", '"quoted"', "back\\slash", '"""\\', "[unknown]", "100%_#&~^{}", "plain",
)  # fmt: skip
COMPUTED = re.compile(r"""[\s"]*[-=+@＝＋－＠]""")
"""Beginnings of cells that a spreadsheet would compute. An apostrophe before the cell turns the cell into
text.
"""


@pytest.fixture
def campaign(client: Client) -> Campaign:
    """Make a campaign whose kernels have the names in `KERNELS`. Tests rename its parameters."""
    project = make_project()
    application = make_application(project)
    campaign = make_campaign(application, "1.0")
    make_run(campaign, {
        name: (0.5 + number, [(0.25, (1.0, 0.0, 0.0, 1.0)), (2e-5, (0.5, 1.0, 0.0, 0.0))])
        for number, name in enumerate(KERNELS)
    })  # fmt: skip
    make_series(campaign)
    client.force_login(make_member(project))
    return campaign


def rename(campaign: Campaign, *names: str) -> None:
    campaign.parameters = list(names)
    campaign.save()


def text(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.getvalue().decode()  # type: ignore[attr-defined]


def is_number(cell: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?(e[-+]\d+)?", cell) is not None


def test_the_python_file_computes_the_stored_predictions_whatever_the_names_of_parameters(client, campaign):
    predicted = dict(Model.objects.values_list("kernel__path", "predicted"))
    for pair in PAIRS:
        rename(campaign, *pair)
        module: dict = {}
        exec(compile(text(client, f"/campaigns/{campaign.pk}/models.py"), "models.py", "exec"), module)
        assert tuple(module["PARAMETERS"].values()) == pair
        found = {kernel: model(65536.0, 8000.0) for (kernel, _), model in module["MODELS"].items()}
        assert found == pytest.approx(predicted), pair


def test_json_lists_the_python_names_of_the_arguments(client, campaign):
    rename(campaign, "a-b", "a_b")
    found = json.loads(text(client, f"/campaigns/{campaign.pk}/models.json"))
    assert (found["parameters"], found["arguments"]) == (["a-b", "a_b"], ["a_b_2", "a_b"])
    values = dict(zip(found["arguments"], (65536.0, 8000.0), strict=True))
    for row in found["models"]:
        assert eval(row["python"], {"log2": log2, **values}) == pytest.approx(row["predicted"])


def test_the_kernel_page_lists_the_python_names_of_parameters(client, campaign):
    rename(campaign, "a-b", "a_b")
    kernel = Kernel.objects.get(path="plain")
    copies = client.get(f"/campaigns/{campaign.pk}/kernels/{kernel.pk}/").context["copies"]
    assert copies["Python"].endswith("\n# a_b_2 is 'a-b'")
    assert latex_problems(copies["LaTeX"]) == []


def test_names_are_escaped_in_latex(client, campaign):
    for pair in PAIRS:
        rename(campaign, *pair)
        lines = text(client, f"/campaigns/{campaign.pk}/models.tex").splitlines()
        assert lines[0].startswith("% ")
        assert len(lines) == len(KERNELS) + 5
        for line in lines[4:-1]:
            assert latex_problems(line, separators=True) == []
            assert line.count(" & ") == 4 + line.count(r"\ & ")
            assert not line.startswith(("[", "*"))


def test_names_are_not_formulas_in_spreadsheets_and_stay_in_one_cell(client, campaign):
    rename(campaign, "=1+1", "x;@y")
    kernel = Kernel.objects.get(path="x;=2+3")
    for file in ("values.csv", "models.csv", "kernels.csv", f"kernels/{kernel.pk}/data.csv"):
        source = text(client, f"/campaigns/{campaign.pk}/{file}?constants=show")
        for delimiter in ",;\t":
            rows = list(csv.reader(io.StringIO(source), delimiter=delimiter))
            assert len(rows) > 1
            cells = [cell for row in rows for cell in row]
            assert [cell for cell in cells if COMPUTED.match(cell) and not is_number(cell)] == []
        assert len({len(row) for row in csv.reader(io.StringIO(source))}) == 1


def test_names_and_numbers_are_unchanged_when_read_again(client, campaign):
    rename(campaign, "value", "n")
    rows = list(csv.DictReader(io.StringIO(text(client, f"/campaigns/{campaign.pk}/values.csv"))))
    assert list(rows[0]) == ["value (parameter)", "n", "kernel", "metric", "value"]
    assert {row["kernel"] for row in rows} == set(map(safe_text, KERNELS))
    assert {"plain", "operator<<(a, -b)", '"quoted"', "back\\slash"} < {row["kernel"] for row in rows}
    assert sorted({float(row["value"]) for row in rows}) == sorted({1.0 + 0.01 * at for at in range(75)})
    assert csv_row([1e-5, 3, None, float("nan"), "1e-5", 'a"\nb']) == '1e-05,3,,,"1e-5","a""\nb"\n'


def test_a_file_name_stays_short_and_keeps_its_ending():
    assert plain_name("a" * 4000 + ".csv") == "a" * 120 + ".csv"
    assert plain_name('<b>\r\n"x";.csv') == "-b----x--.csv"
