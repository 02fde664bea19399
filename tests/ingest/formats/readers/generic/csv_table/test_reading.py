"""Tables as CSV and TSV; each test reads one oddity."""

import zipfile

import numpy as np
import pytest

from ingest.formats import FormatError, Limits, parse
from ingest.formats.readers.generic.csv_table import reading as csv_table
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
        (WIDE + '8,"1,25,0",main,1,1', 5, "“1,25,0” in the column n"),
        (WIDE + "8,10,main,1 ms,1", 5, "“1 ms” in the column time"),
        ("p,p,time\n1,2,3", 1, "two columns with the name “p”"),
        ("p,time,time\n1,2,3", 1, "two columns with the name “time”"),
        ("p,,time\n1,2,3", 1, "column 2 without a name"),
        ("p,delta\n1,-2", 1, "negative values in delta, the only metric, such as -2"),
        ("# c\nkernel,compiler\na,2\nb,gcc\nc,icc\nd,nvc", 2, "the columns “kernel, compiler”"),
        (",p,time\n7,2,1\n3,4,2", 1, "a first column without a name"),
        ("p,time,speedup\n7,2,1,3\n3,4,2,4", 1, "3 names above rows of 4 cells"),
        ('"" Hadoop MPI\n8 5612 3804\n16 2523 1692', 1, "a first column without a name"),
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


def test_repetitions_that_exceed_the_limit_later_are_found_before_the_end_of_a_large_file(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(csv_table, "LARGE", 0)
    path = tmp_path / "runs.csv"
    rows = "".join(f"{2**point},1.5\n" for point in range(5))
    path.write_bytes(b"p,time\n" + rows.encode() * 40_000 + b"\xff")
    with pytest.raises(FormatError, match="repetitions at one point; expected at most 10000"):
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


@pytest.mark.parametrize("columns", [3, 50])
def test_texts_that_differ_in_every_row_are_found_before_the_end_of_a_large_file(
    tmp_path, monkeypatch, columns
):
    """Of tables with more than 40 columns, fewer than 5000 texts of a column are remembered."""
    monkeypatch.setattr(csv_table, "LARGE", 0)
    path = tmp_path / "runs.csv"
    header = ",".join(["p", "tag", *(f"c{column} [s]" for column in range(columns - 2))])
    rows = "".join(f"8,run number {row}{',1.5' * (columns - 2)}\n" for row in range(40_000))
    path.write_bytes(f"{header}\n{rows}".encode() + b"\xff")  # The rest of the file is not read.
    with pytest.raises(FormatError, match=r"more than \d000 different texts in the column tag"):
        parse(path)


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


def test_points_between_thousands_beside_decimal_commas(read):
    long = "kernel{0}metric{0}unit{0}value\n"
    values = {"Duration": "51,25", "Cycles": "51.250", "Bytes": "1.024,5"}
    rows = [("dot", metric, "", value) for metric, value in values.items()]
    for separator, quote in (",", '"'), (";", '"'), ("\t", ""):
        lines = [separator.join(f"{quote}{cell}{quote}" for cell in row) for row in rows]
        campaign = read(long.format(separator) + "\n".join(lines))
        found = {metric: value.item() for (_, metric), value in campaign.series.items()}
        assert found == {"Duration": 51.25, "Cycles": 51250, "Bytes": 1024.5}


def test_semicolons_may_stand_beside_decimal_points(read):
    campaign = read('n;Mean\n1000;12.25 us\n10000;150.50 us\n100000;"1,834.10 us"\n1000000;21,834.10 us\n')
    assert campaign.series["main", "Mean"].ravel().tolist() == [12.25, 150.5, 1834.1, 21834.1]


def test_points_are_decimal_in_columns_without_decimal_commas(read):
    assert read('p,grid,time\n1,"1,2",1.250\n2,"2,2",0.750\n').series["main", "time"][0, 0] == 1.25
    assert read("p;grid;time\n1;1,2;1.250\n2;2,2;2.750\n").series["main", "time"][0, 0] == 1.25
    mixed = read("p;time\n1;1.250\n2;0.750\n4;0,5\n")
    assert mixed.series["main", "time"].ravel().tolist() == [1.25, 0.75, 0.5]


def test_lines_may_end_in_carriage_returns_alone(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_bytes(b"p,time\r2,1.5\r4,2.5\r")
    assert parse(path).series["main", "time"].tolist() == [[1.5], [2.5]]


PROGRESS = "\r 50%|#####     | 1/2 [00:01<00:01, 1.00it/s]\r100%|##########| 2/2 [00:02<00:00, 1.00it/s]"


def test_a_log_with_commas_and_lists_is_no_table(tmp_path):
    (tmp_path / "job.log").write_text(
        "The first module is deprecated, please use another one.\n"
        f"Settings(sizes=[{', '.join(map(str, range(60)))}])\n"
        "Total time: 1.5 s\n"
    )
    campaign = parse(tmp_path / "job.log")
    assert campaign.format == "named-values"
    assert campaign.series["main", "Total time"].tolist() == [[1.5]]


def test_progress_bars_are_read_as_a_terminal_shows_them(tmp_path):
    (tmp_path / "job.log").write_text(
        f"p: 4\n{PROGRESS}\rTotal time: 2.5 s\r\n{PROGRESS}\nvalue, with comma\n"
    )
    campaign = parse(tmp_path / "job.log")
    assert (campaign.format, campaign.parameters) == ("named-values", ("p",))
    assert campaign.series["main", "Total time"].tolist() == [[2.5]]


def test_carriage_returns_in_quoted_cells_do_not_cut_the_row(tmp_path):
    (tmp_path / "cells.csv").write_bytes(b'p,note,time\r\n2,"first\rsecond",1.5\r\n4,"a",2.5\r\n')
    with pytest.raises(FormatError, match="control character"):
        parse(tmp_path / "cells.csv")


def test_a_header_may_be_longer_than_the_beginning_by_which_files_are_recognised(tmp_path):
    names = [f"time of the region number {place} of a program {'x' * 60} [s]" for place in range(900)]
    rows = [",".join([str(p), *["1.5"] * len(names)]) for p in (2, 4)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(["p", *names]), *rows]))
    campaign = parse(tmp_path / "wide.csv")
    assert campaign.parameters == ("p",)
    assert len(campaign.series) == len(names)


