"""Finds the job, node and day of each run of a campaign, as far as files and their senders give them.

Runs of one job share nodes and network neighbours, so they vary less than runs of different jobs. Times are
reduced to days, because seconds would distinguish every run.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]

UNKNOWN = -1
"""Label of a run whose origin is not known, see `Origins`."""
NO_RUN = -2
"""Label that fills the row of a point with fewer runs than other points."""

JOB = (
    "job", "job_id", "jobid", "slurm_job_id", "slurm_jobid", "pbs_jobid", "pbs_job_id", "lsb_jobid",
    "lsf_jobid", "flux_job_id", "cobalt_jobid",
)  # fmt: skip
"""Names under which schedulers, Adiak and scripts give the id of a job, the most specific first."""
NODE = (
    "node", "nodename", "node_name", "slurm_job_nodelist", "slurm_nodelist", "nodelist", "hostlist",
    "hostname", "host_name", "mpi_hostname", "host",
)  # fmt: skip
"""Names under which schedulers, Adiak and scripts give the node or the list of nodes."""
TIME = (
    "measured_at", "time", "timestamp", "datetime", "date", "launchdate", "started", "start_time",
)  # fmt: skip
"""Names under which schedulers, Adiak and scripts give the time of a run."""

LONGEST = 80
"""Limit on the characters of a name. In a longer one, such as a list of nodes, a hash replaces the end."""
DIGEST = 10
"""Number of characters of the hash in a shortened name. Ten thousand lists of nodes hardly ever share one."""
EPOCH = ((1e9, 1e10, 1.0), (1e12, 1e13, 1e-3), (1e15, 1e16, 1e-6), (1e18, 1e19, 1e-9))
"""Ranges of seconds, milli-, micro- and nanoseconds since 1970, with the factor to seconds, from 2001 to
2286.
"""
WRITTEN = ("%a %b %d %H:%M:%S %Y", "%d/%b/%Y %H:%M:%S", "%Y/%m/%d %H:%M:%S", "%Y/%m/%d", "%Y%m%d")
"""Formats of times besides ISO 8601: those of C's ctime, of web logs, and of scripts."""


@dataclass(frozen=True)
class Origin:
    """The job, node and day of a run, empty if unknown. `day` is written as 2026-11-23."""

    job: str = ""
    node: str = ""
    day: str = ""


@dataclass(frozen=True)
class Origins:
    """The origins of the runs of a campaign.

    Attributes:
        known: the different origins.
        labels: (points, runs) index of each run's origin in `known`, or `UNKNOWN`, or `NO_RUN`. Labels and
            repetitions are in the same order in every series with a value for each run.
    """

    known: tuple[Origin, ...]
    labels: Labels

    def of_series(self, counts: NDArray[np.int64]) -> Labels:
        """Return labels (points,) for a series with `counts` values; `UNKNOWN` where it lacks runs."""
        whole = (self.labels != NO_RUN).sum(axis=1) == counts
        return np.where((self.labels != NO_RUN) & ~whole[:, None], UNKNOWN, self.labels)


def origin_of(about: Mapping[str, object]) -> Origin | None:
    """Return the origin of a run from its metadata; None if they contain neither job, node nor time."""
    facts = {_key(name): value for name, value in about.items()}
    job = next(filter(None, (named(facts.get(name)) for name in JOB)), "")
    node = next(filter(None, (named(facts.get(name)) for name in NODE)), "")
    day = next(filter(None, (day_of(facts.get(name)) for name in TIME)), "")
    return Origin(job, node, day) if job or node or day else None


def listed_nodes(names: Iterable[str]) -> str:
    """Return the nodes of a run as one name."""
    return ",".join(sorted(set(names)))


def with_sent(origins: Origins, sent: Origin) -> Origins:
    """Return the origins, with unknown parts replaced by those that were sent for all runs."""
    filled = [
        Origin(each.job or sent.job, each.node or sent.node, each.day or sent.day) for each in origins.known
    ]
    known = {origin: number for number, origin in enumerate(dict.fromkeys([*filled, sent]))}
    numbers = np.array([*(known[origin] for origin in filled), known[sent]])
    labels = np.where(origins.labels >= 0, numbers[origins.labels], origins.labels)
    return Origins(tuple(known), np.where(labels == UNKNOWN, known[sent], labels))


def from_one(origin: Origin, series: Sequence[NDArray[np.float64]]) -> Origins:
    """Return the origins of a campaign whose runs all have the same origin."""
    counts = run_counts(series)
    return Origins((origin,), padded([np.zeros(count, np.int64) for count in counts.tolist()]))


def run_counts(series: Sequence[NDArray[np.float64]]) -> NDArray[np.int64]:
    """Return the number of runs at each point: the largest number of values of any series, (points,)."""
    counts = (np.isfinite(values).sum(axis=1) for values in series)
    return np.asarray(np.max(list(counts), axis=0), dtype=np.int64)


def padded(rows: Sequence[Labels]) -> Labels:
    """Return rows of labels as one table, filled up with `NO_RUN`."""
    table = np.full((len(rows), max(map(len, rows), default=0)), NO_RUN, np.int64)
    for at, row in enumerate(rows):
        table[at, : len(row)] = row
    return table


def day_of(value: object) -> str:
    """Return the day of a time in ISO 8601, a format of `WRITTEN`, or seconds since 1970; otherwise ""."""
    if isinstance(value, int | float):
        return _since_epoch(float(value))
    text = " ".join(value.split()) if isinstance(value, str) else ""
    try:
        return datetime.fromisoformat(text).date().isoformat()
    except ValueError:
        pass
    for form in WRITTEN:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC).date().isoformat()
        except ValueError:
            continue
    return _since_epoch(float(text)) if text.replace(".", "", 1).isdecimal() and text.isascii() else ""


def _since_epoch(number: float) -> str:
    for low, high, factor in EPOCH:
        if low <= number < high:
            return datetime.fromtimestamp(number * factor, UTC).date().isoformat()
    return ""


def _key(name: str) -> str:
    return name.lower().replace(".", "_").replace("-", "_").replace(" ", "_")


def named(value: object) -> str:
    """Return a text or a number as a name of limited length; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    written = f"{value:.17g}" if isinstance(value, float) else f"{value}"
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in written).split())
    if len(text) <= LONGEST:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:DIGEST]
    return f"{text[: LONGEST - DIGEST - 1]}…{digest}"
