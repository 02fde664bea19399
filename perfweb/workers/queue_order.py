"""In which order a worker looks into its queues."""

from kombu.utils.scheduling import round_robin_cycle

FIRST = "upkeep"


class UpkeepFirst(round_robin_cycle):  # type: ignore[type-arg]  # generic in the stubs only
    """The sweepers' queue whenever something waits there, and all others in turn.

    In turn with the others, sweeps come faster than they are taken as soon as tasks last seconds: each that
    is taken has expired, none runs, and nothing that a killed worker left is ever found.
    """

    def consume(self, n: int) -> list[str]:  # type: ignore[override]  # a list in fact
        """The queues, that of the next message first."""
        return sorted(super().consume(n), key=lambda queue: queue != FIRST)