class TestRolesOfColumns:
    """What strangers' tables had in columns that were read wrongly."""

    @pytest.fixture
    def read(self, tmp_path):
        def read(text):
            (tmp_path / "table.csv").write_text(text)
            return parse(tmp_path / "table.csv")

        return read

    def test_whole_numbers_with_decimals_beside_others_are_measured(self, read):
        rows = [(n, chunk) for n in (480, 640, 960) for chunk in (48, 96)]
        lines = [f"{n},{chunk},1.000000,{n / chunk:.6f},{n / 7:.6f}" for n, chunk in rows]
        campaign = read("\n".join(["n,chunk,baseline,two,four", *lines]))
        assert campaign.parameters == ("n", "chunk")
        assert {metric for _, metric in campaign.series} == {"baseline", "two", "four"}

    def test_parameters_with_decimals_like_all_other_columns_stay_parameters(self, read):
        campaign = read("n,alpha,time\n64.000000,2.000000,1.5\n128.000000,4.000000,2.5\n")
        assert campaign.parameters == ("n", "alpha")

    def test_fractions_of_tasks_are_not_processes(self, read):
        rows = [f"{n},{n / 7:.6f},{n / 9:.6f}" for n in range(480, 510)]
        campaign = read("\n".join(["n,serial,with_tasks", *rows]))
        assert campaign.parameters == ("n",)
        assert {metric for _, metric in campaign.series} == {"serial", "with_tasks"}

    def test_parameters_that_a_tool_marks_are_parameters(self, read):
        campaign = read(
            '"Name","Mode","Threads","Samples","Score","Score Error","Unit","Param: iterations"\n'
            '"A.sort","avgt",1,25,2.5,0.1,"ns/op",1024\n"A.sort","avgt",1,25,3.5,0.1,"ns/op",2048\n'
        )
        assert campaign.parameters == ("Threads", "Param: iterations")
        assert campaign.series["A.sort", "Score"].tolist() == [[2.5], [3.5]]

    def test_reported_times_are_metrics(self, read):
        campaign = read("Threads,Actual,Reported\n2,0.37,0.36\n2,0.35,0.34\n4,0.24,0.23\n4,0.24,0.23\n")
        assert campaign.parameters == ("Threads",)
        assert campaign.series["main", "Reported"].tolist() == [[0.36, 0.34], [0.23, 0.23]]

    def test_grids_and_jobs_of_single_rows_do_not_name_kernels(self, read):
        campaign = read("Nodes,Grid,time,Jobs\n1,4x2,1.5,17/18\n2,4x4,2.5,19/20\n4,8x4,3.5,21/22\n")
        assert campaign.parameters == ("Nodes",)
        assert campaign.series["main", "time"].tolist() == [[1.5], [2.5], [3.5]]
        assert any("columns Grid, Jobs were left out" in note for note in campaign.notes)

    def test_grids_that_alone_tell_rows_apart_name_kernels(self, read):
        assert len(read("Grid,time\n4x2,1.5\n4x4,2.5\n8x4,3.5\n").series) == 3

    def test_durations_are_computed_from_clocks(self, read):
        campaign = read(
            "Dispatch_ID,Grid_Size,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp\n"
            "1,256,64,copy,1000000000100,1000000000350\n2,256,64,copy,1000000000400,1000000000700\n"
            "3,512,64,copy,1000000001000,1000000001500\n4,512,64,copy,1000000002000,\n"
        )
        assert campaign.parameters == ("Grid_Size", "Wave_Size")
        np.testing.assert_array_equal(campaign.series["copy", "duration"], [[250, 300], [500, np.nan]])
        assert campaign.units == {"duration": "ns"}

    def test_times_of_a_load_test_are_metrics(self, read):
        """JMeter's connection times were read as a parameter with a hundred values."""
        header = "timeStamp,elapsed,label,success,bytes,allThreads,Latency,IdleTime,Connect\n"
        rows = [
            f"{1652296603622 + 7 * at},{900 + at},login,true,140,{threads},{898 + at},{at % 2},{at % 4}\n"
            for threads in (50, 100)
            for at in range(40)
        ]
        campaign = read(header + "".join(rows))
        assert campaign.parameters == ("allThreads",)
        metrics = {metric for _, metric in campaign.series}
        assert metrics == {"elapsed", "bytes", "Latency", "IdleTime", "Connect"}

    def test_measured_durations_are_not_computed_again(self, read):
        campaign = read("n,BeginNs,EndNs,DurationNs\n2,100,350,251\n4,400,700,301\n")
        assert {metric for _, metric in campaign.series} == {"DurationNs"}

    @pytest.mark.parametrize("name", ["wave_size", "message size", "threads"])
    def test_a_last_column_with_the_name_of_a_parameter_is_not_measured(self, read, name):
        with pytest.raises(FormatError, match="columns of parameters, then perhaps kernel, then metrics"):
            read(f"n,{name}\n2,64\n4,64\n")

    def test_a_title_above_the_header_is_left_out(self, read):
        campaign = read(
            "Results of node 7; array is used;\nn; kind; os; time [ms]\n2; a; b; 1.5\n4; a; b; 2.5\n"
        )
        assert campaign.parameters == ("n",)
        assert campaign.series["main", "time"].tolist() == [[1.5], [2.5]]


