"""Cube 4 profiles in folders and archives, compared with Cube's own conventions and with another reader."""

import gzip
import io
import tarfile
import zipfile

import numpy as np
import pytest
from pycubexr import CubexParser

from ingest.formats import FormatError, parse
from ingest.formats.limits import Limits
from ingest.formats.readers.profilers.cube.profile import ProfileReader
from ingest.formats.readers.profilers.cube.reading import AGGREGATIONS
from tests.ingest.formats import cubex

RUNS = {
    "app.p2.n10.r1/profile.cubex": cubex.profile(*cubex.simple()),
    "app.p2.n10.r2/profile.cubex": cubex.profile(*cubex.simple(1.5)),
    "app.p4.n10.r1/profile.cubex": cubex.profile(*cubex.simple(2)),
    "app.p4.n10.r1/scorep.cfg": b"SCOREP_ENABLE_PROFILING=true",
    "app.p4.n10.r1/MANIFEST.md": b"# Contents",
}


@pytest.fixture
def read(tmp_path):
    def read(runs, point="", **options):
        path = tmp_path / "runs.tar"
        path.write_bytes(cubex.tar(runs))
        return parse(path, options=options, point=point)

    return read


def ranks(count, threads=2):
    """Return a profile with this number of processes, all with the same values."""
    return cubex.profile(*cubex.simple(threads=threads, processes=count)[:2], (count, threads))


def one(profile, folder="app.p2"):
    return {f"{folder}/profile.cubex": profile}


def test_it_works(read):
    campaign = read(RUNS)
    assert campaign.format == "cube"
    assert campaign.parameters == ("p",)
    assert campaign.metadata == {"constant parameters": {"n": 10.0}}
    assert campaign.points.tolist() == [[2.0], [4.0]]
    assert campaign.units == {"visits": "", "time": "s"}
    np.testing.assert_allclose(campaign.series["main", "time"], [[4.5, 6.75], [9, np.nan]])
    np.testing.assert_allclose(campaign.series["main->solve", "time"], [[6, 9], [12, np.nan]])
    np.testing.assert_allclose(campaign.series["main->solve->MPI_Send", "time"][0], [3, 4.5])
    np.testing.assert_allclose(campaign.series["main->io", "time"][0], [1.5, 2.25])
    np.testing.assert_allclose(campaign.series["main->solve->MPI_Send", "visits"][0], [12, 12])


@pytest.mark.parametrize(
    ("options", "solve", "send"),
    [
        ({}, [6.0], [3.0]),
        ({"scaling": "weak"}, [6.0], [3.0]),
        ({"scaling": "strong"}, [12.0], [6.0]),
        ({"scaling": "ranks"}, [4.0, 8.0], [2.0, 4.0]),
        ({"inclusive": "yes"}, [9.0], [3.0]),
        ({"inclusive": "yes", "scaling": "strong"}, [18.0], [6.0]),
    ],
)
def test_processes_and_callees_are_combined_by_the_options(read, options, solve, send):
    campaign = read(one(cubex.profile(*cubex.simple())), **options)
    assert campaign.series["main->solve", "time"].tolist() == [solve]
    assert campaign.series["main->solve->MPI_Send", "time"].tolist() == [send]


def test_idle_threads_are_left_out_of_the_mean(read):
    campaign = read(one(cubex.profile(*cubex.simple())), scaling="threaded")
    assert campaign.series["main->io", "visits"].tolist() == [[1.0]]
    assert campaign.series["main->solve", "visits"].tolist() == [[6.0]]


def test_metrics_can_be_chosen(read):
    campaign = read(one(cubex.profile(*cubex.simple())), metrics="time, nothing")
    assert {metric for _, metric in campaign.series} == {"time"}


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"scaling": "huge"}, "the scaling “huge”"),
        ({"inclusive": "perhaps"}, "inclusive = “perhaps”"),
        ({"colour": "red"}, "the option “colour”"),
    ],
)
def test_invalid_options_are_refused(read, options, found):
    with pytest.raises(FormatError, match=found):
        read(RUNS, **options)


def test_archives_and_folders_give_the_same_campaign(read, tmp_path):
    expected = read(RUNS)
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as archive:
        for name, content in RUNS.items():
            archive.writestr(name, content)
            path = tmp_path / "folder" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    for place in ("runs.zip", "folder"):
        campaign = parse(tmp_path / place)
        np.testing.assert_equal(vars(campaign), vars(expected))


