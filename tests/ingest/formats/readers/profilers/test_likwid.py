"""LIKWID's CSV."""

import pytest

from ingest.formats import FormatError, parse


@pytest.fixture
def read(tmp_path):
    def read(content, point=""):
        path = tmp_path / "counts"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return parse(path, point=point)

    return read


LIKWID = """TABLE,Info,3
CPU name:,Intel(R) Xeon(R),,
CPU clock:,2.4 GHz,,
TABLE,Region triad,Group 1 Raw,MEM_DP,4
Region Info,HWThread 0,HWThread 1
RDTSC Runtime [s],0.5,0.6
call count,10,10
Event,Counter,HWThread 0,HWThread 1
INSTR_RETIRED_ANY,FIXC0,100,200
TABLE,Region triad,Group 1 Raw STAT,MEM_DP,4
Event,Counter,Sum,Min,Max,Avg
INSTR_RETIRED_ANY STAT,FIXC0,300,100,200,150
TABLE,Region triad,Group 1 Metric,MEM_DP,4
Metric,HWThread 0,HWThread 1
CPI,0.5,1.5
DP [MFLOP/s],1000,2000
Clock [MHz],2000,3000
"""


class TestLikwid:
    def test_it_works(self, read):
        campaign = read(LIKWID, "threads=2")
        assert (campaign.format, campaign.parameters) == ("likwid", ("threads",))
        found = {metric: values.tolist()[0][0] for (kernel, metric), values in campaign.series.items()}
        assert {kernel for kernel, _ in campaign.series} == {"triad"}
        assert found == {
            "RDTSC Runtime": 0.6, "call count": 20, "INSTR_RETIRED_ANY": 300,
            "CPI": 1.0, "DP": 3000, "Clock": 2500,
        }  # fmt: skip
        assert campaign.units == {"RDTSC Runtime": "s", "DP": "MFLOP/s", "Clock": "MHz"}
        assert campaign.metadata["CPU clock"] == "2.4 GHz"

    def test_without_regions_the_kernel_is_the_program(self, read):
        campaign = read(LIKWID.replace("Region triad,", ""))
        assert {kernel for kernel, _ in campaign.series} == {"main"}

    def test_a_row_that_lacks_a_thread_is_named(self, read):
        with pytest.raises(FormatError, match="line 15: found a row of 2 cells for “CPI”"):
            read(LIKWID.replace("CPI,0.5,1.5", "CPI,0.5"))
