"""Reads a profile's `anchor.xml`: metrics, call tree, and numbers of processes and threads."""

import re
import zlib
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from ingest.formats.campaign.names import SEPARATOR
from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits

NO_THREADS = (b"<type>gpu</type>", b"<type>accelerator", b"<type>metric</type>")
"""Types of locations that are not threads of a process."""
NODE = re.compile(rb"<name>(?:node )?([^<>]{1,200})</name>\s{0,20}<class>node</class>")
PIECE = 4 * 1024 * 1024
UNITS = {"sec": "s", "occ": "", "bytes": "B"}


@dataclass(frozen=True)
class CubeMetric:
    """A metric as a profile describes it.

    Attributes:
        inclusive: whether the stored value of a call includes its callees.
        top: whether the metric is not part of another metric.
    """

    number: int
    name: str
    inclusive: bool
    type: str
    unit: str
    top: bool


@dataclass(frozen=True)
class Description:
    """The description in a profile. It has N call paths, with callers before callees.

    Attributes:
        parents: (N,) indices of the callers; -1 where there is none.
        levels: (N,) number of callers above each path.
        wide: (N,) indices of the paths in the order of inclusive metrics, where the callees of a call are
            neighbours.
    """

    metrics: list[CubeMetric]
    paths: list[str]
    parents: NDArray[np.intp]
    levels: NDArray[np.intp]
    wide: NDArray[np.intp]


class AnchorReader:
    """Reads descriptions; `nodes` are compute nodes of the last. Repeated descriptions are parsed once."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.nodes: list[str] = []
        self._text = b""
        self._description: Description | None = None

    def read(self, data: bytes) -> tuple[Description, int]:
        """Return the description, and the numbers of processes and threads.

        Raises:
            FormatError: the document is invalid, or has a document type or entities.
        """
        text, _, system = _plain(data, self._limits).partition(b"<system")
        if self._description is None or text != self._text:
            self._text, self._description = text, _description(text + b"</cube>" if system else text)
        self.nodes = [name.decode(errors="replace") for name in NODE.findall(system)]
        locations = system.count(b"<location ")
        if not locations:
            raise FormatError("a profile without processes", "at least one process")
        return self._description, locations


def counts(data: bytes, limits: Limits) -> dict[str, float]:
    """Return the number of processes, and the largest number of threads of a process.

    Raises:
        FormatError: as in `AnchorReader.read`.
    """
    groups = _plain(data, limits).partition(b"<system")[2].split(b"<locationgroup ")[1:]
    processes = [group for group in groups if b"<type>process</type>" in group] or groups
    threads = [sum(not _is_no_thread(text) for text in group.split(b"<location ")[1:]) for group in processes]
    if not any(threads):
        raise FormatError("a profile without processes", "at least one process")
    return {"processes": float(len(processes)), "threads": float(max(threads))}


def _is_no_thread(location: bytes) -> bool:
    return any(kind in location for kind in NO_THREADS)


def _description(text: bytes) -> Description:
    if b"<!DOCTYPE" in text or b"<!ENTITY" in text or b"\0" in text:
        raise FormatError("a document type, entities or another encoding", "plain XML in UTF-8")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 -- it has no document type
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise FormatError(f"no XML: {error}", "the anchor.xml of a profile") from None
    program = root.find("program")
    if root.tag != "cube" or program is None:
        raise FormatError("XML that does not name the measured program", "the anchor.xml of a profile")
    try:
        top = set(root.findall("metrics/metric"))
        return _with_calls([_metric(node, node in top) for node in root.iter("metric")], program)
    except (ValueError, TypeError, KeyError) as error:
        raise FormatError(
            f"a damaged description: {quoted(error)}", "the names and numbers of an undamaged one"
        ) from None


def _plain(data: bytes, limits: Limits) -> bytes:
    if data.startswith(b"\x1f\x8b"):
        data = _inflated(data, limits)
    if not data.startswith(b"<?xml"):
        begin = quoted(data[:20].decode(errors="replace"))
        raise FormatError(f"a description that begins with {begin}", "“<?xml” at the beginning")
    return data


def _inflated(data: bytes, limits: Limits) -> bytes:
    """Decompress piece by piece, so that a large description is in memory only once."""
    inflate, plain = zlib.decompressobj(zlib.MAX_WBITS | 16), bytearray()
    try:
        while data and not inflate.eof and len(plain) < limits.document_bytes:
            plain += inflate.decompress(data, PIECE)
            data = inflate.unconsumed_tail
    except zlib.error as error:
        raise FormatError(f"a damaged gzip file: {quoted(error)}", "an undamaged gzip file") from None
    if not inflate.eof:
        most = f"at most {limits.document_bytes} bytes when unpacked"
        raise FormatError("a description that is cut off or too large", f"a complete one of {most}")
    return bytes(plain)


def _metric(node: ElementTree.Element, top: bool) -> CubeMetric:
    unit = node.findtext("uom") or ""
    return CubeMetric(
        number=int(node.attrib["id"]),
        name=node.findtext("uniq_name") or "",
        inclusive=node.get("type") == "INCLUSIVE",
        type=node.findtext("dtype") or "",
        unit=UNITS.get(unit, unit),
        top=top,
    )


def _with_calls(metrics: list[CubeMetric], program: ElementTree.Element) -> Description:
    regions = {node.get("id"): node.findtext("name") or "" for node in program.findall("region")}
    paths, parents, levels = list[str](), list[int](), list[int]()
    wide, children = list[int](), list[list[int]]()
    waiting = [(node, -1) for node in reversed(program.findall("cnode"))]
    while waiting:
        node, parent = waiting.pop()
        place, name = len(paths), regions[node.get("calleeId")].replace(SEPARATOR, "→")
        paths.append(paths[parent] + SEPARATOR + name if parent >= 0 else name)
        parents.append(parent)
        levels.append(levels[parent] + 1 if parent >= 0 else 0)
        children.append([])
        if parent >= 0:
            children[parent].append(place)
        waiting += [(child, place) for child in reversed(node.findall("cnode"))]
    for place, called in enumerate(children):
        wide += [place, *called] if parents[place] < 0 else called
    if not paths:
        raise FormatError("a profile without calls", "at least one call")
    return Description(metrics, paths, np.array(parents), np.array(levels), np.array(wide))
