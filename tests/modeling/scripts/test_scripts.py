"""Job scripts of plans run under stand-ins for the schedulers, and shellcheck reports no problems in them."""

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from modeling.scripts import KINDS, Job, filter_text, script_text
from modeling.scripts.filters import Function
from modeling.scripts.jobs import number, runs_of

POINTS = ((4.0, 1000.0), (16.0, 0.5), (64.0, 2000.0))
JOB = Job(
    title="Plan 7: 4 runs of hydro's version 1.2",
    application="hydro",
    version='1.2 it\'s "new"',
    campaign="plan-7",
    portal="https://perf.example.org",
    parameters=("p", "problem size"),
    runs=runs_of(POINTS, (2, 1, 1)),
    processes="p",
    command='program "$p" "$problem_size" > "$output"',
)
RUNS = [("4", "1000"), ("16", "0.5"), ("64", "2000"), ("4", "1000")]

PROGRAM = '#!/bin/sh\necho "$@" >> "{folder}/started"\necho "{{}}"\n'
CLIENT = """
import sys
with open("{folder}/sent", "a") as file:
    print(*sys.argv[1:], sep="|", file=file)
"""
REFRAME = """
def simple_test(kind):
    return kind
class RunOnlyRegressionTest:
    pass
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with a program, and with a client that only records what it should send."""
    program = tmp_path / "program"
    program.write_text(PROGRAM.format(folder=tmp_path))
    program.chmod(0o755)
    (tmp_path / "perfweb.py").write_text(CLIENT.format(folder=tmp_path))
    return tmp_path