@pytest.mark.parametrize(
    ("folders", "parameters", "points"),
    [
        (["a.p8.n10", "a.p16.n20"], ("p", "n"), [[8, 10], [16, 20]]),
        (["a.p8.n10.r1", "a.p8.n10.r2"], ("p", "n"), [[8, 10]]),
        (["a.rows4.r1", "a.rows8.r1"], ("rows",), [[4], [8]]),
        (["a.p8.ranks4", "a.p8.ranks8"], ("ranks",), [[4], [8]]),
        (["a.theta1.5", "a.theta2,25"], ("theta",), [[1.5], [2.25]]),
        (["scorep-p4", "scorep-p8"], ("p",), [[4], [8]]),
        (["my app v2.p4", "my app v2.p8"], ("p",), [[4], [8]]),
    ],
)
def test_names_of_folders_contain_points(read, folders, parameters, points):
    campaign = read({f"all/{folder}/p.cubex": cubex.profile(*cubex.simple()) for folder in folders})
    assert campaign.parameters == parameters
    assert campaign.points.tolist() == points


def test_without_names_processes_and_threads_are_the_parameters(read):
    folders = {"scorep-20261122_0804_1234567": 1, "scorep-20261122_0904_1234568": 2, "scorep_app_4x2_sum": 4}
    campaign = read({f"{folder}/profile.cubex": ranks(count) for folder, count in folders.items()})
    assert campaign.parameters == ("processes",)
    assert sorted(campaign.points.ravel()) == [1, 2, 4]
    assert campaign.metadata == {"constant parameters": {"threads": 2.0}}
    assert not campaign.notes


def test_one_thread_per_process_is_no_parameter(read):
    campaign = read({f"run_{count}/profile.cubex": ranks(count, threads=1) for count in (2, 4)})
    assert (campaign.parameters, campaign.metadata) == (("processes",), {})


@pytest.mark.parametrize("folder", ["results", "app.p", "app.4", "app.p1.2.3", "app.p2.p3", "app.p0"])
def test_a_name_without_parameters_is_ignored(read, folder):
    campaign = read({f"{folder}/p.cubex": ranks(4)})
    assert (campaign.parameters, campaign.points.tolist()) == (("processes", "threads"), [[4, 2]])


def test_a_sent_point_is_added_to_the_processes(read):
    campaign = read({f"scorep-{n}/profile.cubex": ranks(n) for n in (1, 2)}, point="n=100")
    assert (campaign.parameters, campaign.points.tolist()) == (("processes",), [[1], [2]])
    assert campaign.metadata == {"constant parameters": {"n": 100.0, "threads": 2.0}}


def test_a_sent_point_may_contain_the_processes(read):
    campaign = read({"scorep-7/profile.cubex": ranks(4, threads=1)}, point="p=4")
    assert (campaign.parameters, campaign.points.tolist()) == (("p",), [[4]])


def test_a_pattern_gives_the_point_of_each_run(read):
    runs = {f"size_{n}/scorep-{p}{n}/profile.cubex": ranks(p) for p in (1, 2) for n in (30, 45)}
    campaign = read(runs, point="size_{size}/")
    assert campaign.parameters == ("size", "processes")
    assert sorted(campaign.points.tolist()) == [[30, 1], [30, 2], [45, 1], [45, 2]]


def test_a_point_that_contradicts_a_name_is_refused(read):
    with pytest.raises(FormatError, match=r"the point p = 8 sent with “app\.p4/p\.cubex”, whose name says 4"):
        read({"app.p4/p.cubex": ranks(4)}, point="p=8")


def test_runs_with_equal_sizes_and_different_processes_have_different_points(read):
    runs = {f"n{n}/scorep-{p}/profile.cubex": ranks(p) for p in (1, 2) for n in (30, 45)}
    campaign = read(runs)
    assert (campaign.parameters, len(campaign.points)) == (("n", "processes"), 4)


def test_runs_without_a_common_point_are_left_out_with_a_note(read):
    runs = {f"app.p{p}.n{p}/p.cubex": ranks(1) for p in (2, 4, 8)}
    campaign = read({**runs, "app.p16/p.cubex": ranks(1), "scorep-1/p.cubex": ranks(1)})
    assert (campaign.parameters, len(campaign.points)) == (("p", "n"), 3)
    assert campaign.notes[0].startswith("app.p16/p.cubex was left out: its n is not known; name it like")
    assert campaign.notes[1].startswith("scorep-1/p.cubex was left out: its n, p is not known")


