"""Units and directions of metrics, guessed from their names and units."""

import pytest

from ingest.guessing.metrics import adds_up, lower_is_better, metric_unit, unit_is_usual

LOWER, HIGHER = True, False

NAMES = [
    # Times
    ("time", "s", LOWER, True),
    ("real_time", "s", LOWER, True),
    ("cpu_time", "s", LOWER, True),
    ("runtime", "s", LOWER, True),
    ("latency", "s", LOWER, True),
    ("Total time", "s", LOWER, True),
    ("Avg time/rank", "s", LOWER, True),
    ("time (inc)", "s", LOWER, True),
    ("sum#time.duration", "s", LOWER, True),
    ("avg#inclusive#sum#time.duration", "s", LOWER, True),
    ("time_ms", "ms", LOWER, True),
    ("time_us", "us", LOWER, True),
    ("latency_ns", "ns", LOWER, True),
    ("elapsed_sec", "s", LOWER, True),
    ("wall_s", "s", LOWER, True),
    ("duration(ms)", "ms", LOWER, True),
    ("Runtime (RDTSC) [s]", "s", LOWER, True),
    ("time.duration.ns", "ns", LOWER, True),
    ("sum#time.duration.ns", "ns", LOWER, True),
    ("min#inclusive#sum#time.duration.ns", "ns", LOWER, True),
    ("sum#cupti.activity.duration", "ns", LOWER, True),
    ("scale#sum#cupti.activity.duration", "s", LOWER, True),
    ("bandwidth test time", "s", LOWER, True),
    ("wait_time", "s", LOWER, True),
    # Costs of one operation
    ("time_per_op", "s", LOWER, True),
    ("ns/op", "ns", LOWER, True),
    ("B/op", "B", LOWER, True),
    ("allocs/op", "", LOWER, True),
    ("seconds_per_iteration", "s", LOWER, True),
    ("s/step", "s", LOWER, True),
    ("s/Gupdate", "s", LOWER, True),
    ("1/FOM", "", LOWER, False),
    # Amounts
    ("bytes", "B", LOWER, True),
    ("bytes_received", "B", LOWER, True),
    ("memory", "B", LOWER, True),
    ("rss_kb", "kB", LOWER, True),
    ("energy", "", LOWER, True),
    ("energy_joules", "J", LOWER, True),
    ("visits", "", LOWER, True),
    ("instructions", "", LOWER, True),
    ("cycles", "", LOWER, True),
    ("misses", "", LOWER, True),
    ("cache-misses", "", LOWER, True),
    ("time_steps", "", LOWER, True),
    ("total_flops", "", LOWER, True),
    ("PAPI_FP_OPS", "", LOWER, True),
    ("flop_count", "", LOWER, True),
    ("read_ops", "", LOWER, True),
    # Rates and ratios of which a smaller value is better
    ("miss_rate", "", LOWER, False),
    ("cacheMissRate", "", LOWER, False),
    ("L2missRate", "", LOWER, False),
    ("error_rate", "", LOWER, False),
    ("errors_per_second", "1/s", LOWER, False),
    ("cpi", "", LOWER, False),
    ("cycles_per_instruction", "", LOWER, False),
    ("bytes_per_flop", "", LOWER, False),
    ("load_imbalance", "", LOWER, False),
    ("Time %", "%", LOWER, False),
    ("power_watts", "W", LOWER, False),
    # Rates
    ("throughput", "", HIGHER, False),
    ("zone-cycles/cpu_second", "1/s", HIGHER, False),
    ("cells per wall clock second", "1/s", HIGHER, False),
    ("rate", "", HIGHER, False),
    ("rates", "", HIGHER, False),
    ("speed", "", HIGHER, False),
    ("flops", "FLOP/s", HIGHER, False),
    ("GFLOPS", "GFLOP/s", HIGHER, False),
    ("mflops", "MFLOP/s", HIGHER, False),
    ("DP [MFLOP/s]", "MFLOP/s", HIGHER, False),
    ("MLUPS", "MLUP/s", HIGHER, False),
    ("ops", "1/s", HIGHER, False),
    ("ops/s", "1/s", HIGHER, False),
    ("items_per_second", "1/s", HIGHER, False),
    ("bytes_per_second", "B/s", HIGHER, False),
    ("tokens/s", "1/s", HIGHER, False),
    ("msg/s", "1/s", HIGHER, False),
    ("steps/day", "1/d", HIGHER, False),
    ("ns/day", "ns/d", HIGHER, False),
    ("MB/s", "MB/s", HIGHER, False),
    ("bw_gb_s", "GB/s", HIGHER, False),
    ("triad_mbs", "MB/s", HIGHER, False),
    ("Bandwidth (MB/s)", "MB/s", HIGHER, False),
    ("memory_bandwidth", "", HIGHER, False),
    ("copy_bw", "", HIGHER, False),
    ("membw", "", HIGHER, False),
    # Scores and ratios
    ("fom", "", HIGHER, False),
    ("figure_of_merit", "", HIGHER, False),
    ("speedup", "", HIGHER, False),
    ("parallel_efficiency", "", HIGHER, False),
    ("hit_rate", "", HIGHER, False),
    ("IPC", "", HIGHER, False),
    ("Retiring", "", HIGHER, False),
    ("Backend bound", "", LOWER, False),
    ("insn_per_cycle", "", HIGHER, False),
    ("flops_per_watt", "", HIGHER, False),
    ("occupancy_percent", "%", HIGHER, False),
    # Times, although the name contains a word for something else
    ("avg_hit_lookup_ns", "ns", LOWER, True),
    ("avg_50%_hit_lookup_ns", "ns", LOWER, False),
    # Neither name nor unit shows what was measured
    ("t", "", LOWER, True),
    ("", "", LOWER, True),
    ("→", "", LOWER, True),
]