def shell(folder: Path, script: str, room: Path | None = None, **variables: str) -> str:
    """Run a script in the folder `room`, by default in `folder`, and return what it prints."""
    environment = {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder), **variables}
    done = subprocess.run(
        ["/bin/bash", "-c", script], cwd=room or folder, env=environment, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout


def check(folder: Path, order: tuple[int, ...] = (0, 1, 2, 3)) -> None:
    """Check what was started and sent; `order` has the places of `JOB`'s runs."""
    started = [tuple(line.split()) for line in (folder / "started").read_text().splitlines()]
    sent = [line.split("|") for line in (folder / "sent").read_text().splitlines()]
    assert started == [RUNS[at] for at in order]
    files = [
        "hydro.p4.problem_size1000.r1.jsonl",
        "hydro.p16.problem_size0.5.r1.jsonl",
        "hydro.p64.problem_size2000.r1.jsonl",
        "hydro.p4.problem_size1000.r2.jsonl",
    ]
    assert [line[1] for line in sent] == [files[at] for at in order]
    assert all(
        line[0] == "upload"
        and line[2:8] == ["--application", "hydro", "--version", JOB.version, "--campaign", "plan-7"]
        for line in sent
    )
    assert [line[8:] for line in sent] == [["--run", "1112"[at]] for at in order]
    assert all((folder / line[1]).exists() for line in sent)


def test_further_repetitions_are_counted_after_those_that_arrived() -> None:
    assert [run.repetition for run in runs_of(POINTS, (2, 1, 1), (1, 0, 3))] == [2, 1, 4, 3]


def test_a_shell_script_makes_all_runs(folder: Path) -> None:
    shell(folder, script_text("shell", JOB))
    check(folder)


@pytest.mark.parametrize(
    ("kind", "variable", "first"),
    [("slurm", "SLURM_ARRAY_TASK_ID", 0), ("pbs", "PBS_ARRAY_INDEX", 0), ("lsf", "LSB_JOBINDEX", 1)],
)
def test_each_task_of_an_array_makes_one_run(folder: Path, kind: str, variable: str, first: int) -> None:
    script = script_text(kind, JOB)
    for task in range(len(JOB.runs)):
        shell(folder, script, **{variable: str(first + task)})
    check(folder, order=(0, 3, 1, 2))
    last = first + len(JOB.runs) - 1
    assert f"{first}-{last}" in script
    assert "64" in next(
        line for line in script.splitlines() if "ntasks" in line or "select" in line or "-n " in line
    )


@pytest.mark.parametrize(
    ("kind", "variable", "commands"),
    [
        (
            "slurm",
            "SLURM_ARRAY_TASK_ID",
            {4: "sbatch --ntasks=4 --array=0-1", 16: "sbatch --ntasks=16 --array=2-2",
             64: "sbatch --ntasks=64 --array=3-3"},
        ),
        (
            "pbs",
            "PBS_ARRAY_INDEX",
            {4: "qsub -J 0-1 -l select=4:", 16: "qsub -J 2-3:2 -l select=16:",
             64: "qsub -J 3-4:2 -l select=64:"},
        ),
        (
            "lsf",
            "LSB_JOBINDEX",
            {4: 'bsub -n 4 -J "hydro-plan[1-2]"', 16: 'bsub -n 16 -J "hydro-plan[3-3]"',
             64: 'bsub -n 64 -J "hydro-plan[4-4]"'},
        ),
    ],
)  # fmt: skip
def test_the_commands_in_a_script_reserve_no_more_processes_than_each_run_needs(
    folder: Path, kind: str, variable: str, commands: dict[int, str]
) -> None:
    script = script_text(kind, JOB)
    for processes, command in commands.items():
        line = next(line for line in script.splitlines() if line.startswith(f"#   {command}"))
        assert line.endswith(f"plan-7.{KINDS[kind].suffix}")
        first = re.search(r"(?:--array=|-J |\[)(\d+)-", command)
        assert first is not None
        shell(folder, script, **{variable: first[1]})
        assert (folder / "started").read_text().splitlines()[-1].split()[0] == str(processes)


def test_runs_of_equal_size_need_no_further_command() -> None:
    alike = replace(JOB, runs=tuple(replace(run, point=(4.0, run.point[1])) for run in JOB.runs))
    assert "--ntasks=4" in script_text("slurm", alike)
    assert "sbatch" not in script_text("slurm", alike)


def test_an_array_of_one_task_is_no_array_for_pbs() -> None:
    assert "-J" not in script_text("pbs", replace(JOB, runs=JOB.runs[:1]))


def test_a_default_launcher_gets_the_number_of_processes(folder: Path) -> None:
    script = script_text("slurm", replace(JOB, command=""))
    assert 'srun --ntasks="$p" ./hydro "$p" "$problem_size" > "$output"' in script


def test_jube_makes_all_runs(folder: Path) -> None:
    """A step runs in a folder that JUBE makes, where neither the program nor the client is."""
    room = folder / "hydro_runs" / "000000_run" / "work"
    room.mkdir(parents=True)
    tree = ElementTree.fromstring(script_text("jube", JOB))
    tasks = (tree.findtext(".//parameter[@name='task']") or "").split(",")
    columns = {
        element.attrib["name"]: str(element.text)
        for element in tree.iter("parameter")
        if element.attrib["name"] != "task"
    }
    for task in tasks:
        step = (tree.findtext(".//do") or "").replace("$jube_benchmark_home", str(folder))
        for name, text in columns.items():
            value = str(eval(text.replace("$task", task)))
            step = re.sub(rf"\$(\{{{name}\}}|{name}\b)", value, step)
        shell(folder, step, room)
    check(folder)
    assert not list(room.iterdir())


def test_reframe_makes_all_runs(folder: Path) -> None:
    """The commands of each instance run in a shell, in a folder that ReFrame makes. A stand-in replaces
    ReFrame's own module.
    """
    stage = folder / "stage"
    stage.mkdir()
    room = folder / "reframe"
    (room / "utility").mkdir(parents=True)
    (room / "__init__.py").write_text(REFRAME)
    (room / "utility" / "__init__.py").write_text("")
    (room / "utility" / "sanity.py").write_text("")
    script = script_text("reframe", JOB)
    names: dict[str, Any] = {
        "parameter": lambda runs: runs,
        "run_before": lambda stage: lambda method: method,
        "sanity_function": lambda method: method,
    }
    sys.path.insert(0, str(folder))
    try:
        exec(compile(script, "plan.py", "exec"), names)
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.split(".")[0] == "reframe"]:
            del sys.modules[name]
    for run in names["RUNS"]:
        test = names["Plan"]()
        test.run_at, test.prefix = run, str(folder)
        test.start()
        assert test.num_tasks == run[0]
        assert names["ENDED"] in shell(folder, "\n".join(test.prerun_cmds), stage).splitlines()
    check(folder)


def test_a_failed_run_is_a_failure_for_jube(folder: Path) -> None:
    (folder / "program").write_text("#!/bin/sh\nexit 3\n")
    tree = ElementTree.fromstring(script_text("jube", JOB))
    step = (tree.findtext(".//do") or "").replace("$jube_benchmark_home", str(folder))
    with pytest.raises(subprocess.CalledProcessError, match="status 3"):
        shell(folder, step, p="4", problem_size="1000", repetition="1")
    assert not (folder / "sent").exists()


