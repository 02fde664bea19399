"""A report as its pages show it. Nothing here asks the database: what is shown is what was stored."""

from dataclasses import dataclass

from ingest.models import Metric
from modeling.models import OPEN_ALERTS, Alert
from modeling.selectors.reports.content import Content, Target
from modeling.verdicts import Verdict
from perfweb.portal.report.tables import changes_body, configuration_written, kernels_body, targets_body
from perfweb.portal.text.wording import listed


@dataclass(frozen=True)
class ReportPage:
    """A report's content with what templates cannot tell from it."""

    content: Content

    @property
    def metric(self) -> Metric:
        """The metric, as far as words and units need it; it is no row."""
        return Metric(**self.content["metric"])

    @property
    def main(self) -> Target:
        """The target that the first sentence and the order of kernels are of."""
        return self.content["targets"][self.content["main"]]

    @property
    def main_text(self) -> str:
        """The main target as people write it."""
        return configuration_written(self.main["values"], self.names)

    @property
    def names(self) -> list[str]:
        """Names of the parameters, in the order of the laws' exponents."""
        return [parameter["name"] for parameter in self.content["parameters"]]

    @property
    def counts(self) -> list[tuple[Verdict, int]]:
        """The verdicts that occur in the report's metric, worst first."""
        comparison = self.content["comparison"]
        return _counted(comparison["counts"]) if comparison else []

    @property
    def elsewhere(self) -> list[tuple[str, list[tuple[Verdict, int]]]]:
        """The changes in other metrics; metrics in which nothing changed are left out."""
        comparison = self.content["comparison"]
        others = comparison["elsewhere"] if comparison else {}
        return [(name, _counted(counts)) for name, counts in others.items() if counts]

    @property
    def unlisted(self) -> int:
        """How many changed kernels are more than the table lists."""
        comparison = self.content["comparison"]
        return sum(comparison["counts"].values()) - len(comparison["changes"]) if comparison else 0

    @property
    def alerts(self) -> str:
        """The version's alerts by state: 2 new, 1 being fixed and 3 expected; empty where there are none."""
        return alerts_text(self.content["alerts"]["here"])

    @property
    def open_alerts(self) -> int:
        """How many of them are open."""
        return sum(self.content["alerts"]["here"].get(state, 0) for state in OPEN_ALERTS)

    @property
    def earlier_alerts(self) -> str:
        """Open alerts of earlier versions, by state; empty where there are none."""
        return alerts_text(self.content["alerts"]["earlier"])

    @property
    def changed_settings(self) -> int:
        """How many settings differ from those of the version before."""
        return sum(each["value"] != each["before"] for each in self.content["environment"])

    @property
    def course_text(self) -> str:
        """What the picture of the totals shows."""
        labels = self.content["course"]["labels"]
        return f"Predicted total from {labels[0]} to {labels[-1]}" if labels else ""

    @property
    def targets_body(self) -> str:
        """A row for each target."""
        return targets_body(self.content, self.metric, self.names)

    @property
    def changes_body(self) -> str:
        """A row for each changed kernel."""
        return changes_body(self.content, self.metric, self.names)

    @property
    def kernels_body(self) -> str:
        """A row for each kernel."""
        return kernels_body(self.content, self.metric, self.names)


def alerts_text(counts: dict[str, int]) -> str:
    """Numbers of alerts by state as part of a sentence."""
    words = [f"{counts[state]:,} {label}" for state, label in Alert.State.choices if counts.get(state)]
    return listed(words) if words else ""


def _counted(counts: dict[str, int]) -> list[tuple[Verdict, int]]:
    """By verdict, worst first: the database keeps no order of keys."""
    return [(verdict, counts[verdict.value]) for verdict in Verdict if counts.get(verdict.value)]
