"""`python3 -m tests` installs what the tests need, and then runs every check.

It needs only the standard library. Everything is installed in the checkout's `.venv`, except Chromium and gcc
if they are missing.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOCK = ROOT / "requirements-dev.lock"
PYTHON = VENV / "bin" / "python"

MOST_PROCESSES = 4
SHELL = "chromium-headless-shell"
CHROMIUM = (SHELL, "chromium", "chromium-browser", "google-chrome")
"""Browsers that can run the tests, the best first.

The shell is Chromium without windows. Chromium itself draws a window with tabs and buttons even where nobody
sees it, so each test of a page takes it 0.75 s of processor time for an empty page, and the shell 0.18 s.
"""
PROGRAMS = {
    (SHELL,): [SHELL, "fonts-dejavu-core"],
    CHROMIUM: ["chromium", "fonts-dejavu-core"],
    ("gcc",): ["gcc"],
}
"""Alternative names of a program → the system packages that contain it."""

# Types are not checked in the tests, because running them shows their errors. Benchmarks are run rarely, so
# that nothing else would show theirs.
CODE = ["manage.py", "perfweb", "ingest", "modeling", "tests/benchmarks"]
CHECKS = {
    "ruff check": ["-m", "ruff", "check", "--quiet", "."],
    "ruff format": ["-m", "ruff", "format", "--quiet", "--check", "."],
    "djlint": ["-m", "djlint", "--lint", "--quiet", "templates"],
    "import-linter": ["-c", "from importlinter.cli import lint_imports_command as run; run()"],
    "mypy": ["-m", "mypy", *CODE],
}


def main() -> int:
    """Return 0 if every check and every test passed."""
    if sys.version_info < (3, 11):  # noqa: UP036 -- it is what we tell an older one
        sys.exit(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}.")
    os.chdir(ROOT)
    install()
    find_programs()
    # The checks run in a single process next to the tests, which wait for servers and browsers at the
    # beginning. mypy needs half a minute in a fresh checkout; before the tests, it would leave all cores but
    # one idle.
    with ThreadPoolExecutor(1) as pool:
        passed = pool.map(passes, CHECKS)
        tests = subprocess.run([PYTHON, "-m", "pytest", "-q", *options(sys.argv[1:])], check=False)
        failed = [name for name, done in zip(CHECKS, passed, strict=True) if not done]
    if failed:
        print(f"Failed: {', '.join(failed)}.", flush=True)
    return tests.returncode or int(bool(failed))


def options(arguments: list[str]) -> list[str]:
    """Return the options with which pytest runs all tests, or just those that the arguments name.

    Named tests run in one process. For all tests there is one process more than cores, because tests wait
    for servers and browsers half of the time. Each process has its own servers, and takes over tests from
    others when its own are done. At most 4 processes run, because each needs about 1 GiB with its servers
    and browser. Only one runs if REDIS_URL is set, because all would share this Redis and empty its queues.
    """
    named = any(Path(argument.partition("::")[0]).exists() for argument in arguments)
    if named or "REDIS_URL" in os.environ:
        return arguments
    processes = min((os.cpu_count() or 1) + 1, MOST_PROCESSES)
    return ["-n", str(processes), "--dist", "worksteal", *arguments]


def install() -> None:
    """Make the virtual environment and install the lock file, unless the same lock is already installed."""
    if not PYTHON.exists():
        made = subprocess.run(
            [sys.executable, "-m", "venv", VENV], capture_output=True, text=True, check=False
        )
        if made.returncode:
            shutil.rmtree(VENV, ignore_errors=True)
            sys.exit(f"{made.stdout}{made.stderr}\nOn Debian and Ubuntu: apt-get install python3-venv")
    stamp = VENV / "installed-lock"
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    print("Installing what the tests need …", flush=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    if subprocess.run([*pip, "-r", str(LOCK)], check=False).returncode:
        sys.exit("Nothing was tested: the installation failed.")
    stamp.write_text(digest)


def find_programs() -> None:
    """Install Chromium's shell, or else Chromium, and gcc if they are missing: as root from the system's
    packages.

    Otherwise Playwright installs its own Chromium, and the only test that compiles a program is skipped.
    """
    missing = [names for names in PROGRAMS if not found(names)]
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"Installing {' and '.join(names[0] for names in missing)} …", flush=True)
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        for names in missing:
            if not found(names):
                apt_install(PROGRAMS[names])
    if found(CHROMIUM):
        return
    if subprocess.run([PYTHON, "-m", "playwright", "install", "chromium"], check=False).returncode:
        sys.exit("There is no Chromium, and it could not be installed; the tests of the pages need one.")


def found(names: tuple[str, ...]) -> bool:
    """Return whether the system has one of these programs."""
    return any(map(shutil.which, names))


def apt_install(packages: list[str]) -> None:
    """Install packages of Debian or Ubuntu, if it has them."""
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    subprocess.run(command, env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def passes(name: str) -> bool:
    """Run one check, print what it found, and return whether it passed."""
    done = subprocess.run([PYTHON, *CHECKS[name]], capture_output=True, text=True, check=False)
    print(f"+ {name}", done.stdout + done.stderr, sep="\n", end="", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