@pytest.mark.parametrize("kind", ["shell", "slurm", "pbs", "lsf"])
@pytest.mark.parametrize("command", ["", JOB.command])
def test_shellcheck_finds_nothing(kind: str, command: str, tmp_path: Path) -> None:
    script = tmp_path / f"plan.{kind}"
    script.write_text(script_text(kind, replace(JOB, command=command, machine="it's big")))
    found = subprocess.run(
        [Path(sys.executable).with_name("shellcheck"), "--shell=bash", str(script)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.stdout == ""
    assert found.returncode == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_title_stays_a_comment(kind: str) -> None:
    """The version in a title is what somebody typed in."""
    script = script_text(kind, replace(JOB, title='Plan 7 of 1.0"""\nexit 3 \\ --> <jube>'))
    lines = [line for line in script.splitlines() if "exit 3" in line]
    assert len(lines) == 1
    assert lines[0].startswith("<!-- Plan 7" if kind == "jube" else "# Plan 7")
    if kind == "jube":
        ElementTree.fromstring(script)
    if kind == "reframe":
        compile(script, "plan.py", "exec")


def test_a_script_names_its_own_file() -> None:
    assert "jube run plan-7.xml" in script_text("jube", JOB)
    reframe = script_text("reframe", JOB)
    assert "reframe -c plan-7.py -r" in reframe
    assert "--exec-policy=serial" in reframe


def test_names_that_a_shell_does_not_accept_are_changed() -> None:
    job = replace(JOB, parameters=("2d", "a b", "a-b", "output", "größe", "UID", "SECONDS"), processes=None)
    assert job.variables == ("x_2d", "a_b", "a_b_", "x_output", "gr__e", "x_UID", "x_SECONDS")
    assert job.most_processes == 1


def test_numbers_are_written_without_exponents() -> None:
    assert [number(value) for value in (64.0, 0.5, 1e6)] == ["64", "0.5", "1000000"]


def test_a_command_that_is_too_long_is_refused_instead_of_cut() -> None:
    assert JOB.started_by("x" * 2000).command == "x" * 2000
    with pytest.raises(ValueError, match="2,001 characters, expected 2,000 at most"):
        JOB.started_by("x" * 2001)


def test_nothing_to_run_and_unknown_kinds_are_refused() -> None:
    with pytest.raises(ValueError, match="no run that is still missing"):
        script_text("slurm", replace(JOB, runs=()))
    with pytest.raises(ValueError, match="Found “cobalt”, expected one of shell, slurm"):
        script_text("cobalt", JOB)
    assert set(KINDS) == {"shell", "slurm", "pbs", "lsf", "jube", "reframe"}


def test_filters_leave_constant_functions_out() -> None:
    functions = [Function("_ZN4Mesh3getEv", "Mesh::get()"), Function("plain", "plain")]
    assert filter_text("scorep", functions).splitlines()[1:] == [
        "SCOREP_REGION_NAMES_BEGIN",
        "  EXCLUDE MANGLED _ZN4Mesh3getEv",
        "  EXCLUDE MANGLED plain",
        "SCOREP_REGION_NAMES_END",
    ]
    assert "exclude-function-list=Mesh::get,plain" in filter_text("gcc", functions)
    assert filter_text("clang", functions).endswith("[never]\nfun:_ZN4Mesh3getEv\nfun:plain\n")


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_gcc_accepts_the_filter(tmp_path: Path) -> None:
    """gcc compares parts of names, so a constant function must not take others with it."""
    constant = [Function("small", "small"), Function("get", "get()")]
    (tmp_path / "filter").write_text(filter_text("gcc", constant, [Function("get_all", "get_all(int)")]))
    (tmp_path / "a.c").write_text(
        "int small(void) { return 1; }\nint get(void) { return 2; }\n"
        "int get_all(int n) { return n * get() + small(); }\n"
    )
    subprocess.run(["gcc", "@filter", "-S", "a.c", "-o", "a.s"], cwd=tmp_path, check=True)
    instrumented = [
        body.split(":")[0]
        for body in re.split(r"\n(?=\w+:\n)", (tmp_path / "a.s").read_text())
        if "__cyg_profile_func_enter" in body
    ]
    assert instrumented == ["get", "get_all"]
