"""Errors about printed outputs."""

import pytest

from ingest.formats import FormatError
from tests.ingest.formats.readers.compute_benchmarks.test_hpcc import HPCC
from tests.ingest.formats.readers.compute_benchmarks.test_hpcg import HPCG
from tests.ingest.formats.readers.compute_benchmarks.test_npb import report
from tests.ingest.formats.readers.storage_benchmarks.test_ior import IOR


@pytest.mark.parametrize(
    "text",
    [
        report(verification="UNSUCCESSFUL"),
        HPCC.partition("Begin")[0],
        HPCG.partition("Benchmark")[0],
        IOR.partition("write")[0],
    ],
)
def test_the_error_for_an_output_without_results_says_what_was_expected(read, text):
    with pytest.raises(FormatError, match=r"an output without results; expected .*[“”]"):
        read(text)


@pytest.mark.parametrize(
    ("text", "line"), [(report(time="1..5"), 7), (HPCG.format(processes=4).replace("7.5", "7.5.1"), 5)]
)
def test_the_error_for_a_wrong_number_names_its_line(read, text, line):
    with pytest.raises(FormatError) as raised:
        read(text)
    assert raised.value.line == line
