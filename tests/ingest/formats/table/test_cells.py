"""Cells of a table become numbers and units."""

import pytest

from ingest.formats import FormatError


@pytest.mark.parametrize(("name", "cell"), [("n", '"1,000"'), ("elapsed", "00:01:75")])
def test_a_nearly_numeric_cell_in_a_numeric_column_is_refused(read, name, cell):
    with pytest.raises(FormatError, match=f"in the column {name}"):
        read(f"{name},time", f"{cell},15")


def test_commas_separate_thousands_in_a_table_with_decimal_points(read):
    campaign = read("p,time,cycles", '2,1.5,"13,442"', '4,0.75,"1,000"', "8,0.5,900")
    assert campaign.series["main", "cycles"].ravel().tolist() == [13442, 1000, 900]


def test_a_comma_with_three_digits_is_refused_beside_decimal_commas(read):
    with pytest.raises(FormatError, match="in the column time"):
        read("cc,p,time", '8.9,2,"65,77"', '8.9,4,"117,344"', '8.9,8,"1.234,5"')


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1,234.5", 1234.5), ("1,234,567", 1234567), ("1'234", 1234), ("12,5", 12.5), ("0,125", 0.125)],
)
def test_unambiguous_numbers_are_read(read, cell, value):
    assert read("p,time", f'2,"{cell}"').series["main", "time"].tolist() == [[value]]


def test_points_separate_thousands_if_commas_are_decimal(read):
    assert read("p;time", "2;1.234,5").series["main", "time"].tolist() == [[1234.5]]


def test_units_in_cells_are_read(read):
    campaign = read("size,time,share", "4 KiB,12.5 ms,95 %", "1 MiB,13ms,90%")
    assert campaign.points.tolist() == [[4096], [2**20]]
    assert campaign.series["main", "time"].tolist() == [[12.5], [13]]
    assert campaign.units == {"time": "ms", "share": "%"}


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [
        ("1:02:03", 3723),
        ("2-00:00:05.5", 172805.5),
        ("12:34", 754),
        ("0:45.25", 45.25),
        ("1m2.5s", 62.5),
        ("2h 5m", 7500),
    ],
)
def test_times_with_hours_and_minutes_become_seconds(read, cell, seconds):
    campaign = read("ranks,elapsed", f"2,{cell}", "4,0:00:30")
    assert campaign.series["main", "elapsed"].tolist() == [[seconds], [30]]
    assert campaign.units == {"elapsed": "s"}
    assert "elapsed: times such as 1:02:03 were read as seconds" in campaign.notes


@pytest.mark.parametrize(
    "cell", ["1.5 ± 0.1", "1.5±0.1 ", "1.5 +/- 0.1", "1.5+-.1", "1.5 ± 0", "1.5(1)", "1.5 (7%)"]
)
def test_a_spread_after_a_number_is_left_out(read, cell):
    campaign = read("ranks,time", f"2,{cell}", "4,0.75 ± 0.05")
    assert campaign.series["main", "time"].tolist() == [[1.5], [0.75]]
    assert "time: spreads behind the numbers were left out; send each run for repetitions" in campaign.notes


@pytest.mark.parametrize("cell", ["1.5 ± 0.1 ms", "1.5 ms ± 0.1 ms", "1.5ms ± 0.1"])
def test_a_number_with_a_spread_may_have_a_unit(read, cell):
    assert read("ranks,time", f"2,{cell}").units == {"time": "ms"}


@pytest.mark.parametrize(
    "cell", ["1.5 ±", "1.5 ± a", "1.5 ms ± 0.1 s", "1.5±1±1", "1.5(a)", "1.5 ()", "1.5(", "10m"]
)
def test_other_cells_with_signs_are_refused(read, cell):
    with pytest.raises(FormatError, match="in the column time"):
        read("ranks,time", f"2,{cell}")


def test_sizes_in_several_units_become_bytes_with_factors_of_1024(read):
    assert read("chunk,ranks,time", "64MB,2,1", "128MB,2,2").points.tolist() == [[64, 2], [128, 2]]
    campaign = read("p,memory", "2,900 MB", "4,1.5 GB")
    assert campaign.series["main", "memory"].tolist() == [[900 * 2**20], [1.5 * 2**30]]
    assert campaign.units == {"memory": "B"}
    assert "memory: read in bytes; a KB counts as 1024 bytes" in campaign.notes[0]


@pytest.mark.parametrize(
    ("name", "unit", "thousand"), [("MaxRSS", {"MaxRSS": "B"}, 1024), ("updates/s", {}, 1000)]
)
def test_letters_after_numbers_are_powers_of_1000_or_1024(read, name, unit, thousand):
    campaign = read(f"p,{name}", "2,1.5G", "4,800M", "8,20K", "16,0")
    values = [1.5 * thousand**3, 800 * thousand**2, 20 * thousand, 0]
    assert campaign.series["main", name][:, 0].tolist() == values
    assert campaign.units == unit
    assert campaign.notes[-1] == f"{name}: K, M and G behind the numbers are powers of {thousand}"


def test_jobs_and_steps_of_a_scheduler_are_read(read):
    campaign = read(
        "Job|JobName|Elapsed|NTasks|MaxRSS",
        "7|water|00:01:10||",
        "7.batch|batch|00:01:10|1|9000K",
        "7.0|solve|00:01:00|64|1.5G",
        "8|water|00:00:40||",
        "8.0|solve|00:00:30|128|800M",
    )
    assert campaign.parameters == ("NTasks",)
    solve = {metric: campaign.series["solve", metric] for metric in ("Elapsed", "MaxRSS")}
    rows = [campaign.points.tolist().index([tasks]) for tasks in (64, 128)]
    assert solve["Elapsed"][rows, 0].tolist() == [60, 30]
    assert solve["MaxRSS"][rows, 0].tolist() == [1.5 * 2**30, 800 * 2**20]
    assert ("batch", "MaxRSS") in campaign.series


def test_different_units_of_time_in_one_column_become_seconds(read):
    campaign = read("p,time", "2,12.5 ms", "4,1.5 s")
    assert campaign.series["main", "time"].tolist() == [[0.0125], [1.5]]
    assert campaign.units == {"time": "s"}


def test_units_of_power_energy_and_frequency_and_other_rates_are_read(read):
    campaign = read(
        "gpus,power,energy,clock,speed", "1,900 mW,3 kJ,1530 MHz,12.5 it/s", "2,1.5 W,5 kJ,1.5 GHz,24 it/s"
    )
    values = {metric: series[:, 0].tolist() for (_, metric), series in campaign.series.items()}
    assert values == {"power": [0.9, 1.5], "energy": [3, 5], "clock": [1.53e9, 1.5e9], "speed": [12.5, 24]}
    assert campaign.units == {"power": "W", "energy": "kJ", "clock": "Hz", "speed": "it/s"}


def test_a_unit_in_only_some_cells_is_refused(read):
    with pytest.raises(FormatError, match=r"line 2: found “12\.5 ms” in the column time"):
        read("p,time", "2,12.5 ms", "4,13")


def test_rates_of_several_sizes_have_one_unit(read):
    campaign = read("n,bandwidth", "8,900 MB/s", "16,1.5 GB/s", "32,2 GiB/s")
    assert campaign.series["main", "bandwidth"].ravel().tolist() == [900e6, 1.5e9, 2 * 1024.0**3]
    assert campaign.units == {"bandwidth": "B/s"}
