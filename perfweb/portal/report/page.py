"""Builds the page of a report from its stored content, without any query to the database."""

from dataclasses import dataclass

from ingest.models import Machine, Metric
from modeling.models import OPEN_ALERTS, Alert
from modeling.selectors.reports.content import At, Content, TargetContent
from modeling.selectors.run.snapshot import Amount
from modeling.selectors.versions.waterfall import explains
from modeling.verdicts import Verdict
from perfweb.portal.report.tables import changes_body, configuration_written, kernels_body, targets_body
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated
from perfweb.portal.text.wording import listed

NAMED = 3
"""Number of kernels that stand for the table of kernels where it is folded."""


@dataclass(frozen=True)
class ReportPage:
    """A report's content with derived texts that templates need."""

    content: Content

    @property
    def metric(self) -> Metric:
        """Return the metric as an unsaved object, which functions for words and units accept."""
        return Metric(**self.content["metric"])

    @property
    def main(self) -> TargetContent:
        """Return the target for which the first sentence and the order of kernels are computed."""
        return self.content["targets"][self.content["main"]]

    @property
    def main_total(self) -> Amount:
        """Return the predicted total at the main target."""
        return Amount(**self.main["total"])

    @property
    def main_text(self) -> str:
        """Return the main target as people write it."""
        return configuration_written(self.main["values"], self.names)

    @property
    def names(self) -> list[str]:
        """Return the names of the parameters, in the order of the laws' exponents."""
        return [parameter["name"] for parameter in self.content["parameters"]]

    @property
    def counts(self) -> list[tuple[Verdict, int]]:
        """Return the verdicts that occur in the report's metric, worst first."""
        comparison = self.content["comparison"]
        return _counted(comparison["counts"]) if comparison else []

    @property
    def cause(self) -> str:
        """Return the changed kernel that explains most of the difference of the totals; empty if none."""
        comparison, before, after = self.content["comparison"], self.main["before"], self.main["total"]
        if comparison is None or before is None or after["predicted"] is None:
            return ""
        difference = after["predicted"] - before
        found = (row for row in comparison["changes"] if explains(row["difference"] or 0.0, difference))
        return next((row["name"] for row in found), "")

    @property
    def costliest(self) -> str:
        """Return the most expensive kernels at the main target: halo 48 %, sort 30 %, …."""
        shown = self.content["kernels"][:NAMED]
        texts = [f"{isolated(row['name'])} {self._cost(row['at'][self.content['main']])}" for row in shown]
        return ", ".join([*texts, "…"] if len(self.content["kernels"]) > NAMED else texts)

    def _cost(self, at: At) -> str:
        if at["share"] is not None:
            return formatting.share(at["share"])
        return formatting.quantity(at["amount"] and at["amount"]["predicted"], self.metric.unit)

    @property
    def elsewhere(self) -> list[tuple[str, list[tuple[Verdict, int]]]]:
        """Return the changes in other metrics, without metrics in which nothing changed."""
        comparison = self.content["comparison"]
        others = comparison["elsewhere"] if comparison else {}
        return [(name, _counted(counts)) for name, counts in others.items() if counts]

    @property
    def unlisted(self) -> int:
        """Return how many changed kernels the table does not list."""
        comparison = self.content["comparison"]
        return sum(comparison["counts"].values()) - len(comparison["changes"]) if comparison else 0

    @property
    def alerts(self) -> str:
        """Return the version's alerts by state: 2 new, 1 being fixed and 3 expected; empty if none."""
        return alerts_text(self.content["alerts"]["here"])

    @property
    def open_alerts(self) -> int:
        """Return the number of open alerts of this version."""
        return sum(self.content["alerts"]["here"].get(state, 0) for state in OPEN_ALERTS)

    @property
    def earlier_alerts(self) -> str:
        """Return open alerts of earlier versions, by state; empty if there are none."""
        return alerts_text(self.content["alerts"]["earlier"])

    @property
    def machine(self) -> str:
        """Return the machine on which the version was measured; empty if no upload named it."""
        name: str = self.content["machine"]
        return "" if name == Machine.UNNAMED else name

    @property
    def changed_settings(self) -> int:
        """Return how many settings differ from those of the previous version."""
        return sum(each["value"] != each["before"] for each in self.content["environment"])

    @property
    def course_text(self) -> str:
        """Return a description of the chart of the totals."""
        labels = self.content["course"]["labels"]
        return f"Predicted total from {labels[0]} to {labels[-1]}" if labels else ""

    @property
    def targets_body(self) -> str:
        """Return a row for each target."""
        return targets_body(self.content, self.metric, self.names)

    @property
    def changes_body(self) -> str:
        """Return a row for each changed kernel."""
        return changes_body(self.content, self.metric, self.names)

    @property
    def kernels_body(self) -> str:
        """Return a row for each kernel."""
        return kernels_body(self.content, self.metric, self.names)


def alerts_text(counts: dict[str, int]) -> str:
    """Return numbers of alerts by state as part of a sentence."""
    words = [f"{counts[state]:,} {label}" for state, label in Alert.State.choices if counts.get(state)]
    return listed(words) if words else ""


def _counted(counts: dict[str, int]) -> list[tuple[Verdict, int]]:
    """Return counts by verdict, worst first: the database does not store the order of keys."""
    return [(verdict, counts[verdict.value]) for verdict in Verdict if counts.get(verdict.value)]
