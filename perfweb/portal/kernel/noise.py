"""Sentences about a kernel's noise: its size, its kind, and where it is largest."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.models import Campaign
from modeling.engine import DEFAULT_MODELER, NoiseSource, noise, warm_up
from modeling.selectors.kernel.wild import wild_of
from modeling.selectors.run.weighed import Kind
from modeling.storage import arrays
from perfweb.portal.kernel.rivals import Bar
from perfweb.portal.text import formatting
from perfweb.portal.text.topics.noise_families import KINDS
from perfweb.portal.text.topics.plans import noise_sentence

DEVIATING = "deviating"
MAY_CHANGE_AGAIN = (
    "The law changed inside the measured range and may change again, so intervals include deviations from it."
)


@dataclass(frozen=True)
class NoiseCard:
    """The noise of a kernel; `levels` are those of points with repetitions, relative to the point's mean."""

    level: str
    meaning: str
    scatter: str
    sources: str
    kinds: list[Bar]
    levels: list[float]
    middle: float | None
    sentence: str
    rounds: str
    first: str
    wild: str


def noise_card(
    campaign: Campaign,
    values: arrays.FloatArray,
    kinds: Sequence[Kind],
    scatter: tuple[float, float] | None,
    rounds: arrays.FloatArray | None = None,
    *,
    modeler: str = DEFAULT_MODELER,
    sources: Sequence[NoiseSource] = (),
    breaks: bool = False,
) -> NoiseCard:
    """Return the noise of a kernel, given its values (P, R): up to R repetitions at each of P points.

    If each value is a median of rounds within one process, `rounds` (P, W) are up to W rounds of each point.
    `kinds` and `scatter` are empty if the modeler gives no probabilities of families of noise. `sources`
    is empty if it is not known which runs share a job, a node or a day. `breaks` says whether the law changes
    inside the measured range.
    """
    found = noise(values[None])
    per_point = found.per_point[0]
    if not np.nansum(per_point):  # there is no noise if repetitions are equal, or all are 0
        kinds, scatter = (), None
    known = np.flatnonzero(np.isfinite(per_point))
    return NoiseCard(
        level=formatting.percent(found.level[0]),
        meaning=_meaning(kinds, breaks=breaks),
        scatter=_scatter(scatter) if scatter else "",
        sources=noise_sentence(sources) if sources else "",
        kinds=[Bar(KINDS[kind.name][0], kind.probability) for kind in kinds],
        levels=per_point[known].tolist(),
        middle=float(found.median[0]) if len(known) else None,
        sentence=_sentence(campaign, values, per_point, known),
        rounds="" if rounds is None else _rounds(rounds),
        first=_first(values),
        wild=_wild(campaign, wild_of(campaign, values, modeler)),
    )


def _wild(campaign: Campaign, ratios: arrays.FloatArray) -> str:
    """Return which values the law leaves out because they lie far off.

    `ratios` are such values divided by what their neighbours suggest, NaN for all other values.
    """
    known = np.flatnonzero(np.isfinite(ratios))
    if not len(known):
        return ""
    each = [
        f"{formatting.ratio(ratios[at])} at "
        + formatting.configuration(dict(zip(campaign.parameters, campaign.points[at], strict=True)))
        for at in known
    ]
    which, it = ("One value lies", "it") if len(known) == 1 else (f"{len(known)} values lie", "them")
    return (
        f"{which} far off the values beside {it}: {', '.join(each)}. The law leaves {it} out. Measure there "
        "again to learn whether this repeats."
    )


def _first(values: arrays.FloatArray) -> str:
    """Return a sentence on how the first repetition differs from the others; empty if that is not clear."""
    found = warm_up(values[None])
    if not found.there[0]:
        return ""
    size, points = formatting.percent(abs(found.effect[0])), int(found.points[0])
    side, why = ("above", ", as after a cold start") if found.effect[0] > 0 else ("below", "")
    return (
        f"The first repetition lies {size} {side} the others of its point, on average over {points} "
        f"points{why}. This counts as noise. If your users never meet such a first run, leave it out of the "
        "upload."
    )


def _rounds(rounds: arrays.FloatArray) -> str:
    usable = rounds[(np.isfinite(rounds).sum(axis=1) > 1) & (np.nanmax(rounds, axis=1, initial=0.0) > 0)]
    most = int(np.isfinite(rounds).sum(axis=1).max())
    if not len(usable):
        return ""
    low, middle, high = np.nanquantile(usable, [0.025, 0.5, 0.975], axis=1)
    middle = np.where(middle > 0, middle, np.nan)
    ends = [formatting.signed_percent(float(np.nanmedian(end / middle - 1))) for end in (low, high)]
    return (
        f"Each value is the median of up to {most:,} rounds in one process. 19 of 20 rounds differ from it "
        f"by {ends[0]} to {ends[1]}. But rounds are not repetitions: they do not show how much processes "
        "differ."
    )


def _meaning(kinds: Sequence[Kind], *, breaks: bool) -> str:
    """Return the most probable kind in plain words: "One-sided (96 %): runs only ever lie above what …".

    Segments of kernels of one parameter are always modelled with deviations, whatever their points show.
    """
    if not kinds:
        return ""
    if breaks and kinds[0].name == DEVIATING and len(kinds) == 1:
        return MAY_CHANGE_AGAIN
    name, words = KINDS[kinds[0].name]
    return f"{name.capitalize()} ({formatting.percent(kinds[0].probability)}): {words}."


def _scatter(factors: tuple[float, float]) -> str:
    low, high = (formatting.signed_percent(factor - 1) for factor in factors)
    return f"19 of 20 runs differ from the prediction by {low} to {high}."


def _sentence(
    campaign: Campaign, values: arrays.FloatArray, levels: arrays.FloatArray, known: NDArray[np.int_]
) -> str:
    if not np.nansum(values):
        return "All repetitions are 0."
    if not len(known):
        return "No point has two repetitions, so the noise is unknown."
    if not levels[known].any():
        return "At each point all repetitions are equal."
    worst = max(known, key=lambda at: levels[at])
    where = formatting.configuration(dict(zip(campaign.parameters, campaign.points[worst], strict=True)))
    middle = formatting.percent(float(np.median(levels[known])))
    return (
        f"At half of the points the repetitions differ by less than {middle} of their mean. They differ most "
        f"at {where} ({formatting.percent(levels[worst])})."
    )
