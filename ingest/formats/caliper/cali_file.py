"""Caliper's own files (.cali), read by Caliper's own reader, line by line."""

from collections.abc import Iterator
from typing import Any

from caliperreader import CaliperReader
from caliperreader.readererror import ReaderError

from ingest.formats.caliper.profile import REGIONS, UNITS, Profile, is_metric
from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits
from ingest.formats.names import SEPARATOR
from ingest.formats.text import decoded

NUMBERS = ("double", "int", "uint")


def read_cali(data: bytes, limits: Limits) -> Profile:
    """Read a profile.

    Raises:
        FormatError: a line is none of Caliper's.
    """
    reader, line = CaliperReader(), 0

    def lines() -> Iterator[str]:
        nonlocal line
        for text in decoded(data, 1).splitlines():
            line += 1
            if len(text) > limits.line_bytes:
                raise FormatError(f"a line of over {limits.line_bytes} characters", "shorter lines")
            if text.strip():
                yield text

    try:
        reader.read(lines())
        return _profile(reader)
    except FormatError as error:
        raise error.at(line) from None
    except (ReaderError, LookupError, ValueError, AttributeError, TypeError, StopIteration) as error:
        found = f"no record of Caliper: {quoted(type(error).__name__ + ' ' + str(error))}"
        raise FormatError(found, "__rec=node, ctx or globals, and ids of earlier records", line) from None


def _profile(reader: Any) -> Profile:
    profile = Profile(globals={str(name): str(value) for name, value in reader.globals.items()})
    metrics = {name: _alias(attribute) for name, attribute in _measured(reader)}
    for name, attribute in _measured(reader):
        unit = attribute.get("attribute.unit") or ""
        profile.units[metrics[name]] = UNITS.get(unit, unit)
    for record in reader.records:
        if record.get("spot.channel", REGIONS) == REGIONS:
            path = SEPARATOR.join(level.replace(SEPARATOR, "→") for level in record.get("path", []))
            for name in metrics.keys() & record.keys():
                profile.add(path, metrics[name], float(record[name]))
    return profile


def _measured(reader: Any) -> Iterator[tuple[str, Any]]:
    """Attributes that are values of records; if some are marked as aggregated, only those."""
    found = [
        (name, attribute)
        for name, attribute in reader.db.attributes.items()
        if is_metric(name)
        and attribute.is_value()
        and not attribute.is_global()
        and not attribute.is_hidden()
        and attribute.attribute_type() in NUMBERS
    ]
    marked = [(name, attribute) for name, attribute in found if attribute.is_aggregatable()]
    return iter(marked or found)


def _alias(attribute: Any) -> str:
    return str(attribute.get("attribute.alias") or attribute.name())
