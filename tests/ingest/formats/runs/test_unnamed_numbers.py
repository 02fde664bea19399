"""Numbers without names in the names of files are coordinates if they are like those of an experiment."""

import pytest

from ingest.formats.runs.unnamed_numbers import unnamed_numbers


def read(paths, known=None, taken=()):
    found, notes = unnamed_numbers(paths, known or dict.fromkeys(paths, ()), taken)
    return [found.get(path, {}) for path in paths], notes


@pytest.mark.parametrize("values", [(1, 2, 4, 8), (24, 48, 96), (100, 200, 300, 400), (1, 2, 4, 6, 8, 12)])
def test_values_of_an_experiment_are_a_coordinate(values):
    found, notes = read([f"out/{value}/time.txt" for value in values])
    assert found == [{"x": value} for value in values]
    assert notes == [
        f"numbers in the names of files were read as coordinates, such as x = {values[0]} of "
        f"“out/{values[0]}/time.txt”; extents count as their product; to name them, send a pattern along "
        "with the archive, such as run_{p}_{n}"
    ]


@pytest.mark.parametrize("values", [(1, 2, 3, 4), (812345, 812399, 812400), (2, 3)])
def test_repetitions_and_ids_of_jobs_are_no_coordinates(values):
    assert read([f"out-{value}.txt" for value in values]) == ([{}] * len(values), [])


@pytest.mark.parametrize("values", [(2, 4), (9, 42, 1337)])
def test_a_note_asks_about_other_numbers_that_differ_widely(values):
    found, notes = read([f"out-{value}.txt" for value in values])
    assert found == [{}] * len(values)
    named = f"“out-{values[0]}.txt” and “out-{values[1]}.txt”"
    assert notes[0].startswith(f"numbers in names such as {named} were not read as coordinates")


def test_numbers_that_others_determine_are_no_further_coordinates():
    paths = [f"osu-{nodes}-{16 * nodes}-{run}.out" for nodes in (4, 8, 16) for run in (1, 2, 3)]
    found, _ = read(paths)
    assert found == [{"x": nodes} for nodes in (4, 8, 16) for _ in range(3)]
    assert read(paths, {path: path.split("-")[1] for path in paths}) == ([{}] * 9, [])


def test_several_numbers_get_names_of_their_own():
    paths = [f"{n}/{p}.txt" for n in (100, 200, 400) for p in (2, 4, 8)]
    found, _ = read(paths, taken={"x"})
    assert found == [{"y": p, "z": n} for n in (100, 200, 400) for p in (2, 4, 8)]


def test_names_with_different_counts_of_numbers_are_read_apart():
    wide = [f"reduce-{n}-{run}.out" for n in (4, 8, 16) for run in (1, 2)]
    found, _ = read([*wide, "latency-1.out", "latency-2.out"])
    assert found == [{"x": n} for n in (4, 8, 16) for _ in range(2)] + [{}, {}]
    assert read(["a-1.txt", "a-2.txt", "a-4-1.txt"]) == ([{}] * 3, [])
    assert read(["a.txt"]) == ([{}], [])


def test_a_word_before_extents_or_a_number_is_no_name():
    assert read([f"firstFloat{n}x{n}.out" for n in (16, 32, 64)])[0] == [{"x": n * n} for n in (16, 32, 64)]
    assert read([f"output{n}.txt" for n in (16, 32, 64)])[0] == [{"x": n} for n in (16, 32, 64)]
    assert read([f"lulesh2-{n}.txt" for n in (16, 32, 64)])[0] == [{"x": n} for n in (16, 32, 64)]
