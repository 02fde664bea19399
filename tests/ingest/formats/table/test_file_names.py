"""Columns of texts whose numbers only repeat a parameter."""

import pytest

from ingest.formats.table import file_names


def kernels(campaign):
    return sorted({kernel for kernel, _ in campaign.series})


def test_it_works(read):
    rows = [f"in/mesh_{n}.h5,{n},{p},{n / p}" for n in (256, 512) for p in (1, 2)]
    campaign = read("input,cells,ranks,time", *rows)
    assert kernels(campaign) == ["main"]
    assert len(campaign.points) == 4
    assert campaign.metadata == {"input": "mesh_*.h5"}
    assert "input: numbers in its texts were left out, because cells tells them apart" in campaign.notes


def test_a_file_that_only_some_runs_write_is_kept_in_names(read):
    rows = [f"{n},{n}.5,/scratch/{job}/{n}/x_{n}.out" for job in (40001, 40002) for n in (10, 20)]
    campaign = read("n,time,output file", *rows, "10,7,", "20,8,")
    assert kernels(campaign) == ["main", "main [output file=x_*.out]"]
    assert campaign.series["main [output file=x_*.out]", "time"].tolist() == [[10.5, 10.5], [20.5, 20.5]]


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("input,n,time", ["a_1.h5,10,1", "a_2.h5,10,2", "a_3.h5,20,3"]),  # two files at one size
        ("input,n,time", ["v1/a.h5,10,1", "v2/a.h5,10,2", "v1/a.h5,20,3"]),  # the folders tell
        ("compiler,n,time", ["gcc-12,10,1", "gcc-13,10,2", "gcc-12,20,3", "gcc-13,20,4"]),
        ("version,n,time", ["v1,10,1", "v2,20,2"]),  # no file, and not its parameter's value
        ("input,time", ["a_1.h5,1", "a_2.h5,2"]),  # no parameter at all
    ],
)
def test_other_texts_stay_unchanged(read, header, rows):
    label = header.partition(",")[0]
    assert set(kernels(read(header, *rows))) == {f"main [{label}={row.partition(',')[0]}]" for row in rows}


def test_texts_that_repeat_their_parameter_but_are_no_files_stay_unchanged(read):
    campaign = read("case,n,time", "sort 10,10,1", "sort 20,20,2", "scan 10,10,3", "scan 20,20,4")
    assert kernels(campaign) == ["main [case=scan *]", "main [case=sort *]"]


def test_files_of_one_size_are_distinguished_by_other_texts(read):
    rows = [f"{kind},out/{kind}{n}.log,{n},1.5" for kind in ("K1", "K2") for n in (10, 20)]
    assert kernels(read("kind,log,n,time", *rows)) == ["main [kind=K1]", "main [kind=K2]"]


def test_too_many_combinations_are_not_compared(read, monkeypatch):
    monkeypatch.setattr(file_names, "MOST_COMBINATIONS", 1)
    assert kernels(read("input,n,time", "a_1.h5,1,1", "a_2.h5,2,2")) == [
        "main [input=a_1.h5]",
        "main [input=a_2.h5]",
    ]


def test_numbers_that_rise_with_a_parameter_are_left_out(read):
    rows = [f"mesh_N{n},{n**3},{p},{n**3 / p}" for n in (10, 20, 30, 40) for p in (1, 2)]
    campaign = read("case,cells,ranks,time", *rows)
    assert kernels(campaign) == ["main"]
    assert len(campaign.points) == 8


@pytest.mark.parametrize("sizes", [{64: 64, 128: 128}, {5: 5500, 20: 52000, 50: 280000, 100: 1100000}])
def test_kernels_that_repeat_a_size_are_one_kernel(read, sizes):
    campaign = read("benchmark,size,time", *(f"{name}_{n},{sizes[n]},{n}.5" for name in "ab" for n in sizes))
    assert kernels(campaign) == ["a_*", "b_*"]
    assert len(campaign.points) == len(sizes)


def test_numbers_that_do_not_rise_with_a_parameter_stay(read):
    cells = {10: 1000, 20: 8000, 30: 64000, 40: 27000}
    campaign = read("case,cells,time", *(f"mesh_N{n},{cells[n]},{n}.5" for n in cells))
    assert len(kernels(campaign)) == 4
