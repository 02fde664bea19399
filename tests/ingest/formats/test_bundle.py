"""Archives and folders that contain single files of any format."""

import gzip
import io
import json
import tarfile
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from ingest.formats import FormatError, parse
from ingest.formats.files.packed.claims import claimed_bytes
from tests.ingest.formats import cubex
from tests.ingest.formats.memory import seconds_of_children


@pytest.fixture
def read(tmp_path):
    def read(files, point=""):
        path = tmp_path / "runs.tar"
        path.write_bytes(cubex.tar({name: encoded(content) for name, content in files.items()}))
        return parse(path, point=point)

    return read


def encoded(content):
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content)).encode()


def google(*names, time=1.0):
    fields = {"real_time": time, "cpu_time": time, "time_unit": "s"}
    return {"context": {"host_name": "here"}, "benchmarks": [{"name": name, **fields} for name in names]}


def hyperfine(command="app", times=(1.0, 2.0), **parameters):
    parameters = {name: str(value) for name, value in parameters.items()}
    return {"results": [{"command": command, "times": list(times), "parameters": parameters}]}


def test_it_works(read):
    campaign = read({f"p{p}.json": google("solve", time=p) for p in (4, 8, 16)})
    assert campaign.format == "bundle"
    assert (campaign.parameters, campaign.points.tolist()) == (("p",), [[4], [8], [16]])
    assert campaign.series["solve", "real_time"].tolist() == [[4], [8], [16]]
    assert campaign.units["real_time"] == "s"
    assert campaign.metadata == {"host_name": "here", "files": "3 of Google Benchmark JSON or CSV"}
    assert not campaign.notes


def test_nodes_with_a_fixed_number_of_processes_are_no_further_parameter(read):
    files = {f"nodes{p // 8}.out": f"Processes: {p}\nTotal time: {100 / p} s\n" for p in (8, 16, 32)}
    campaign = read(files)
    assert (campaign.parameters, campaign.points.tolist()) == (("Processes",), [[8], [16], [32]])


def test_nodes_with_different_numbers_of_processes_are_a_parameter(read):
    files = {
        f"nodes{n}_{p}.out": f"Processes: {p}\nTotal time: 2.5 s\n" for n, p in ((1, 8), (2, 8), (2, 16))
    }
    assert read(files).parameters == ("Processes", "nodes")


def test_links_in_folders_of_jobs_are_left_out_with_a_note(tmp_path):
    path = tmp_path / "runs.tar"
    with tarfile.open(path, "w") as archive:
        for name in ("p4/app", "p8/app"):
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, "/opt/app"
            archive.addfile(link)
        for p in (4, 8):
            content = json.dumps(google("solve", time=p)).encode()
            info = tarfile.TarInfo(f"p{p}/out.json")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    campaign = parse(path)
    assert campaign.series["solve", "real_time"].tolist() == [[4], [8]]
    told = "2 links were left out, such as “p4/app”: only files that are in the archive are read"
    assert campaign.notes == (told,)


@pytest.mark.parametrize(
    ("names", "points"),
    [
        (["run.p4.n30.json", "run.p8.n60.json"], [[4, 30], [8, 60]]),
        (["p4_n30/results.json", "p8_n60/results.json"], [[4, 30], [8, 60]]),
        (["p4/n30/results.json", "p8/n60/results.json"], [[4, 30], [8, 60]]),
        (["all/a_p4_n30.r1.json", "all/a_p8_n60.r1.json"], [[4, 30], [8, 60]]),
    ],
)
def test_names_of_files_and_folders_contain_the_points(read, names, points):
    campaign = read({name: google("solve") for name in names})
    found = [
        [dict(zip(campaign.parameters, point, strict=True))[name] for name in "pn"]
        for point in campaign.points
    ]
    assert found == points


@pytest.mark.parametrize(
    "files",
    [
        {f"a{p}.csv": f"p,kernel,time\n{p},solve,{p}\n{p},io,1\n" for p in (4, 8)},
        {f"run.p{p}.json": hyperfine("solve", [p]) for p in (4, 8)},
        {f"a{p}.jsonl": f'{{"params": {{"p": {p}}}, "callpath": "solve", "value": {p}}}' for p in (4, 8)},
        {f"a{p}.json": hyperfine("solve", [p], p=p) for p in (4, 8)},
        {f"a{p}.txt": f"PARAMETER p\nPOINTS {p}\nREGION solve\nMETRIC time\nDATA {p}\n" for p in (4, 8)},
    ],
    ids=["CSV", "hyperfine", "JSON Lines", "parameters of their own", "Extra-P text"],
)
def test_files_of_any_format_are_read(read, files):
    campaign = read(files)
    assert (campaign.parameters, campaign.points.tolist()) == (("p",), [[4], [8]])
    assert campaign.series["solve", "time"].tolist() == [[4], [8]]