class TestUnitsOfRows:
    def test_values_are_converted_to_the_unit_of_the_metrics_first_value(self, read):
        """Nsight Compute chooses a unit for each value, and writes long names of units."""
        campaign = read(
            "kernel,p,metric,unit,value\ncopy,1,time,usecond,500\nsort,1,time,msecond,2\n"
            "copy,1,moved,Mbyte,30\nsort,1,moved,Gbyte,1.5\n"
            "copy,1,rate,Gbyte/second,2\nsort,1,rate,MB/s,250\n"
        )
        assert campaign.units == {"time": "usecond", "moved": "Mbyte", "rate": "Gbyte/second"}
        assert campaign.series["sort", "time"][0, 0] == pytest.approx(2000)
        assert campaign.series["sort", "moved"][0, 0] == pytest.approx(1500)
        assert campaign.series["sort", "rate"][0, 0] == pytest.approx(0.25)

    def test_units_of_different_kinds_are_refused(self, read):
        found = "line 3: found the unit “MB” of the metric “size”, which had “s”"
        with pytest.raises(FormatError, match=found):
            read("p,metric,unit,value\n1,size,s,5\n2,size,MB,4\n")


class TestSettingsInComments:
    @pytest.fixture
    def read(self, tmp_path):
        def read(text):
            (tmp_path / "blocks.dat").write_text(text)
            return parse(tmp_path / "blocks.dat")

        return read

    def test_they_are_parameters_of_the_rows_below(self, read):
        block = "# threads = {}\n# n time\n100 {}.5\n200 {}.5\n\n\n"
        campaign = read(block.format(4, 3, 6) + block.format(8, 1, 2))
        assert campaign.parameters == ("threads", "n")
        assert campaign.points.tolist() == [[4, 100], [4, 200], [8, 100], [8, 200]]
        assert campaign.series["main", "time"].tolist() == [[3.5], [6.5], [1.5], [2.5]]

    def test_texts_in_them_name_kernels(self, read):
        campaign = read("# solver: cg\nn,time\n2,1.5\n4,2.5\n# solver: lu\n2,3.5\n4,4.5\n")
        assert campaign.series["main [solver=lu]", "time"].tolist() == [[3.5], [4.5]]

    def test_numbers_of_runs_in_them_are_repetitions(self, read):
        campaign = read("# run: 1\nn,time\n2,1.5\n4,2.5\n# run: 2\n2,1.25\n4,2.25\n")
        assert campaign.series["main", "time"].tolist() == [[1.5, 1.25], [2.5, 2.25]]

    def test_a_setting_of_the_whole_table_is_left_out(self, read):
        assert read("# threads: 4\nn,time\n2,1.5\n4,2.5\n# threads: 4\n").parameters == ("n",)


