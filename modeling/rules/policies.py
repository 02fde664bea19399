"""The language of policies, which say when a gate refuses a version.

policy := condition {("or" | ";") condition}
condition := "P" "(" slower ")" (">" | "≥") number ["%"]
           | ("any" | "a") "law" "worsened"
           | ("any" | "an") "overhead" "worsened"
           | ("any" | "an") "expectation" ["is"] "broken"
slower := [["the"] "total" | "any" "kernel"] ("slower" | "worse") "than" number "%" ["at" "the" "target"]
"""

from dataclasses import dataclass
from enum import Enum

from modeling.rules.reading import Reader, RuleError

DEFAULT_POLICY = "P(slower than 5 % at the target) > 0.95; any law worsened; an expectation broken"

A_CONDITION = (
    "a condition: P(slower than 5 % at the target) > 0.95, any law worsened, any overhead "
    "worsened, or an expectation broken"
)

MOST_PERCENT = 1e6
MOST_CONDITIONS = 20


class Subject(Enum):
    """The subject that must not become slower."""

    EITHER = "the total or any kernel"
    TOTAL = "the total"
    KERNEL = "any kernel"


@dataclass(frozen=True)
class Slower:
    """A condition: the subject became worse by more than `share`, with more than the given `probability`.

    With `times_only`, the condition looks only at times, if there are any. A metric of which larger values
    are better becomes worse if it falls.
    """

    text: str
    share: float
    probability: float
    subject: Subject
    times_only: bool


@dataclass(frozen=True)
class LawWorsened:
    """A condition: a kernel is worse because of another law, or all kernels because of a shared growth."""

    text: str = "any law worsened"


@dataclass(frozen=True)
class OverheadWorsened:
    """A condition: some kernel grows as before, but became worse by a constant amount."""

    text: str = "any overhead worsened"


@dataclass(frozen=True)
class ExpectationBroken:
    """A condition: some kernel breaks an expectation with a probability of more than 95 %."""

    text: str = "an expectation broken"


Worsened = LawWorsened | OverheadWorsened
Condition = Slower | Worsened | ExpectationBroken


def policy_parse(text: str) -> tuple[Condition, ...]:
    """Parse a policy. A version is refused if any of its conditions is met.

    Raises:
        RuleError: the text is no policy.
    """
    reader = Reader(text)
    found = [_condition(reader, text)]
    while reader.takes("or") or reader.takes(";"):
        if len(found) == MOST_CONDITIONS:
            raise reader.fail(f"at most {MOST_CONDITIONS} conditions")
        found.append(_condition(reader, text))
    reader.end("“or”, “;” or the end")
    return tuple(found)


def _condition(reader: Reader, text: str) -> Condition:
    if reader.takes("P"):
        return _slower(reader)
    if reader.takes("any", "law") or reader.takes("a", "law"):
        reader.need("worsened")
        return LawWorsened()
    if reader.takes("any", "overhead") or reader.takes("an", "overhead"):
        reader.need("worsened")
        return OverheadWorsened()
    if reader.takes("any", "expectation") or reader.takes("an", "expectation"):
        reader.takes("is")
        reader.need("broken")
        return ExpectationBroken()
    raise reader.fail(A_CONDITION)


def _slower(reader: Reader) -> Slower:
    reader.need("(")
    subject = _subject(reader)
    word = reader.next.text.lower()
    if word not in ("slower", "worse"):
        raise reader.fail(
            "“slower” or “worse”, with “total” or “any kernel” before it to restrict the condition"
        )
    reader.take()
    reader.need("than", "“than” and a share, as in slower than 5 %")
    share = _percent(reader)
    reader.takes("at", "the", "target")
    reader.need(")", "“at the target” or “)”")
    if not (reader.takes(">") or reader.takes("≥")):
        raise reader.fail("“>” and a probability, as in > 0.95")
    probability = _probability(reader)
    return Slower(_written(subject, word, share, probability), share, probability, subject, word == "slower")


def _subject(reader: Reader) -> Subject:
    if reader.takes("total") or reader.takes("the", "total"):
        return Subject.TOTAL
    return Subject.KERNEL if reader.takes("any", "kernel") else Subject.EITHER


def _percent(reader: Reader) -> float:
    start = reader.next
    value = reader.number("a share in percent, as in 5 %")
    if value > MOST_PERCENT:
        raise RuleError(start.position, start.shown, f"at most {MOST_PERCENT:,.0f} %")
    reader.need("%")
    return value / 100


def _probability(reader: Reader) -> float:
    start = reader.next
    value = reader.number("a probability, as in 0.95")
    if reader.takes("%"):
        value /= 100
    if not 0 < value < 1:
        raise RuleError(start.position, start.shown, "a probability between 0 and 1, as in 0.95 or 95 %")
    return value


def _written(subject: Subject, word: str, share: float, probability: float) -> str:
    about = {Subject.EITHER: "", Subject.TOTAL: "total ", Subject.KERNEL: "any kernel "}[subject]
    return f"P({about}{word} than {100 * share:.10g} % at the target) > {probability:.10g}"