def test_files_without_points_are_repetitions_of_one_configuration(read):
    campaign = read({f"results/run{n}.json": google("solve", time=n) for n in (1, 2, 3)})
    assert (campaign.parameters, campaign.points.tolist()) == (("configuration",), [[1]])
    assert campaign.series["solve", "real_time"].tolist() == [[1, 2, 3]]
    assert campaign.notes[0].startswith("the file names no parameters")


def test_points_may_be_sent_as_a_pattern_or_as_pairs(read):
    files = {f"job-{p}x{n}.json": google("solve") for p in (4, 8) for n in (1, 2)}
    campaign = read({**files, "other.json": google("solve")}, point="job-{p}x{n}.json")
    assert campaign.parameters == ("p", "n")
    assert campaign.points.tolist() == [[4, 1], [4, 2], [8, 1], [8, 2]]
    assert "the file name “other.json”" in campaign.notes[0]
    campaign = read({f"a_n{n}.json": google("solve") for n in (30, 60)}, point="p=64")
    assert (campaign.parameters, campaign.metadata["constant parameters"]) == (("n",), {"p": 64.0})
    with pytest.raises(FormatError, match="the file name"):
        read(files, point="nothing{p}")


def test_varying_names_add_parameters_to_those_in_the_files(read):
    campaign = read({f"run_p{p}.json": google("sort/8", "sort/16", time=p) for p in (2, 4)})
    assert campaign.parameters == ("arg1", "p")
    assert campaign.points.tolist() == [[8, 2], [16, 2], [8, 4], [16, 4]]
    campaign = read({f"p{p}.json": hyperfine(p=p) for p in (2, 4)})
    assert (campaign.parameters, campaign.points.tolist()) == (("p",), [[2], [4]])


def test_files_of_another_kind_than_most_are_left_out_with_a_note(read):
    files = {f"p{p}.json": google("solve") for p in (4, 8, 16)}
    others = {"q.csv": "q,time\n1,2\n", "p32.json": hyperfine()}
    campaign = read({**files, **others})
    assert len(campaign.points) == 3
    assert {note.partition(":")[0] for note in campaign.notes} == {
        "q.csv was left out",
        "p32.json was left out",
    }
    assert any(
        "it is CSV or TSV over q, most files Google Benchmark JSON or CSV over p" in note
        for note in campaign.notes
    )


def test_a_broken_file_is_left_out(read):
    files = {f"p{p}.json": google("solve") for p in (4, 8)}
    campaign = read({**files, "p16.json": b'{"context": {}, "benchmarks": [7]}', "x.json": b"{"})
    assert len(campaign.points) == 2
    assert campaign.notes[0].startswith("left out: p16.json, line 1: found “7.0”")
    assert campaign.notes[1].startswith("left out: x.json")


def test_if_all_files_are_broken_the_first_is_named(read):
    with pytest.raises(FormatError, match=r"runs\.tar, p4\.json, line 1: found “7\.0”"):
        read({f"p{p}.json": b'{"context": {}, "benchmarks": [7]}' for p in (4, 8)})


def test_files_that_are_no_results_are_ignored(read):
    names = (
        "README.md",
        "run.sh",
        "a.log",
        "slurm-1.out",
        ".DS_Store",
        "__MACOSX/._p4.json",
        "plot.png",
        "empty.txt",
    )
    extras = dict.fromkeys(names, b"p,time\x00 and so on, or not\n")
    assert not read({"p4.json": google("solve"), **extras, "empty.json": b""}).notes


def test_an_archive_without_results_is_refused(read):
    with pytest.raises(FormatError, match="an archive of files that were not recognised"):
        read({"README.md": b"# Results", "a.txt": b"hello"})


def test_numbers_of_processes_without_a_name_are_no_repetitions(read):
    barrier = "# OSU MPI Barrier Latency Test v5.8\n# Avg Latency(us)\n            {}\n"
    files = {
        f"osu/barrier-{n}-{16 * n}-{run}.out": barrier.format(n + run / 8)
        for n in (4, 8, 16)
        for run in (1, 2)
    }
    campaign = read(files)
    assert (campaign.parameters, campaign.points.tolist()) == (("x",), [[4], [8], [16]])
    assert campaign.series["MPI Barrier Latency", "avg_latency"].shape == (3, 2)
    assert campaign.notes[0].startswith("numbers in the names of files were read as coordinates")
    named = read(files, point="barrier-*-{p}-")
    assert (named.parameters, named.points.tolist()) == (("p",), [[64], [128], [256]])
    assert not any("numbers in the names" in note for note in named.notes)


