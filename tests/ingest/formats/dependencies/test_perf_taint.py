"""Dependencies of functions, read from files of Perf-Taint and of its converter."""

import json

import pytest

from ingest.formats import FormatError, parse
from ingest.formats.dependencies.perf_taint import Dependencies, Function, read_dependencies
from tests.ingest.formats.memory import at_most_seconds

NAMES = {
    "functions_names": ["f", "g", "h", "main"],
    "functions_mangled_names": ["_Z1fi", "_Z1gi", "_Z1hv", "main"],
    "functions_demangled_names": ["f(int)", "g(int)", "h()", "main"],
    "parameters": ["p", "n"],
    "unused_parameters": ["theta"],
}


def written(**loops):
    """Return a file as the instrumented program writes it, with the instances of each function's loops."""
    functions = {
        name: {
            "func_idx": NAMES["functions_mangled_names"].index(name),
            "line": 7,
            "loops": [{"callstacks": [[3]], "instance": instance} for instance in instances],
        }
        for name, instances in loops.items()
    }
    return NAMES | {"functions": functions}


def dependencies(tmp_path, content):
    path = tmp_path / "taint.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return read_dependencies(path)


def terms(found, name):
    [function] = [function for function in found.functions if function.name == name]
    return {"".join(sorted(term)) for term in function.terms}


def test_files_of_instrumented_programs_are_read(tmp_path):
    nested = {"level": 1, "params": [["n"]]}
    loops = {"0": {"level": 0, "params": [["p"]], "loops": {"0": nested, "1": {"level": 1}}}}
    found = dependencies(tmp_path, written(_Z1fi=[loops, {"0": {"level": 0, "params": [["n"]]}}]))
    assert found == Dependencies(
        parameters=("p", "n", "theta"),
        functions=(Function("_Z1fi", "f(int)", frozenset({frozenset({"p", "n"}), frozenset({"n"})})),),
    )


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ({"params": [["n", "p"]]}, {"np"}),
        ({"params": [["n"], ["p"]]}, {"np"}),
        ({"params": ["n"]}, {"n"}),
        ({"params": [[1]]}, {"n"}),
        ({"params": [["n"]], "branches": {"0": ["theta"]}}, {"ntheta"}),
        ({"loops": {"0": {"loops": {"0": {"params": [["p"]]}}}, "1": {"params": [["n"]]}}}, {"p", "n"}),
        ({"level": 0}, set()),
    ],
)
def test_a_loop(tmp_path, loop, expected):
    assert terms(dependencies(tmp_path, written(_Z1fi=[{"0": loop}])), "_Z1fi") == expected


def test_dependencies_of_called_functions_are_included(tmp_path):
    call = [{"function_idx": 1, "entry_id": 1}]
    inside = {"0": {"params": [["p"]], "loops": {"0": call}}}
    content = written(
        _Z1fi=[inside], main=[{"0": call}], _Z1gi=[{"0": {"params": [["p"]]}}, {"0": {"params": [["n"]]}}]
    )
    found = dependencies(tmp_path, content)
    assert [terms(found, name) for name in ("_Z1fi", "_Z1gi", "main")] == [{"np"}, {"p", "n"}, {"n"}]


def test_files_of_the_converter_are_read(tmp_path):
    loops = [
        {"callstack": [[3]], "data": [], "deps": [["p"], ["p", "n"], None], "not_found_params": None},
        {"callstack": [[0]], "data": [], "deps": None},
    ]
    functions = {"_Z1fi": {"func_idx": 0, "loops": loops}, "_Z1gi": {"func_idx": 1, "loops": None}}
    found = dependencies(tmp_path, NAMES | {"functions": functions})
    assert terms(found, "_Z1fi") == {"p", "np"}
    assert terms(found, "_Z1gi") == set()


def test_library_functions_are_left_out_and_others_may_depend_on_nothing(tmp_path):
    others = {"_Z1hv": {"func_idx": 2, "line": 3}, "MPI_Wait": {"func_idx": 9}}
    content = NAMES | {"functions": None, "unimportant_functions": others}
    assert dependencies(tmp_path, content).functions == (Function("_Z1hv", "h()", frozenset()),)


def test_names_are_matched_by_number(tmp_path):
    content = {key: value for key, value in written(_Z1gi=[]).items() if key != "functions_mangled_names"}
    assert dependencies(tmp_path, content).functions[0].demangled == "g(int)"


def test_dependencies_are_not_a_campaign(tmp_path):
    (tmp_path / "taint.json").write_text(json.dumps(written(_Z1fi=[])))
    with pytest.raises(FormatError, match=r"no measurements.*settings page.*PUT"):
        parse(tmp_path / "taint.json")


