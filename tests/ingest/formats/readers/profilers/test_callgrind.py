"""Profiles of Callgrind and Cachegrind."""

import pytest

from ingest.formats import FormatError, parse

CALLGRIND = """# callgrind format
version: 1
creator: callgrind-3.22.0
cmd:  ./app
positions: line
events: Ir Dr
summary: 2000 90

fl=(1) solve.c
fn=(1) solve(int)
27 100 10
+5 50
cfn=(2) dot
calls=3 +7
+2 900 40
* 5 5

fn=(2)
12 900 40
fn=(1)
30 1 1
"""
CACHEGRIND = """desc: I1 cache: none
cmd: ./app
events: Ir
fl=solve.c
fn=main
3 7
fn=solve
4 8
5 9
summary: 24
"""


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "callgrind.out.1"
        path.write_text(text)
        return parse(path)

    return read


def test_costs_of_a_function_are_added_up_without_those_of_its_callees(read):
    campaign = read(CALLGRIND)
    assert campaign.format == "callgrind"
    assert {key: values.tolist() for key, values in campaign.series.items()} == {
        ("solve(int)", "Ir"): [[156]],
        ("solve(int)", "Dr"): [[16]],
        ("dot", "Ir"): [[900]],
        ("dot", "Dr"): [[40]],
    }


def test_cachegrind_writes_names_in_full(read):
    values = {kernel: values.tolist() for (kernel, _), values in read(CACHEGRIND).series.items()}
    assert values == {"main": [[7]], "solve": [[17]]}


def test_a_line_with_too_many_counts_is_refused(read):
    with pytest.raises(FormatError, match="line 11: found 3 counts in “1 2 3”; expected at most 2"):
        read(CALLGRIND.replace("27 100 10", "27 1 2 3"))


def test_a_profile_without_costs_is_refused(read):
    with pytest.raises(FormatError, match="a profile without costs; expected “events: Ir”"):
        read("# callgrind format\nevents:\nfn=(1) solve\n")
