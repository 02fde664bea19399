"""The chapters of the help: each has a template and an anchor, which the pages link to."""

from collections.abc import Sequence
from dataclasses import dataclass

from perfweb.portal.text.help_links import address_of

Chapters = Sequence[tuple[str, str]]
"""Anchors, which are also names of templates, and titles."""

CHAPTERS: Chapters = (
    ("reading", "A kernel's page in a minute"),
    ("laws", "Laws"),
    ("evidence", "How a law is found: evidence"),
    ("segments", "When the behaviour changes inside the measured range"),
    ("deviations", "Formula and prediction: a law, and deviations around it"),
    ("together", "Parameters that were always varied together"),
    ("dependencies", "What functions depend on"),
    ("noise", "Noise"),
    ("intervals", "Intervals"),
    ("trust", "How far to trust a prediction"),
    ("forecasts", "Forecasts: earlier predictions compared with measurements"),
    ("errors", "Errors"),
    ("stability", "Stability"),
    ("regression", "Other modelers: regression, refinement, adaptive"),
    ("targets", "Targets"),
    ("efficiency", "Totals, shares and efficiency"),
    ("planner", "What to measure next"),
    ("verdicts", "Verdicts"),
    ("changes", "Changes: what became worse, and who works on it"),
    ("reports", "Reports of a release"),
    ("notices", "Notices: e-mail, webhooks and a feed"),
    ("expectations", "Expectations: how kernels should grow, and what they may take"),
    ("gate", "The gate: may a version be released?"),
    ("metrics", "Metrics: unit, and what is better"),
    ("formats", "What can be uploaded"),
    ("points", "Files that do not contain their parameters"),
    ("origins", "Where runs come from: jobs, nodes and days"),
    ("rounds", "Rounds are not repetitions"),
    ("upload", "Uploading from a job script"),
    ("files", "Downloading values and models"),
    ("roles", "Roles and tokens"),
    ("glossary", "Glossary"),
    ("keys", "Keys"),
)
MATHEMATICS: Chapters = (
    ("laws", "Laws and hypotheses"),
    ("evidence", "Evidence"),
    ("many", "Many parameters"),
    ("noise", "Families of noise"),
    ("deviations", "Deviations around a law"),
    ("intervals", "What intervals mean"),
    ("segments", "Segments"),
    ("stability", "Leaving points out"),
    ("regression", "Regression"),
    ("refinement", "Refinement"),
)
ACCURACY: Chapters = (
    ("protocol", "What was measured"),
    ("errors", "Predictions beyond the data"),
    ("published", "Published figures"),
    ("modelers", "All modelers and Extra-P"),
    ("exponents", "Lead exponents"),
    ("intervals", "Intervals"),
    ("families", "Other kinds of noise"),
)

GROUPS: Sequence[tuple[str, str, Sequence[str]]] = (
    (
        "Reading the pages",
        "What the numbers, signs and words on a page mean.",
        ("reading", "targets", "efficiency", "verdicts", "glossary", "keys"),
    ),
    (
        "Laws",
        "How a formula is found from measurements, and what it leaves out.",
        ("laws", "evidence", "segments", "deviations", "together", "dependencies", "regression"),
    ),
    (
        "Trust",
        "How certain a prediction is, and how often predictions were right.",
        ("noise", "intervals", "trust", "forecasts", "errors", "stability"),
    ),
    (
        "Releases",
        "What a version changed, who works on it, and whether it may be released.",
        ("changes", "expectations", "gate", "reports", "notices"),
    ),
    (
        "Measuring",
        "What to measure next, and how runs belong together.",
        ("planner", "origins", "rounds"),
    ),
    (
        "Uploading and downloading",
        "Formats, scripts, files and who may do what.",
        ("formats", "points", "metrics", "upload", "files", "roles"),
    ),
)
"""Groups of chapters with a sentence each, in the order of the contents."""


@dataclass(frozen=True)
class Chapter:
    """A chapter of the help, which has a page of its own."""

    anchor: str
    title: str

    @property
    def template(self) -> str:
        """Return the name of the template with its text."""
        return f"help/{self.anchor}.html"

    @property
    def address(self) -> str:
        """Return the address of its page."""
        return address_of(self.anchor)


@dataclass(frozen=True)
class Group:
    """Chapters about one subject."""

    title: str
    about: str
    chapters: tuple[Chapter, ...]


def contents() -> list[Group]:
    """Return the chapters of the help by group."""
    titles = dict(CHAPTERS)
    return [
        Group(title, about, tuple(Chapter(anchor, titles[anchor]) for anchor in anchors))
        for title, about, anchors in GROUPS
    ]
