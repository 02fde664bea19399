"""Reads the JSON of iperf3 (`-J`): bandwidth and retransmissions over parallel streams and bytes of a block.

The sums at the end of a run are read; its intervals are left out. Received bytes count where the receiver
told them, as sent ones may still be buffered.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import DEFAULT_KERNEL
from ingest.formats.collecting.entries import Entry, campaign_of
from ingest.formats.errors import FormatError
from ingest.formats.files.documents.document import Document
from ingest.formats.files.documents.json_text import members
from ingest.formats.files.source import Source

NAME = "iperf3"
TITLE = "iperf3 JSON"
START, END = "start", "end"
SUMS = ("sum_received", "sum", "sum_sent")
"""Keys of the sums over all streams, the best one first; UDP has only `sum`."""
PARAMETERS = {"num_streams": "streams", "blksize": "bytes"}
UNITS = {"bandwidth": "bit/s"}


def recognises(source: Source) -> bool:
    """Recognise the keys of a result."""
    return {START, "intervals", END} <= source.keys


def read(source: Source) -> Campaign:
    """Read the sums at the end."""
    document: Document = source.document
    document.constants = True
    try:
        start, end = _section(document, START), _section(document, END)
        test = _object(start, "test_start")
        sums = next((_object(end, key) for key in SUMS if key in end), {})
        if not isinstance(sums.get("bits_per_second"), float):
            raise FormatError("a result without “bits_per_second”", "the sums at the end of a complete run")
        values = {"bandwidth": [sums["bits_per_second"]]}
        retransmits = _object(end, "sum_sent").get("retransmits")
        if isinstance(retransmits, float):
            values["retransmits"] = [retransmits]
        parameters = {name: test[key] for key, name in PARAMETERS.items() if isinstance(test.get(key), float)}
        kernel = str(test.get("protocol", DEFAULT_KERNEL))
        campaign = campaign_of([Entry(kernel, parameters, values)], source.limits, NAME)
    except FormatError as error:
        raise error.at(document.line) from None
    return replace(campaign, units=UNITS)


def _section(document: Document, key: str) -> dict[str, Any]:
    document.enter(key)
    return members(document.value(), "an object")


def _object(of: Mapping[str, Any], key: str) -> dict[str, Any]:
    return members(of.get(key, ()), "an object")
