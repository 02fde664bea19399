"""How large a campaign may be. Far beyond what teams measure, far below what hurts a server."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits on size, depth and counts of an uploaded file."""

    bytes: int = 512 * 1024 * 1024
    document_bytes: int = 32 * 1024 * 1024  # of a JSON document, which is held in memory; JSON Lines are not
    line_bytes: int = 4 * 1024 * 1024  # of a line, and of one entry of a JSON document
    members: int = 20_000  # of an archive
    member_bytes: int = 256 * 1024 * 1024
    unpacked_bytes: int = 4 * 1024 * 1024 * 1024  # of all members that are read
    unpacked_free: int = 64 * 1024 * 1024  # may always be unpacked; above it
    unpacked_ratio: int = 100  # times the size of the archive
    child_memory: int = 112 * 1024 * 1024  # bytes that reading an archive or binary file may take, plus
    child_memory_ratio: int = 64  # times its size, but in total at most
    child_memory_most: int = 1024 * 1024 * 1024
    text_memory: int = 200 * 1024 * 1024  # bytes that reading a text may take, its own included
    child_seconds: float = 1.5  # of processor time that reading a file may take, plus
    child_rate: float = 1_000_000  # one second for each of so many bytes
    depth: int = 16  # of nested JSON
    sections: int = 10_000  # keys of a JSON document's outermost object
    parameters: int = 20
    points: int = 10_000
    kernels: int = 50_000  # with all their callers
    levels: int = 200  # of a call path
    metrics: int = 1_000
    series: int = 100_000
    repetitions: int = 10_000
    names_bytes: int = 48 * 1024 * 1024  # of all kernels' names
    unmeasured: int = 500_000  # lines of a text with nothing to read: blank ones, other output
    results: int = 50_000  # that a benchmarking tool lists one by one, and that are held until all are read
    results_cells: int = 1_000_000  # their metrics and parameters together
    values: int = 20_000_000  # with those that are missing
    coordinate: tuple[float, float] = (1e-30, 1e30)  # laws are powers and products of coordinates
    value: tuple[float, float] = (1e-60, 1e60)  # of one that is not 0: fits square what they are given
    path_characters: int = 4096
    name_characters: int = 80
