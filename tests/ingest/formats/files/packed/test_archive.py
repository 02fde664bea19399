"""Archives and folders whose contents are allowed or forbidden."""

import gzip
import io
import os
import tarfile
import zipfile

import pytest

from ingest.formats.errors import FormatError
from ingest.formats.files.packed.archive import Archive
from ingest.formats.limits import Limits

FILES = {"runs/app.p8/a.txt": b"first", "runs/app.p16/" + "long" * 40 + ".txt": b"second" * 1000}


def tar(files, mode="w", format=tarfile.PAX_FORMAT):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode, format=format) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return data.getvalue()


def zipped(files, compression=zipfile.ZIP_DEFLATED):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


ARCHIVES = {
    "tar": tar(FILES),
    "tar (GNU)": tar(FILES, format=tarfile.GNU_FORMAT),
    "tar.gz": tar(FILES, "w:gz"),
    "zip": zipped(FILES),
    "zip (stored)": zipped(FILES, zipfile.ZIP_STORED),
}


@pytest.fixture
def open_archive(tmp_path):
    opened = []

    def open_archive(data, **limits):
        path = tmp_path / "archive"
        path.write_bytes(data)
        opened.append(path.open("rb"))
        return Archive(path, Limits(**limits), opened[-1])

    yield open_archive
    for file in opened:
        file.close()


@pytest.mark.parametrize("data", ARCHIVES.values(), ids=ARCHIVES)
def test_it_works(open_archive, data):
    archive = open_archive(data)
    assert archive.names == list(FILES)
    assert dict(archive.members(lambda _: True)) == FILES
    assert [name for name, _ in archive.members(lambda name: "p8" in name)] == ["runs/app.p8/a.txt"]


def test_a_folder_is_read_like_an_archive(tmp_path):
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    (tmp_path / "runs/link").symlink_to("/etc/passwd")
    archive = Archive(tmp_path / "runs", Limits(), None)
    assert sorted(archive.names) == sorted(FILES)
    assert dict(archive.members(lambda _: True)) == FILES


def test_folders_and_dots_in_names_are_allowed(open_archive):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        folder = tarfile.TarInfo("./runs")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        archive.addfile(tarfile.TarInfo("./runs/a"))
    assert open_archive(data.getvalue()).names == ["runs/a"]


