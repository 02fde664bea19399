"""Find kernels, versions and applications by words of their names."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_, or_
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from ingest.models import Application, Kernel, Metric, Series, Version
from modeling.models import Change, Comparison, Model, State
from modeling.selectors.run.metrics import metric_first
from modeling.selectors.run.tails import brief
from modeling.selectors.versions.standings import Standing, standings_of
from modeling.selectors.versions.totals import totals_of
from modeling.verdicts import Verdict, verdict
from perfweb.accounts.models import Project

MOST_RESULTS = 40
MOST_RANKED = 5000
"""Limit on the matching kernels that are ranked by their shares."""
SHORTEST = 2
ARROWS = str.maketrans({"›": " ", "→": " ", "…": " "})
"""Replaces the signs between functions by blanks, so that a path copied from a page is found."""


@dataclass(frozen=True)
class KernelHit:
    """A kernel with its latest model in the matching versions; `standing` is None without one.

    `share` is the kernel's fraction of the predicted total at the default target. `verdict` is on the change
    since the previous version; None without a comparison.
    """

    kernel: Kernel
    standing: Standing | None
    metric: Metric | None
    predicted: float | None = None
    share: float | None = None
    verdict: Verdict | None = None

    @property
    def name(self) -> str:
        """Return the kernel's last function, without types and arguments."""
        return brief(self.kernel.name)

    @property
    def callers(self) -> list[str]:
        """Return the callers of this function in the same form, outermost first."""
        return [brief(caller) for caller in self.kernel.callers]


@dataclass(frozen=True)
class ApplicationFound:
    """The matches in one application. `named` says whether the application's own name matches."""

    application: Application
    named: bool
    versions: tuple[Version, ...]
    kernels: tuple[KernelHit, ...]


@dataclass(frozen=True)
class Found:
    """The matches by application. `cut` says that there are more than `MOST_RESULTS` kernels or versions."""

    applications: tuple[ApplicationFound, ...]
    cut: bool = False


class _Models(NamedTuple):
    """Predictions by run and kernel, totals by run, compared pairs of campaigns, and verdicts."""

    predicted: Mapping[tuple[int, int], float | None]
    totals: Mapping[int, float | None]
    compared: frozenset[tuple[int, int]]
    changes: Mapping[tuple[int, int, int], Verdict]


def search(projects: Iterable[Project], text: str) -> Found:
    """Return the applications, kernels and versions that match all words of `text`.

    A kernel matches if each word is in its path, its application's name or one version's names. The path must
    contain at least one word. A version matches if each word is in the version's or the application's names,
    and at least one is in the version's.
    """
    words = text.translate(ARROWS).split()
    if len(text) < SHORTEST or not words:
        return Found(())
    applications = Application.objects.filter(project__in=list(projects))
    versions = list(_versions(applications, words)[: MOST_RESULTS + 1])
    kernels = list(_kernels(applications, words)[:MOST_RANKED])
    holding = {row.application_id for row in versions} | {row.application_id for row in kernels}
    shown = applications.filter(Q(pk__in=holding) | _all(words, _application_has))
    shown = shown.select_related("project").prefetch_related("metrics").order_by("name", "project__name")
    rows = list(shown[: 3 * MOST_RESULTS])
    hits = _with_models(rows, kernels, words)
    found = (
        ApplicationFound(
            row,
            _is_named(row, words),
            tuple(version for version in versions[:MOST_RESULTS] if version.application_id == row.pk),
            tuple(sorted(hits[row.pk], key=_heaviest_first)),
        )
        for row in rows
    )
    return Found(
        tuple(each for each in found if each.named or each.versions or each.kernels),
        cut=max(len(versions), len(kernels)) > MOST_RESULTS,
    )


def _is_named(application: Application, words: Sequence[str]) -> bool:
    names = (application.name.lower(), application.slug)
    return all(any(word.lower() in name for name in names) for word in words)


def _heaviest_first(hit: KernelHit) -> tuple[float, str]:
    return -(hit.share or 0.0), hit.kernel.path


def _application_has(word: str, prefix: str = "") -> Q:
    return Q(**{f"{prefix}name__icontains": word}) | Q(**{f"{prefix}slug__icontains": word})


def _version_has(word: str) -> Q:
    return Q(label__icontains=word) | Q(commit__istartswith=word)


def _of_application(word: str) -> Q:
    return _application_has(word, "application__")


def _all(words: Sequence[str], has: Callable[[str], Q]) -> Q:
    return reduce(and_, map(has, words))


def _any(words: Sequence[str], has: Callable[[str], Q]) -> Q:
    return reduce(or_, map(has, words))


def _versions(applications: QuerySet[Application], words: Sequence[str]) -> QuerySet[Version]:
    """Return the versions that match, the latest first."""
    rows = Version.objects.filter(application__in=applications)
    rows = rows.filter(_all(words, lambda word: _version_has(word) | _of_application(word)))
    return rows.filter(_any(words, _version_has)).order_by("-position", "-pk")


def _kernels(applications: QuerySet[Application], words: Sequence[str]) -> QuerySet[Kernel]:
    """Return the kernels that may match; `_with_models` checks the words of versions."""
    own = Version.objects.filter(application=OuterRef("application"))

    def has(word: str) -> Q:
        return Q(path__icontains=word) | _of_application(word) | Q(Exists(own.filter(_version_has(word))))

    rows = Kernel.objects.filter(
        _any(words, lambda word: Q(path__icontains=word)), application__in=applications
    )
    measured = Exists(Series.objects.filter(kernel=OuterRef("pk")))  # not only callers
    return rows.filter(_all(words, has), measured).order_by("path", "pk")


