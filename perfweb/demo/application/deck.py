"""The input deck: the same few lines for every run."""

DECK = "\n".join(
    ["# boundary conditions and materials"]
    + [f"wall.{side} = fixed {side / 8:.3f}" for side in range(4)]
    + [f"material.{index} = {index * 0.25:.2f} {index % 3} {index * 1.5e-3:.4e}" for index in range(12)]
)


def read_deck(text: str = DECK) -> dict[str, list[float | str]]:
    """Return name → fields, with numbers converted: O(1), because the deck is the same for every run."""
    entries = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, _, fields = line.partition(" = ")
        entries[name] = [_field(field) for field in fields.split()]
    return entries


def _field(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