@pytest.mark.parametrize("data", ARCHIVES.values(), ids=ARCHIVES)
def test_an_archive_cut_at_any_byte_is_refused(open_archive, data):
    end = len(data.rstrip(b"\0")) if data[:2] not in (b"PK", b"\x1f\x8b") else len(data)
    for size in [*range(3, end, max(1, end // 200)), end - 1]:
        with pytest.raises(FormatError):
            dict(open_archive(data[:size]).members(lambda _: True))


def special(kind, link="/etc/passwd"):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        info = tarfile.TarInfo("runs/special")
        info.type, info.linkname = kind, link
        archive.addfile(info)
    return data.getvalue()


def zip_link():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        info = zipfile.ZipInfo("runs/link")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return data.getvalue()


def overlong_header():
    header = bytearray(tar({"a": b""})[:512])
    header[156:157], header[124:135] = b"x", b"07777777777"
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + bytes(2048)


def encrypted():
    data = bytearray(zipped({"a": b"content"}))
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


LINKS = {
    "hard": special(tarfile.LNKTYPE),
    "symbolic": special(tarfile.SYMTYPE),
    "in a zip file": zip_link(),
}


@pytest.mark.parametrize("data", LINKS.values(), ids=LINKS)
def test_links_are_left_out_and_named(open_archive, data):
    archive = open_archive(data)
    assert not archive.names
    assert len(archive.links) == 1


def test_an_archive_of_countless_links_is_refused(tmp_path):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for place in range(12):
            info = tarfile.TarInfo(f"runs/{place}")
            info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(info)
    path = tmp_path / "links.tar"
    path.write_bytes(data.getvalue())
    with path.open("rb") as file, pytest.raises(FormatError, match="more than 10 links"):
        Archive(path, Limits(members=10), file)


REFUSED = {
    "a device": (special(tarfile.CHRTYPE), "a device named"),
    "a pipe": (special(tarfile.FIFOTYPE), "a pipe named"),
    "a sparse file": (special(tarfile.GNUTYPE_SPARSE), "something other than a file"),
    "an absolute name": (tar({"/etc/passwd": b""}), "a file named"),
    "a name that leads out": (tar({"runs/../../x": b""}), "a file named"),
    "an absolute name in a zip file": (zipped({"/etc/passwd": b""}), "a file named"),
    "a name that leads out of a zip file": (zipped({"../x": b""}), "a file named"),
    "a name with a backslash": (tar({"..\\x": b""}), "a file named"),
    "a name with control characters": (tar({"a\x1b[2Jb": b""}), "a file named"),
    "a name without end": (tar({"a" * 2000: b""}), "a file named"),
    "a name without end, GNU": (tar({"a" * 200_000: b""}, format=tarfile.GNU_FORMAT), "a tar header of"),
    "an archive within": (tar({"inner.zip": b""}), "within an archive"),
    "an archive within a zip file": (zipped({"inner.tar.gz": b""}), "within an archive"),
    "two of one name": (tar({"a": b"", "./a": b""}), "two files of the same name"),
    "a header of 8 GiB": (overlong_header(), "a tar header of"),
    "a header that is wrong": (
        tar({"a": b""}).replace(b"ustar", b"Ustar", 1)[:512] + bytes(1024),
        "checksum",
    ),
    "a password": (encrypted(), "with a password"),
    "an unusual packing": (zipped({"a": b"a"}, zipfile.ZIP_LZMA), "in an unusual way"),
    "gzip of nothing": (gzip.compress(b""), "one file packed with gzip"),
    "gzip of damage": (b"\x1f\x8b\x08\0" + bytes(6) + b"\xff" * 100, "a damaged gzip file"),
    "zip without its end": (zipped({"a": b"a"})[:-22], "a zip file that is cut off"),
    "no zip at all": (b"PK\x03\x04" + bytes(1000), "a zip file that is cut off"),
}


@pytest.mark.parametrize(("data", "found"), REFUSED.values(), ids=REFUSED)
def test_forbidden_contents_are_refused(open_archive, data, found):
    with pytest.raises(FormatError, match=found):
        dict(open_archive(data).members(lambda _: True))


def test_a_wrong_size_is_refused(open_archive):
    data = zipped({"a": b"content"}, zipfile.ZIP_STORED)
    place = data.rindex(b"PK\x01\x02")
    lying = data[: place + 24] + (1000).to_bytes(4, "little") + data[place + 28 :]
    with pytest.raises(FormatError):
        dict(open_archive(lying).members(lambda _: True))


def test_a_wrong_checksum_is_refused(open_archive):
    data = zipped({"a": b"content"}, zipfile.ZIP_STORED).replace(b"content", b"Content")
    with pytest.raises(FormatError, match="a damaged zip file: “Bad CRC-32"):
        dict(open_archive(data).members(lambda _: True))


@pytest.mark.parametrize("data", [ARCHIVES["tar"], ARCHIVES["zip"]])
def test_limits(open_archive, data):
    for limits, found in [({"members": 1}, "more than 1 files"), ({"member_bytes": 10}, "10 at most")]:
        with pytest.raises(FormatError, match=found):
            dict(open_archive(data, **limits).members(lambda _: True))


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_a_decompression_bomb_is_refused(open_archive, kind):
    files = {"bomb": bytes(30_000_000)}
    data = zipped(files) if kind == "zip" else tar(files, "w:gz")
    with pytest.raises(FormatError, match="bytes when unpacked"):
        dict(open_archive(data, unpacked_free=1_000_000).members(lambda _: True))
    assert len(data) < 100_000


def test_a_zip_file_of_very_many_members_is_refused_unread(open_archive):
    data = zipped(dict.fromkeys(map(str, range(70_000)), b""))
    assert len(data) > 4_000_000
    with pytest.raises(FormatError, match="too many files"):
        open_archive(data)


def test_data_after_the_end_of_a_stream_are_not_read(open_archive):
    with pytest.raises(FormatError):
        open_archive(gzip.compress(tar(FILES)[:700]) + gzip.compress(tar(FILES)[700:]) + os.urandom(10))
