"""Record failures of a row's work in the row and in the log."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

from ingest.work import disk_full_uncounted
from modeling.models import Comparison, ModelRun, Portion
from modeling.services.work.bisection import Failure, reason_of
from perfweb.logs import request_id

LOG = logging.getLogger(__name__)

KILLED = "its worker was killed or stopped, perhaps because memory ran out"
"""The cause stored before work begins, because a killed worker cannot store a cause."""

MOST_KINDS = 50
"""Limit on the kinds of failures that a row stores. All further kinds become “various errors”."""

Entry = dict[str, Any]


@contextmanager
def recorded(row: ModelRun | Portion | Comparison) -> Iterator[None]:
    """If the block fails, store the reason with the row, which stays unfinished and is tried again."""
    with request_id.work_id():
        try:
            with disk_full_uncounted(row):
                yield
        except Exception as error:  # any failure is stored and logged, and the worker goes on
            LOG.exception("Work on %s %s was broken off.", type(row).__name__, row.pk)
            cause = f"it ended with {reason_of(error)}; the log has details under {request_id.current()}"
            type(row)._default_manager.filter(pk=row.pk).update(cause=cause)


def set_aside(work: str, attempts: int, cause: str) -> str:
    """Return a sentence: work is not tried again. `cause` is why the last attempt ended."""
    return (
        f"Set aside: {work} was begun {attempts} times and never finished. The last time {cause or KILLED}."
    )


def logged(what: str, failures: Iterable[Failure]) -> None:
    """Log each kind of failure once."""
    kinds: dict[str, list[Failure]] = {}
    for failure in failures:
        kinds.setdefault(failure.reason, []).append(failure)
    for reason, alike in kinds.items():
        LOG.error("%s: %d kernels, %s\n%s", what, len(alike), reason, alike[0].trace)


def noted(
    entries: list[Entry], *, metric: str, kernels: int, what: str, reason: str, reference: str = ""
) -> list[Entry]:
    """Return a row's failures with further ones added. `what` names the step that failed, such as
    “modelled”.
    """
    known = [dict(entry) for entry in entries]
    if len(known) >= MOST_KINDS and not any((e["metric"], e["reason"]) == (metric, reason) for e in known):
        reason = "various errors"
    same = [e for e in known if (e["metric"], e["what"], e["reason"]) == (metric, what, reason)]
    entry: Entry = same[0] if same else {"metric": metric, "kernels": 0, "what": what, "reason": reason}
    entry["kernels"] += kernels
    entry["reference"] = reference or request_id.current()
    entry["message"] = _message(entry)
    return known if same else [*known, entry]


def merged(several: Iterable[list[Entry]]) -> list[Entry]:
    """Merge the failures of several parts of the work."""
    entries: list[Entry] = []
    for entry in chain.from_iterable(several):
        entries = noted(entries, **{name: value for name, value in entry.items() if name != "message"})
    return entries


def details(reference: str = "") -> str:
    """Return a sentence that names the log's lines, by default those of the current work."""
    return f"The log has details under {reference or request_id.current()}."


def _message(entry: Entry) -> str:
    count = entry["kernels"]
    whose = f"{count:,} kernel{'' if count == 1 else 's'}" if count else "The kernels"
    where = f" in {entry['metric']}" if entry["metric"] else ""
    return f"{whose} could not be {entry['what']}{where}: {entry['reason']}. {details(entry['reference'])}"