def test_processes_in_names_are_compared_with_those_in_files_of_one_kind(read):
    files = {f"strong_p{p}.out": f"Processes: {p}\nTotal time: {100 / p} s\n" for p in (2, 4, 8)}
    serial = {f"serial_p{p}.out": f"Levels: {p}\nTotal time: 100 s\n" for p in (16, 20)}
    campaign = read({**files, **serial})
    assert campaign.parameters == ("Processes",)
    assert "serial_p16.out was left out: it is" in campaign.notes[0]


def test_files_whose_names_lack_a_coordinate_without_name_are_left_out(read):
    latency = "# OSU MPI {} Latency Test v5.8\n# Size          Latency (us)\n8   {}\n16  {}\n"
    files = {
        f"reduce-{n}-{run}.out": latency.format("Allreduce", n, n + 1) for n in (4, 8, 16) for run in (1, 2)
    }
    campaign = read({**files, "pair-1.out": latency.format("", 1, 2), "pair-2.out": latency.format("", 1, 2)})
    assert campaign.parameters == ("bytes", "x")
    assert campaign.series["MPI Allreduce Latency", "latency"].shape == (6, 2)
    assert any(note.startswith("pair-1.out was left out") for note in campaign.notes)


def test_numbers_in_names_that_the_files_repeat_are_no_further_parameter(read):
    campaign = read(
        {f"run-{p // 16}-{p}.out": f"Processes: {p}\nTotal time: {100 / p} s\n" for p in (64, 128, 256)}
    )
    assert campaign.parameters == ("Processes",)


def test_a_note_says_that_files_count_as_repetitions(read):
    campaign = read({"gcc_p4.json": google("solve"), "clang_p4.json": google("solve")})
    assert campaign.notes[0].startswith("files at one point count as repetitions, such as clang_p4")
    assert not read({"sort_p4.json": google("sort"), "scan_p4.json": google("scan")}).notes[1:]


def test_files_of_several_commits_are_refused(read):
    def measured(commit):
        about = {"machine_info": {}, "commit_info": {"id": commit}, "version": "4"}
        return {**about, "benchmarks": [{"name": "f", "stats": {"data": [1.0]}}]}

    assert read(
        {"0001_a.json": measured("a1b2c3d4"), "0002_b.json": measured("a1b2c3d4")}
    ).points.tolist() == [[1]]
    with pytest.raises(
        FormatError, match=r"results of 2 commits; expected the results of one commit; perfweb\.py history"
    ):
        read({"0001_a.json": measured("a1b2c3d4"), "0002_b.json": measured("e5f6a7b8")})


def test_folders_and_zip_files_give_the_same_campaign(read, tmp_path):
    files = {f"p{p}.json": google("solve") for p in (4, 8)}
    expected = read(files)
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "runs.zip").write_bytes(zipped({name: encoded(content) for name, content in files.items()}))
    for name, content in files.items():
        (folder / name).write_bytes(encoded(content))
    for path in (tmp_path / "runs.zip", folder):
        found = parse(path)
        np.testing.assert_equal(vars(found.origins), vars(expected.origins))
        np.testing.assert_equal(vars(replace(found, origins=None)), vars(replace(expected, origins=None)))


def test_a_thousand_files_are_read_in_seconds(tmp_path):
    files = {f"run_p{p % 100 + 1}_r{p}.json": encoded(google("k0", time=p + 1)) for p in range(1000)}
    path = tmp_path / "runs"
    for content in (gzip.compress(cubex.tar(files)), zipped(files)):
        path.write_bytes(content)
        begun = seconds_of_children()
        assert parse(path).series["k0", "real_time"].shape == (100, 10)
        assert seconds_of_children() - begun < 6


def zipped(files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


HOSTILE = {
    "nested lists": (lambda: {f"a{n}.json": b"[" * 100_000 for n in range(200)}, "not recognised"),
    "nested objects": (lambda: {f"a{n}.json": b'{"a":' * 20_000 for n in range(200)}, "nested deeper"),
    "nonsense": (lambda: {"a.json": b"\x93\x00" * 30_000_000}, "not recognised"),
    "an endless line": (lambda: {"a.csv": b"p,time\n" + b"1," * 30_000_000}, "a line of over"),
    "very many files": (lambda: {f"a{n}.json": b"[]" for n in range(5_001)}, "5001 files"),
}


@pytest.mark.parametrize(("files", "found"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_archives_are_refused_in_time(tmp_path, files, found):
    path = tmp_path / "hostile"
    path.write_bytes(gzip.compress(cubex.tar(files()), 1))
    begun = seconds_of_children()
    with pytest.raises(FormatError, match=found):
        parse(path)
    assert seconds_of_children() - begun < 2


def test_a_false_claim_of_a_huge_size_gives_little_time(tmp_path):
    path = tmp_path / "claims"
    path.write_bytes(gzip.compress(b"nothing")[:-4] + b"\xff" * 4)
    with path.open("rb") as file:
        assert claimed_bytes(file) == 128 * path.stat().st_size
