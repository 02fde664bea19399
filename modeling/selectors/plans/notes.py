"""Notes next to a plan: what it does not cover, and from what it was made."""

from ingest.models import Dependencies
from modeling.selectors.plans.basis import Basis
from modeling.selectors.plans.profiles import uncovered_told
from modeling.selectors.plans.question import PROFILE, Question
from modeling.selectors.run.rows import RunRows

UNNAMED = (
    "The files of this version name no parameter, so runs can only be repeated. To model how times grow, "
    "send files or points with the values of parameters."
)


def kernel_name(question: Question, loaded: RunRows | None) -> str:
    """Return the name of the kernel that the question is about; empty for the whole program."""
    if loaded is None or question.kernel is None or question.kernel not in loaded.places:
        return ""
    return loaded.rows[loaded.places[question.kernel]].name


def unknown_kernel(question: Question, name: str) -> str:
    """Say that a kernel was asked for that this version does not have, if its `name` is unknown."""
    if question.kernel is None or name:
        return ""
    return "This version has no such kernel: the plan is for the whole program."


def functions_uncovered(question: Question, profile: Dependencies | None, loaded: RunRows | None) -> str:
    """Say which measured functions a design for the stored table does not cover."""
    if question.goal != PROFILE or profile is None or loaded is None or not loaded.rows:
        return ""
    return uncovered_told(profile, loaded)


def earlier_version(basis: Basis) -> str:
    """Say which earlier version's laws are used if they are not those of the version before."""
    used = basis.standing_in
    newest = basis.run if basis.fresh else basis.before
    if used is None or used is newest:
        return ""
    return (
        f"Here, the version before is {used.campaign.version.label}: later ones were measured at too few "
        "values for laws."
    )
