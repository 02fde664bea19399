"""The content of a report as it is stored: JSON that needs no other row.

Parts that resemble a row of the database are called after it, such as `KernelContent`.

Amounts are in units of the metric. Shares and probabilities are fractions. None means "not known".
"""

from typing import Any, NotRequired, TypedDict

LAYOUT = 1
"""Version of the layout, raised when a key changes its meaning."""


class Amount(TypedDict):
    """A prediction with its 95 % interval."""

    predicted: float | None
    lower: float | None
    upper: float | None


class LawContent(TypedDict):
    """The columns of `modeling.models.Model` with the formula of a law."""

    points_used: int
    constant: float | None
    coefficients: list[float]
    exponents: list[float]
    segments: dict[str, Any] | None


class VersionContent(TypedDict):
    """The names of a version."""

    label: str
    commit: str
    dated: str


class MetricContent(TypedDict):
    """A metric, as needed to write its values."""

    name: str
    unit: str
    lower_is_better: bool


class ParameterContent(TypedDict):
    """A parameter with the measured values, ascending."""

    name: str
    role: str
    unit: str
    values: list[float]


class TargetContent(TypedDict):
    """A configuration, with the predicted total of the whole program.

    `beyond` is the ratio to the largest measured value, for parameters with a larger target. `measured`
    exists only for the largest measured point. `before` is the previous version's total. `unknown` is the
    share of kernels with unknown growth.
    """

    name: str
    values: dict[str, float]
    beyond: dict[str, float]
    total: Amount
    measured: float | None
    before: float | None
    ratio: float | None
    unknown: float
    efficiency: Amount | None


class EfficiencyContent(TypedDict):
    """Strong or weak scaling, and where efficiency falls below one half. Efficiency is 1 at `base`."""

    parameter: str
    strong: bool
    base: float
    below_half: float | None


class At(TypedDict):
    """A kernel at one of the targets."""

    amount: Amount
    share: float | None
    share_lower: float | None
    share_upper: float | None


class KernelContent(TypedDict):
    """One of the most expensive kernels at any target. `verdict` is empty if it was not compared."""

    name: str
    path: str
    law: LawContent
    at: list[At]
    verdict: str
    ratio: float | None


class ChangeContent(TypedDict):
    """A changed or unknown kernel. `ratio` is at the default target, or as measured if unknown."""

    name: str
    path: str
    verdict: str
    probability: float
    before: LawContent | None
    after: LawContent | None
    ratio: float | None
    lower: float | None
    upper: float | None
    difference: float | None


class Power(TypedDict):
    """A power of a parameter, with the 95 % interval of its exponent."""

    parameter: str
    exponent: float
    lower: float
    upper: float


class ShiftContent(TypedDict):
    """The factor that all kernels share, and its growth. Older reports have no growth."""

    ratio: float
    lower: float
    upper: float
    growth: NotRequired[list[Power]]


class Only(TypedDict):
    """Kernels that only one version has: number, some names, and share of its total."""

    label: str
    count: int
    names: list[str]
    share: float | None


class ComparisonContent(TypedDict):
    """The comparison with the previous version. `state` is empty if there was none.

    `counts` are the numbers of changes by verdict. `elsewhere` has these numbers for other metrics.
    """

    before: VersionContent
    state: str
    error: str
    shift: ShiftContent | None
    counts: dict[str, int]
    same: int
    changes: list[ChangeContent]
    only: list[Only]
    elsewhere: dict[str, dict[str, int]]


class NoiseContent(TypedDict):
    """Noise levels of the kernels, and the largest number of repetitions at any point."""

    median: float | None
    highest: float | None
    noisiest: str
    repetitions: int


class Alerts(TypedDict):
    """Numbers of alerts by state: those of this version, and the open ones of earlier versions."""

    here: dict[str, int]
    earlier: dict[str, int]


class Setting(TypedDict):
    """An entry of the campaign's metadata, with its value in the previous version."""

    name: str
    value: str | None
    before: str | None


class Course(TypedDict):
    """The predicted totals of the versions up to this one, at the default target, oldest first."""

    labels: list[str]
    predicted: list[float | None]
    lower: list[float | None]
    upper: list[float | None]


class Content(TypedDict):
    """The whole content of a report. `main` is the index of the main target.

    `overlapping`: some kernels are inside others. `missing` are messages on what failed. `lawless` is the
    number of kernels without a law.
    """

    layout: int
    application: str
    version: VersionContent
    machine: str
    metric: MetricContent
    adds_up: bool
    engine: str
    modeler: str
    modelled_at: str | None
    points: int
    kernel_count: int
    parameters: list[ParameterContent]
    main: int
    targets: list[TargetContent]
    efficiency: EfficiencyContent | None
    kernels: list[KernelContent]
    overlapping: bool
    comparison: ComparisonContent | None
    alerts: Alerts
    noise: NoiseContent
    environment: list[Setting]
    missing: list[str]
    lawless: int
    course: Course
