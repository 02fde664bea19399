"""The verdict of a policy on an application's latest version."""

from collections.abc import Sequence

from ingest.models import Application, Metric
from modeling.rules.policies import policy_parse
from modeling.selectors.gate.judging import gate_judge
from modeling.selectors.gate.subject import (
    NotComparedError,
    NotMeasuredError,
    standing_asked,
    standing_before,
    subject_load,
)
from modeling.selectors.versions.standings import standings

UNDECIDED = "undecided"


def gate_latest(application: Application, policy: str, metrics: Sequence[Metric]) -> tuple[str, str] | None:
    """Return the latest version's label and its verdict in one word; None if nothing was measured."""
    ordered = standings(application)
    try:
        after = standing_asked(ordered, "", "")
        subject = subject_load(application, after, standing_before(ordered, after, ""))
    except NotMeasuredError:
        return None
    except NotComparedError:  # the comparison of the version will be requested soon
        return after.label, UNDECIDED
    verdict = gate_judge(subject, policy_parse(policy), metrics, worded=False)
    return after.label, verdict.word
