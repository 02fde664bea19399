"""Parses coordinates that a user sends with a file that does not contain its point.

Pairs such as `p=64, n=100` apply to the whole file. A pattern such as `run_p{p}_n{n}.json` finds coordinates
in the name of a file or of an archive's member. Braces match a number, and `*` matches any text. Text around
the matching part is ignored.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ingest.formats.campaign.campaign import CONFIGURATION, Campaign
from ingest.formats.campaign.names import short_name
from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits

UNPLACED = (
    "the file names no parameters, so it is stored as one configuration, which can be compared between "
    "versions; to make it part of a series, send its point, such as p=64, along with it"
)
LONGEST_POINT = 500
EXPECTED = "name=number pairs such as p=64, n=100, or a pattern such as run_p{p}_n{n}"
HOLE = re.compile(r"\{([^{}]*)\}|(\*)")
NUMBER = r"([0-9]+(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]+)?)"


@dataclass(frozen=True)
class SentPoint:
    """Coordinates for a whole file, or a pattern for the names of files; both may be empty.

    Attributes:
        pattern: searched in a file's path.
        names: names of the parameters, in the order of the pattern's groups.
    """

    point: Mapping[str, float] = field(default_factory=dict)
    pattern: re.Pattern[str] | None = None
    names: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.point) or self.pattern is not None

    def of(self, path: str) -> dict[str, float]:
        """Return the coordinates of the file with this path.

        Raises:
            FormatError: the path does not match the pattern.
        """
        if self.pattern is None:
            return dict(self.point)
        found = self.pattern.search(path)
        if found is None:
            raise FormatError(f"the file name {quoted(path)}", "a name that matches the pattern for points")
        values = [float(text.replace(",", ".")) for text in found.groups()]
        return dict(zip(self.names, values, strict=True))


def place_parse(text: str, limits: Limits | None = None) -> SentPoint:
    """Parse the coordinates or the pattern that a user wrote. An empty text gives an empty place.

    Raises:
        FormatError: the text is neither pairs nor a pattern, or a coordinate is not positive.
    """
    limits = limits or Limits()
    if len(text) > LONGEST_POINT:
        raise FormatError(
            f"a point of {len(text)} characters", f"at most {LONGEST_POINT} characters: {EXPECTED}"
        )
    if "{" in text:
        return _pattern(text.strip(), limits)
    point: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in re.split(r"[,;]", text))):
        name, equals, number = (word.strip() for word in part.partition("="))
        if not equals or name in point:
            raise FormatError(f"the point {quoted(text)}", EXPECTED)
        point[short_name(name, "a parameter", limits)] = _coordinate(name, number, limits)
    return SentPoint(point)


def _coordinate(name: str, text: str, limits: Limits) -> float:
    least, most = limits.coordinate
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value <= most:
        raise FormatError(f"{quoted(name)} = {quoted(text)}", f"a positive number, as in {EXPECTED}")
    return value


def _pattern(text: str, limits: Limits) -> SentPoint:
    names = [short_name(hole[1], "a parameter", limits) for hole in HOLE.finditer(text) if not hole[2]]
    if len(set(names)) < len(names):
        raise FormatError(f"a parameter twice in the pattern {quoted(text)}", EXPECTED)
    pieces, start = [], 0
    for hole in HOLE.finditer(text):
        pieces += [re.escape(text[start : hole.start()]), "[^/]*?" if hole[2] else NUMBER]
        start = hole.end()
    return SentPoint(pattern=re.compile("".join([*pieces, re.escape(text[start:])])), names=tuple(names))


def placed(campaign: Campaign, point: Mapping[str, float]) -> Campaign:
    """Return the campaign with these coordinates in addition to its own.

    Raises:
        FormatError: the file has another value of one of these parameters.
    """
    if not point:
        unplaced = campaign.parameters == (CONFIGURATION,)
        return replace(campaign, notes=(UNPLACED, *campaign.notes)) if unplaced else campaign
    own = () if campaign.parameters == (CONFIGURATION,) else campaign.parameters
    for name in point.keys() & set(own):
        if (campaign.points[:, own.index(name)] != point[name]).any():
            found = f"the point {name} = {point[name]:g} sent with a file that has other values of {name}"
            raise FormatError(found, "the file's own values, or no point")
    new = [name for name in point if name not in own]
    given = np.tile([point[name] for name in new], (len(campaign.points), 1))
    points = np.hstack([campaign.points[:, : len(own)], given])
    runs = [{**run, **point} for run in campaign.runs]
    return replace(campaign, parameters=(*own, *new), points=points, runs=runs)
