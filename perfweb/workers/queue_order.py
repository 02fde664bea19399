"""The order in which a worker reads its queues."""

from kombu.utils.scheduling import round_robin_cycle

FIRST = "upkeep"


class UpkeepFirst(round_robin_cycle):  # type: ignore[type-arg]  # generic in the stubs only
    """Reads the sweepers' queue first whenever it has messages, and all other queues in turn.

    If this queue were read in turn as well, sweeps would expire unread as soon as tasks take
    seconds. Then the work of killed workers would never be found.
    """

    def consume(self, n: int) -> list[str]:  # type: ignore[override]  # a list in fact
        """Return the queues in the order in which they are read next."""
        return sorted(super().consume(n), key=lambda queue: queue != FIRST)
