"""Comments, and other lines and columns around a table."""

import pytest


@pytest.mark.parametrize(
    "lines",
    [
        (",p,time", "0,2,1", "1,4,2"),
        ("Unnamed: 0,p,time", "5,2,1", "6,4,2"),
        ('"p","time"', '"1",2,1', '"2",4,2'),
        ("p,time,", "2,1,", "4,2,"),
        ("p,time", "2,1,", "4,2,"),
        ('"p", "time"', "2, 1", "4, 2"),
        ("# p,time", "2,1", "4,2"),
        ("# made by bench.sh", "", "# p,time", "2,1", "# warm", "4,2"),
        ("p\ttime", "2\t1,0", "4\t2,0"),
    ],
)
def test_lines_around_a_table_are_ignored(read, lines):
    campaign = read(*lines)
    assert campaign.parameters == ("p",)
    assert campaign.points.tolist() == [[2], [4]]
    assert campaign.series["main", "time"].tolist() == [[1], [2]]
