"""The failures of a campaign's model run."""

from dataclasses import dataclass
from typing import Any

from modeling.models import SHOWN_FIRST, ModelRun, State

Entry = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a campaign's shown run. `state` is empty if there is no run."""

    state: str
    failures: list[Entry]

    @property
    def failed(self) -> bool:
        """Return whether no model exists."""
        return self.state == State.FAILED


def outcome_of(campaign_id: int | None) -> Outcome:
    """Return the outcome of the campaign's run that pages show, with at most one query."""
    run = campaign_id and ModelRun.objects.filter(campaign=campaign_id).order_by(*SHOWN_FIRST).first()
    return Outcome(run.state, failures_of(run)) if run else Outcome("", [])


def failures_of(run: ModelRun) -> list[Entry]:
    """Return the failures of a run, or a single one if it failed as a whole."""
    if run.state == State.FAILED and not run.failures:
        whole = {"metric": "", "kernels": run.series_total, "reason": run.error, "reference": ""}
        return [whole | {"message": run.error}]
    return list(run.failures)
