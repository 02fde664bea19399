"""Parses the name of a table's column into a quantity and a statistic.

`solve_time_ms_mean` is the mean of `solve time`, a measured quantity. `omp_max_threads` is a parameter. The
last word that is no unit and no statistic decides which it is.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from ingest.formats.campaign.languages import head_last, in_english
from ingest.formats.campaign.units import DATA, SECONDS

LONGEST_HEADING = 200
"""Limit on the characters of a heading, because matching takes time quadratic in the length."""
UNIT = re.compile(r"(.*\S)\s*[\[(]\s*([^\[\]()]*?)\s*[\])]")


def words_of(text: str) -> frozenset[str]:
    """Return the words in a text, in which blanks separate them."""
    return frozenset(text.split())


KERNEL = {"kernel", "callpath", "call path", "call_path", "region", "function"}
KERNEL_TEXT = words_of(
    "benchmark test name function routine timer phase section operation collective method "
    "job_name jobname kernel_name kernelname expr"
)
"""Names of columns that contain kernels if their cells are texts."""
RUN = words_of(
    "repetition rep run run_id runid iteration iter trial sample repeat replicate attempt round "
    "epoch try seed rng_seed random_seed index idx queue_index dispatch_id obj i"
)
"""Names of columns that number the runs. Without these columns, rows of the same point are repetitions."""
PERHAPS_RUN = words_of("test tests experiment exp measurement")
"""Names of columns that number the runs if their numbers are 1, 2, 3 and so on, or begin with 0."""
NUMBERING = words_of("number no nr num index idx id")
"""Words that may follow a name of `RUN` without changing its meaning: RunIndex, trial_no."""
REPEATED = words_of(
    "repetitions repeats reps nreps n_reps num_reps num_repetitions n_repetitions neval sample_count"
)
"""Names of columns with the number of runs in an average."""
RUN_WORDS = words_of("run runs rep reps repetition repeat iter iteration trial sample round measurement r")
"""Words before the number of a run, in tables with one column per run: `run1`, `time_rep_2`."""
JUBE = "jube_"
"""Prefix of the names of JUBE's own columns."""
ANALYSER = "jube_res_analyser"
"""The only column of JUBE that distinguishes several analyses of the same runs."""
APART = words_of(
    "host hostname hostnames hosts nodename nodelist server date datetime timestamp launchdate id "
    "ids jobid pid tid uuid guid address"
)
"""Words in names of columns with hosts, dates, ids or addresses, which change from run to run."""
MEMBERS = words_of(
    "rank process thread mpi_rank world_rank rank_id process_id proc_id thread_id worker_id core_id gpu_id "
    "device_id pe"
)
"""Names of columns that number the processes or threads of a run, if their numbers are 0, 1, 2 and so on."""
TREE = words_of("nid node_id line")
"""Names of columns that distinguish the nodes of a call tree with the same function."""
OUTCOMES = words_of(
    "verified verification verify correct correctness valid validated validation passed pass ok success "
    "successful status check checked converged"
)
"""Last words of names of columns that say whether a run's result was right."""
RIGHT = words_of(
    "pass passed ok true yes y t 1 success successful succeeded verified valid correct done completed"
)
"""Cells, in lower case, of a run whose result was right."""
WRONG = words_of("fail failed false no n f 0 error unsuccessful invalid incorrect wrong timeout")
"""Cells, in lower case, of a run whose result was not right."""
RESULTS = words_of("checksum crc result answer residual residuum pi integral estimate")
"""Last words of names of columns with what a program computed."""
EXPECTATIONS = words_of("ideal theoretical perfect expected amdahl gustafson")
"""Words in names of columns with values computed for comparison, such as an ideal speedup."""
DATES = words_of(
    "start_time end_time starttime endtime started finished start end submit begin begin_time created"
)
"""Names of columns with dates, if their cells are texts or seconds since 1970."""
STAMPS = words_of("dispatch_ns begin_ns start_ns end_ns complete_ns time_stamp")
"""Names of profilers' columns with the clock's time at which something began or ended."""
RUNNERS = words_of("thread_name threadname process_name worker_name")
"""Names of columns with the threads and processes that did the work."""
CODES = words_of("exit_code exitcode return_code returncode response_code status_code error_code")
"""Names of columns whose numbers say how a run or a request ended."""
REVISIONS = words_of("commit version revision sha")
"""Names of columns whose hexadecimal numbers identify versions of the code, not runs."""
SPREAD = words_of(
    "std stddev stdev sdev sd sem se stderr error err ci ci95 ci99 confidence variance var cv iqr mad "
    "rsd cov spread deviation interval left right moe margin"
)
MIDDLE = ("median", "p50", "mean", "avg", "average")
"""Statistics that can represent a quantity, the preferred one first."""
STATISTICS = words_of("median p50 mean avg average min minimum max maximum q1 q3 p25 p75")
STATISTICS_OF = STATISTICS | SPREAD
COUNTS = words_of("count cnt samples nsamples nobs nruns nreps repetitions repeats sum first last")
"""Words for numbers of samples and further statistics, left out beside `MIDDLE` or other statistics."""
PARTS = words_of("inc incl inclusive exc excl exclusive self total cumulative")
"""Words in brackets that are not units, but say which part of a quantity a column has: `time (incl)`."""
TIME_UNITS = frozenset(unit for unit, seconds in SECONDS.items() if seconds <= 1)
"""Units of time that may be part of a name. Longer ones are missing, because `min` means a minimum."""
BYTES = frozenset(DATA) | {"bits"}
MEMORY = BYTES | words_of("rss mem memory ram heap footprint vmsize vmem disk message msg buffer")
"""Words in names of columns in which K means 1024 instead of 1000."""
TIMES = words_of("t time times runtime walltime wallclock wall duration elapsed spent exectime cputime")
MEASURED = (TIMES | TIME_UNITS).union(
    words_of(
        "value values flop flops gflop gflops mflop mflops tflop tflops bandwidth bw throughput "
        "latency rate energy joules power watts visits calls cycles instructions blocks speedup "
        "instances percentage "
        "efficiency memory rss misses hits loss accuracy mlups fom gups teps ipc cpi performance perf score "
        "overhead slowdown cost ram speed ops pat real user sys system qps tps fps p90 p95 p98 p99 p999 "
        "percent pct util storage utilization utilisation usage occupancy iops mpps actual measured observed "
        "reported scaled resident connect idle idletime allocated"
    )
)
MEASURES = (MEASURED - STATISTICS - BYTES) - words_of(
    "t value values real user sys loss accuracy energy memory ram cost score"
)
"""Words that show a measured value even in lines and records that are not tables."""
PARAMETERS = words_of(
    "np nprocs numprocs procs processes ranks nodes tasks ntasks threads nthreads cores ncores cpus "
    "ncpus gpus ngpus devices workers size sizes length len dim dims dimension dimensions nx ny nz "
    "elements elems cells atoms particles dofs rows unknowns cols columns order degree level levels "
    "refinement grid gridsize steps step timesteps timestep iterations iters batch batchsize "
    "blocksize tile depth width height resolution limit jobsize concurrency clients scale"
)
SET = re.compile(r"param(?:eter)?(?:: ?|\.\.)\S.*", re.IGNORECASE)
"""Matches names of parameters that a tool marks, such as JMH's `Param: size`. R writes `Param..size`."""
ITERATIONS = words_of("iters iterations")
CHOSEN = words_of("evals gctime allocs allocations samples nsamples")
"""Names of columns of benchmarking tools that choose their own number of iterations."""
TIME_FOR_EACH = re.compile(rf"\b({'|'.join(sorted(TIMES | TIME_UNITS))}) ?/ ?(?=[^\W\d_])")
"""Matches the beginning of names such as ms/step and time/iteration, in lower case."""
COUNTERS = re.compile(
    r"(?:GRBM|SQC?|TC[ACP]|T[AD]|SPI|CP[CF])_\w+(?:\[\d+\])?|PAPI_[A-Z0-9_]+|[a-z_]+:::\S+|Gen ?[012]"
)
"""Matches names of counters: those of AMD GPUs, of PAPI with its components (`rapl:::DRAM_ENERGY`), and
garbage collections of .NET (`Gen0`).
"""
RATE = re.compile(r"\w+bw|\w+flops|[kmgt]i?bps|[kmgt]i?ops")
"""Matches words of rates: `gmem_readbw`, `maxspflops`."""
ALIASES = {
    f"metric{sign}{name}": known
    for name, known in (("name", "metric"), ("value", "value"), ("unit", "unit"))
    for sign in ("", "_", " ")
}
"""Further names of the columns of long tables, which have one metric and one value per row."""
ALWAYS = words_of("throughput bandwidth latency speedup resident")
"""Words of measured quantities, whatever follows them: `throughput_cells`."""
BOUNDS = (("max",), ("min",), ("maximum",), ("minimum",))
"""First words of names that mean either a limit that was set or a statistic."""
LETTERS = words_of("p n k m q x y z")
"""One-letter names that are parameters."""


