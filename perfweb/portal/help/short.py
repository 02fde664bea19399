"""Short explanations that open in place, beside the term, with a link to the chapter or the glossary."""

from dataclasses import dataclass

from perfweb.portal.help.chapters import CHAPTERS
from perfweb.portal.text.glossary import GLOSSARY, WORD
from perfweb.portal.text.help_links import address_of


@dataclass(frozen=True)
class Short:
    """A term or chapter of the help in a few sentences; `anchor` is where the help says more."""

    anchor: str
    title: str
    text: str

    @property
    def address(self) -> str:
        """Return the address where the help says more."""
        return address_of(self.anchor)


_CHAPTERS: dict[str, str] = {
    "laws": (
        "A law is a formula for a kernel's values: a constant plus terms such as 0.11·p^(1/3)·n. Its "
        "exponents say how the kernel grows: with p^(1/2), four times the processes take twice as long."
    ),
    "evidence": (
        "All laws that the measurements allow are weighed by how well they explain every repetition; "
        "longer ones pay for each further coefficient. Probabilities of laws and exponents are these "
        "weights."
    ),
    "segments": (
        "One law does not hold for all values, such as where a library switches its algorithm. Each "
        "segment has a law of its own; predictions beyond the data follow the last one."
    ),
    "deviations": (
        "Measured points may lie off their law further than noise explains. A prediction starts from the "
        "nearest points then, and returns to the law's growth with the distance."
    ),
    "dependencies": (
        "A taint analysis of the code says on which parameters a function's loops depend. It needs no "
        "measurements, so it shows where a measured law may be an accident."
    ),
    "noise": (
        "The noise level is the range of the repetitions around the mean of their point. The family says "
        "which repetitions decide: with heavy tails a few far ones do not."
    ),
    "intervals": (
        "With a probability of 95 % the truth lies inside, if the law's kind goes on to hold. Intervals "
        "grow with noise, with the distance from the data, and with laws that remain possible."
    ),
    "trust": (
        "A grade of the prediction, from reliable to cannot be told: by the width of its interval, the "
        "distance of the target, and whether the law fits and its growth is known."
    ),
    "forecasts": (
        "Predictions are recorded. Once a later campaign measures them, they are scored; where intervals "
        "held too rarely, pages show wider ones."
    ),
    "regression": (
        "Modelers are methods that find laws. Evidence weighs all laws and is the default; regression and "
        "refinement search for the best one, adaptive asks a neural network where noise is high."
    ),
    "targets": (
        "The configuration that predictions are for, such as p = 65,536. A maintainer names targets in "
        "the settings; any other can be typed."
    ),
    "efficiency": (
        "Strong scaling: p₀·T(p₀) / (p·T(p)), where the processes share the same work. Weak scaling: "
        "T(p₀) / T(p), where each has work of its own. Below 50 %, half of the processes' time is lost."
    ),
    "planner": (
        "The planner proposes the measurements that are expected to tell most per core hour, and writes "
        "the job script. Nothing runs by itself."
    ),
    "verdicts": (
        "▲ △ ⊕ worse, ▼ ▽ ⊖ better: in the law, by a constant factor, by an overhead. ● nothing changed "
        "that noise does not explain, ? it cannot be told."
    ),
    "changes": (
        "What became worse opens a change here. It stays until somebody says that it is expected or "
        "noise, or a later version repairs it."
    ),
    "reports": (
        "A report keeps a release's numbers as they are now: what changed, what costs most, efficiency "
        "and environment. A link can show it to people without an account."
    ),
    "notices": (
        "E-mail, webhooks and a feed tell of changes when a version has been compared. Silenced changes "
        "send none."
    ),
    "expectations": (
        "How a kernel should grow, such as O(n log n), or what it may take. Every version is compared "
        "with that, and what holds with less than 5 % opens a change."
    ),
    "gate": (
        "The gate answers a pipeline whether a version may be released: passed, failed or undecided, with "
        "its reasons."
    ),
    "metrics": (
        "A metric is a measured quantity. Its unit, whether less is better and whether kernels add up to "
        "the program are guessed from its name; a maintainer can correct them in the settings."
    ),
    "stability": "Each point is left out once: the share of points without which the law stays the same.",
    "errors": (
        "Errors of the law at points that it was not fitted to: each point left out in turn, and the "
        "largest one alone."
    ),
}
"""Chapters that pages explain in place, in at most three sentences."""


def short(anchor: str) -> Short | None:
    """Return the explanation of an anchor of the help; None if there is only the chapter itself."""
    word = GLOSSARY.get(anchor.removeprefix(WORD)) if anchor.startswith(WORD) else None
    if word is not None:
        return Short(anchor, word.word[:1].upper() + word.word[1:], word.meaning)
    text = _CHAPTERS.get(anchor)
    return Short(anchor, dict(CHAPTERS)[anchor], text) if text else None
