"""The profile of a program, and what follows for a design (Schmid et al., ICS 2022, section 3.2)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

ITERATIONS = 5
"""Iterations of the main loop that replace repetitions of a run (Performance-Detective, section 3.3)."""

STEADY = 0.1
"""Iterations of a main loop take equal times up to this coefficient of variation (stable in the paper)."""

Profile = Mapping[str, Collection[str] | Collection[Collection[str]] | None]
"""Function → its parameters, or one set of parameters for each of its loops; None if unknown."""

Dependent = Mapping[str, Collection[str] | Mapping[str, float]]
"""Parameter → its sources, or their powers: {"spacing": {"vol": 1, "n": -1}} for spacing = vol / n."""


@dataclass(frozen=True)
class Insights:
    """What a profile implies for a design.

    Attributes:
        parameters: parameters that have to be varied, in the caller's order.
        meeting: pairs of parameters that meet in some function.
        linear: parameters that only repeat the main loop, which are kept at one value.
        idle: parameters that no function depends on.
        constant: functions that depend on no parameter.
        unknown: functions whose parameters are unknown.
        functions: function → its parameters, with dependent parameters replaced.
        reasons: sentences that state each deduction with its reason.
    """

    parameters: tuple[str, ...]
    meeting: frozenset[frozenset[str]]
    linear: tuple[str, ...]
    idle: tuple[str, ...]
    constant: tuple[str, ...]
    unknown: tuple[str, ...]
    functions: Mapping[str, frozenset[str]]
    reasons: tuple[str, ...]


def insights_of(
    profile: Profile,
    names: Collection[str],
    *,
    linear: Collection[str] = (),
    dependent: Dependent | None = None,
    iteration_times: Mapping[str, ArrayLike] | None = None,
) -> Insights:
    """Deduce which parameters meet in a function, and which need not vary.

    A function with unknown parameters is assumed to depend on all.

    Raises:
        ValueError: a function depends on a parameter that is not in `names`, not linear and not dependent.
    """
    reasons: list[str] = []
    steady = _steady(linear, iteration_times or {}, reasons)
    unknown = tuple(name for name, found in profile.items() if found is None)
    substituted = _substituted(profile, names, dependent or {}, reasons)
    _check(substituted, names, linear)
    functions = {name: frozenset(found - steady) for name, found in substituted.items()}
    meeting = frozenset(
        frozenset(pair) for found in functions.values() for pair in combinations(sorted(found), 2)
    )
    used = frozenset().union(*functions.values())
    insights = Insights(
        parameters=tuple(name for name in names if name in used),
        meeting=meeting,
        linear=tuple(name for name in [*names, *sorted(steady - set(names))] if name in steady),
        idle=tuple(name for name in names if name not in used | steady),
        constant=tuple(name for name, found in functions.items() if not found),
        unknown=unknown,
        functions=functions,
        reasons=(),
    )
    reasons += _told(insights)
    return Insights(**{**vars(insights), "reasons": tuple(reasons)})


def parameters_of(found: Collection[str] | Collection[Collection[str]]) -> set[str]:
    """Return all parameters of a function, the union over its loops."""
    return {name for part in found for name in ([part] if isinstance(part, str) else part)}


def _steady(linear: Collection[str], times: Mapping[str, ArrayLike], reasons: list[str]) -> frozenset[str]:
    """Return the linear parameters whose iterations take equal times or were not measured. Append reasons."""
    found = set()
    for name in linear:
        if name not in times:
            found.add(name)
            reasons.append(
                f"{name} repeats the whole main loop, as you said, so times grow linearly with it, and "
                "one value of it suffices. Its iterations were not measured; check that they differ by at "
                f"most {100 * STEADY:.0f} %."
            )
            continue
        variation = coefficient_of_variation(times[name])
        if variation <= STEADY:
            found.add(name)
            reasons.append(
                f"{name} repeats the whole main loop and does not vary: its iterations differ by only "
                f"{100 * variation:.2f} % (coefficient of variation), so times grow linearly with it."
            )
        else:
            reasons.append(
                f"{name} stays in the design: iterations of the main loop differ by {100 * variation:.0f} % "
                f"(coefficient of variation), and up to {100 * STEADY:.0f} % count as equal."
            )
    return frozenset(found)


def coefficient_of_variation(times: ArrayLike) -> float:
    """Return the standard deviation of the iterations' times, divided by their mean.

    Raises:
        ValueError: there are fewer than two times, or some that are not positive.
    """
    numbers = np.asarray(times, dtype=np.float64).ravel()
    if numbers.size < 2 or not (np.isfinite(numbers) & (numbers > 0)).all():
        raise ValueError(f"iteration times: found {numbers.size} numbers, expected two or more positive ones")
    return float(numbers.std() / numbers.mean())


def _substituted(
    profile: Profile, names: Collection[str], dependent: Dependent, reasons: list[str]
) -> dict[str, set[str]]:
    """Return the parameters of each function, with dependent parameters replaced by their sources."""
    functions = {
        name: set(names) - set(dependent) if found is None else parameters_of(found)
        for name, found in profile.items()
    }
    for parameter, sources in dependent.items():
        for name, found in functions.items():
            if parameter in found:
                functions[name] = _without(found, parameter, sources)
                reasons.append(
                    f"{name} depends on {parameter}, which is computed from {_listed(sources)}; so "
                    f"{name} depends on {_listed(functions[name]) or 'no parameter'}."
                )
    return functions


def _without(found: set[str], parameter: str, sources: Collection[str] | Mapping[str, float]) -> set[str]:
    """Return the parameters `found` of a function, with the dependent `parameter` replaced by its `sources`.

    With powers, parameters multiply, so some may cancel. Without powers, a function of a dependent parameter
    and one of its two sources depends on the other source alone (listing 1 of the paper).
    """
    own = found - {parameter}
    if isinstance(sources, Mapping):
        total = {name: float(name in own) + sources.get(name, 0.0) for name in own | set(sources)}
        return {name for name, power in total.items() if power}
    met = own & set(sources)
    if len(set(sources)) == 2 and len(met) == 1:
        return (own - met) | (set(sources) - met)
    return own | set(sources)


def _check(functions: Mapping[str, set[str]], names: Collection[str], linear: Collection[str]) -> None:
    known = {*names, *linear}
    for name, found in functions.items():
        if strange := sorted(found - known):
            raise ValueError(
                f"profile: {name} depends on {_listed(strange)}, expected some of {_listed(sorted(known))}; "
                "give its values, or say what it is computed from"
            )


def _told(insights: Insights) -> Iterable[str]:
    """Yield the deductions as sentences."""
    functions = insights.functions
    if insights.constant:
        yield (
            f"{_counted(insights.constant)} on no parameter that varies: modelled as constant and left out "
            "of the instrumentation."
        )
    for name in insights.idle:
        yield f"{name} keeps its smallest value: no function depends on it."
    if insights.unknown:
        yield (
            f"The dependencies of {_listed(insights.unknown)} are not known, so all parameters are crossed: "
            "any of them may act together there. A taint analysis may save most of the runs."
        )
    for pair in combinations(insights.parameters, 2):
        together = [name for name, found in functions.items() if found.issuperset(pair)]
        if together:
            verb = "depends" if len(together) == 1 else "depend"
            yield f"{pair[0]} and {pair[1]} are crossed: {_some(together)} {verb} on both."
        else:
            yield f"{pair[0]} and {pair[1]} need not be crossed: no function depends on both."


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _counted(names: Collection[str]) -> str:
    return f"{_some(names)} depends" if len(names) == 1 else f"{len(names)} functions ({_some(names)}) depend"


def _some(names: Collection[str], count: int = 3) -> str:
    """Return the first `count` names without arguments, and how many more there are."""
    first = _listed(map(without_arguments, list(names)[:count]))
    return first if len(names) <= count else f"{first} and {len(names) - count} more"


def without_arguments(demangled: str) -> str:
    """Return a demangled name without its last pair of parentheses and what follows.

    >>> without_arguments("Mesh::operator()(void (*)(int)) const")
    'Mesh::operator()'
    """
    depth = 0
    for at in range(demangled.rfind(")"), -1, -1):
        depth += {")": 1, "(": -1}.get(demangled[at], 0)
        if not depth:
            return demangled[:at] or demangled
    return demangled
