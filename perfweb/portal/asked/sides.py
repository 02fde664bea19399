"""The two versions that a page compares, and the pairs before and after them in the history."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest

from ingest.models import Machine
from modeling.selectors.versions.standings import Standing, baseline_of, line_of
from perfweb.portal.asked.focus import Focus

LONGEST_LABEL = 80
"""Limit on the characters of a label that a message repeats."""


@dataclass(frozen=True)
class Sides:
    """Two versions to compare, each on its machine. A side is None if there is no version for it."""

    before: Standing | None
    after: Standing | None
    machine_before: Machine | None
    lines: tuple[tuple[Standing, ...], tuple[Standing, ...]]
    problems: tuple[str, ...]

    @property
    def across(self) -> bool:
        """Return whether the two versions were measured on different machines."""
        return bool(self.before and self.after and self.before.machine != self.after.machine)

    @property
    def names(self) -> tuple[str, str]:
        """Return both versions' names, with their machines if these differ. A missing version is “?”."""
        sides = (self.before, self.after)
        before, after = (
            (f"{side.label} on {side.machine}" if self.across else side.label) if side else "?"
            for side in sides
        )
        return before, after

    @property
    def pair(self) -> tuple[Standing, Standing] | None:
        """Return both versions, if there are two."""
        if self.before is None or self.after is None:
            return None
        return None if self.before.campaign_id == self.after.campaign_id else (self.before, self.after)

    @property
    def previous(self) -> tuple[Standing, Standing] | None:
        """Return the pair one version earlier on the later version's machine."""
        return self._neighbours(-1)

    @property
    def following(self) -> tuple[Standing, Standing] | None:
        """Return the pair one version later on the later version's machine."""
        return self._neighbours(1)

    def _neighbours(self, step: int) -> tuple[Standing, Standing] | None:
        line = self.lines[1]
        if self.after is None or self.across or self.after not in line:
            return None
        latest = max(line.index(self.after), line.index(self.before) if self.before in line else 0)
        at = latest + step
        later = line[at] if 0 < at < len(line) else None
        earlier = baseline_of(line, later) if later else None
        return (earlier, later) if earlier and later else None


def sides_read(request: HttpRequest, focus: Focus) -> Sides:
    """Parse ?before= and ?after= as labels, and ?before_machine= as the machine of the earlier version.

    By default the last two versions are compared. If two machines are compared and both have the later
    version, the default is this version on both.
    """
    problems: list[str] = []
    machine_before = _machine(request.GET.get("before_machine"), focus, problems)
    lines = (line_of(focus.standings, machine_before), focus.versions)
    after = _named(request.GET.get("after"), lines[1], focus.machine, problems) or _last(lines[1])
    before = _named(request.GET.get("before"), lines[0], machine_before, problems)
    if before is None and after is not None:
        before = _before(after, lines[0])
    return Sides(before, after, machine_before, lines, tuple(problems))


def _machine(name: str | None, focus: Focus, problems: list[str]) -> Machine | None:
    found = next((machine for machine in focus.machines if machine.name == name), None)
    if name and found is None:
        problems.append(f"Nothing was measured on “{name[:LONGEST_LABEL]}”.")
    return found or focus.machine


def _named(
    label: str | None, line: Sequence[Standing], machine: Machine | None, problems: list[str]
) -> Standing | None:
    found = next((standing for standing in line if standing.label == label), None)
    if label and found is None:
        problems.append(
            f"Version “{label[:LONGEST_LABEL]}” was not measured{machine.mention if machine else ''}, "
            "or it was deleted; this compares others."
        )
    return found


def _before(after: Standing, line: Sequence[Standing]) -> Standing | None:
    """Return the measurements with which those of `after` are compared by default."""
    same = next((standing for standing in line if standing.version_id == after.version_id), None)
    if same is not None and same.campaign_id != after.campaign_id:
        return same
    baseline = baseline_of(line, after)
    return baseline or _last([standing for standing in line if standing.position < after.position])


def _last(line: Sequence[Standing]) -> Standing | None:
    return line[-1] if line else None
