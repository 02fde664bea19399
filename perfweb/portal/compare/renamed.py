"""Kernels that may have been renamed or moved, and kernels that a maintainer has joined."""

from modeling.selectors.versions.aliases import renamings
from modeling.selectors.versions.pairs import Group, KernelPair, Pairs


def renamed(pairs: Pairs) -> dict[str, object]:
    """Return removed kernels with the new ones that may replace them, and the joined ones."""
    positions = [side.snapshot.campaign.version.position for side in (pairs.before, pairs.after)]
    order = (Group.GONE, Group.NEW) if positions[0] <= positions[1] else (Group.NEW, Group.GONE)
    earlier, later = (
        [(pairs.kernels[at], pairs.path(at)) for at in pairs.select({group})] for group in order
    )
    return {
        "renamings": renamings(earlier, later),
        "joined": _joined(pairs),
    }


def _joined(pairs: Pairs) -> list[KernelPair]:
    """Return the kernels that the two versions have under different paths, in the order of the pairs."""
    sides = (pairs.before, pairs.after)
    renamed = {
        kernel
        for side in sides
        for kernel, place in side.places.items()
        if side.snapshot.rows[place].kernel_id != kernel
    }
    # Hardly any of thousands of kernels are renamed.
    found = [at for at, kernel in enumerate(pairs.kernels) if kernel in renamed] if renamed else []
    return [pairs.pair(at) for at in found if _is_joined(pairs, pairs.kernels[at])]


def _is_joined(pairs: Pairs, kernel: int) -> bool:
    """Return whether the two versions have the kernel under two paths."""
    places = [side.places.get(kernel) for side in (pairs.before, pairs.after)]
    rows = [
        side.snapshot.rows[place].kernel_id
        for side, place in zip((pairs.before, pairs.after), places, strict=True)
        if place is not None
    ]
    return len(set(rows)) == 2
