"""Chooses the aggregates that are read if the file does not contain the repetitions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ingest.formats.readers.microbenchmarks.google_benchmark.results import SPREADS, Result

AVERAGES = ("median", "mean")
"""Aggregates that may replace the repetitions, the best one first."""


def counted(results: Sequence[Result]) -> tuple[list[Result], list[str]]:
    """Return the results to be stored, and a note if they are aggregates."""
    measured = {each.name for each in results if not each.aggregate}
    spread = {each.name for each in results if each.aggregate in SPREADS}
    kept, averages = list[Result](), dict[str, Result]()
    for each in results:
        if not each.aggregate:
            kept.append(each)
        elif not each.certain and each.name not in measured | spread:
            kept.append(replace(each, name=f"{each.name}_{each.aggregate}"))
        elif each.name not in measured and each.aggregate not in SPREADS:
            known = averages.get(each.name)
            if known is None or _rank(each) < _rank(known):
                averages[each.name] = each
    return kept + list(map(_as_result, averages.values())), _notes(averages)


def _rank(result: Result) -> int:
    return AVERAGES.index(result.aggregate) if result.aggregate in AVERAGES else len(AVERAGES)


def _as_result(result: Result) -> Result:
    """Return the aggregate as a result. A user's own statistic becomes a metric with its name."""
    if result.aggregate in AVERAGES:
        return result
    return replace(
        result, values={f"{name}_{result.aggregate}": value for name, value in result.values.items()}
    )


def _notes(averages: Mapping[str, Result]) -> list[str]:
    if not averages:
        return []
    kinds = " or ".join(sorted({each.aggregate for each in averages.values()}))
    held = f"the file holds only aggregates of {len(averages)} benchmarks"
    return [f"{held}: their {kinds} counts as one repetition"]
