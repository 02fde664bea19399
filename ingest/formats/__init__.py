"""Parsers of measurement campaigns: pure Python and NumPy, one format a file.

To add a format, write a module with `NAME`, `TITLE`, `recognises(source)` and `read(source)`, and name it in
`FORMATS`.
"""

import os
from pathlib import Path
from types import ModuleType

from ingest.formats import csv_table, extrap_json, extrap_json_legacy, extrap_text, json_lines, talpas
from ingest.formats.campaign import Campaign
from ingest.formats.errors import FormatError
from ingest.formats.limits import Limits
from ingest.formats.source import Source

__all__ = ["FORMATS", "Campaign", "FormatError", "Limits", "parse"]

FORMATS: dict[str, ModuleType] = {
    module.NAME: module
    for module in (talpas, json_lines, extrap_json, extrap_json_legacy, extrap_text, csv_table)
}
"""By name, in the order in which they are tried."""


def parse(
    path: str | os.PathLike[str], format: str | None = None, limits: Limits | None = None, name: str = ""
) -> Campaign:
    """Read a campaign from a file.

    Args:
        path: the file.
        format: a key of `FORMATS`; by default recognised from the content.
        limits: how large it may be.
        name: what errors call the file, if not by its own name.

    Raises:
        FormatError: it cannot be read; names file, line, what was found and what was expected.
    """
    source = Source(Path(path), limits or Limits())
    try:
        _check_size(source)
        return _module(source, format).read(source)  # type: ignore[no-any-return]
    except FormatError as error:
        error.file = name or source.path.name
        raise


def _check_size(source: Source) -> None:
    size = source.path.stat().st_size
    if size > source.limits.bytes:
        raise FormatError(f"a file of {size} bytes", f"{source.limits.bytes} at most")
    if not source.head.strip():
        raise FormatError("an empty file", "measurements")


def _module(source: Source, format_name: str | None) -> ModuleType:
    if format_name:
        if format_name not in FORMATS:
            raise FormatError(f"the format “{format_name}”", f"one of {', '.join(FORMATS)}")
        return FORMATS[format_name]
    for module in FORMATS.values():
        if module.recognises(source):
            return module
    titles = ", ".join(module.TITLE for module in FORMATS.values())
    raise FormatError("a format that was not recognised", f"one of: {titles}")
