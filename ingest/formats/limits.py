"""How large a campaign may be. Far beyond what teams measure, far below what hurts a server."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Most of everything."""

    bytes: int = 512 * 1024 * 1024
    line_bytes: int = 16 * 1024 * 1024
    parameters: int = 20
    points: int = 10_000
    series: int = 100_000
    values: int = 50_000_000
    depth: int = 16  # of nested JSON
    path_characters: int = 4096
    name_characters: int = 80
