"""Limits on an uploaded file and its campaign, far above what teams measure."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits on size, depth and counts of an uploaded file."""

    bytes: int = 512 * 1024 * 1024
    document_bytes: int = 32 * 1024 * 1024  # for a JSON document, which is held in memory; not for JSON Lines
    line_bytes: int = 4 * 1024 * 1024  # for a line, and for one entry of a JSON document
    members: int = 20_000  # in an archive
    member_bytes: int = 256 * 1024 * 1024
    unpacked_bytes: int = 4 * 1024 * 1024 * 1024  # sum over all members that are read
    # bytes that may always be unpacked; for more bytes the limit is `unpacked_ratio`
    unpacked_free: int = 64 * 1024 * 1024
    unpacked_ratio: int = 100  # unpacked bytes, as a multiple of the archive's size
    child_memory: int = 112 * 1024 * 1024  # bytes for reading any archive or binary file
    child_memory_ratio: int = 64  # further bytes for each byte of the file, see `child_memory_most`
    child_memory_most: int = 1024 * 1024 * 1024  # limit on the sum of `child_memory` and these further bytes
    text_memory: int = 200 * 1024 * 1024  # bytes for reading a text, including the text itself
    child_seconds: float = 1.5  # processor time for reading any file
    child_rate: float = 1_000_000  # bytes of the file for each further second
    depth: int = 16  # levels of nested JSON
    sections: int = 10_000  # keys of a JSON document's outermost object
    parameters: int = 20
    points: int = 10_000
    kernels: int = 50_000  # including all their callers
    levels: int = 200  # in a call path
    metrics: int = 1_000
    series: int = 100_000
    repetitions: int = 10_000
    names_bytes: int = 48 * 1024 * 1024  # of all kernels' names together
    unmeasured: int = 500_000  # lines of a text without measurements: blank lines, other output
    results: int = 50_000  # results of benchmarking tools, which are in memory until all are read
    results_cells: int = 1_000_000  # metrics and parameters of all results together
    values: int = 20_000_000  # including missing ones
    # bounds that keep laws, which are powers and products of coordinates, finite
    coordinate: tuple[float, float] = (1e-30, 1e30)
    value: tuple[float, float] = (
        1e-60,
        1e60,
    )  # bounds of values other than 0, whose squares must be finite for fits
    path_characters: int = 4096
    name_characters: int = 80