@dataclass(frozen=True)
class Heading:
    """The parsed name of a column.

    Attributes:
        name: the name as it is shown, without its unit.
        unit: the unit in brackets after the name.
        quantity: words of the name, without statistics, spreads, numbers of samples, and units.
        statistic: the first word of a statistic in the name, or "".
        spread: whether the column is a spread of the quantity.
        measured: whether the name is that of a metric (True), a parameter (False), or neither (None).
    """

    name: str
    unit: str = ""
    quantity: tuple[str, ...] = ()
    statistic: str = ""
    spread: bool = False
    measured: bool | None = None

    @property
    def sized(self) -> bool:
        """Return whether the column holds sizes in bytes, by name and unit: `message size [KiB]`."""
        return self.measured is False and self.unit.lower() in BYTES

    @property
    def bounds(self) -> bool:
        """Return whether the name is a metric's only because of a word such as max: `max_depth`."""
        of_name = words(self.name)
        return of_name[:1] in BOUNDS and len(of_name) > 1 and (MEASURED | BYTES).isdisjoint(of_name)

    @property
    def counted(self) -> bool:
        """Return whether the column counts iterations, which a program may have chosen itself."""
        return not SET.fullmatch(self.name) and not ITERATIONS.isdisjoint(words(self.name)[-1:])

    @property
    def key(self) -> str:
        """Return the name in lower case, with its words joined by underscores."""
        return "_".join(words(self.name))

    @property
    def part(self) -> str:
        """Return the key of the last part of `spmv.csr.repetitions`, or "" for a name without a point."""
        return "_".join(words(self.name.rpartition(".")[2])) if "." in self.name else ""

    @property
    def numbers_runs(self) -> bool:
        """Return whether the column numbers the runs of a point."""
        return not RUN.isdisjoint((self.key, self._numbered))

    @property
    def may_number_runs(self) -> bool:
        """Return whether the column numbers the runs of a point if its numbers are consecutive."""
        return self._numbered in PERHAPS_RUN

    @property
    def _numbered(self) -> str:
        """Return the key without words such as "number" at its end: run number, trial no."""
        of_name = words(self.name)
        while len(of_name) > 1 and of_name[-1] in NUMBERING:
            of_name = of_name[:-1]
        return "_".join(of_name)

    def has(self, known: frozenset[str]) -> bool:
        """Return whether one of the name's words is in `known`."""
        return not known.isdisjoint(words(self.name))


