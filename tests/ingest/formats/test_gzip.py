"""A single file that was packed with gzip."""

import gzip

import pytest

from ingest.formats import FormatError, Limits, parse
from tests.ingest.formats import cubex

LINE = b'{"params": {"p": 8}, "value": [1.0, 1.5]}\n'


@pytest.fixture
def read(tmp_path):
    def read(content, name="run_p8.jsonl.gz", **options):
        path = tmp_path / name
        path.write_bytes(content)
        return parse(path, **options)

    return read


def test_it_works(read):
    campaign = read(gzip.compress(LINE + LINE.replace(b"8", b"16")))
    assert (campaign.format, campaign.parameters) == ("jsonl", ("p",))
    assert campaign.points.tolist() == [[8], [16]]


def test_its_name_tells_its_point(read):
    campaign = read(
        gzip.compress(b'{"context": {}, "benchmarks": [{"name": "a", "real_time": 1, "time_unit": "s"}]}')
    )
    assert campaign.parameters == ("configuration",)
    csv = b"kernel,time\nsolve,1\nio,2\n"
    assert read(gzip.compress(csv), point="p{p}.jsonl").points.tolist() == [[8]]


def test_an_archive_packed_once_more_is_refused(read):
    with pytest.raises(FormatError, match="packed with gzip once more"):
        read(gzip.compress(gzip.compress(LINE)))


def test_a_tar_file_in_it_is_an_archive(read):
    files = {"app.p2/profile.cubex": cubex.profile(*cubex.simple())}
    assert read(gzip.compress(cubex.tar(files)), "runs.tar.gz").format == "cube"


def test_it_is_bounded_when_unpacked(read):
    limits = Limits(unpacked_free=1000, unpacked_ratio=1)
    with pytest.raises(FormatError, match="when unpacked"):
        read(gzip.compress(LINE * 1000), limits=limits)


def test_an_error_names_the_line(read):
    with pytest.raises(FormatError) as raised:
        read(gzip.compress(LINE + b"{"))
    assert (raised.value.line, raised.value.file) == (2, "run_p8.jsonl.gz")
