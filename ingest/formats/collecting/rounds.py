"""Handles rounds within one process, which share everything that varies between processes."""

from dataclasses import replace

import numpy as np

from ingest.formats.campaign.campaign import Campaign


def in_rounds(campaign: Campaign) -> Campaign:
    """Treat the values at each point as rounds of one process, whose median is one repetition."""
    medians, rounds = {}, {}
    for key, values in campaign.series.items():
        medians[key] = np.full((len(values), 1), np.nan)
        known = ~np.isnan(values).all(axis=1)
        medians[key][known, 0] = np.nanmedian(values[known], axis=1)
        if values.shape[1] > 1:
            rounds[key] = values
    most = max(values.shape[1] for values in rounds.values())
    note = (
        f"the median of up to {most} rounds of one process counts as one repetition, because rounds share "
        "whatever varies between processes; run the benchmark several times for repetitions"
    )
    return replace(campaign, series=medians, rounds=rounds, notes=(note, *campaign.notes))
