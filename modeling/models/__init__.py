"""The tables of models, comparisons and alerts, a module for each subject.

Everything but alerts, and what people decided about them, can be rebuilt from the campaigns.
"""

from modeling.models.alerts import OPEN_ALERTS, Alert, AlertEvent, Silence
from modeling.models.comparisons import Change, Comparison, Shift
from modeling.models.forecasts import Forecast
from modeling.models.laws import Model, Total, Trend
from modeling.models.runs import ModelRun, Portion
from modeling.models.states import UNFINISHED, State

__all__ = [
    "OPEN_ALERTS",
    "UNFINISHED",
    "Alert",
    "AlertEvent",
    "Change",
    "Comparison",
    "Forecast",
    "Model",
    "ModelRun",
    "Portion",
    "Shift",
    "Silence",
    "State",
    "Total",
    "Trend",
]
