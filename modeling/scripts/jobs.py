"""What all job scripts of a plan have in common: its runs, how one is started, and how its result is sent."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from shlex import quote

RESERVED = frozenset({"task", "tasks", "run", "output", "repetition", "application", "PATH", "HOME", "IFS"})
"""Names that a script uses itself, or that a shell does."""


@dataclass(frozen=True)
class Run:
    """One run of the program: its coordinates, and which repetition of them it is."""

    point: tuple[float, ...]
    repetition: int


@dataclass(frozen=True)
class Job:
    """A plan to be run.

    Attributes:
        title: for people, on one line.
        application: its slug, as the portal's addresses have it.
        version: label of the version that is measured.
        campaign: what the uploads of all runs share.
        portal: the portal's address.
        parameters: names, in the order of a point.
        runs: in the order in which they are to be made.
        processes: the parameter that counts processes; None where none does.
        command: how a run is started; it writes its measurements to "$output".
        machine: name of the machine; empty: as the client finds it.

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
    def variables(self) -> tuple[str, ...]:
        """Names of the parameters as a shell may have them, each once."""
        names: list[str] = []
        for name in self.parameters:
            plain = re.sub(r"\W", "_", name, flags=re.ASCII) or "x"
            plain = f"x_{plain}" if plain[0].isdigit() or plain in RESERVED else plain
            while plain in names:
                plain += "_"
            names.append(plain)
        return tuple(names)

    def started_by(self, command: str) -> "Job":
        """These jobs with another command; an empty one leaves the command to whoever edits the script."""
        return replace(self, command=command)

    @property
    def most_processes(self) -> int:
        """Processes of the largest run."""
        if self.processes is None:
            return 1
        at = self.parameters.index(self.processes)
        return max((int(run.point[at]) for run in self.runs), default=1)

    @property
    def safe_name(self) -> str:
        """The application as part of names of jobs and files."""
        return re.sub(r"[^A-Za-z0-9_.-]", "-", self.application) or "application"


def runs_of(points: Sequence[Sequence[float]], repetitions: Sequence[int]) -> tuple[Run, ...]:
    """All runs of a plan, one round of all points after the other: a slow hour falls on all points alike."""
    rounds = range(max(repetitions, default=0))
    return tuple(
        Run(tuple(point), number + 1)
        for number in rounds
        for point, count in zip(points, repetitions, strict=True)
        if number < count
    )


def number(value: float) -> str:
    """A coordinate as programs take it: 64, 0.5."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def table(job: Job) -> str:
    """The runs as lines of a shell's array: coordinates and repetition."""
    rows = [" ".join([*map(number, run.point), str(run.repetition)]) for run in job.runs]
    return "\n".join(["tasks=(", *(f'  "{row}"' for row in rows), ")"])


def read_task(job: Job) -> str:
    """Takes the coordinates of the task at hand, and the file that its measurements go to."""
    names = " ".join([*job.variables, "repetition"])
    where = ".".join(f"{name}${{{name}}}" for name in job.variables)
    return "\n".join(
        [
            f'read -r {names} <<< "${{tasks[$task]}}"',
            f'output="{job.safe_name}.{where}.r${{repetition}}.jsonl"',
        ]
    )


def run_function(job: Job) -> str:
    """How one run is started; the line that people edit."""
    told = ", ".join(f'"${name}"' for name in job.variables)
    return "\n".join(
        [
            f'# One run at {told}. It writes its measurements to "$output"; edit this line.',
            "measure() {",
            f"  {job.command or default_command(job)}",
            "}",
        ]
    )


def default_command(job: Job, launcher: str = "") -> str:
    """A guess: the program takes the coordinates in their order."""
    start = f"{launcher} " if launcher else ""
    arguments = " ".join(f'"${name}"' for name in job.variables)
    return f'{start}./{quote(job.safe_name)} {arguments} > "$output"'


def launcher(job: Job, text: str) -> str:
    """A launcher with the number of processes in the place of {}; empty where nothing counts processes."""
    if job.processes is None:
        return ""
    return text.format(f'"${job.variables[job.parameters.index(job.processes)]}"')


def upload_step(job: Job) -> str:
    """Sends the file; where the portal is not reached, the client keeps it."""
    machine = [f"--machine {quote(job.machine)}"] if job.machine else []
    point = ", ".join(
        f"{name}=${{{variable}}}" for name, variable in zip(job.parameters, job.variables, strict=True)
    )
    options = [
        f"--application {quote(job.application)}",
        f"--version {quote(job.version)}",
        f"--campaign {quote(job.campaign)}",
        *machine,
    ]
    lines = [
        "# Files that do not tell their coordinates need: --point " + quote(point).replace("'", '"'),
        'python3 "${PERFWEB_CLIENT:-perfweb.py}" upload "$output" \\',
        f"  {' '.join(options)} ||",
        '  echo "Not sent: $output. Where it was kept, send it with: python3 perfweb.py flush" >&2',
    ]
    return "\n".join(lines)


def preparation(job: Job) -> str:
    """What has to be there before, as comments."""
    return "\n".join(
        [
            f"# {job.title}",
            f"# Once, where there is a network: curl -fsSO {job.portal}/client/perfweb.py",
            "# The token is read from PERFWEB_TOKEN; see the portal's page on uploads from jobs.",
        ]
    )
