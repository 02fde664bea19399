"""Short explanations that open next to a term, with a link to the chapter or the glossary."""

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
        "A law is a formula for a kernel's values: a constant plus terms such as 0.11·p^(1/3)·n. The unit "
        "after it belongs to the whole formula. Its exponents say how the kernel grows: with p^(1/2), four "
        "times the processes take twice as long."
    ),
    "evidence": (
        "Evidence computes the probability of every law that the measurements allow: how well the law "
        "explains every repetition. Each further coefficient makes a law less probable, unless the fit "
        "becomes much better."
    ),
    "segments": (
        "No single law holds for all values, for example because a library switches its algorithm. Each "
        "segment has its own law; predictions beyond the data follow the law of the last segment."
    ),
    "deviations": (
        "Measured points may lie farther from their law than noise explains. A prediction then starts from "
        "the nearest points, and returns to the law as the distance from them grows."
    ),
    "together": (
        "Points with parameters that were always varied together show how a kernel behaves along their "
        "relation, and nothing about points off it. Laws are written in one of these parameters."
    ),
    "dependencies": (
        "A taint analysis of the code says on which parameters a function's loops depend. It needs no "
        "measurements, so it can reveal a term of a measured law that is only a coincidence."
    ),
    "noise": (
        "The noise level is the range of the repetitions around the mean of their point. The family is the "
        "form of the noise; with heavy tails, for example, a few outliers have little influence on the law."
    ),
    "intervals": (
        "The true value lies inside with a probability of 95 %, if the measured behaviour continues. "
        "Intervals widen with the noise, with the distance from the data, and with the number of different "
        "laws that are possible."
    ),
    "trust": (
        "A grade of the prediction, from “reliable” to “cannot be told”. It depends on the width of the "
        "interval, the distance of the target, and whether the law fits and its growth is known."
    ),
    "forecasts": (
        "The portal records predictions, and compares them with the values that later campaigns measure. If "
        "intervals contained too few of these values, pages show wider intervals."
    ),
    "regression": (
        "Modelers are methods that find laws. Evidence, the default, computes the probability of every law; "
        "regression and refinement search for the best law; adaptive uses a neural network where noise is "
        "high."
    ),
    "targets": (
        "The configuration for which predictions are made, such as p = 65,536. A maintainer sets targets in "
        "the settings; on the pages you can type in any other."
    ),
    "efficiency": (
        "Strong scaling: p₀·T(p₀) / (p·T(p)), where the processes share the same work. Weak scaling: "
        "T(p₀) / T(p), where each process has its own work. Below 50 %, more than half of the processes' "
        "time is lost."
    ),
    "planner": (
        "The planner proposes the measurements that are expected to help most for their core hours, and "
        "writes the job script. It starts no jobs itself."
    ),
    "verdicts": (
        "▲ △ ⊕ mean worse, ▼ ▽ ⊖ better: by another law, by a constant factor, or by an overhead. ● no "
        "change beyond noise. ? unknown: the versions have too little in common to tell."
    ),
    "changes": (
        "When a kernel becomes worse, a change is opened here. It stays open until somebody marks it as "
        "expected or noise, or confirms that a later version repairs it."
    ),
    "reports": (
        "A report stores a release's numbers as they are now: what changed, which kernels are most "
        "expensive, efficiency and environment. A link can show it to people without an account."
    ),
    "notices": (
        "E-mails, webhooks and a feed report changes after a version has been compared. Silenced changes "
        "are not reported."
    ),
    "expectations": (
        "An expectation says how a kernel should grow, such as O(n log n), or how much it may take. Every "
        "version is compared with it. If it holds with a probability of less than 5 %, a change is opened."
    ),
    "gate": (
        "The gate tells a pipeline whether a version may be released. The answer is passed, failed or "
        "undecided, with reasons."
    ),
    "metrics": (
        "A metric is a measured quantity. Its unit, and whether lower or higher values are better, are taken "
        "from the file or guessed from names. A maintainer can correct both in the settings."
    ),
    "stability": (
        "Each point is left out once. The stability is the share of points without which the law stays the "
        "same."
    ),
    "errors": (
        "Errors of the law at points to which it was not fitted: when each point is left out in turn, and "
        "when only the largest point is left out."
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
