"""Measure two worker hosts that share one PostgreSQL and one Valkey.

    python -m tests.benchmarks.portal.two_hosts [KERNELS]

The goal is 1.8 to 2 times the models per second of one host. If a host is cut off and killed during a
campaign, nothing is lost. Each host is a network namespace with one core, and the servers have a namespace of
their own. The program needs root to make these namespaces. They are inside another one that ends with this
process, and cannot be reached from outside.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

KERNELS = 4000
"""Number of kernels of a run. Most of them are in portions that both hosts can model at the same time."""

TIMES = 2
INSIDE = "PERFWEB_TWO_HOSTS"
STEPS = ("planning", "leading portions", "other portions", "finish")


def main() -> None:
    """Start this program again in a separate network. If it already runs there, measure."""
    if INSIDE not in os.environ:
        os.environ |= {INSIDE: "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        here = [sys.executable, "-m", "tests.benchmarks.portal.two_hosts", *sys.argv[1:]]
        os.execvp("unshare", ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", *here])
    kernels = int(sys.argv[1]) if sys.argv[1:] else KERNELS
    run("ip", "link", "set", "lo", "up")
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        hosts = [Host(number, Path(place)) for number in (1, 2)]
        start_servers(Path(place), stack)
        measure(hosts, Path(place), kernels)
        for host in hosts:
            host.kill()


class Host:
    """A machine with one core and its own virtual cable to the servers."""

    def __init__(self, number: int, place: Path) -> None:
        self.cable, self.place = f"cable{number}", place
        self.core = str((number - 1) % (os.cpu_count() or 1))
        self.server = f"10.213.{number}.1"
        self.namespace = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        time.sleep(0.2)
        run("ip", "link", "add", self.cable, "type", "veth", "peer", "name", "eth0", "netns", self.pid)
        run("ip", "addr", "add", f"{self.server}/30", "dev", self.cable)
        run("ip", "link", "set", self.cable, "up")
        self.inside("ip", "addr", "add", f"10.213.{number}.2/30", "dev", "eth0")
        self.inside("ip", "link", "set", "eth0", "up")
        self.worker: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> str:
        """Id of the process that keeps the namespace open."""
        return str(self.namespace.pid)

    def inside(self, *command: str) -> None:
        """Run a command on this host."""
        run("nsenter", "--net", "-t", self.pid, *command)

    def start(self) -> None:
        """Start the worker of this host."""
        command = [sys.executable, "-m", "celery", "--skip-checks", "-A", "perfweb.celery", "worker"]
        command += ["-n", self.cable, "--loglevel", "INFO", "--without-gossip", "--without-mingle"]
        log = (self.place / f"{self.cable}.log").open("wb")
        self.worker = subprocess.Popen(
            ["nsenter", "--net", "-t", self.pid, "taskset", "-c", self.core, *command],
            env=os.environ | servers(self.server, self.place) | {"PERFWEB_WORKERS": "1"},
            stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        while b" ready." not in (self.place / f"{self.cable}.log").read_bytes():
            time.sleep(0.1)

    def kill(self) -> None:
        """Disconnect the host first, so that the servers do not notice its end, and then kill it."""
        subprocess.run(["ip", "link", "set", self.cable, "down"], check=False)
        if self.worker is not None:
            os.killpg(self.worker.pid, signal.SIGKILL)
            self.worker.wait()
            self.worker = None


def run(*command: str) -> None:
    """Run a command, and fail if it fails."""
    subprocess.run(command, check=True)


def servers(address: str, place: Path) -> dict[str, str]:
    """Return the environment of a program that reaches the servers at this address."""
    database = f"postgres://perfweb@{address}/perfweb"
    return {"DATABASE_URL": database, "REDIS_URL": f"redis://{address}", "PERFWEB_DATA": str(place / "data")}


def start_servers(place: Path, stack: ExitStack) -> None:
    """Start PostgreSQL, Valkey and the clock, which both hosts use."""
    from perfweb.launcher.folder import DataFolder  # noqa: PLC0415 -- only inside
    from perfweb.launcher.hold import take  # noqa: PLC0415
    from perfweb.launcher.postgres import Postgres  # noqa: PLC0415
    from perfweb.launcher.valkey import binary  # noqa: PLC0415

    folder = DataFolder(place / "data")
    folder.prepare()
    stack.enter_context(take(folder))
    postgres = Postgres(folder, {"listen_addresses": "10.213.1.1,10.213.2.1,127.0.0.1"})
    program = postgres.program()
    program.prepare([])
    with (folder.postgres / "pg_hba.conf").open("a") as rules:
        rules.write("host all all 10.213.0.0/16 trust\n")
    program.prepare = lambda _: None
    stack.callback(program.start().kill)
    postgres.wait(program)
    valkey = [
        binary(),
        "--bind",
        "10.213.1.1",
        "10.213.2.1",
        "127.0.0.1",
        "--protected-mode",
        "no",
        "--save",
        "",
    ]
    stack.callback(subprocess.Popen(valkey, stdout=subprocess.DEVNULL).kill)
    os.environ |= servers("127.0.0.1", place)
    run(sys.executable, "manage.py", "prepare")
    clock = [
        sys.executable,
        "-m",
        "celery",
        "--skip-checks",
        "-A",
        "perfweb.workers.clock",
        "beat",
        "--loglevel",
        "WARNING",
    ]
    clock += ["--scheduler", "celery.beat.Scheduler"]
    stack.callback(subprocess.Popen(clock, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).kill)


def measure(hosts: list[Host], place: Path, kernels: int) -> None:
    """Print the models per second of one host and of two. Then model a campaign during which one host is
    lost.
    """
    import django  # noqa: PLC0415 -- with the servers' addresses in the environment

    os.environ["DJANGO_SETTINGS_MODULE"] = "perfweb.settings"
    django.setup()
    campaign = stored(place, kernels)
    hosts[0].start()
    modelled(campaign)  # The first campaign warms up caches and workers.
    one = min((modelled(campaign) for _ in range(TIMES)), key=sum)
    hosts[1].start()
    modelled(campaign)
    two = min((modelled(campaign) for _ in range(TIMES)), key=sum)
    rates = f"one host {kernels / sum(one):.0f} models/s, two {kernels / sum(two):.0f}"
    print(f"{kernels} kernels: {rates}: {sum(one) / sum(two):.2f} × (bar 1.8)")
    for name, *seconds in zip(STEPS, one, two, strict=True):
        print("  {}: one host {:.2f} s, two {:.2f} s".format(name, *seconds))
    lost = sum(modelled(campaign, lose=hosts[1]))
    print(f"one of two lost at a third: complete after {lost:.1f} s, {sum(two):.1f} s with both")


def stored(place: Path, kernels: int) -> int:
    """Store a campaign, and return its id."""
    from django.core.files.base import ContentFile  # noqa: PLC0415

    from ingest.models import Campaign, Upload  # noqa: PLC0415
    from ingest.services import upload_ingest, upload_receive  # noqa: PLC0415
    from tests import made_campaign  # noqa: PLC0415
    from tests.factories import make_project  # noqa: PLC0415

    content = made_campaign.write(place / "campaign.jsonl", kernels).read_bytes()
    file = ContentFile(content, name="campaign.jsonl")
    upload = upload_receive(project=make_project(), application="a", version="1", file=file, user=None)
    upload_ingest(Upload.objects.get(pk=upload.pk))
    return Campaign.objects.get(uploads=upload).pk


def modelled(campaign: int, lose: Host | None = None) -> tuple[float, ...]:
    """Model a campaign and return the seconds of each step.

    If `lose` is given, this host is killed after a third of the models.
    """
    from modeling.models import ModelRun, State  # noqa: PLC0415
    from modeling.services.models import runs  # noqa: PLC0415
    from tests.factories import make_user  # noqa: PLC0415

    run = ModelRun.objects.get(campaign=campaign)
    begin = time.perf_counter()
    if run.state == State.DONE:
        ModelRun.objects.update(engine_version="0", judged=0)
        run.refresh_from_db()
        assert runs.run_again(run=run, user=make_user(f"u{time.monotonic_ns()}"))
        run.refresh_from_db()
    times = [begin]
    while run.state != State.DONE:
        time.sleep(0.02)
        run.refresh_from_db()
        running = run.state == State.RUNNING
        over = (running, running and run.series_done > 0, running and run.series_done == run.series_total)
        times += [time.perf_counter()] * (sum(over) + 1 - len(times))
        assert time.perf_counter() - begin < 300, run.__dict__
        if lose and running and run.series_done > run.series_total / 3:
            lose.kill()
            lose = None
    times += [time.perf_counter()] * (len(STEPS) + 1 - len(times))
    counted = run.models.values("kernel", "metric").distinct().count()
    assert (run.models.count(), counted, run.failures) == (run.series_total, run.series_total, [])
    ModelRun.objects.update(judged=run.series_total)  # Judging the laws would slow down the next measurement.
    time.sleep(3)
    return tuple(after - before for before, after in pairwise(times))


if __name__ == "__main__":
    main()
