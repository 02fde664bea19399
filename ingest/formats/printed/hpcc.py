"""Outputs of the HPC Challenge benchmark (HPCC).

The summary at the end of an output has a line for each result, such as `StarDGEMM_Gflops=34.01`. The part
before the last underscore is the kernel, and the part behind it is the metric. The number of processes, the
threads of each process and the size of HPL's matrix are parameters.
"""

import re

from ingest.formats.campaign import Campaign
from ingest.formats.names import SEPARATOR
from ingest.formats.printed.printout import Printout, printout_read
from ingest.formats.source import Source
from ingest.formats.text import numbers

NAME = "hpcc"
TITLE = "HPC Challenge output"
BEGIN = re.compile(r"HPC Challenge Benchmark version|^\s*Begin of Summary section", re.MULTILINE)
FIELD = re.compile(r"(?P<name>[A-Za-z][A-Za-z_0-9]{0,80})=(?P<value>[0-9.eE+-]{1,30})")
PARAMETERS = {"CommWorldProcs": "processes", "omp_get_max_threads": "threads", "HPL_N": "N"}
METRICS = {
    "Tflops": ("Tflops", "TFLOPS"),
    "Gflops": ("Gflops", "GFLOPS"),
    "GUPs": ("GUPs", "GUP/s"),
    "GBs": ("bandwidth", "GB/s"),
    "GBytes": ("bandwidth", "GB/s"),
    "usec": ("latency", "us"),
    "time": ("time", "s"),
}
"""End of a field's name → name and unit of the metric."""
STREAM = ("Copy", "Scale", "Add", "Triad")
"""Functions of STREAM, whose bandwidth in GB/s is given without a unit."""
EXPECTED = "the lines between “Begin of Summary section” and “End of Summary section” of a finished run"


def recognises(source: Source) -> bool:
    """Recognise the program's name or its summary near the beginning of the file."""
    return BEGIN.search(source.head) is not None


def read(source: Source) -> Campaign:
    """Read the summaries line by line."""
    return printout_read(source, Summaries(), NAME, dict(METRICS.values()), EXPECTED)


class Summaries(Printout):
    """Reads the summaries. All lines outside of summaries are left out."""

    def take(self, text: str, line: int) -> bool:
        """Read a line of a summary, or its first or last line."""
        if text.startswith("Begin of Summary section"):
            self.begin(line, {})
        elif text.startswith("End of Summary section"):
            self.end()
        elif self.run and (field := FIELD.fullmatch(text)):
            name, value = field["name"], field["value"]
            if name not in PARAMETERS:
                return self._add(name, value)
            if (size := numbers(value)[0]) > 0:  # the number of threads is 0 without OpenMP
                self.run.parameters[PARAMETERS[name]] = size
        else:
            return False
        return True

    def _add(self, name: str, value: str) -> bool:
        """Add a result, and return whether the name is that of a result."""
        kernel, _, end = name.rpartition("_")
        if not self.run or not kernel or value.startswith("-"):
            return False
        if end in STREAM:
            self.run.add(f"{kernel}{SEPARATOR}{end}", "bandwidth", value)
        elif end in METRICS:
            self.run.add(kernel, METRICS[end][0], value)
        else:
            return False
        return True