@pytest.mark.parametrize(
    ("names", "parameters", "points"),
    [
        (["lulesh_p64_n30.cubex", "lulesh_p8_n45.cubex"], ("p", "n"), [[64, 30], [8, 45]]),
        (["p64.n30.r1.cubex", "p8.n30.r2.cubex"], ("p",), [[64], [8]]),
        (["runs/app.p2.size1,5.r2.cubex", "runs/app.p2.size3.r2.cubex"], ("size",), [[1.5], [3]]),
        (["x264.p4.cubex", "x264.p8.cubex"], ("p",), [[4], [8]]),
        (["l2=4,p=2.cubex", "l2=8,p=4.cubex"], ("l2", "p"), [[4, 2], [8, 4]]),
    ],
)
def test_profiles_may_have_the_names_of_their_runs(read, names, parameters, points):
    campaign = read({name: ranks(1) for name in names})
    assert (campaign.parameters, campaign.points.tolist()) == (parameters, points)


def test_a_single_profile_is_a_campaign_of_one_run(tmp_path):
    path = tmp_path / "profile.cubex"
    path.write_bytes(ranks(4))
    campaign = parse(path)
    assert (campaign.parameters, campaign.points.tolist()) == (("processes", "threads"), [[4, 2]])
    assert campaign.series["main->solve", "time"].tolist() == [[6.0]]
    named = parse(path, name="lulesh_p64_n30.cubex")
    assert (named.parameters, named.points.tolist()) == (("p", "n"), [[64, 30]])


def test_profiles_of_version_4_8_are_read_although_their_checksums_are_wrong(tmp_path):
    profile = bytearray(ranks(4))
    with tarfile.open(fileobj=io.BytesIO(profile)) as file:
        headers = [(member.offset, member.chksum) for member in file]
    for offset, checksum in headers:
        profile[offset + 148 : offset + 156] = b"%06o\0 " % (checksum - ord(" "))
    with pytest.raises(tarfile.ReadError), tarfile.open(fileobj=io.BytesIO(profile)):
        pass
    alone, within = tmp_path / "profile.cubex", tmp_path / "runs.tar"
    alone.write_bytes(profile)
    within.write_bytes(cubex.tar(one(bytes(profile))))
    for path in (alone, within):
        assert parse(path).series["main->solve", "time"].tolist() == [[6.0]]


def test_other_files_beside_profiles_are_ignored(read):
    extras = ("scorep.cfg", "MANIFEST.md", "traces/0.evt", "traces.otf2", ".hidden", "._profile.cubex")
    beside = {f"app.p2/{name}": b"anything" for name in extras}
    others = {".trash/x.cubex": b"no profile", "__MACOSX/app.p2/._profile.cubex": b"no profile"}
    assert not read({**one(cubex.profile(*cubex.simple())), **beside, **others}).notes


def test_a_broken_profile_is_left_out(read):
    campaign = read({**RUNS, "app.p8.n10.r1/profile.cubex": changed(anchor_xml=b"hello")})
    assert campaign.points.tolist() == [[2.0], [4.0]]
    assert campaign.notes[0].startswith(
        "left out: app.p8.n10.r1/profile.cubex: found a description that begins with “hello”"
    )


def test_a_metric_with_negative_values_is_left_out_with_a_note(read):
    def profile(*, sign):
        values = np.array([[1.0, 2.0]])
        metrics = [cubex.Measured("time", values, (0,)), cubex.Measured("gain", sign * values, (0,))]
        return cubex.profile(("main", []), metrics, 2)

    campaign = read({"app.p2/p.cubex": profile(sign=1), "app.p4/p.cubex": profile(sign=-1)})
    assert list(campaign.series) == [("main", "time")]
    assert campaign.notes == ("the metric gain was left out: it has negative values, as in app.p4/p.cubex",)


def test_arrows_in_names_do_not_separate_levels(read):
    tree, metrics, ranks = ("Node::operator->(int)", []), cubex.simple()[1], 2
    metrics = [cubex.Measured("time", metrics[1].values[:1], (0,))]
    assert list(read(one(cubex.profile(tree, metrics, ranks))).series) == [("Node::operator→(int)", "time")]


def test_calls_with_the_same_path_are_one_kernel(read):
    tree = ("main", [("solve", []), ("solve", [])])
    metrics = [cubex.Measured("time", np.array([[1.0], [2.0], [4.0]]), (0, 1, 2))]
    campaign = read(one(cubex.profile(tree, metrics, 1)))
    assert campaign.series["main->solve", "time"].tolist() == [[6.0]]


