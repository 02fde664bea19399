"""The kinds of scripts: plain shell, schedulers with job arrays, and benchmark frameworks."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from xml.sax.saxutils import escape

from modeling.scripts.jobs import (
    Job,
    default_command,
    launcher,
    needed,
    number,
    preparation,
    read_task,
    run_function,
    table,
    upload_step,
)

ENDED = "The run has ended"
"""The last line that a run prints, by which ReFrame knows that no step failed."""

TIME = "00:30:00"
"""Time limit of a job. Users edit the limit first, because the duration is not known."""


@dataclass(frozen=True)
class Kind:
    """A kind of script: name in addresses, title, suffix of its file, and command that starts it."""

    key: str
    title: str
    suffix: str
    start: str
    text: Callable[[Job], str]


def script_text(kind: str, job: Job) -> str:
    """Return the script of a kind for a job.

    Raises:
        ValueError: there is no such kind, or nothing to run.
    """
    if kind not in KINDS:
        raise ValueError(f"Found “{kind[:40]}”, expected one of {', '.join(KINDS)}.")
    if not job.runs:
        raise ValueError("The plan has no run that is still missing.")
    return KINDS[kind].text(job)


def _started_by(job: Job, text: str) -> Job:
    """Return the job with the default command after a launcher, if the user gave no command."""
    return job if job.command else replace(job, command=default_command(job, launcher(job, text)))


def _shell(job: Job) -> str:
    job = _started_by(job, "mpirun -n {}")
    return _joined(
        "#!/usr/bin/env bash", preparation(job), "set -euo pipefail", "",
        run_function(job), "", table(job), "",
        'for task in "${!tasks[@]}"; do', _indented(read_task(job)), "  measure", _indented(upload_step(job)),
        "done",
    )  # fmt: skip


def _array(job: Job, header: list[str], index: str) -> str:
    """Return a script in which every task of a job array makes one run."""
    return _joined(
        "#!/usr/bin/env bash", *header, preparation(job), "set -euo pipefail", "", run_function(job), "",
        table(job), "", f"task={index}", read_task(job), "measure", upload_step(job),
    )  # fmt: skip


def _reserved(job: Job, command: Callable[[int, int, int], str]) -> list[str]:
    """Return comments with commands that reserve for each run only the processes that it needs.

    `command` returns the command for a number of processes, and the first and last index of its runs. The
    runs must be sorted by their processes.
    """
    sizes = [job.processes_of(run) for run in job.runs]
    if len(set(sizes)) < 2:
        return []
    first = {size: sizes.index(size) for size in dict.fromkeys(sizes)}
    last = {size: first[size] + sizes.count(size) - 1 for size in first}
    return [
        "# If all runs are submitted at once, each reserves the processes of the largest one.",
        "# Submit them like this instead, to reserve only what each run needs:",
        *(f"#   {command(size, first[size], last[size])}" for size in first),
    ]


def _slurm(job: Job) -> str:
    job = job.by_processes()
    file = f"{job.campaign}.sbatch"
    header = [
        f"#SBATCH --job-name={job.safe_name}-plan",
        f"#SBATCH --array=0-{len(job.runs) - 1}",
        f"#SBATCH --ntasks={job.most_processes}",
        f"#SBATCH --time={TIME}",
        *_reserved(job, lambda size, first, last: f"sbatch --ntasks={size} --array={first}-{last} {file}"),
    ]
    return _array(_started_by(job, "srun --ntasks={}"), header, '"${SLURM_ARRAY_TASK_ID:-0}"')


def _pbs(job: Job) -> str:
    job = job.by_processes()

    def command(size: int, first: int, last: int) -> str:
        # PBS does not accept a range of one task, but a step that leaves out the second of two.
        indices = f"{first}-{last}" if first < last else f"{first}-{first + 1}:2"
        return f"qsub -J {indices} -l select={size}:ncpus=1:mpiprocs=1 {job.campaign}.pbs"

    # PBS does not accept an array with one task.
    array = [f"#PBS -J 0-{len(job.runs) - 1}"] if len(job.runs) > 1 else []
    header = [
        f"#PBS -N {job.safe_name[:10]}-plan",
        *array,
        f"#PBS -l select={job.most_processes}:ncpus=1:mpiprocs=1",
        f"#PBS -l walltime={TIME}",
        *_reserved(job, command),
    ]
    text = _array(_started_by(job, "mpiexec -n {}"), header, '"${PBS_ARRAY_INDEX:-0}"')
    return text.replace("set -euo pipefail", 'set -euo pipefail\ncd "${PBS_O_WORKDIR:-.}"')


def _lsf(job: Job) -> str:
    job = job.by_processes()
    name = f"{job.safe_name}-plan"

    def command(size: int, first: int, last: int) -> str:
        return f'bsub -n {size} -J "{name}[{first + 1}-{last + 1}]" < {job.campaign}.lsf'

    header = [
        f'#BSUB -J "{name}[1-{len(job.runs)}]"',
        f"#BSUB -n {job.most_processes}",
        f"#BSUB -W {TIME[:5]}",
        *_reserved(job, command),
    ]
    return _array(_started_by(job, "mpirun -n {}"), header, "$((${LSB_JOBINDEX:-1} - 1))")


def _jube(job: Job) -> str:
    """Return a JUBE configuration. JUBE inserts the values of parameters before a shell reads the lines.

    Runs take place in the configuration's folder, where the program and the client are.
    """
    job = _started_by(job, "mpirun -n {}")
    columns = {name: [number(run.point[at]) for run in job.runs] for at, name in enumerate(job.variables)}
    columns["repetition"] = [str(run.repetition) for run in job.runs]
    place = 'set -eu\ncd "$jube_benchmark_home"'
    steps = "\n".join([place, read_task(job).splitlines()[-1], job.command, upload_step(job)])
    return _joined(
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<!-- {escape(job.heading).replace('--', '- -')}. Start it with: jube run {job.campaign}.xml",
        *(line.removeprefix("# ").replace("--", "- -") for line in escape(needed(job)).splitlines()),
        "-->",
        "<jube>",
        f'  <benchmark name="{job.safe_name}" outpath="{job.safe_name}_runs">',
        '    <parameterset name="plan">',
        f'      <parameter name="task">{",".join(str(at) for at in range(len(job.runs)))}</parameter>',
        *(
            f'      <parameter name="{name}" mode="python">[{", ".join(column)}][$task]</parameter>'
            for name, column in columns.items()
        ),
        "    </parameterset>",
        '    <step name="run">',
        "      <use>plan</use>",
        f"      <do>\n{escape(steps)}\n      </do>",
        "    </step>",
        "  </benchmark>",
        "</jube>",
    )


def _reframe(job: Job) -> str:
    """Return a ReFrame test. Runs take place in its folder, and their last printed line shows success."""
    job = _started_by(job, "mpirun -n {}")
    runs = [f"    ({', '.join([*map(number, run.point), str(run.repetition)])})," for run in job.runs]
    at = job.parameters.index(job.processes) if job.processes in job.parameters else None
    tasks = (
        f"        self.num_tasks = int(self.run_at[{at}])" if at is not None else "        self.num_tasks = 1"
    )
    names = (*job.variables, "repetition")
    step = _joined(read_task(job).splitlines()[-1], "measure", upload_step(job)).rstrip("\n")
    return _joined(
        f"# {job.heading}. Start it with: reframe -c {job.campaign}.py -r",
        "# Without a scheduler, ReFrame makes several runs at the same time, which slow each other down.",
        "# On such a system, add: --exec-policy=serial",
        needed(job),
        "",
        "from shlex import quote",
        "",
        "import reframe as rfm",
        "import reframe.utility.sanity as sn",
        "",
        f"NAMES = {names!r}",
        "RUNS = [",
        *runs,
        "]",
        "",
        f"MEASURE = {run_function(job)!r}",
        f"STEPS = {step!r}",
        f"ENDED = {ENDED!r}",
        "",
        "",
        "@rfm.simple_test",
        "class Plan(rfm.RunOnlyRegressionTest):",
        '    """One run of the plan; its result is sent by the job itself."""',
        "",
        "    run_at = parameter(RUNS)",
        '    valid_systems = ["*"]',
        '    valid_prog_environs = ["*"]',
        "    sourcesdir = None",
        '    executable = "true"',
        "",
        '    @run_before("run")',
        "    def start(self):",
        tasks,
        '        told = [f"{name}={value}" for name, value in zip(NAMES, self.run_at)]',
        '        place = ["set -e", f"cd {quote(self.prefix)}"]',
        '        steps = [*MEASURE.splitlines(), *STEPS.splitlines(), f"echo {quote(ENDED)}"]',
        "        self.prerun_cmds = [*place, *told, *steps]",
        "",
        "    @sanity_function",
        "    def ended(self):",
        '        return sn.assert_found(f"^{ENDED}$", self.stdout)',
    )


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def _joined(*lines: str) -> str:
    return "\n".join(lines) + "\n"


KINDS = {
    kind.key: kind
    for kind in (
        Kind("shell", "Plain shell", "sh", "bash", _shell),
        Kind("slurm", "Slurm job array", "sbatch", "sbatch", _slurm),
        Kind("pbs", "PBS job array", "pbs", "qsub", _pbs),
        Kind("lsf", "LSF job array", "lsf", "bsub <", _lsf),
        Kind("jube", "JUBE", "xml", "jube run", _jube),
        Kind("reframe", "ReFrame", "py", "reframe -r -c", _reframe),
    )
}
"""Kinds of scripts by their name in addresses."""