@pytest.mark.parametrize(
    ("name", "usual"),
    [
        ("time", True), ("Wall Clock", True), ("min_time", True), ("memory", True),
        ("time_ms", False), ("time [s]", False), ("bytes", False), ("peak_mem_kb", False), ("visits", False),
    ],
)  # fmt: skip
def test_a_name_may_give_only_the_usual_unit(name, usual):
    assert unit_is_usual(name) is usual


@pytest.mark.parametrize(("name", "unit", "lower", "sums"), NAMES)
def test_units_and_directions_are_guessed_from_names(name, unit, lower, sums):
    assert metric_unit(name) == unit
    assert lower_is_better(name, unit) is lower
    assert adds_up(name, unit, lower_is_better=lower) is sums


@pytest.mark.parametrize(
    ("unit", "lower"),
    [
        ("s", LOWER),
        ("sec", LOWER),
        ("B", LOWER),
        ("kWh", LOWER),
        ("W", LOWER),
        ("occ", LOWER),
        ("s/op", LOWER),
        ("ns/op", LOWER),
        ("cycles/element", LOWER),
        ("misses/s", LOWER),
        ("J/s", LOWER),
        ("%", LOWER),
        ("ops/s", HIGHER),
        ("ops/us", HIGHER),
        ("GB/sec", HIGHER),
        ("MBytes/s", HIGHER),
        ("Gbit/s", HIGHER),
        ("MLUPS", HIGHER),
        ("Gflops", HIGHER),
        ("GFLOP/s", HIGHER),
        ("MHz", HIGHER),
        ("1/s", HIGHER),
        ("s^-1", HIGHER),
        ("s⁻¹", HIGHER),
        ("iterations per second", HIGHER),
        ("req/min", HIGHER),
        ("ns/day", HIGHER),
        ("zones/s/core", HIGHER),
        ("FLOP/byte", HIGHER),
    ],
)
def test_directions_are_guessed_from_units(unit, lower):
    assert lower_is_better("x", unit) is lower


@pytest.mark.parametrize(
    ("name", "unit", "lower"),
    [
        ("flops", "FLOP", LOWER),
        ("flops", "FLOP/s", HIGHER),
        ("throughput", "s", LOWER),
        ("time", "ops/s", HIGHER),
        ("hit rate", "%", HIGHER),
        ("cache misses", "1/s", LOWER),
    ],
)
def test_a_unit_takes_precedence_over_a_name(name, unit, lower):
    assert lower_is_better(name, unit) is lower


@pytest.mark.parametrize("text", ["a/" * 5000, "(" * 5000, "s^" * 5000, "aB" * 5000, "per " * 5000])
def test_long_names_are_parsed_quickly(text):
    unit = metric_unit(text)
    assert adds_up(text, text, lower_is_better=lower_is_better(text, text)) in (True, False)
    assert len(unit) <= 40