def test_the_minimum_of_no_values_is_missing(read):
    values = np.array([[0.5, np.finfo(float).max], [np.finfo(float).max] * 2])
    metrics = [
        cubex.Measured("min_time", values, (0, 1), "MINDOUBLE"),
        cubex.Measured("time", np.ones((2, 2)), (0, 1)),
    ]
    profile = cubex.profile(("main", [("io", [])]), metrics, 2)
    for scaling in ("weak", "strong"):
        campaign = read(one(profile), scaling=scaling)
        assert campaign.series["main", "min_time"].tolist() == [[0.5]]
        assert ("main->io", "min_time") not in campaign.series


def test_rounding_never_gives_negative_values(read):
    metrics = [cubex.Measured("time", np.array([[1.0], [1.0 + 1e-12]]), (0, 1), kind="INCLUSIVE")]
    campaign = read(one(cubex.profile(("main", [("all", [])]), metrics, 1)))
    assert campaign.series["main", "time"].tolist() == [[0.0]]


def random_profile(random, order, packed):
    """Return a random profile with about 30 calls, and metrics of every kind that lack some calls."""

    def tree(depth):
        return (f"f{random.integers(100)}", [tree(depth - 1) for _ in range(random.integers(4)) if depth])

    made = ("main", [tree(3), tree(2), tree(3)])
    calls, locations = str(made).count("("), int(random.integers(1, 5))
    metrics = []
    for number, (kind, type_) in enumerate(
        [
            ("EXCLUSIVE", "DOUBLE"),
            ("INCLUSIVE", "DOUBLE"),
            ("EXCLUSIVE", "UINT64"),
            ("INCLUSIVE", "UINT64"),
            ("EXCLUSIVE", "INT32"),
            ("EXCLUSIVE", "MAXDOUBLE"),
        ]
    ):
        # The reader used for comparison cannot read such metrics with missing calls.
        size = calls if type_ == "MAXDOUBLE" else random.integers(1, calls + 1)
        some = np.sort(random.choice(calls, size=size, replace=False))
        values = random.integers(0, 1000, (len(some), locations))
        metrics.append(cubex.Measured(f"m{number}", values, tuple(some.tolist()), type_, kind))
    return cubex.profile(made, metrics, locations, order, packed=packed)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("inclusive", [False, True])
def test_every_number_equals_that_of_another_reader(seed, inclusive, tmp_path):
    random = np.random.default_rng(seed)
    data = random_profile(random, "<>"[seed % 2], packed=seed % 3 == 0)
    reader = ProfileReader(Limits(), AGGREGATIONS["ranks"], inclusive=inclusive, metrics=())
    ours = {metric.name: values for metric, values in reader.read(data)}
    (tmp_path / "made.cubex").write_bytes(data)
    compared = 0
    with CubexParser(tmp_path / "made.cubex") as theirs:
        for metric in theirs.get_metrics():
            values = theirs.get_metric_values(metric)
            expected: dict[str, np.ndarray] = {}
            for number in values.cnode_indices:
                call = theirs.get_cnode(number)
                row = values.cnode_values(
                    call, convert_to_inclusive=inclusive, convert_to_exclusive=not inclusive
                ).astype(float)
                names = []
                while call:
                    names.append(call.region.name)
                    call = call.parent
                path = "->".join(reversed(names))
                combined = np.maximum if metric.data_type == "MAXDOUBLE" else np.add
                row = np.maximum(row, 0)
                expected[path] = combined(expected[path], row) if path in expected else row
            assert expected.keys() == ours[metric.name].keys()
            for path, row in expected.items():
                np.testing.assert_array_equal(ours[metric.name][path], row, err_msg=f"{metric.name} {path}")
                compared += 1
    assert compared > 6


def changed(**members):
    """Return a profile in which some members are replaced. A member that is None is left out."""
    found = cubex.files(*cubex.simple())
    for name, content in members.items():
        key = name.replace("_", ".")
        found[key] = content(found[key]) if callable(content) else content
    return cubex.tar({name: content for name, content in found.items() if content is not None})


