"""Tables as CSV and TSV; each test reads one oddity."""

import zipfile

import numpy as np
import pytest

from ingest.formats import FormatError, Limits, csv_table, parse
from ingest.formats.table import reading

WIDE = """p,n,kernel,time [s],visits
8,10,main->solve,1.5,3
8,10,main->solve,1.25,3
16,10,main->solve,2.5,
"""
LONG = """kernel,metric,p,value,run
main->solve,time,8,1.5,1
main->solve,time,8,1.25,2
main->solve,visits,8,3,1
"""


@pytest.fixture
def read(tmp_path):
    def read(text, **limits):
        path = tmp_path / "runs.csv"
        path.write_text(text)
        return parse(path, limits=Limits(**limits))

    return read


def test_it_works(read):
    campaign = read(WIDE)
    assert campaign.format == "csv"
    assert campaign.parameters == ("p", "n")
    assert campaign.points.tolist() == [[8.0, 10.0], [16.0, 10.0]]
    np.testing.assert_array_equal(campaign.series["main->solve", "time"], [[1.5, 1.25], [2.5, np.nan]])
    np.testing.assert_array_equal(campaign.series["main->solve", "visits"], [[3, 3], [np.nan, np.nan]])
    assert campaign.units == {"time": "s"}


def test_the_long_form_has_a_column_with_metrics(read):
    campaign = read(LONG)
    assert campaign.parameters == ("p",)
    assert campaign.series["main->solve", "time"].tolist() == [[1.5, 1.25]]
    assert campaign.series["main->solve", "visits"][0, 0] == 3
    assert campaign.notes[0].startswith("the column run was left out")


@pytest.mark.parametrize(
    ("header", "parameters", "metrics"),
    [
        ("kernel,p,n,time", ("p", "n"), ["time"]),
        ("kernel,p,wall_time,n", ("p", "n"), ["wall_time"]),
        ("p,kernel,n,what", ("p",), ["n", "what"]),
        ("p,size [B],n,what", ("p", "n", "what"), ["size"]),
        ("p,threads,n,what", ("p", "threads", "n"), ["what"]),
        ("Ranks,CallPath,first,second", ("Ranks",), ["first", "second"]),
    ],
)
def test_roles_of_columns_are_recognised(read, header, parameters, metrics):
    campaign = read(header + "\n1,2,3,4\n")
    assert campaign.parameters == parameters
    assert [metric for _, metric in campaign.series] == metrics


@pytest.mark.parametrize("separator", ["\t", ";"])
def test_other_separators(read, separator):
    campaign = read(WIDE.replace(",", separator))
    assert campaign.series["main->solve", "time"][0].tolist() == [1.5, 1.25]


def test_decimals_may_be_commas_where_semicolons_separate(read):
    assert read("p;time\n8;1,25\n").series["main", "time"].tolist() == [[1.25]]


def test_quotes_keep_separators_and_comments_come_first(read):
    campaign = read('# made by bench.sh\n\np,kernel,time\n8,"f(a, b)",1\n')
    assert list(campaign.series) == [("f(a, b)", "time")]


def test_an_apostrophe_against_formulas_is_removed_from_names(read):
    campaign = read("p,kernel,metric,value\n8,'=main,'-time,1\n8,'plain',time,1\n8,=raw,time,1\n")
    assert list(campaign.series) == [("=main", "-time"), ("'plain'", "time"), ("=raw", "time")]


def test_windows_line_ends_and_a_byte_order_mark(read):
    campaign = read("\ufeff" + WIDE.replace("\n", "\r\n"))
    assert campaign.parameters == ("p", "n")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_other_encodings_of_windows_are_read(tmp_path, encoding):
    path = tmp_path / "runs.csv"
    path.write_bytes(WIDE.replace("\n", "\r\n").encode(encoding))
    assert parse(path).parameters == ("p", "n")
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as archive:
        archive.write(path, "p4.csv")
    assert parse(tmp_path / "runs.zip").parameters == ("p", "n")


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        (WIDE + "8,10,main,fast,1", 5, "“fast” in the column time"),
        (WIDE + "8,ten,main,1,1", 5, "“ten” in the column n"),
        (WIDE + "8,10,main,1", 5, "a row of 4 cells"),
        (WIDE + "8,10,main,1,1,1", 5, "a row of 6 cells"),
        (WIDE + "1e99,10,main,1,1", 5, "p = “1e+99”"),
        (WIDE + "8,10,main,1e999,1", 5, "“1e999” in the column time"),
        (WIDE + "8,10,main,1_0,1", 5, "“1_0” in the column time"),
        (WIDE + "8,10,,1,1", 5, "an empty name for a kernel"),
        (WIDE + '8,10,"main', 5, "no table"),
        (WIDE + '8,10,"ma"in,1,1', 5, "no table"),
        (WIDE + "\n\n8,10,main,slow,1", 7, "“slow”"),
        (WIDE + '8,"1,250",main,1,1', 5, "“1,250” in the column n"),
        (WIDE + "8,10,main,1 ms,1", 5, "“1 ms” in the column time"),
        ("p,p,time\n1,2,3", 1, "two columns with the name “p”"),
        ("p,time,time\n1,2,3", 1, "two columns with the name “time”"),
        ("p,,time\n1,2,3", 1, "column 2 without a name"),
        ("p,delta\n1,-2", 1, "negative values in delta, the only metric"),
        ("# c\nkernel,compiler\na,2\nb,gcc\nc,icc\nd,nvc", 2, "the columns “kernel, compiler”"),
        (",p,time\n7,2,1\n3,4,2", 1, "a first column without a name"),
    ],
)
def test_errors_name_the_line_and_what_was_found(read, text, line, found):
    with pytest.raises(FormatError) as raised:
        read(text)
    assert (raised.value.line, raised.value.file) == (line, "runs.csv")
    assert found in raised.value.found
    assert raised.value.expected


