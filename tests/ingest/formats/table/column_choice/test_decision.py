"""Texts, flags and outcomes become part of the kernel or metadata; the long form has a column of metrics."""

import pytest


def test_version_numbers_are_no_parameter(read):
    assert read("version,p,time", "1.2,8,1", "1.3,8,2").parameters == ("p",)
    assert read("version,p,time", "1.2,8,1", "1.2,16,2").metadata == {"version": 1.2}


def test_text_that_varies_is_part_of_the_kernel(read):
    campaign = read("compiler,p,time", "gcc,2,1", "clang,2,3", "gcc,4,2", "clang,4,2")
    assert campaign.parameters == ("p",)
    assert campaign.series["main [compiler=gcc]", "time"].tolist() == [[1], [2]]
    assert campaign.series["main [compiler=clang]", "time"].tolist() == [[3], [2]]


def test_text_that_is_the_same_everywhere_describes_the_runs(read):
    campaign = read("compiler,p,time", "gcc,2,1", "gcc,4,2")
    assert list(campaign.series) == [("main", "time")]
    assert campaign.metadata == {"compiler": "gcc"}


def test_text_in_a_column_named_like_a_metric_is_a_text(read):
    campaign = read("system,speed,p,user", "daint,fast,2,1", "eiger,slow,2,3")
    assert campaign.parameters == ("p",)
    kernels = {"main [system=daint, speed=fast]", "main [system=eiger, speed=slow]"}
    assert {kernel for kernel, _ in campaign.series} == kernels


def test_texts_with_numbers_among_them_are_texts(read):
    campaign = read("release,p,time", "4.0,2,1", "4.2.1,2,2", "4.2.2,2,2")
    assert {kernel for kernel, _ in campaign.series} == {
        f"main [release={v}]" for v in ("4.0", "4.2.1", "4.2.2")
    }


def test_a_text_column_may_contain_the_kernels(read):
    assert read("p,benchmark,time", "2,sort,1", "2,scan,1").series.keys() == {
        ("sort", "time"),
        ("scan", "time"),
    }


def test_an_arrow_in_a_text_does_not_separate_levels(read):
    assert ("main [path=a→b]", "time") in read("p,path,time", "2,a->b,1", "2,c,2").series


def test_revisions_become_part_of_the_kernel(read):
    assert len(read("commit,p,time", "ab12cd34ef,2,1", "12cd34ef56,2,3").series) == 2


@pytest.mark.parametrize(("on", "off"), [("true", "false"), ("yes", "no"), ("1", "0")])
def test_flags_are_part_of_the_kernel(read, on, off):
    campaign = read("p,turbo,time", f"2,{on},1", f"2,{off},2")
    assert {kernel for kernel, _ in campaign.series} == {f"main [turbo={on}]", f"main [turbo={off}]"}


def test_the_long_form_may_have_a_column_of_units(read):
    campaign = read("p,metric,value,unit", "2,time,1,s", "2,energy,5,J")
    assert campaign.units == {"time": "s", "energy": "J"}


def test_a_ratio_is_no_time(read):
    campaign = read("layout,ranks,time", "4:16,2,1.5", "8:32,2,1.25")
    assert set(campaign.series) == {("main [layout=4:16]", "time"), ("main [layout=8:32]", "time")}


def test_a_grid_such_as_64x64_is_a_text_although_its_column_is_named_size(read):
    campaign = read("problem size,p,time", "64x64x32,2,1", "64x32x32,2,2", "64x32x32,4,3")
    assert campaign.parameters == ("p",)
    assert ("main [problem size=64x32x32]", "time") in campaign.series


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [("verified", "PASS", "FAIL"), ("correct", "1", "0"), ("status", "ok", "error")],
)
def test_only_wrong_results_become_part_of_the_kernel(read, name, right, wrong):
    rows = [f"{n},{right},{n}.5" for n in (1, 2, 4)]
    campaign = read(f"n,{name},time", *rows, f"8,{wrong},8.5")
    assert [kernel for kernel, _ in campaign.series] == ["main", f"main [{name}={wrong}]"]
    assert read(f"n,{name},time", *rows).parameters == ("n",)


def test_the_long_form_has_several_names(read):
    campaign = read("Size,MetricName,MetricValue", "2,Time,9.5", "2,Memory,70", "4,Time,19", "4,Memory,75")
    assert {key: values.tolist() for key, values in campaign.series.items()} == {
        ("main", "Time"): [[9.5], [19]],
        ("main", "Memory"): [[70], [75]],
    }


def test_names_that_begin_with_a_number_are_texts(read):
    campaign = read("problem_size,ranks,time", "3D_box,2,9.5", "8x8x8x,2,7.5")
    assert {kernel for kernel, _ in campaign.series} == {
        "main [problem_size=3D_box]",
        "main [problem_size=8x8x8x]",
    }