XML = '<?xml version="1.0"?>'
DAMAGED = {
    "no description": (changed(anchor_xml=None), "without anchor.xml"),
    "no XML": (changed(anchor_xml=b"hello"), "“hello”"),
    "XML that ends early": (changed(anchor_xml=lambda xml: xml[:300]), "no XML"),
    "another document": (changed(anchor_xml=XML.encode() + b"<html/>"), "does not name the measured program"),
    "UTF-16": (changed(anchor_xml=lambda xml: xml.decode().encode("utf-16")), "“"),
    "a document type": (
        changed(anchor_xml=lambda xml: xml.replace(b"<cube", b'<!DOCTYPE cube SYSTEM "x"><cube', 1)),
        "a document type",
    ),
    "entities that multiply": (
        changed(
            anchor_xml=lambda xml: xml.replace(
                b"<cube", b'<!DOCTYPE c [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><cube', 1
            )
        ),
        "a document type",
    ),
    "a call of a region that is not there": (
        changed(anchor_xml=lambda xml: xml.replace(b'calleeId="1"', b'calleeId="77"')),
        "a damaged description",
    ),
    "a number that is none": (
        changed(anchor_xml=lambda xml: xml.replace(b'<metric id="0"', b'<metric id="zero"')),
        "a damaged description",
    ),
    "no processes": (
        changed(anchor_xml=lambda xml: xml.replace(b"<location ", b"<loc ")),
        "no XML|processes",
    ),
    "more processes than data": (
        changed(anchor_xml=lambda xml: xml.replace(b"<system>", b"<system>" + b"<location />" * 9)),
        "bytes of data",
    ),
    "an index of 2 billion calls": (
        changed(**{"1_index": lambda data: data[:18] + b"\xff\xff\xff\x7f" + data[22:]}),
        "an index of 2147483647 calls",
    ),
    "an index of fewer calls than it says": (changed(**{"1_index": lambda data: data[:-4]}), "an index of 4"),
    "an index of no calls": (
        changed(**{"1_index": lambda data: data[:18] + bytes(4)}),
        "an index of 0 calls",
    ),
    "an index of calls that are not there": (
        changed(**{"1_index": lambda data: data[:-4] + b"\x09\0\0\0"}),
        "calls that are missing",
    ),
    "an index of a call twice": (
        changed(**{"1_index": lambda data: data[:-4] + bytes(4)}),
        "missing or listed twice",
    ),
    "an index of a call before all": (
        changed(**{"1_index": lambda data: data[:-4] + b"\xff\xff\xff\xff"}),
        "calls that are missing",
    ),
    "no index": (changed(**{"1_index": b"hello"}), "“hello”"),
    "no data": (changed(**{"1_data": b"hello"}), "“hello”"),
    "too few data": (changed(**{"1_data": lambda data: data[:-1]}), "63 bytes of data"),
    "too much data": (changed(**{"1_data": lambda data: data + b"\0"}), "65 bytes of data"),
    "packed data without pieces": (changed(**{"1_data": b"ZCUBEX.DATA"}), "damaged packed data"),
    "packed data of 2⁶³ pieces": (
        changed(**{"1_data": b"ZCUBEX.DATA" + b"\xff" * 7 + b"\x7f"}),
        "packed pieces in",
    ),
    "packed data that are none": (
        changed(**{"1_data": b"ZCUBEX.DATA" + b"\1" + bytes(23) + b"\4" + bytes(7) + b"abcd"}),
        "damaged packed data",
    ),
    "infinite values": (
        changed(**{"1_data": b"CUBEX.DATA" + b"\0\0\0\0\0\0\xf0\x7f" * 8}),
        "infinite or not a number",
    ),
    "no tar file": (b"hello" * 200, "checksum|tar header"),
    "nothing": (b"", "a tar file that is cut off"),
}


@pytest.mark.parametrize(("profile", "found"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_profiles(read, profile, found):
    with pytest.raises(FormatError, match=found) as raised:
        read(one(profile))
    assert raised.value.file.startswith("runs.tar")
    assert raised.value.expected


def test_a_profile_cut_at_any_byte_is_refused(tmp_path):
    whole = cubex.profile(*cubex.simple()).rstrip(b"\0")
    reader = ProfileReader(Limits(), AGGREGATIONS["weak"], inclusive=False, metrics=())
    for size in range(0, len(whole), 97):
        with pytest.raises(FormatError):
            dict(reader.read(whole[:size]))


def test_a_description_that_unpacks_to_very_much_is_refused(read):
    bomb = io.BytesIO()
    with gzip.GzipFile(fileobj=bomb, mode="wb") as file:
        file.write(b"<?xml version='1.0'?><cube>" + b" " * 80_000_000)
    with pytest.raises(FormatError, match="cut off or too large"):
        read(one(changed(anchor_xml=bomb.getvalue())))
