"""Compares the known dependencies of a kernel's function with the law that was found from measurements."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.services.dependencies import BY_HAND
from modeling.engine import (
    KNOWN_GROWTH,
    PROFILE_ADDED,
    PROFILE_CONTRADICTED,
    PROFILE_FOLLOWED,
    PROFILE_PRODUCT,
)
from modeling.selectors.application.dependencies import DependsOn, dependencies_of
from modeling.selectors.run.weighed import Weighed
from perfweb.portal.kernel.fit import Fit
from perfweb.portal.text.lettering import isolated
from perfweb.portal.text.wording import listed

NEEDED_CERTAINTY = 0.9
"""Smallest probability from which a law is said to depend, or not to depend, on a parameter."""


@dataclass(frozen=True)
class DependenciesShown:
    """The dependencies of a function in a sentence, and where they contradict the law."""

    line: str
    doubts: tuple[str, ...]


def dependencies_shown(fit: Fit) -> dict[str, Any]:
    """Return what the page shows; empty if the dependencies of the kernel's function are not stored."""
    found = dependencies_of(fit.found.kernel)
    if found is None:
        return {}
    by_hand = fit.found.kernel.application.dependencies.file_name == BY_HAND
    line = sentence(found, fit.campaign.parameters, "As stored by hand" if by_hand else "Taint analysis")
    model = fit.found.model
    followed = "" if model is None else _FOLLOWED.get(model.method, "")
    doubts = contradictions(found, fit.campaign.parameters, _growing(fit))
    return {"dependencies": DependenciesShown(f"{line}{followed}", tuple(doubts))}


_FOLLOWED = {
    PROFILE_FOLLOWED: " The law uses no other parameter.",
    PROFILE_ADDED: " The law multiplies only parameters that act together.",
    PROFILE_PRODUCT: " The measurements show a product of parameters that never act together, so the law is "
    "sought among all products.",
    PROFILE_CONTRADICTED: " The measurements show another parameter, so the law is sought among all "
    "parameters.",
}


def sentence(found: DependsOn, parameters: Sequence[str], source: str = "Taint analysis") -> str:
    """Return a sentence that begins with `source`, such as "Taint analysis: depends on p; not on theta"."""
    largest = [term for term in found.terms if not any(term < other for other in found.terms)]
    ordered = sorted(
        ([*_ordered(term, parameters)] for term in largest), key=lambda names: (-len(names), names)
    )
    texts = [f"{listed(map(isolated, names))}{' together' if len(names) > 1 else ''}" for names in ordered]
    without = [name for name in parameters if name in found.followed - found.own]
    unknown = [name for name in parameters if name not in found.followed]
    parts = [f"depends on {', and on '.join(texts)}" if texts else "depends on no parameter that it followed"]
    parts += [f"not on {listed(map(isolated, without), 'or')}"] if without and texts else []
    parts += [f"it did not follow {listed(map(isolated, unknown), 'or')}"] if unknown else []
    return f"{source}: {'; '.join(parts)}."


def contradictions(
    found: DependsOn, parameters: Sequence[str], growing: Sequence[float | None]
) -> Iterable[str]:
    """Return the contradictions between law and analysis.

    `growing` has one entry for each parameter: 1 if the law certainly grows with it, -1 if it certainly
    falls, and 0 if the parameter was varied and the law certainly does not depend on it. Otherwise the entry
    is None.
    """
    for name, growth in zip(parameters, growing, strict=True):
        if name not in found.followed or growth is None:
            continue
        if growth and name not in found.own | found.callers:
            verb, cause = _CAUSES[growth > 0]
            yield (
                f"The law {verb} with {name}, but according to the taint analysis this function does not "
                f"depend on {name}: {cause}"
            )
        elif not growth and name in found.own:
            yield (
                f"The law does not depend on {name}, but according to the taint analysis this function, or a "
                f"function that it calls, depends on {name}: the effect may be too small within the measured "
                "range."
            )


_CAUSES = {
    True: ("grows", "look for interference, such as network or memory contention."),
    False: ("falls", "look for what else changes with it, such as how well data fit into caches."),
}


def _growing(fit: Fit) -> list[float | None]:
    """Return the certain behaviour of the law along each parameter, in the form of `contradictions`."""
    model, weighed = fit.found.model, fit.weighed
    names = fit.campaign.parameters
    if model is None or weighed is None or not model.lead_certainty:
        return [None] * len(names)
    varied = fit.campaign.varied_parameters()
    return [
        _certainly(weighed, at, changes_within=bool(model.segments))
        if name in varied and model.lead_certainty[at] > KNOWN_GROWTH
        else None
        for at, name in enumerate(names)
    ]


def _certainly(found: Weighed, at: int, *, changes_within: bool) -> float | None:
    """Return the certain behaviour along the parameter with the index `at`: 1 grows, -1 falls, 0 is flat.

    None: nothing is certain. If the law changes within the measured range, flat is never certain, because the
    law may have grown before the change.
    """
    still = sum(lead.probability for lead in found.leads[at] if not any(lead[:2]))
    lead = found.formula[at][:2]
    if any(lead):
        return None if still > 1 - NEEDED_CERTAINTY else -1.0 if lead[0] < 0 else 1.0
    return 0.0 if still >= NEEDED_CERTAINTY and not changes_within else None


def _ordered(names: Iterable[str], parameters: Sequence[str]) -> list[str]:
    """Sort names in the order of the campaign's `parameters`; further names come last."""
    places = {name: at for at, name in enumerate(parameters)}
    return sorted(names, key=lambda name: (places.get(name, len(places)), name))
