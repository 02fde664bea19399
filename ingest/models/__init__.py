"""The tables of the database of experiments: applications, uploads and campaigns.

What is computed from the measurements is in `modeling.models`, and can be rebuilt.
"""

from ingest.models.applications import (
    PATH_SEPARATOR,
    Application,
    Dependencies,
    Kernel,
    Machine,
    Metric,
    Parameter,
    Target,
    Version,
)
from ingest.models.campaigns import Campaign, RunOrigins, Series
from ingest.models.uploads import STANDING, UNFINISHED, WAITING, Upload

__all__ = [
    "PATH_SEPARATOR",
    "STANDING",
    "UNFINISHED",
    "WAITING",
    "Application",
    "Campaign",
    "Dependencies",
    "Kernel",
    "Machine",
    "Metric",
    "Parameter",
    "RunOrigins",
    "Series",
    "Target",
    "Upload",
    "Version",
]