@lru_cache(10_000)
def words(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case and in English: `execTime_ms` → exec, time, ms."""
    if len(name) > LONGEST_HEADING:
        return ()
    apart = in_english(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
    apart = TIME_FOR_EACH.sub(r"\1 per ", apart)
    return tuple(re.findall(r"[^\W_]+", re.sub(r"/ ?s(?:ec)?\b", " per s", apart)))


def heading(cell: str) -> Heading:
    """Parse a cell of the header."""
    cell = cell.strip()
    match = UNIT.fullmatch(cell) if len(cell) < LONGEST_HEADING else None
    name, unit = (match[1], _time_unit(match[2])) if match else (cell, "")
    statistic = unit.lower() in STATISTICS_OF or (name.lower() in STATISTICS_OF and not _is_unit(unit))
    if statistic or unit.isdecimal() or unit.lower() in PARTS:  # time (mean), std(time), time (2), time (inc)
        name, unit = cell, ""
    of_name = words(name)
    return Heading(
        name,
        unit,
        quantity=tuple(word for word in of_name if word not in STATISTICS_OF | COUNTS | TIME_UNITS | BYTES),
        statistic=next((word for word in of_name if word in STATISTICS), ""),
        spread=not SPREAD.isdisjoint(of_name),
        measured=True if COUNTERS.fullmatch(name) else False if SET.fullmatch(name) else _measured(of_name),
    )


def _time_unit(unit: str) -> str:
    """Return a unit of time in another language in English, and any other unit as it is."""
    english = in_english(unit.lower()).rstrip(".")
    return english if english in SECONDS and english != unit.lower() else unit


def _is_unit(text: str) -> bool:
    return "/" in text or "%" in text or text.lower() in TIME_UNITS | BYTES


def _measured(of_name: tuple[str, ...]) -> bool | None:
    """Return whether these are the words of a metric (True), a parameter (False), or neither (None)."""
    if len(of_name) == 1 and of_name[0] in LETTERS:
        return False
    of_name = tuple(head_last(of_name))
    if "per" in of_name:  # cells per second are measured, threads per rank are not
        place = of_name.index("per")
        if not TIME_UNITS.isdisjoint(of_name[place + 1 :]):
            return True
        counted = of_name[place - 1 : place]
        if MEASURED.isdisjoint(counted):
            counted = tuple(f"{word.removesuffix('s')}s" for word in counted)
        of_name = (*of_name[: max(0, place - 1)], *counted)
    head = [word.rstrip("0123456789") or word for word in of_name if word not in STATISTICS]
    while head and head[-1] in TIME_UNITS | BYTES:
        head.pop()
    if head and head[-1] in PARAMETERS and ALWAYS.isdisjoint(head):
        return False
    if any(map(RATE.fullmatch, of_name)):
        return True
    return True if not (MEASURED | STATISTICS | BYTES).isdisjoint([*head, *of_name]) else None


def run_of(name: str) -> tuple[str, int] | None:
    """Return metric and number of the run for a column with one run: `time_2` or `t2` → time, 2."""
    parts = re.findall(r"[^\W\d_]+|\d{1,5}", in_english(name.lower())) if len(name) <= LONGEST_HEADING else []
    places = [place for place, part in enumerate(parts) if part.isdecimal()]
    if len(places) != 1:
        return None
    (place,) = places
    numbered = place > 0 and parts[place - 1] in RUN_WORDS
    rest = parts[: place - numbered] + parts[place + 1 :]
    timed = place == len(parts) - 1 and bool(rest) and rest[-1] in TIMES | TIME_UNITS
    if not numbered and not timed:
        return None
    return "_".join(rest) if rest not in ([], ["t"]) else "time", int(parts[place])
