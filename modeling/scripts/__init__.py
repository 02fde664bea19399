"""Job scripts for schedulers and benchmark frameworks, and filter files for instrumentation."""

from modeling.scripts.filters import FILTERS, filter_text
from modeling.scripts.jobs import Job, Run
from modeling.scripts.schedulers import KINDS, Kind, script_text

__all__ = ["FILTERS", "KINDS", "Job", "Kind", "Run", "filter_text", "script_text"]