F = "_Z1fi"


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"parameters": "p"}, "“p”"),
        ({"parameters": [1]}, "“[1.0]”"),
        ({"parameters": ["p\0"]}, "the name “p�”"),
        ({"functions": []}, "“[]"),
        ({"functions": {}}, "no function"),
        ({"functions": {F: 7}}, "“7.0”"),
        ({"functions": {F: {"loops": 7}}}, "“7.0”"),
        ({"functions": {F: {"loops": [7]}}}, "“7.0”"),
        ({"functions": {F: {"loops": [{"callstack": []}]}}}, "a loop with “callstack”"),
        ({"functions": {F: {"loops": [{"deps": [["x"]]}]}}}, "the dependency “x”"),
        ({"functions": {F: {"loops": [{"deps": ["p"]}]}}}, "the dependency “p”"),
        ({"functions": {F: {"loops": [{"instance": None}]}}}, "“None”"),
        ({"functions": {F: {"loops": [{"instance": {"a": {}}}]}}}, "the key “a”"),
        ({"functions": {F: {"loops": [{"instance": {"0": {"subloops": {}}}}]}}}, "the key “subloops”"),
        ({"functions": {F: {"loops": [{"instance": {"0": {"params": [[2]]}}}]}}}, "the dependency “2.0”"),
        ({"functions": {F: {"loops": [{"instance": {"0": {"params": "p"}}}]}}}, "the dependency “p”"),
        (written(_Z1fi=[{"0": [{"function_idx": 5, "entry_id": 0}]}]), "a call of function 5, entry 0"),
        (written(_Z1fi=[{"0": [{"function_idx": -1, "entry_id": 0}]}]), "the number “-1.0”"),
        (written(_Z1fi=[{"0": [{"function_idx": 0, "entry_id": 0}]}]), "calls nested deeper than 200"),
    ],
)
def test_an_invalid_file_is_refused(tmp_path, changes, found):
    with pytest.raises(FormatError) as raised:
        dependencies(tmp_path, NAMES | {"functions": {F: {}}} | changes)
    assert found in raised.value.found
    assert raised.value.file == "taint.json"


def test_another_file_of_the_tool_is_recognised(tmp_path):
    with pytest.raises(FormatError, match=r"functions_demangled_names.*that the instrumented program wrote"):
        dependencies(tmp_path, {"functions": {"f": {"loops": {"count": 1}}}})


def many(count):
    """Return a file in which each function has a loop that calls the same function.

    The called function depends on all combinations of six parameters.
    """
    names = "abcdef"
    combinations = [[name for at, name in enumerate(names) if mask >> at & 1] for mask in range(1, 64)]
    loop = {"0": {"params": ["a"], "loops": {"0": [{"function_idx": 0, "entry_id": 0}]}}}
    functions = {"all": {"func_idx": 0, "loops": [{"deps": combinations}]}}
    functions |= {f"{at}": {"func_idx": at + 1, "loops": [{"instance": loop}]} for at in range(count)}
    return json.dumps(NAMES | {"parameters": list(names), "functions": functions}, separators=(",", ":"))


HEAD = json.dumps(NAMES)[:-1]


def test_very_long_lists_are_refused_before_they_are_parsed(tmp_path):
    with pytest.raises(FormatError, match="over 200000 lists and objects"):
        dependencies(tmp_path, HEAD + ', "functions": {"f": {"loops": [' + "[]," * 200_000 + "7]}}}")


@pytest.mark.parametrize(
    "made",
    [
        lambda: HEAD + ', "functions": ' + "[" * 1_000_000,
        lambda: (
            HEAD
            + ', "functions": {"f": {"loops": [{"instance": {"0": {"params": ['
            + "[]," * 600_000
            + "[7]]}}}]}}}"
        ),
        lambda: (
            HEAD + ', "functions": {"f": {"loops": [{"instance": ' + '{"0":' * 99 + "7" + "}" * 99 + "}]}}}"
        ),
        lambda: HEAD + ', "functions": {"f": {"loops": [' + "[]," * 190_000 + "7]}}}",
        lambda: many(14_000),
        lambda: many(40_000),
    ],
    ids=["brackets", "lists", "loops", "as many as may be", "calls", "too long"],
)
def test_hostile_files_are_refused_in_time(tmp_path, made):
    content = made()  # outside of the limit
    with at_most_seconds(2), pytest.raises(FormatError):
        dependencies(tmp_path, content)
