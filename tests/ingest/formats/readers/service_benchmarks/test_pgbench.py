"""Outputs of pgbench."""

import pytest

from ingest.formats import FormatError

RUN = """pgbench (14.5)
starting vacuum...end.
transaction type: <builtin: TPC-B (sort of)>
scaling factor: 50
query mode: simple
number of clients: {clients}
number of threads: 2
number of transactions per client: 1000
number of transactions actually processed: 10000/10000
latency average = 4.112 ms
latency stddev = 1.104 ms
"""
NEW = RUN + "initial connection time = 12.345 ms\ntps = 2431.75 (without initial connection time)\n"
OLD = RUN + "tps = 2300.5 (including connections establishing)\n"
OLD += "tps = 2431.75 (excluding connections establishing)\n"


@pytest.mark.parametrize("text", [NEW, OLD])
def test_it_works(read, text):
    campaign = read("".join(text.format(clients=clients) for clients in (10, 20, 20)))
    assert campaign.format == "pgbench"
    assert (campaign.parameters, campaign.points.tolist()) == (
        ("scale", "clients", "threads"),
        [[50, 10, 2], [50, 20, 2]],
    )
    rates = campaign.series["main", "transactions per second"]
    assert rates[1].tolist() == [2431.75, 2431.75]
    assert campaign.series["main", "latency"][1].tolist() == [4.112, 4.112]
    assert campaign.units == {"transactions per second": "1/s", "latency": "ms"}


def test_a_run_without_results_is_refused(read):
    with pytest.raises(FormatError, match="tps ="):
        read(
            "transaction type: <builtin: TPC-B (sort of)>\nscaling factor: 50\nconnection to server failed\n"
        )
