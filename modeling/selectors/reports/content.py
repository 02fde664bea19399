"""The content of a report as it is stored: JSON that can be shown without any other row.

Amounts are in units of the metric, shares and probabilities are fractions, and None means "not known".
"""

from typing import Any, NotRequired, TypedDict

LAYOUT = 1
"""Version of the layout. It is raised when a key gets another meaning, so that pages recognise old
reports.
"""


class Amount(TypedDict):
    """A prediction with its 95 % interval."""

    predicted: float | None
    lower: float | None
    upper: float | None


class Law(TypedDict):
    """The columns of `modeling.models.Model` with the formula of a law."""

    points_used: int
    constant: float | None
    coefficients: list[float]
    exponents: list[float]
    segments: dict[str, Any] | None


class Version(TypedDict):
    """The names of a version."""

    label: str
    commit: str
    dated: str


class Metric(TypedDict):
    """A metric, with what is needed to write its values."""

    name: str
    unit: str
    lower_is_better: bool


class Parameter(TypedDict):
    """A parameter with the measured values, ascending."""

    name: str
    role: str
    unit: str
    values: list[float]


class Target(TypedDict):
    """A configuration, with the predicted total of the whole program.

    `beyond` maps parameters whose value exceeds the largest measured one to the ratio of the two. `measured`
    is the measured total, only for the largest measured configuration. `before` is the total predicted by the
    previous version, and `ratio` is `total` / `before`. `unknown` is the share of the total that belongs to
    kernels of unknown growth.
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


class Efficiency(TypedDict):
    """The kind of the program's efficiency (strong or weak scaling), and the value of the parameter at which
    it falls below one half. `base` is the smallest measured value, at which the efficiency is 1.
    """

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


class Kernel(TypedDict):
    """One of the most expensive kernels at any target. `verdict` is empty if no previous version has the
    kernel.
    """

    name: str
    path: str
    law: Law
    at: list[At]
    verdict: str
    ratio: float | None


class Change(TypedDict):
    """A kernel that changed since the previous version, or for which this is unknown. `ratio` is after /
    before at the default target, or as measured if it is unknown whether the kernel changed.
    """

    name: str
    path: str
    verdict: str
    probability: float
    before: Law | None
    after: Law | None
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


class Shift(TypedDict):
    """The factor that all kernels share in the comparison with the previous version, and the powers of
    parameters with which this factor grows. Older reports have no powers.
    """

    ratio: float
    lower: float
    upper: float
    growth: NotRequired[list[Power]]


class Only(TypedDict):
    """Kernels that only one of two versions has: their number, some names, and their share of this version's
    total.
    """

    label: str
    count: int
    names: list[str]
    share: float | None


class Comparison(TypedDict):
    """The comparison with the previous version. `state` is empty if the versions were not compared.

    `counts` are the numbers of changes by verdict in the report's metric, `elsewhere` those in other metrics.
    """

    before: Version
    state: str
    error: str
    shift: Shift | None
    counts: dict[str, int]
    same: int
    changes: list[Change]
    only: list[Only]
    elsewhere: dict[str, dict[str, int]]


class Noise(TypedDict):
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
    """The whole content of a report. `main` is the index of the main target: the second one if there are
    several.

    `overlapping` says whether some kernels are no summands of the total, because others contain them.
    `missing` are messages on what failed, and `lawless` is the number of kernels without a law.
    """

    layout: int
    application: str
    version: Version
    machine: str
    metric: Metric
    adds_up: bool
    engine: str
    modeler: str
    modelled_at: str | None
    points: int
    kernel_count: int
    parameters: list[Parameter]
    main: int
    targets: list[Target]
    efficiency: Efficiency | None
    kernels: list[Kernel]
    overlapping: bool
    comparison: Comparison | None
    alerts: Alerts
    noise: Noise
    environment: list[Setting]
    missing: list[str]
    lawless: int
    course: Course
