"""The history of a change, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from modeling.models import Alert, AlertEvent

NAMES = {"state": "state", "assignee": "assignee", "due": "due", "note": "note", "issue_url": "issue"}


def event_words(event: AlertEvent, names: Mapping[int, str]) -> str:
    """Return one event, such as "state: new → acknowledged"; `names`: user id → user name."""
    if event.action in (AlertEvent.Action.TRIAGED, AlertEvent.Action.UNDONE):
        parts = [
            f"{NAMES.get(name, name)}: {_value(name, event.before.get(name), names)}"
            f" → {_value(name, event.after[name], names)}"
            for name in event.after
        ]
        return "; ".join(parts)
    fixed = f"seems to be fixed {event.detail}".strip()  # the detail names the version, if one is known
    words = {
        AlertEvent.Action.RAISED: "opened",
        AlertEvent.Action.GONE: "no longer seen in this version; please verify",
        AlertEvent.Action.FIXED: f"{fixed}; please verify",
        AlertEvent.Action.RETURNED: "seen again, and back in its earlier state",
        AlertEvent.Action.CLOSED: "the expectation was removed: closed as expected",
    }
    return words[AlertEvent.Action(event.action)]


def overtaken_words(events: Sequence[AlertEvent]) -> str:
    """Return a sentence which says that other people's decisions were not overwritten."""
    people = sorted({event.user.username if event.user else "the portal" for event in events})
    count = "1 change" if len(events) == 1 else f"{len(events):,} changes"
    return (
        f"{', '.join(people)} decided about {count} after you opened this page; these decisions were kept. "
        "Reload the page, and decide again if you disagree."
    )


def _value(name: str, value: Any, names: Mapping[int, str]) -> str:
    if value in (None, ""):
        return "none"
    if name == "state":
        return str(Alert.State(value).label)
    if name == "assignee":
        return names.get(value, "somebody who left")
    return f"“{value}”" if name == "note" else str(value)
