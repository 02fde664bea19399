"""Parsers of measurement campaigns in pure Python and NumPy.

A campaign has measurements of one version of a program. A kernel is a measured part of the program, such as a
function; its name is a call path, as in `main->solve`. A metric is a measured quantity. The values of one
kernel and metric are a series. A run is made at a point, which has a coordinate for each parameter. Values of
several runs at one point are repetitions. Values that were measured one after the other in one process are
rounds.

`readers` has a module or folder for each format, and `registry` lists them. The other packages contain what
readers share. Files are recognised and read in a child process, see `contained.child`.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from ingest.formats import bundle
from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.sent_points import place_parse, placed
from ingest.formats.contained.child import contained, restrain
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source
from ingest.formats.limits import Limits
from ingest.formats.registry import READERS
from ingest.formats.unrecognised import unrecognised

__all__ = ["FORMATS", "Campaign", "FormatError", "Limits", "parse"]

FORMATS: dict[str, ModuleType] = {**READERS, bundle.NAME: bundle}
"""Formats by name, in the order in which they are tried; archives of files of any format come last."""


def parse(
    path: str | os.PathLike[str],
    format: str | None = None,
    limits: Limits | None = None,
    name: str = "",
    options: Mapping[str, str] | None = None,
    *,
    point: str = "",
) -> Campaign:
    """Read a campaign.

    Args:
        path: a file, a packed file, an archive (zip, tar, tar.gz) or a folder.
        format: a key of `FORMATS`; by default it is recognised from the content.
        name: the file's name in error messages; by default its own name.
        options: the user's choices, by the names in the format's `OPTIONS`.
        point: parameter values that the file itself does not name, as `campaign.sent_points` describes.

    Raises:
        FormatError: the file cannot be read; the message names file, line, what was found and what was
            expected.
    """
    source = Source(Path(path), limits or Limits(), dict(options or {}), name=name or Path(path).name)
    try:
        source = replace(source, place=place_parse(point, source.limits))
        _check_size(source)
        return _parse(source, format)
    except FormatError as error:
        error.file = ", ".join(filter(None, [source.name, error.file]))
        raise
    finally:
        source.close()


def _check_size(source: Source) -> None:
    if source.size > source.limits.bytes:
        raise FormatError(f"a file of {source.size} bytes", f"at most {source.limits.bytes} bytes")
    if source.packed:
        return
    if not source.head.strip():
        raise FormatError("an empty file", "measurements")


def _parse(source: Source, format_name: str | None) -> Campaign:
    """Read the campaign in a child process. Even the file's format is recognised there."""

    def read() -> Campaign:
        inner = source.unpacked()
        if inner is not source:
            _check_size(inner)
        module = _module(inner, format_name)
        if not inner.packed and not getattr(module, "CONTAINED", False):
            held = inner.size if "document" in vars(inner) else 0
            restrain(source.limits.text_memory - held)
        return _read(module, inner)

    return contained(read, source.limits, source.opened, source.size, source.work)


def _read(module: ModuleType, source: Source) -> Campaign:
    known = getattr(module, "OPTIONS", {})
    if unknown := source.options.keys() - known.keys():
        raise FormatError(
            f"the option {quoted(min(unknown))}",
            f"one of {', '.join(known)}" if known else "none: this format has no options",
        )
    campaign: Campaign = module.read(source)
    # a format that reads archives has already found the point of each file
    by_member = source.packed and getattr(module, "PACKED", False)
    point = {} if by_member else source.place.of(source.name)
    links = list(source.archive.links) if source.packed else []
    if links:
        campaign = replace(campaign, notes=(_left_out(links), *campaign.notes))
    return replace(placed(campaign, point), format=module.NAME)


def _left_out(links: list[str]) -> str:
    """Return the note on the links in an archive."""
    most = f"{len(links)} links were" if len(links) > 1 else "1 link was"
    return f"{most} left out, such as {quoted(links[0])}: only files that are in the archive are read"


def _module(source: Source, format_name: str | None) -> ModuleType:
    modules = {
        name: module
        for name, module in FORMATS.items()
        if not source.packed or getattr(module, "PACKED", False)
    }
    if format_name:
        if format_name not in modules:
            found = f"the format “{format_name}”" + (" for an archive" if format_name in FORMATS else "")
            raise FormatError(found, f"one of {', '.join(modules)}")
        return modules[format_name]
    for module in modules.values():
        if module.recognises(source):
            return module
    raise unrecognised(source)
