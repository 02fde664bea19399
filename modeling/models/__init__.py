"""The tables of models, comparisons and alerts. Most of them can be rebuilt from the campaigns."""

from modeling.models.alerts import OPEN_ALERTS, Alert, AlertEvent, Silence
from modeling.models.aliases import KernelAlias
from modeling.models.badges import Badge
from modeling.models.comparisons import Change, Comparison, Shift
from modeling.models.expectations import BROKEN, DOUBTFUL, Expectation, ExpectationResult
from modeling.models.forecasts import Forecast
from modeling.models.laws import Model, Total, Trend
from modeling.models.modelers import ModelerChoice
from modeling.models.plans import Plan
from modeling.models.predictions import LedgerSummary, Prediction
from modeling.models.releases import ReleaseRules
from modeling.models.reports import LONGEST_SHARE, Report, ShareLink
from modeling.models.runs import SHOWN_FIRST, ModelRun, Portion
from modeling.models.states import UNFINISHED, State

__all__ = [
    "BROKEN",
    "DOUBTFUL",
    "LONGEST_SHARE",
    "OPEN_ALERTS",
    "SHOWN_FIRST",
    "UNFINISHED",
    "Alert",
    "AlertEvent",
    "Badge",
    "Change",
    "Comparison",
    "Expectation",
    "ExpectationResult",
    "Forecast",
    "KernelAlias",
    "LedgerSummary",
    "Model",
    "ModelRun",
    "ModelerChoice",
    "Plan",
    "Portion",
    "Prediction",
    "ReleaseRules",
    "Report",
    "ShareLink",
    "Shift",
    "Silence",
    "State",
    "Total",
    "Trend",
]
