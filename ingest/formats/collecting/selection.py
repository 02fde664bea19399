"""Selects the series that a campaign keeps, and describes shortened names and missing points in notes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ingest.formats.campaign.campaign import FloatArray, Key
from ingest.formats.campaign.names import shortened
from ingest.formats.campaign.notes import bounded_notes
from ingest.formats.limits import Limits


class SelectedSeries(Mapping[Key, FloatArray]):
    """A mapping of some of a campaign's series, which reads their tables on demand."""

    def __init__(self, series: Mapping[Key, FloatArray], keys: Sequence[Key]) -> None:
        self._series, self._keys = series, dict.fromkeys(keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __getitem__(self, key: Key) -> FloatArray:
        if key not in self._keys:
            raise KeyError(key)
        return self._series[key]


def shortened_names(series: Iterable[tuple[str, str]], limits: Limits) -> tuple[str, ...]:
    """Return a sentence for each kind of name of which some were shortened."""
    keys = list(series)
    paths, metrics = ({key[place] for key in keys} for place in (0, 1))
    kinds = (
        (paths, f"call paths of over {limits.path_characters} characters or {limits.levels} levels"),
        (metrics, f"names of metrics of over {limits.name_characters} characters"),
    )
    return tuple(
        f"{count} {kind} were shortened, in the same way in every file: a hash replaces the removed part"
        for names, kind in kinds
        if (count := shortened(names))
    )


def missing_points(present: Iterable[tuple[Key, int]], points: int) -> tuple[str, ...]:
    """Return a sentence for each series that lacks points, up to a readable number."""
    lacking = [
        f"{kernel} ({metric}) lacks {points - found} of {points} points"
        for (kernel, metric), found in present
        if found < points
    ]
    return bounded_notes(lacking, "more kernels and metrics lack points")
