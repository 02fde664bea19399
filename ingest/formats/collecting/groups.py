"""Groups of runs with the same point and the same origin, while values are collected."""

import numpy as np

from ingest.formats.campaign.origins import UNKNOWN, Origin, Origins, padded
from ingest.formats.collecting.spool import Tables
from ingest.formats.collecting.tables import Groups


class RunGroups:
    """The groups of runs in the order in which they came; without origins, each point is a group."""

    def __init__(self) -> None:
        self._known: dict[Origin, int] = {}
        self._groups: dict[tuple[int, int], int] = {}

    def at(self, point: int, origin: Origin | None) -> int:
        """Return the number of the group of this point and origin, adding a new group."""
        label = UNKNOWN if origin is None else self._known.setdefault(origin, len(self._known))
        return self._groups.setdefault((point, label), len(self._groups))

    @property
    def groups(self) -> Groups | None:
        """Return the points and the order of the groups, or None if no run has an origin."""
        if not self._known:
            return None
        keys = np.array(list(self._groups), np.int64)
        order = np.empty(len(keys), np.int64)
        order[np.lexsort(keys.T[::-1])] = np.arange(len(keys))
        return Groups(keys[:, 0], order)

    def origins(self, tables: Tables) -> Origins | None:
        """Return the origins of the runs in these tables, or None if no run has one."""
        groups = self.groups
        if groups is None or not tables.ordered:
            return None
        labels = np.array([label for _, label in self._groups], np.int64)
        rows: list[list[int]] = [[] for _ in range(int(groups.points.max()) + 1)]
        for at in np.argsort(groups.order).tolist():
            rows[int(groups.points[at])] += [int(labels[at])] * int(tables.most[at])
        return Origins(tuple(self._known), padded([np.array(row, np.int64) for row in rows]))
