"""How several Caliper records of one call path are combined."""

import pytest

from ingest.formats import parse
from tests.ingest.formats.cali import DOUBLE, NESTED, STRING, VALUE, Cali, profile


@pytest.fixture
def read(tmp_path):
    def read(content, **options):
        path = tmp_path / "run.cali"
        path.write_bytes(content)
        return parse(path, options=options)

    return read


class TestRecordsOfOnePath:
    """In two processes, records of one call path differ only by the name of a kernel."""

    @pytest.mark.parametrize(
        ("scaling", "values"), [("weak", [6.5]), ("strong", [13.0]), ("ranks", [3.0, 10.0])]
    )
    def test_times_are_added_in_each_process(self, read, scaling, values):
        content = profile([(0, 1), (1, 4), (0, 2), (1, 6)], ["sum#time.duration"])
        assert read(content, scaling=scaling).series["main", "sum#time.duration"].tolist() == [values]

    def test_a_process_without_the_path_is_not_counted(self, read):
        content = profile([(0, 1), (0, 2)], ["sum#time.duration"])
        assert read(content).series["main", "sum#time.duration"].tolist() == [[3.0]]

    def test_threads_are_distinguished(self, read):
        content = profile([(0, 1), (1, 4), (0, 2), (1, 6)], ["sum#time.duration"], ranks="pthread.id")
        assert read(content).series["main", "sum#time.duration"].tolist() == [[6.5]]

    def test_values_without_a_process_are_spread_over_all_processes(self, read):
        content = profile([(0, 1), (1, 4), (None, 3)], ["sum#time.duration"])
        assert read(content, scaling="ranks").series["main", "sum#time.duration"].tolist() == [[2.5, 5.5]]
        assert read(content, scaling="strong").series["main", "sum#time.duration"].tolist() == [[8.0]]

    @pytest.mark.parametrize(
        ("metric", "weak", "strong"),
        [
            ("count", 5.5, 11),
            ("inclusive#sum#time.duration", 5.5, 11),
            ("percent_total#sum#time.duration", 5.5, 11),
            ("sum#avg#time.duration", 5.5, 11),
            ("alloc.tally", 5.5, 11),
            ("min#time.duration", 1, 1),
            ("Min time/rank", 1, 1),
            ("max#sum#time.duration", 6, 6),
            ("alloc.region.highwatermark", 6, 6),
            ("avg#time.duration", 2.75, 2.75),
            ("any#topdown.retiring", 2.75, 2.75),
            ("ratio#flops/time.duration", 2.75, 2.75),
            ("cache hit rate", 2.75, 2.75),
            ("Bandwidth (GB/s)", 2.75, 2.75),
        ],
    )
    def test_only_additive_values_are_added(self, read, metric, weak, strong):
        content = profile([(0, 1), (1, 3), (0, 1), (1, 6)], [metric])
        for scaling, value in (("weak", weak), ("strong", strong)):
            assert read(content, scaling=scaling).series["main", metric].tolist() == [[value]]

    def test_an_average_is_weighted_by_its_number_of_events(self, read):
        content = profile([(0, 1, 30), (0, 5, 10)], ["avg#time.duration", "count"])
        campaign = read(content)
        assert campaign.series["main", "avg#time.duration"].tolist() == [[2.0]]
        assert campaign.series["main", "count"].tolist() == [[40.0]]

    def test_values_that_are_no_numbers_are_missing(self, read):
        campaign = read(profile([(0, 1, "nan"), (1, 4, 0.5)], ["time", "ratio#a/b"]))
        assert campaign.series["main", "ratio#a/b"].tolist() == [[0.5]]
        assert campaign.notes == ("1 values that are not numbers (NaN) were left out",)

    def test_identifiers_are_no_metrics(self, read):
        names = ["time.duration", "time.offset", "iteration#main", "event.end#main", "min#min#aggregate.slot"]
        content = profile([(0, *range(1, 6))], names)
        assert list(read(content).series) == [("main", "time.duration")]

    def test_other_channels_are_read_only_if_none_has_regions(self, read):
        cali = Cali()
        time, region = cali.attribute("time", DOUBLE, VALUE), cali.attribute("region", STRING, NESTED)
        channel, main = cali.attribute("spot.channel", STRING, 0), cali.node(region, "main")
        series, regions = cali.node(channel, "timeseries"), cali.node(channel, "regionprofile")
        for value in (1, 2):
            cali.record(f"{main}={series}", {time: value})
        assert read(cali.content).series["main", "time"].tolist() == [[3.0]]
        cali.record(f"{main}={regions}", {time: 5})
        assert read(cali.content).series["main", "time"].tolist() == [[5.0]]
