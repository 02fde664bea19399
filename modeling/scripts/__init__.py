"""Texts for carrying out a plan: job scripts for schedulers and benchmark frameworks, and filter files for
instrumentation.

The texts are made from plain values; `modeling.engine.design` decides what to measure.
"""

from modeling.scripts.filters import FILTERS, filter_text
from modeling.scripts.jobs import Job, Run
from modeling.scripts.schedulers import KINDS, Kind, script_text

__all__ = ["FILTERS", "KINDS", "Job", "Kind", "Run", "filter_text", "script_text"]
