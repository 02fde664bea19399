"""A single file that is compressed with gzip, bzip2 or xz."""

import bz2
import gzip
import lzma
from functools import partial

import pytest

from ingest.formats import FormatError, Limits, parse
from ingest.formats.files.packed import compressed
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


def test_the_file_name_contains_the_point(read):
    campaign = read(
        gzip.compress(b'{"context": {}, "benchmarks": [{"name": "a", "real_time": 1, "time_unit": "s"}]}')
    )
    assert campaign.parameters == ("configuration",)
    csv = b"kernel,time\nsolve,1\nio,2\n"
    assert read(gzip.compress(csv), point="p{p}.jsonl").points.tolist() == [[8]]


def test_an_archive_that_is_packed_again_is_refused(read):
    with pytest.raises(FormatError, match="packed once more"):
        read(gzip.compress(gzip.compress(LINE)))


def test_a_packed_tar_file_is_an_archive(read):
    files = {"app.p2/profile.cubex": cubex.profile(*cubex.simple())}
    assert read(gzip.compress(cubex.tar(files)), "runs.tar.gz").format == "cube"


def test_the_unpacked_size_is_limited(read):
    limits = Limits(unpacked_free=1000, unpacked_ratio=1)
    with pytest.raises(FormatError, match="when unpacked"):
        read(gzip.compress(LINE * 1000), limits=limits)


def test_an_error_names_the_line(read):
    with pytest.raises(FormatError) as raised:
        read(gzip.compress(LINE + b"{"))
    assert (raised.value.line, raised.value.file) == (2, "run_p8.jsonl.gz")


BGZIP_END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
"""The empty member with which bgzip ends a file."""


@pytest.mark.parametrize("behind", [b"", BGZIP_END, bytes(1), bytes(100_000), BGZIP_END + bytes(512)])
def test_several_members_are_one_file(read, behind):
    members = [gzip.compress(LINE[:20]), gzip.compress(b""), gzip.compress(LINE[20:] + LINE)]
    assert read(b"".join(members) + behind).series["main", "time"].tolist() == [[1.0, 1.5, 1.0, 1.5]]


def test_members_may_be_of_any_size(read):
    blocks = [gzip.compress(LINE * 500) + gzip.compress(b"") * 3000 for _ in range(9)]
    assert sum(map(len, blocks)) > 2 * compressed.PIECE
    assert read(b"".join(blocks)).series["main", "time"].shape == (1, 2 * 500 * 9)


@pytest.mark.parametrize(
    "behind", [b"rubbish", b"\0\0x", b"\x1f", b"\x1f\x8b", gzip.compress(LINE, mtime=0)[:-5]]
)
def test_other_data_after_a_member_are_refused(read, behind):
    with pytest.raises(FormatError, match=r"after the end of the gzip file|cut off"):
        read(gzip.compress(LINE) + behind)


def test_the_limit_covers_all_members_together(read):
    limits = Limits(unpacked_free=1000, unpacked_ratio=1)
    with pytest.raises(FormatError, match="when unpacked"):
        read(gzip.compress(LINE * 20) * 1000, limits=limits)


def test_the_number_of_empty_members_is_limited(read):
    with pytest.raises(FormatError, match="more than 100000 gzip files"):
        read(gzip.compress(b"") * 100_001)


def test_a_tar_file_may_be_packed_in_several_members(read):
    files = {"app.p2/profile.cubex": cubex.profile(*cubex.simple())}
    tar = cubex.tar(files)
    members = [gzip.compress(tar[start : start + 700]) for start in range(0, len(tar), 700)]
    assert read(b"".join(members) + BGZIP_END, "runs.tar.gz").format == "cube"


def test_a_second_tar_file_is_not_ignored(read):
    tar = gzip.compress(cubex.tar({"app.p2/profile.cubex": cubex.profile(*cubex.simple())}))
    with pytest.raises(FormatError, match="after the end of the tar file"):
        read(tar + tar, "runs.tar.gz")


OTHERS = {"bz2": bz2.compress, "xz": lzma.compress, "xz -9": partial(lzma.compress, preset=9)}


@pytest.mark.parametrize("kind", OTHERS)
def test_bzip2_and_xz_are_unpacked_as_well(read, kind):
    pack, ending = OTHERS[kind], kind.split()[0]
    packed = pack(LINE * 1000) + pack(LINE.replace(b"8", b"16"))
    campaign = read(packed, f"runs.jsonl.{ending}")
    assert campaign.points.tolist() == [[8], [16]]
    assert campaign.series["main", "time"].shape == (2, 2000)
    csv = pack(b"kernel,time\nsolve,1\nio,2\n")
    assert read(csv, f"p8.csv.{ending}", point="p{p}.csv").points.tolist() == [[8]]
    tar = cubex.tar({"run.p8/results.csv": b"kernel,time\nsolve,1\n"})
    assert read(pack(tar), f"runs.tar.{ending}").points.tolist() == [[8]]


@pytest.mark.parametrize("kind", ["bz2", "xz"])
def test_the_limit_applies_to_bzip2_and_xz(read, kind):
    packed = OTHERS[kind](b" " * 2_000_000)
    with pytest.raises(FormatError, match=r"more than 1000[0-9]{3} bytes when unpacked"):
        read(packed, limits=Limits(unpacked_free=1_000_000, unpacked_ratio=1))


@pytest.mark.parametrize("kind", ["bz2", "xz"])
def test_damaged_bzip2_and_xz_files_are_refused(read, kind):
    packed = OTHERS[kind](LINE * 1000)
    for content, found in (
        (packed[:-20], "cut off"),
        (packed[:40] + b"!!!!" + packed[44:], "damaged"),
        (packed + b"more", "other data after the end"),
    ):
        with pytest.raises(FormatError, match=found):
            read(content)
