"""The common parts of job scripts: the list of runs, the start of a run, the upload of its result."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from shlex import quote

RESERVED = frozenset({
    "task", "tasks", "run", "output", "repetition", "application",
    "PATH", "HOME", "IFS", "PWD", "UID", "EUID", "PPID", "GROUPS", "SECONDS", "RANDOM", "LINENO",
})  # fmt: skip
"""Names that the script or the shell uses itself, so parameters get other names."""

LONGEST_COMMAND = 2000
"""Limit on the characters of the command that starts a run."""


@dataclass(frozen=True)
class Run:
    """One run of the program: its coordinates, and the number of its repetition."""

    point: tuple[float, ...]
    repetition: int


@dataclass(frozen=True)
class Job:
    """The content of a job script: the runs of a plan, and how they are started and uploaded.

    Attributes:
        title: a title for people.
        application: the application's slug, as in the portal's addresses.
        version: label of the version that is measured.
        campaign: the key that the uploads of all runs share.
        portal: the portal's address.
        parameters: names, in the order of a point.
        runs: the runs in the order in which the script makes them.
        processes: the parameter that counts processes; None if there is none.
        command: the command that makes a run; it writes the measurements to "$output".
        machine: name of the machine; if empty, the client's default is used.
    """

    title: str
    application: str
    version: str
    campaign: str
    portal: str
    parameters: tuple[str, ...]
    runs: tuple[Run, ...]
    processes: str | None = None
    command: str = ""
    machine: str = ""

    @property
    def heading(self) -> str:
        """Return the title on one line, so that it fits into a comment."""
        return " ".join(self.title.split())

    @property
    def variables(self) -> tuple[str, ...]:
        """Return the names of the parameters as valid, distinct names of shell variables."""
        names: list[str] = []
        for name in self.parameters:
            plain = re.sub(r"\W", "_", name, flags=re.ASCII) or "x"
            plain = f"x_{plain}" if plain[0].isdigit() or plain in RESERVED else plain
            while plain in names:
                plain += "_"
            names.append(plain)
        return tuple(names)

    def started_by(self, command: str) -> "Job":
        """Return the job with another command; an empty one is replaced by a default.

        Raises:
            ValueError: the command is too long.
        """
        if len(command) > LONGEST_COMMAND:
            raise ValueError(
                f"Found a command of {len(command):,} characters, expected {LONGEST_COMMAND:,} at most; put "
                "it in a script of its own."
            )
        return replace(self, command=command)

    def processes_of(self, run: Run) -> int:
        """Return the number of processes of a run."""
        return 1 if self.processes is None else int(run.point[self.parameters.index(self.processes)])

    def by_processes(self) -> "Job":
        """Return the job with runs of the same number of processes next to each other."""
        return replace(self, runs=tuple(sorted(self.runs, key=self.processes_of)))

    @property
    def most_processes(self) -> int:
        """Return the number of processes of the largest run."""
        return max(map(self.processes_of, self.runs), default=1)

    @property
    def safe_name(self) -> str:
        """Return the application's name in a form for names of jobs and files."""
        return re.sub(r"[^A-Za-z0-9_.-]", "-", self.application) or "application"


def runs_of(
    points: Sequence[Sequence[float]], repetitions: Sequence[int], arrived: Sequence[int] = ()
) -> tuple[Run, ...]:
    """Return all runs of a plan in rounds over all points, so that a slow hour affects all points alike.

    Repetitions are counted after the `arrived` ones, so that no run has the name of an earlier run.
    """
    first = arrived or [0] * len(points)
    return tuple(
        Run(tuple(point), before + number + 1)
        for number in range(max(repetitions, default=0))
        for point, count, before in zip(points, repetitions, first, strict=True)
        if number < count
    )


def number(value: float) -> str:
    """Return a coordinate as programs accept it, such as 64 or 0.5."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def table(job: Job) -> str:
    """Return a shell array with a line for each run: its coordinates and its repetition."""
    rows = [" ".join([*map(number, run.point), str(run.repetition)]) for run in job.runs]
    return "\n".join(["tasks=(", *(f'  "{row}"' for row in rows), ")"])


def read_task(job: Job) -> str:
    """Return shell lines that read the current task's coordinates, and name the file for its measurements."""
    names = " ".join([*job.variables, "repetition"])
    where = ".".join(f"{name}${{{name}}}" for name in job.variables)
    return "\n".join(
        [
            f'read -r {names} <<< "${{tasks[$task]}}"',
            f'output="{job.safe_name}.{where}.r${{repetition}}.jsonl"',
        ]
    )


def run_function(job: Job) -> str:
    """Return the shell function that makes one run. Users edit this part."""
    coordinates = ", ".join(f'"${name}"' for name in job.variables)
    return "\n".join(
        [
            f'# One run at {coordinates}. It writes its measurements to "$output"; edit this line.',
            "measure() {",
            f"  {job.command or default_command(job)}",
            "}",
        ]
    )


def default_command(job: Job, launcher: str = "") -> str:
    """Return the default command, which passes the coordinates to the program in their order."""
    start = f"{launcher} " if launcher else ""
    arguments = " ".join(f'"${name}"' for name in job.variables)
    return f'{start}./{quote(job.safe_name)} {arguments} > "$output"'


def launcher(job: Job, text: str) -> str:
    """Return a launcher such as `mpirun -n {}` for the processes; empty if no parameter counts them."""
    if job.processes is None:
        return ""
    return text.format(f'"${job.variables[job.parameters.index(job.processes)]}"')


def upload_step(job: Job) -> str:
    """Return shell lines that upload the file. The client keeps the file if the portal cannot be reached."""
    machine = [f"--machine {quote(job.machine)}"] if job.machine else []
    point = ", ".join(
        f"{name}=${{{variable}}}" for name, variable in zip(job.parameters, job.variables, strict=True)
    )
    options = [
        f"--application {quote(job.application)}",
        f"--version {quote(job.version)}",
        f"--campaign {quote(job.campaign)}",
        *machine,
        '--run "$repetition"',  # tells runs with equal files apart
    ]
    lines = [
        "# Files without their coordinates need: --point " + quote(point).replace("'", '"'),
        'python3 "${PERFWEB_CLIENT:-perfweb.py}" upload "$output" \\',
        f"  {' '.join(options)} ||",
        '  echo "Not sent: $output. Where it was kept, send it with: python3 perfweb.py flush" >&2',
    ]
    return "\n".join(lines)


def preparation(job: Job) -> str:
    """Return the comments at the beginning of a script."""
    return f"# {job.heading}\n{needed(job)}"


def needed(job: Job) -> str:
    """Return comments on what is needed before the script runs."""
    return "\n".join(
        [
            f"# Once, where there is a network: curl -fsSO {job.portal}/client/perfweb.py",
            "# The token is read from PERFWEB_TOKEN; see the portal's page on uploads from jobs.",
        ]
    )
