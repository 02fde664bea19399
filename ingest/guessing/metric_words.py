"""Tables of words in the names of metrics, for `ingest.guessing.metrics`, in lower case."""

import re

from ingest.formats.campaign.units import DATA, SECONDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TIME = _words("time runtime walltime wtime cputime duration elapsed latency makespan")
NO_TIME = _words("step steps stamp stamps slice slices out outs")
"""Next to these words, `time` does not mean a duration: time steps, time stamps."""

CLOCKS = _words("cpu gpu wall wallclock clock real elapsed")
"""Words before a unit of time that say which clock measured it."""

BAD = _words(
    "miss misses missed mispredict mispredicts mispredicted misprediction mispredictions error errors "
    "err fail fails failed failure failures fault faults drop drops dropped loss losses lost stall "
    "stalls stalled wait waits waiting idle abort aborts aborted conflict conflicts collision "
    "collisions retry retries retransmits rejected evictions eviction imbalance overhead penalty waste "
    "wasted residual divergence contention timeout timeouts bubble bubbles cpi mpki"
)
"""Words for things of which a larger number is worse, even as a rate per second."""

GOOD = _words(
    "throughput goodput rate rates speed speedup performance bandwidth bw efficiency fom merit score "
    "hit hits ipc upc utilization utilisation occupancy parallelism accuracy intensity vectorization "
    "vectorisation vectorized vectorised sypd frequency roofline retiring"
)
RATE = re.compile(
    r"[kmgtpe]?flops|[kmgt]?lups|[gm]?teps|k?iops|[mg]?ips|[gm]ups|[kmg]?hz|[kmg]bps|[kmgt]bs|[qtrf]ps|\w+bw"
)
"""Matches words that are units of rates, or end in `bw`."""

COUNTED = _words("count counts counter num number total papi fp io retired sum flop n")
"""Next to these words, FLOPS and ops are numbers of operations, not operations per second."""

STATISTICS = _words(
    "min minimum max maximum avg average mean median sum total tot inc exc incl excl inclusive "
    "exclusive i e any real user sys system all"
)
OPERATIONS = _words(
    "op ops operation operations iter iters iteration iterations call calls step steps timestep request "
    "requests item items element elements query row rank ranks process proc task thread cell loop run"
)
"""A quantity per one of these words is a cost: ns/op, s/step, time per rank."""

WORK = _words("flop flops gflop gflops mflop mflops tflop tflops instruction instructions insn ins inst ops")
"""Words for amounts of work. More work per cycle, per byte or per joule is better."""

ENERGY = _words("j mj kj joule joules wh kwh")
SPENT = frozenset((*SECONDS, *DATA, *ENERGY, "w", "mw", "kw", "watt", "watts"))
"""Units of resources that a program uses up."""

INTENSIVE = _words(
    "rate rates ratio fraction percent percentage pct % share cpi mpki imbalance power watt watts "
    "temperature std stddev stdev variance deviation quantile percentile "
    "bound retiring speculation"
)
"""Words for metrics whose values for kernels do not add up to the program's."""
