"""Tables whose header holds the values of a parameter."""

import numpy as np
import pytest

from ingest.formats import FormatError


@pytest.mark.parametrize(
    ("header", "parameter"),
    [
        ("kernel,1,2,4", "x"),
        ("ranks,1,2,4", "ranks"),
        ("kernel/ranks,4,2,1", "ranks"),
        ("test,p=1,p=2,p=4", "p"),
        ("test,ranks: 1,ranks: 2,ranks: 4", "ranks"),
        ("test,1 thread,2 threads,4 threads", "threads"),
        ("test,1 core,2 cores,4 cores", "cores"),
    ],
)
def test_the_header_may_contain_values_of_a_parameter(read, header, parameter):
    campaign = read(header, "solve,10,5,2.5", "io,1,2,")
    assert campaign.parameters == (parameter,)
    assert sorted(campaign.points[:, 0]) == [1, 2, 4]
    assert campaign.series["solve", "value"].tolist() == [[10], [5], [2.5]]


def test_names_of_measured_quantities_are_metrics(read):
    campaign = read("procs,1,2,4", "time,10,5.5,2.9", "memory,5,6,7")
    assert (campaign.parameters, campaign.points.tolist()) == (("procs",), [[1], [2], [4]])
    assert {key: values[:, 0].tolist() for key, values in campaign.series.items()} == {
        ("main", "time"): [10, 5.5, 2.9],
        ("main", "memory"): [5, 6, 7],
    }
    mixed = read("procs,1,2", "time,10,5.5", "solve,5,6")
    assert list(mixed.series) == [("time", "value"), ("solve", "value")]


def test_a_table_without_header_is_not_taken_for_values_of_a_parameter(read):
    with pytest.raises(
        FormatError, match="found a table without names of its columns, whose first line is “a,1,"
    ):
        read("a,1,12.5", "a,2,7.25", "b,1,4.0", "b,2,2.5")
    assert read("a,1,12.5", "b,2,7.25", "a,1,12.5", "c,1,4.0").parameters == ("x",)  # the header is repeated


def test_rows_are_repetitions_if_all_cells_of_the_header_are_values(read):
    campaign = read("1 thread,2 threads,4 threads", "8.5,4.5,2.5", "8.25,4.5,2.75")
    assert (campaign.parameters, campaign.points.tolist()) == (("threads",), [[1], [2], [4]])
    assert campaign.series["main", "value"].tolist() == [[8.5, 8.25], [4.5, 4.5], [2.5, 2.75]]
    assert campaign.notes == (
        "the columns 1 thread, 2 threads, 4 threads were read as values of the parameter threads, "
        "rows as repetitions",
    )


@pytest.mark.parametrize("header", ["test,p=1,n=2,p=4", "test,10 fast,20 fast", "test,l1=1,l2=2"])
def test_other_names_with_numbers_are_ordinary_columns(read, header):
    names = header.split(",")[1:]
    campaign = read(header, *(f"a{row}" + f",{row}.5" * len(names) for row in range(3)))
    assert {metric for _, metric in campaign.series} == set(names)


def test_numbers_in_no_order_are_no_header(read):
    with pytest.raises(FormatError, match="without names of its columns"):
        read("copy,1,5640,12.9", "copy,2,5641,13.9", "scale,1,5640,12.9")


@pytest.mark.parametrize(
    ("corner", "parameter"),
    [("kernel", "x"), ("", "x"), ("ranks", "ranks"), ("kernel/p", "p"), ("kernel\\p", "p")],
)
def test_the_corner_of_the_header_may_name_the_parameter(read, corner, parameter):
    campaign = read(f"{corner},1,2,4", "main,4,3,2", "io,1,,1")
    assert campaign.parameters == (parameter,)
    assert campaign.points.tolist() == [[1], [2], [4]]
    assert campaign.series["main", "value"].tolist() == [[4], [3], [2]]
    np.testing.assert_array_equal(campaign.series["io", "value"], [[1], [np.nan], [1]])
    assert f"values of the parameter {parameter}" in campaign.notes[0]


def test_a_second_parameter_without_a_name_is_told(read):
    campaign = read(",1,2,4", "10,4,3,2", "20,8,6,4")
    assert campaign.parameters == ("y", "x")
    assert "the first column has no name; it was read as the parameter y" in campaign.notes


def test_points_without_a_value_are_no_points(read):
    campaign = read("n/p,1,2,4", "10,,,", "20,8,6,", "40,,12,9")
    assert campaign.points.tolist() == [[20, 1], [20, 2], [40, 2], [40, 4]]


def test_rows_may_begin_with_a_second_parameter(read):
    campaign = read("n/p,1,2", "100,4,3", "200,8,6")
    assert campaign.parameters == ("n", "p")
    assert campaign.points.tolist() == [[100, 1], [100, 2], [200, 1], [200, 2]]