class TestDecimalCommas:
    def test_they_are_read_where_tabs_or_blanks_separate_cells(self, tmp_path):
        rows = "n{0}time{0}error\n2{0}0,5{0}1,234\n4{0}12,75{0}2,345\n"
        for name, separator in (("a.tsv", "\t"), ("b.dat", "  ")):
            (tmp_path / name).write_text(rows.format(separator))
            campaign = parse(tmp_path / name)
            assert campaign.series["main", "time"].tolist() == [[0.5], [12.75]]

    def test_beside_decimal_points_commas_separate_thousands(self, tmp_path):
        (tmp_path / "a.tsv").write_text("n\ttime\tbytes\n2\t0.5\t1,234,567\n4\t1.5\t2,345,678\n")
        assert parse(tmp_path / "a.tsv").series["main", "bytes"].tolist() == [[1234567], [2345678]]

    def test_one_tab_among_blanks_does_not_separate_all_columns(self, tmp_path):
        (tmp_path / "a.out").write_text("Test  \t Mean   Count\nsort  \t 0,25  8000\nfind  \t 4,75  9000\n")
        assert parse(tmp_path / "a.out").series["find", "Mean"].tolist() == [[4.75]]


@pytest.mark.parametrize("name", ["mean", "Std", "Total"])
def test_an_error_says_that_rows_which_sum_up_others_are_to_be_deleted(read, name):
    with pytest.raises(
        FormatError, match=f"line 4: found “{name}” in the column p; .*; delete rows of averages"
    ):
        read(f"p,time\n1,8\n2,4\n{name},6\n")


def test_metrics_of_the_long_form_with_texts_are_left_out(read):
    campaign = read("p,metric,value\n1,time,8\n1,result,PASS\n2,time,4\n2,result,PASS\n")
    assert list(campaign.series) == [("main", "time")]
    assert campaign.notes == ("metrics with texts as their values were left out: result (“PASS”)",)


@pytest.mark.parametrize("rows", ["1,time,8\n2,time,fast\n", "1,time,fast\n2,time,slow\n"])
def test_texts_among_the_values_of_a_metric_are_refused(read, rows):
    with pytest.raises(FormatError, match=r"line [23]: found “fast” in the column value; expected a number"):
        read(f"p,metric,value\n{rows}")


def test_titles_of_a_spreadsheet_have_empty_cells_behind_them(read):
    campaign = read(
        "Scaling study,,\nMachine:,Alps,\n,,\nNodes,Cores,Time [s]\n1,64,100.5\n,,\n2,128,52.25\n"
    )
    assert campaign.parameters == ("Nodes", "Cores")
    assert campaign.series["main", "Time"].tolist() == [[100.5], [52.25]]
