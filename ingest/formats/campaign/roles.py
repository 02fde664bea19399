"""Derives from a parameter's name what the parameter counts: processes, a problem size, or neither.

The names come from MPI, OpenMP, SLURM, Adiak, Caliper, Benchpark and from users. Case, separators, and words
for "number of" make no difference.
"""

import re
from enum import StrEnum

from ingest.formats.campaign.languages import head_last, in_english


class Kind(StrEnum):
    """What a parameter counts, the most process-like kind first.

    All kinds except SIZE and OTHER are processes in the wide sense, because a user may vary only threads. If
    several kinds vary, the first is the number of processes. The later ones describe where or how these work.
    """

    RANKS = "ranks"
    DEVICES = "devices"
    NODES = "nodes"
    THREADS = "threads"  # includes everything that is counted per rank or per node
    SIZE = "size"
    OTHER = "other"

    @property
    def counts_processes(self) -> bool:
        """Return whether this kind is a number of processes in the wide sense."""
        return self not in (Kind.SIZE, Kind.OTHER)


_NAMES = {
    Kind.RANKS: "worldsize jobsize commsize procs ranks processes tasks np p processors pes",
    Kind.DEVICES: "gpus gcds accelerators devices resources cores cpus sockets",
    Kind.NODES: "nodes hosts",
    Kind.THREADS: "threads workers teamsize ppn",
    Kind.SIZE: (
        "n m nx ny nz size elements elems elem nel cells zones particles atoms bodies molecules points"
        " gridpoints meshpoints gridnodes meshnodes graphnodes vertices edges dofs dof unknowns rows cols"
        " columns nnz nonzeros mesh grid domain resolution length len width height bytes"
    ),
}
"""Names by kind, without separators and "number of", the most specific first."""

_TABLE = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_PLACES = {name: place for place, name in enumerate(_TABLE)}
_SHORT = 2
"""Names of up to two letters must match as a whole: alpha_n is not n."""

_COUNTING = frozenset(["n", "num", "nr", "nb", "no", "number", "count", "counts"])
_BEFORE = _COUNTING | {"of", "the", "total", "max", "mpi", "omp", "openmp", "slurm", "pbs", "job"}
"""Words before a name that do not change its meaning."""

_AFTER = _COUNTING - {"n"} | {"total", "global", "local"}
_GLUED = ("num", "nr", "nb", "n", "mpi", "omp")
"""Prefixes that may be joined to a name without a separator: ntasks, mpiranks."""

_LABELS = frozenset(["run", "param", "params", "parameter", "arg", "argument", "var", "variable", "value"])
"""Words after a name that do not change its meaning, as in ProblemSizeRunParam."""

_OWNER = r"node|host|rank|task|proc|process|pe|core|cpu|gpu|device|socket|thread"
_PER = re.compile(rf"(?P<name>.+) per (?:mpi )?(?:{_OWNER})s?")
_SETTING = re.compile(
    "batch|bin|block|cache|cacheline|chunk|code|executable|group|heap|int|line|page|pointer|pool|stack|step|tile"
    "|type|warp|wavefront|word|workgroup"
)
"""Words before "size" that make the parameter a setting, with which the problem does not grow."""


def kind(name: str) -> Kind:
    """Return what a parameter of this name counts."""
    return _read(name)[0]


def precedence(name: str) -> tuple[int, int]:
    """Return a key that sorts names by kind, and numbers of processes by how specific the name is."""
    found, known = _read(name)
    return list(Kind).index(found), _PLACES[known] if found.counts_processes else 0


def _read(name: str) -> tuple[Kind, str]:
    """Return the kind, and the matching entry of `_TABLE`, empty without a match."""
    text = " ".join(_words(name))
    share = _PER.fullmatch(text)
    known = _lookup((share["name"] if share else text).split())
    found = _TABLE.get(known, Kind.OTHER)
    return (Kind.THREADS if share and found.counts_processes else found), known


def _words(name: str) -> list[str]:
    """Return a name's words in lower case and in English, the same for num_procs, num.procs and numProcs."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()
    return list(head_last(re.findall(r"[^\W_]+", in_english(apart))))


def _lookup(words: list[str]) -> str:
    """Return the table's name with which the words end, or an empty text."""
    end = len(words)
    while end > 1 and words[end - 1] in _LABELS:
        end -= 1
    words = words[:end]
    while end > 1 and words[end - 1] in _AFTER:
        end -= 1
    for start in range(end):
        before = words[:start]
        counted = end < len(words) or not _COUNTING.isdisjoint(before)
        known = _in_table("".join(words[start:end]), counted=counted)
        if known == "size" and before and _SETTING.fullmatch(before[-1]):
            return ""
        if known and (len(known) > _SHORT or _BEFORE.issuperset(before)):
            return known
    return ""


def _in_table(name: str, *, counted: bool) -> str:
    """Return the entry of `_TABLE` that matches a name without separators, or an empty text.

    The name `rank` matches only if it is `counted`, as in "number of ranks".
    """
    plurals = [f"{name}s", f"{name}es"] if counted else []
    rests = [name.removeprefix(prefix) for prefix in _GLUED if name.startswith(prefix)]
    candidates = [name, *plurals, *(rest for rest in rests if len(rest) > _SHORT)]
    return next((known for known in candidates if known in _TABLE), "")
