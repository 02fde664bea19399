"""A gate's verdict as plain text for a pipeline's log, and as Markdown for a merge request's comment."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import BaseRenderer

from ingest.models import Machine

SIGNS = {"passed": "✓", "failed": "✗", "undecided": "?"}

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|<>~&@])")


class _Sentences(BaseRenderer, ABC):
    """Renders verdicts as text. Problems are rendered as JSON, as in all other answers."""

    charset = "utf-8"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> str:
        if (renderer_context or {})["response"].exception:
            return json.dumps(data)
        return self.written(data)

    @abstractmethod
    def written(self, gate: dict[str, Any]) -> str:
        """Return a verdict as text."""


class PlainText(_Sentences):
    """Renders a verdict for logs."""

    media_type = "text/plain"
    format = "text"

    def written(self, gate: dict[str, Any]) -> str:
        """Return a headline, then each condition with its reasons."""
        lines = [f"{SIGNS[gate['verdict']]} {_headline(gate)}"]
        lines += [f"  … {sentence}" for sentence in gate["waiting"]]
        for condition in gate["conditions"]:
            lines.append(f"  {_mark(condition)} {condition['condition']}{_count(condition)}")
            lines += [f"      {reason['sentence']}" for reason in condition["reasons"]]
        lines.append(f"  {gate['page']}")
        return "\n".join(_one_line(line) for line in lines) + "\n"


class Markdown(_Sentences):
    """Renders a verdict for comments; names of kernels are escaped, so that they cannot become markup."""

    media_type = "text/markdown"
    format = "markdown"

    def written(self, gate: dict[str, Any]) -> str:
        """Return a heading, then each condition with its reasons as a list."""
        lines = [f"### {SIGNS[gate['verdict']]} {escaped(_headline(gate))}", ""]
        lines += [f"- {escaped(sentence)}" for sentence in gate["waiting"]]
        for condition in gate["conditions"]:
            lines.append(f"- {_mark(condition)} **{escaped(condition['condition'])}**{_count(condition)}")
            lines += [f"  - {escaped(reason['sentence'])}" for reason in condition["reasons"]]
        lines += ["", f"[Comparison in perfweb]({gate['page']})", ""]
        return "\n".join(lines)


def escaped(text: str) -> str:
    """Escape a text so that Markdown shows it literally, on one line."""
    return _SPECIAL.sub(r"\\\1", _one_line(text))


def _headline(gate: dict[str, Any]) -> str:
    before = f", compared with {gate['before']['version']}" if gate["before"] else ""
    machine = f" on {gate['machine']}" if gate["machine"] not in (None, Machine.UNNAMED) else ""
    says = {
        "passed": "passes the gate", "failed": "fails the gate", "undecided": "is not decided by the gate",
    }[gate["verdict"]]  # fmt: skip
    return f"{gate['application']} {gate['version']} {says}{machine}{before}"


def _mark(condition: dict[str, Any]) -> str:
    return {True: SIGNS["failed"], False: SIGNS["passed"], None: SIGNS["undecided"]}[condition["met"]]


def _count(condition: dict[str, Any]) -> str:
    more = condition["count"] - len(condition["reasons"])
    return f" ({condition['count']}, of which {more} are not shown)" if more > 0 else ""


def _one_line(text: str) -> str:
    """Replace line breaks and other control characters, which names of kernels may contain."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
