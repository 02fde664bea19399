"""Reads the loops of functions in Perf-Taint's files, and derives terms: sets of multiplied parameters.

An integer with a bit for each of the file's parameters represents a set.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.json_text import members

MOST_TERMS = 64
"""Limit on the sets of parameters of one function. Real functions have fewer than ten."""

MOST_TERMS_TOGETHER = 50_000
"""Limit on the sets of all functions, which are read for each kernel's page."""

MOST_CALLS = 200
"""Limit on the depth of nested calls, equal to the limit for call paths."""

LOOP_KEYS = frozenset({"level", "params", "branches", "loops"})


@dataclass(frozen=True)
class Call:
    """A call of the instance `entry` of the function with the number `index`."""

    index: int
    entry: int


@dataclass(frozen=True)
class Loop:
    """A loop that depends on the parameters `own` (0 for none), with further loops and calls inside."""

    own: int
    inner: "tuple[Loop | Call, ...]" = ()


Part = Loop | Call
Instance = tuple[Part, ...]
"""An instance of a function: its loops and calls, in order, for one way of calling it."""


@dataclass(frozen=True)
class Function:
    """A function's number in the file, and its instances."""

    index: int | None
    instances: tuple[Instance, ...] = ()


class Reader:
    """Reads loops. Numbers in loops are indices of the names `used` among all `parameters`."""

    def __init__(self, used: Sequence[str], parameters: Sequence[str]) -> None:
        self._used, self._parameters = used, parameters
        self._bits = {name: 1 << at for at, name in enumerate(parameters)}

    def function(self, value: Any) -> Function:
        """Parse a function with its instances.

        Raises:
            FormatError: a part of the function has an unknown form.
        """
        found = members(value, "an object for each function")
        loops = found.get("loops") or []
        if not isinstance(loops, list):
            raise FormatError(quoted(loops), "a list of loops")
        index = found.get("func_idx")
        number = int(index) if isinstance(index, float) and index.is_integer() else None
        return Function(number, tuple(self._instance(loop) for loop in loops))

    def named(self, terms: Iterable[int]) -> frozenset[frozenset[str]]:
        """Return the terms as sets of names of parameters."""
        return frozenset(
            frozenset(name for name, bit in self._bits.items() if term & bit) for term in terms if term
        )

    def _instance(self, value: Any) -> Instance:
        found = members(value, "an object for each loop")
        if not found.keys() & {"instance", "deps"}:
            keys = ", ".join(map(quoted, list(found)[:5])) or "no keys"
            raise FormatError(f"a loop with {keys}", "“instance” or “deps” in it")
        parts = list(self._loops(found["instance"])) if "instance" in found else []
        deps = found.get("deps") or []
        if not isinstance(deps, list):
            raise FormatError(quoted(deps), "a list of dependencies")
        for names in deps:
            if names is not None and not isinstance(names, list):
                raise self._unknown(names)
            parts.append(Loop(self._mask(names or [])))
        return tuple(parts)

    def _loops(self, value: Any) -> Iterable[Part]:
        """Parse numbered loops. A list in place of a loop has calls of functions, or the functions' loops."""
        for number, inner in members(value, "an object of numbered loops").items():
            if not number.isdecimal():
                raise FormatError(f"the key {quoted(number)}", "numbers as keys of loops")
            if not isinstance(inner, list):
                yield self._loop(inner)
                continue
            for entry in inner:
                call = members(entry, "an object for each call")
                if call.keys() == {"function_idx", "entry_id"}:
                    yield Call(_number(call["function_idx"]), _number(call["entry_id"]))
                else:
                    yield from self._loops(entry)

    def _loop(self, value: Any) -> Loop:
        found = members(value, "an object for each loop")
        if unknown := found.keys() - LOOP_KEYS:
            raise FormatError(f"the key {quoted(min(unknown))}", f"in a loop {', '.join(sorted(LOOP_KEYS))}")
        own = self._mask(found.get("params", []))
        for names in members(found.get("branches", ()), "an object of branches").values():
            own |= self._mask(names)
        return Loop(own, tuple(self._loops(found.get("loops", ()))))

    def _mask(self, values: Any) -> int:
        """Return the set of parameters that are given by names, by numbers, or in lists of these."""
        if not isinstance(values, list):
            raise self._unknown(values)
        mask = 0
        for value in values:
            for one in value if isinstance(value, list) else [value]:
                mask |= self._bit(one)
        return mask

    def _bit(self, value: Any) -> int:
        if isinstance(value, float) and value in range(len(self._used)):
            value = self._used[int(value)]
        if not isinstance(value, str) or value not in self._bits:
            raise self._unknown(value)
        return self._bits[value]

    def _unknown(self, value: Any) -> FormatError:
        names = ", ".join(self._parameters) or "the parameters, but the file names none"
        return FormatError(f"the dependency {quoted(value)}", f"one of {names}")


def terms_of(functions: Mapping[str, Function]) -> dict[str, frozenset[int]]:
    """Return the terms of each function, including those of the functions it calls.

    Raises:
        FormatError: a call refers to no function or to its own caller, or there are too many terms.
    """
    terms = _Terms(functions.values())
    found, count = {}, 0
    for name, function in functions.items():
        found[name] = terms.of_all(function)
        count += len(found[name])
        if count > MOST_TERMS_TOGETHER:
            raise FormatError(
                f"over {MOST_TERMS_TOGETHER} combinations of parameters",
                f"at most {MOST_TERMS_TOGETHER} in all",
            )
    return found


class _Terms:
    """Computes the terms of instances, each only once."""

    def __init__(self, functions: Iterable[Function]) -> None:
        self._functions = {f.index: f for f in functions if f.index is not None}
        self._known: dict[Call, frozenset[int]] = {}
        self._deep = 0

    def of_all(self, function: Function) -> frozenset[int]:
        return _bounded({term for parts in function.instances for term in self._of(parts)})

    def _of(self, parts: Iterable[Part]) -> frozenset[int]:
        found: set[int] = set()
        for part in parts:
            found |= self._of_call(part) if isinstance(part, Call) else self._of_loop(part)
        return _bounded(found)

    def _of_loop(self, loop: Loop) -> set[int]:
        return {loop.own | term for term in self._of(loop.inner) or (0,)} - {0}

    def _of_call(self, call: Call) -> frozenset[int]:
        if call in self._known:
            return self._known[call]
        function = self._functions.get(call.index)
        if function is None or call.entry >= len(function.instances):
            raise FormatError(
                f"a call of function {call.index}, entry {call.entry}",
                "a function and an entry that the file has",
            )
        self._deep += 1
        if self._deep > MOST_CALLS:
            raise FormatError(
                f"calls nested deeper than {MOST_CALLS}", "functions that do not call themselves"
            )
        self._known[call] = found = self._of(function.instances[call.entry])
        self._deep -= 1
        return found


def _bounded(terms: set[int]) -> frozenset[int]:
    if len(terms) > MOST_TERMS:
        raise FormatError(
            f"a function with over {MOST_TERMS} combinations of parameters", f"at most {MOST_TERMS}"
        )
    return frozenset(terms)


def _number(value: Any) -> int:
    if not isinstance(value, float) or not value.is_integer() or value < 0:
        raise FormatError(f"the number {quoted(value)}", "the number of a function or of its entry")
    return int(value)
