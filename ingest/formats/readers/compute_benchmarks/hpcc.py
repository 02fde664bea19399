"""Outputs of the HPC Challenge benchmark (HPCC).

The summary has a line for each result, such as `StarDGEMM_Gflops=34.01`: the kernel, and after the last
underscore the metric. Processes, threads and the size of HPL's matrix are parameters.
"""

from ingest.formats.printout import NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "hpcc", "HPC Challenge output"
STREAM = ("Copy", "Scale", "Add", "Triad")
"""Functions of STREAM, whose bandwidth in GB/s is printed without a unit."""
METRICS = {
    "Tflops": Metric("Tflops", "TFLOPS"),
    "Gflops": Metric("Gflops", "GFLOPS"),
    "GUPs": Metric("GUPs", "GUP/s"),
    "GBs": Metric("bandwidth", "GB/s"),
    "GBytes": Metric("bandwidth", "GB/s"),
    "usec": Metric("latency", "us"),
    "time": Metric("time", "s"),
}
"""End of a field's name → metric."""
PRINTOUT = Printout(
    NAME,
    begins=r".*HPC Challenge Benchmark version|Begin of Summary section",
    lines=(
        Line("Begin of Summary section.*", Then.BEGIN),
        Line("End of Summary section.*", Then.END),
        Line(r"CommWorldProcs=(?P<processes>[1-9]\d{0,9})"),
        Line(r"omp_get_max_threads=(?P<threads>[1-9]\d{0,9})"),  # the number of threads is 0 without OpenMP
        Line(r"HPL_N=(?P<N>[1-9]\d{0,15})"),
        Line(rf"(?P<kernel>\w{{1,80}}_(?:{'|'.join(STREAM)}))=(?P<GBs>{NUMBER})", levels="_"),
        Line(rf"(?P<kernel>\w{{1,80}})_(?P<metric>{'|'.join(METRICS)})=(?P<value>(?!-){NUMBER})"),
    ),
    metrics=METRICS,
    expected="the lines between “Begin of Summary section” and “End of Summary section” of a finished run",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