def _with_models(
    applications: Sequence[Application], kernels: Sequence[Kernel], words: Sequence[str]
) -> dict[int, list[KernelHit]]:
    """Return the largest kernels by application, each with its latest model in a version that matches."""
    holding = {kernel.application_id for kernel in kernels}
    rows = [row for row in applications if row.pk in holding]
    metrics = {row.pk: metric for row in rows if (metric := metric_first(row.metrics.all()))}
    standings = standings_of(rows)
    every = [each for line in standings.values() for each in line]
    totals = totals_of([each.run_id for each in every], metrics.values())
    amounts = {run: total.predicted for (run, _), total in totals.items()}
    newest = [line[-1].run_id for line in standings.values() if line]
    predicted = _predictions(newest, metrics, kernels)
    kernels = _largest(kernels, predicted, amounts)
    named = {row.pk: row for row in rows}
    older = [
        kernel
        for kernel in kernels
        if _words_of_version(words, kernel, named[kernel.application_id])
        or not any((run, kernel.pk) in predicted for run in newest)
    ]
    if older:
        predicted |= _predictions([each.run_id for each in every], metrics, older)
    known = _models(every, metrics, kernels, predicted, amounts)
    found: dict[int, list[KernelHit]] = defaultdict(list)
    for row in rows:
        line, metric = standings.get(row.pk, []), metrics.get(row.pk)
        for kernel in kernels:
            if kernel.application_id != row.pk:
                continue
            asked = _words_of_version(words, kernel, row)
            versions = [each for each in line if all(_is_of(word, each) for word in asked)]
            if versions or not asked:
                found[row.pk].append(_latest(kernel, metric, versions, known))
    return found


def _predictions(
    runs: Iterable[int | None], metrics: Mapping[int, Metric], kernels: Sequence[Kernel]
) -> dict[tuple[int, int], float | None]:
    models = Model.objects.filter(
        run__in=[run for run in runs if run], metric__in=list(metrics.values()), kernel__in=kernels
    ).values_list("run_id", "kernel_id", "predicted")
    return {(run, kernel): predicted for run, kernel, predicted in models}


def _largest(
    kernels: Sequence[Kernel],
    predicted: Mapping[tuple[int, int], float | None],
    totals: Mapping[int, float | None],
) -> list[Kernel]:
    """Return the kernels with the largest shares of the totals, at most `MOST_RESULTS`."""
    if len(kernels) <= MOST_RESULTS:
        return list(kernels)
    shares = {
        kernel: amount / total
        for (run, kernel), amount in predicted.items()
        if amount is not None and (total := totals.get(run))
    }
    return sorted(kernels, key=lambda kernel: -shares.get(kernel.pk, 0.0))[:MOST_RESULTS]


def _words_of_version(words: Sequence[str], kernel: Kernel, application: Application) -> list[str]:
    """Return the words, in lower case, that neither the kernel nor its application has."""
    texts = [text.lower() for text in (kernel.path, application.name, application.slug)]
    return [word.lower() for word in words if not any(word.lower() in text for text in texts)]


def _is_of(word: str, standing: Standing) -> bool:
    return word in standing.label.lower() or standing.commit.lower().startswith(word)


def _latest(kernel: Kernel, metric: Metric | None, line: Sequence[Standing], known: _Models) -> KernelHit:
    """Return the kernel with its model in the latest of these versions that has a model."""
    standing = next((each for each in reversed(line) if (each.run_id, kernel.pk) in known.predicted), None)
    if standing is None or standing.run_id is None:
        return KernelHit(kernel, None, metric)
    predicted, total = known.predicted[standing.run_id, kernel.pk], known.totals.get(standing.run_id)
    hit = KernelHit(kernel, standing, metric, predicted)
    if total and predicted is not None:
        hit = replace(hit, share=predicted / total)
    pair = (standing.baseline or 0, standing.campaign_id)
    if pair in known.compared:
        hit = replace(hit, verdict=known.changes.get((*pair, kernel.pk), Verdict.SAME))
    return hit


def _models(
    standings: Sequence[Standing],
    metrics: Mapping[int, Metric],
    kernels: Sequence[Kernel],
    predicted: Mapping[tuple[int, int], float | None],
    totals: Mapping[int, float | None],
) -> _Models:
    """Return predictions, totals and verdicts of the kernels in all campaigns, with two queries."""
    campaigns = [each.campaign_id for each in standings]
    shown = {"metric__in": list(metrics.values()), "kernel__in": kernels}
    comparisons = Comparison.objects.filter(after__in=campaigns, state=State.DONE)
    changes = Change.objects.filter(comparison__in=comparisons, **shown).values_list(
        "comparison__before", "comparison__after", "kernel_id", "kind", "ratio", "metric__lower_is_better"
    )
    return _Models(
        predicted,
        totals,
        frozenset(comparisons.values_list("before_id", "after_id")),
        {
            (before, after, kernel): verdict(kind, ratio, lower_is_better=lower)
            for before, after, kernel, kind, ratio, lower in changes
        },
    )
