"""The state of the campaign's table of kernels in its address: columns, order, filters, page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, QueryDict

from ingest.models import Campaign, Metric
from modeling.engine import GRADES
from modeling.selectors.run.campaign import largest_measured
from modeling.selectors.run.kernel_table import SORTS, KernelRow, Wanted
from modeling.selectors.run.metrics import adds_up
from perfweb.portal.asked.focus import Focus
from perfweb.portal.files.campaign import INTERVAL
from perfweb.portal.files.exports import Value
from perfweb.portal.text import formatting
from perfweb.portal.text.glossary import meaning
from perfweb.portal.text.lettering import bare

ROWS_A_PAGE = 40
LONGEST_SEARCH = 200


@dataclass(frozen=True)
class Column:
    """A column of the table: its `key` in the address, and its heading.

    `falls`: sorted in descending order at first; `number`: right-aligned; `usual`: shown by default.
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
    Column("cv_error", "cross-validated", usual=False),
    Column("heldout", "held out"),
    Column("stability", "stability", falls=False, usual=False),
    Column("noise", "noise"),
    Column("predicted", "predicted"),
    Column("interval", "95 % interval"),
    Column("trust", "trust", number=False),
    Column("share", "share"),
    Column("own", "own share"),
)


TITLES = {column.key: column.title for column in COLUMNS}


@dataclass(frozen=True)
class Heading:
    """A column's heading: a link that sorts by it, or reverses the order if it is sorted already."""

    column: Column
    url: str
    sorted: str  # "ascending", "descending" or ""

    @property
    def meaning(self) -> str:
        """Return the meaning of the column, for a tooltip."""
        return meaning(self.column.key)


def wanted_of(asked: QueryDict, metric: Metric | None) -> Wanted:
    """Parse the table's state; an unknown order means the worst first."""
    sort = asked.get("sort", "")
    falling, key = sort.startswith("-"), sort.removeprefix("-")
    if key not in SORTS:
        falling = metric is None or metric.lower_is_better
        key = "share" if _has_shares(metric) else "predicted"
    trust = asked.get("trust", "")
    return Wanted(
        search=asked.get("q", "")[:LONGEST_SEARCH].strip(),
        growth=asked.get("growth", "")[:40],
        under=asked.get("under", "")[:4096],
        trust=trust if trust in GRADES else "",
        constants=asked.get("constants") == "show",
        sort=key,
        falling=falling,
    )


def _has_shares(metric: Metric | None) -> bool:
    return metric is None or adds_up(metric)


def columns_of(asked: QueryDict, metric: Metric | None, *, nested: bool) -> tuple[Column, ...]:
    """Return the requested columns, or the usual ones; the kernel is always included.

    If values contain callees (`nested`), kernels also have a share without them.
    """
    keys = {key for key in asked.getlist("columns") if key in {column.key for column in COLUMNS}}
    keys = keys or {column.key for column in COLUMNS if column.usual}
    if not _has_shares(metric):
        keys.discard("share")
    if not nested:
        keys.discard("own")
    return tuple(column for column in COLUMNS if column.key in keys or column.key == "kernel")


def headings(request: HttpRequest, columns: tuple[Column, ...], wanted: Wanted) -> list[Heading]:
    """Return the headings of the columns. A heading by which the table cannot be sorted has no address."""
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


FileField = tuple[str, Callable[[KernelRow, str], Value]]
"""A field of a file: its heading, and the function of kernel and law that returns its value."""

_FIELDS: dict[str, tuple[FileField, ...]] = {
    "kernel": (("kernel", lambda row, _: row.model.path),),
    "measured": (("measured{unit} at {largest}", lambda row, _: row.model.largest),),
    "law": (("law", lambda _, law: law), ("growth", lambda row, _: row.model.growth)),
    "cv_error": (("cross-validated SMAPE", lambda row, _: row.model.cv_smape),),
    "heldout": (("held-out error", lambda row, _: row.model.holdout_error),),
    "stability": (("stability", lambda row, _: row.model.stability),),
    "noise": (("noise", lambda row, _: row.model.noise),),
    "predicted": (
        ("predicted{unit}", lambda row, _: row.predicted),
        ("formula's value{unit}", lambda row, _: row.judged.law),
    ),
    "interval": (("lower{unit}", lambda row, _: row.lower), ("upper{unit}", lambda row, _: row.upper)),
    "trust": (("trust", lambda row, _: row.judged.grade),),
    "share": (
        ("share", lambda row, _: row.share),
        ("share lower", lambda row, _: row.share_lower),
        ("share upper", lambda row, _: row.share_upper),
    ),
    "own": (
        ("own{unit}", lambda row, _: row.own),
        ("own share", lambda row, _: row.own_share),
    ),
}
"""Column → its fields in a file, where every field holds one number."""

_AT_TARGET = {"predicted", "interval", "trust", "share", "own"}
"""Columns whose numbers are computed at the target."""


def export(
    columns: tuple[Column, ...],
    focus: Focus,
    campaign: Campaign,
    rows: Sequence[tuple[KernelRow, str]],
    target: str,
) -> tuple[list[str], list[list[Value]]]:
    """Return headings, with units, and lines of a file with these kernels, each with its written law.

    The target and the probability of the intervals are columns, so that lines of several files can be joined.
    """
    fields = [field for column in columns for field in _FIELDS[column.key]]
    named = {
        "unit": f" [{focus.unit}]" if focus.unit else "",
        "largest": bare(formatting.configuration(largest_measured(campaign))),
    }
    titles = [title.format(**named) for title, _ in fields]
    lines = [[value(row, law) for _, value in fields] for row, law in rows]
    if not _AT_TARGET & {column.key for column in columns}:
        return titles, lines
    return [*titles, "target", "interval"], [[*line, target, INTERVAL] for line in lines]
