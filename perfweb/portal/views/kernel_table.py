"""The campaign's table of kernels as its address asks for it: columns, order, filters, page."""

from dataclasses import dataclass

from django.http import HttpRequest, QueryDict

from ingest.models import Campaign
from modeling.selectors.kernel_table import SORTS, KernelRow, Wanted
from perfweb.portal import formatting
from perfweb.portal.exports import Value
from perfweb.portal.focus import Focus

ROWS_A_PAGE = 40
LONGEST_SEARCH = 200


@dataclass(frozen=True)
class Column:
    """A column: `key` as in the address, heading, whether it is first sorted falling, is right-aligned, and
    is shown unless others are chosen.
    """

    key: str
    title: str
    falls: bool = True
    number: bool = True
    usual: bool = True


COLUMNS = (
    Column("kernel", "kernel", falls=False, number=False),
    Column("measured", "measured"),
    Column("law", "law", falls=False, number=False),
    Column("cv_error", "cross-validated"),
    Column("heldout", "held out"),
    Column("stability", "stability", falls=False, usual=False),
    Column("noise", "noise"),
    Column("predicted", "predicted"),
    Column("interval", "95 % interval"),
    Column("share", "share"),
)


@dataclass(frozen=True)
class Heading:
    """A column's heading: a link that sorts by it, the other way round when it is sorted already."""

    column: Column
    url: str
    sorted: str  # "ascending", "descending" or ""


def wanted_of(asked: QueryDict) -> Wanted:
    """Read the table's state; a sort that does not exist is the default one."""
    sort = asked.get("sort", "")
    falling, key = sort.startswith("-"), sort.removeprefix("-")
    if key not in SORTS:
        falling, key = True, "share"
    return Wanted(
        search=asked.get("q", "")[:LONGEST_SEARCH].strip(),
        growth=asked.get("growth", "")[:40],
        under=asked.get("under", "")[:4096],
        known={"yes": True, "no": False}.get(asked.get("known", "")),
        constants=asked.get("constants") == "show",
        sort=key,
        falling=falling,
    )


def columns_of(asked: QueryDict) -> tuple[Column, ...]:
    """The columns to show: those asked for, else the usual ones; the kernel always."""
    keys = {key for key in asked.getlist("columns") if key in {column.key for column in COLUMNS}}
    keys = keys or {column.key for column in COLUMNS if column.usual}
    return tuple(column for column in COLUMNS if column.key in keys or column.key == "kernel")


def headings(request: HttpRequest, columns: tuple[Column, ...], wanted: Wanted) -> list[Heading]:
    """The headings of the columns; what cannot be sorted by has no address."""
    return [_heading(request, column, wanted) for column in columns]


def _heading(request: HttpRequest, column: Column, wanted: Wanted) -> Heading:
    if column.key not in SORTS:
        return Heading(column, "", "")
    falls = not wanted.falling if column.key == wanted.sort else column.falls
    asked = request.GET.copy()
    asked.pop("skip", None)
    asked["sort"] = f"-{column.key}" if falls else column.key
    now = ("descending" if wanted.falling else "ascending") if column.key == wanted.sort else ""
    return Heading(column, f"?{asked.urlencode()}", now)


def export_columns(columns: tuple[Column, ...], focus: Focus, campaign: Campaign) -> list[str]:
    """The headings of a file, with units, as one column holds one number there."""
    unit = f" [{focus.unit}]" if focus.unit else ""
    point = campaign.points[-1]
    largest = formatting.configuration(dict(zip(campaign.parameters, point, strict=True)))
    titles = {
        "kernel": ["kernel"],
        "measured": [f"measured{unit} at {largest}"],
        "law": ["law", "growth"],
        "cv_error": ["cross-validated SMAPE"],
        "heldout": ["held-out error"],
        "stability": ["stability"],
        "noise": ["noise"],
        "predicted": [f"predicted{unit}"],
        "interval": [f"lower{unit}", f"upper{unit}"],
        "share": ["share", "share lower", "share upper"],
    }
    return [title for column in columns for title in titles[column.key]]


def export_row(columns: tuple[Column, ...], row: KernelRow, law: str) -> list[Value]:
    """A kernel as it stands in a file."""
    cells: dict[str, list[Value]] = {
        "kernel": [row.model.path],
        "measured": [row.model.largest],
        "law": [law, row.model.growth],
        "cv_error": [row.model.cv_smape],
        "heldout": [row.model.holdout_error],
        "stability": [row.model.stability],
        "noise": [row.model.noise],
        "predicted": [row.predicted],
        "interval": [row.lower, row.upper],
        "share": [row.share, row.share_lower, row.share_upper],
    }
    return [cell for column in columns for cell in cells[column.key]]
