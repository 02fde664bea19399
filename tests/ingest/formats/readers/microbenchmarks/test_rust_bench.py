"""Outputs of cargo bench."""

RUST = """running 3 tests
test parse::small  ... bench:       1,234.5 ns/iter (+/- 24) = 120 MB/s
test parse::large  ... bench:          12 us/iter (+/- 1)
test wait          ... bench:        2835 cycles/iter (+/- 14)
test helper ... ignored
"""


def test_cargo_bench(read):
    campaign = read(RUST)
    assert {key: values[0, 0] for key, values in campaign.series.items()} == {
        ("parse->small", "time"): 1234.5,
        ("parse->small", "throughput"): 120,
        ("parse->large", "time"): 12000,
        ("wait", "cycles"): 2835,
    }
    assert campaign.units == {"time": "ns", "throughput": "MB/s"}