def test_a_table_without_rows_is_refused(read, tmp_path):
    (tmp_path / "empty.csv").write_text("p,time\n\n")
    with pytest.raises(FormatError, match="no points"):
        parse(tmp_path / "empty.csv", "csv")


def test_an_unclosed_quote_is_refused(read):
    with pytest.raises(FormatError, match="no table: field larger"):
        read(WIDE + '8,10,"' + "a\n" * 100_000)


def test_other_texts_are_not_recognised_as_tables(read):
    texts = ("hello, world\n", "Dear all, hello\nthis, that\n", "a,b\nno separators here\n")
    for text in texts:
        with pytest.raises(FormatError, match="not recognised"):
            read(text)
    with pytest.raises(FormatError, match="table of numbers without names"):
        read("1,2\n3,4\n")


def test_exceeded_limits_are_found_at_the_beginning_of_a_large_file(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_table, "LARGE", 0)
    path = tmp_path / "runs.csv"
    # The rest of the file is not read.
    path.write_bytes(b"kernel,p,time\n" + b"a,8,1.5\n" * 100_001 + b"\xff")
    with pytest.raises(FormatError, match="20000 repetitions at one point"):
        parse(path)


@pytest.mark.parametrize(
    ("name", "empty", "found"),
    [
        ("c{}", 0, "2999 columns that look like parameters: “c0, c1"),
        ("c{}", 60, "2999 columns that look like parameters: “c0, c1"),
        ("nodes of {}", 0, "2999 columns that look like parameters"),
        ("{} [s]", 0, "more than 1000 metrics"),
    ],
)
def test_a_large_table_of_very_many_columns_is_refused_by_its_beginning(
    tmp_path, monkeypatch, name, empty, found
):
    monkeypatch.setattr(csv_table, "LARGE", 0)
    path, columns = tmp_path / "runs.csv", 3000
    header = ",".join(name.format(column) for column in range(columns))
    rows = ["1" + "," * (columns - 1)] * empty + [",".join(["2"] * columns)] * 200
    path.write_bytes("\n".join([header, *rows]).encode() + b"\n\xff")  # The rest of the file is not read.
    with pytest.raises(FormatError, match=found) as raised:
        parse(path)
    assert "metric" in f"{raised.value.found} {raised.value.expected}"


def test_later_rows_may_change_the_choice_of_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_table, "LARGE", 0)
    monkeypatch.setattr(reading, "PROBED", 2)
    path = tmp_path / "runs.csv"
    path.write_text("kernel,p,time\na,8,\na,8,\na,8,1.5\na,16,2.5\n")
    assert parse(path).series["a", "time"].tolist() == [[1.5], [2.5]]


def test_rows_without_a_point_come_last(read):
    campaign = read("kernel,p,time\na,8,1\na,0,2\nb,,3\na,4,4\na,0,5\na,16,6\n")
    assert campaign.points.tolist() == [[8], [4], [16]]
    nan = np.nan
    for kernel, expected in (
        ("a", [[1], [4], [6]]),
        ("a [p=0]", [[nan, nan], [2, 5], [nan, nan]]),
        ("b [p=missing]", [[nan], [3], [nan]]),
    ):
        np.testing.assert_array_equal(campaign.series[kernel, "time"], expected)


@pytest.mark.parametrize("between", [",", " "])
def test_repeated_headers_are_skipped(tmp_path, between):
    path = tmp_path / "runs.csv"
    path.write_text("ranks,time\n2,1.5\n4,0.9\nranks,time\n2,1.6\n4,1.0\n".replace(",", between))
    campaign = parse(path)
    assert campaign.series["main", "time"].tolist() == [[1.5, 1.6], [0.9, 1.0]]


def test_lines_may_end_in_carriage_returns_alone(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_bytes(b"p,time\r2,1.5\r4,2.5\r")
    assert parse(path).series["main", "time"].tolist() == [[1.5], [2.5]]
