"""Adapting the network to a task runs in another process, is reused for the same task, and never makes a
campaign fail.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from modeling.engine.laws.synthetic import SERIES, grid, measure
from modeling.engine.laws.terms import term_rows
from modeling.engine.modelers.adaptive import adaptation, apart
from modeling.engine.modelers.adaptive.adaptation import (
    ADAPTED,
    PRETRAINED_FAILED,
    PRETRAINED_NO_EXTRA,
    adapt_here,
    keep_in,
    network_for,
)
from modeling.engine.modelers.adaptive.examples import CLASSES
from modeling.engine.modelers.adaptive.inputs import network_inputs
from modeling.engine.modelers.adaptive.network import FILE, pretrained
from modeling.engine.modelers.adaptive.task import Task, noise_range, task_examples

TASK = Task(
    points=tuple(map(tuple, grid([SERIES[2]]).tolist())), repetitions=5, lowest_noise=0.2, highest_noise=0.5,
    aggregate="mean", per_class=24,
)  # fmt: skip
"""A task with 1,032 examples, so that adapting takes two steps."""


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path) -> Iterator[None]:
    """Let this process adapt networks, and keep them in a folder that lasts for one test."""
    keep_in(tmp_path)
    adapt_here(True)
    yield
    adapt_here(False)
    keep_in(None)


@pytest.fixture
def _trains() -> None:
    pytest.importorskip("jax")
    pytest.importorskip("optax")


def test_examples_equal_those_of_a_plain_loop() -> None:
    noiseless = replace(TASK, lowest_noise=0.0, highest_noise=0.0, per_class=3)
    x = np.array(SERIES[2], float)

    examples = task_examples(noiseless, np.random.default_rng(5))

    assert examples.inputs.shape == (len(CLASSES) * 3, 11)
    for inputs, number in zip(examples.inputs, examples.classes, strict=True):
        if (inputs == 0).sum() != 6:  # Some examples lack the largest value; only complete ones are checked.
            continue
        term = term_rows(CLASSES[number][None], x)[0]
        share = best_share(x, term, inputs)
        ones = np.ones((len(x), 1))
        assert inputs == pytest.approx(
            network_inputs(x, ((1 - share) + share * term)[:, None], ones)[0], abs=1e-3
        )


def best_share(x: np.ndarray, term: np.ndarray, inputs: np.ndarray) -> float:
    """Try many shares of the term in the law, and return the one whose network inputs are nearest
    to these.
    """
    shares = 1 / (1 + np.geomspace(1e-7, 1e7, 40_001))
    laws = (1 - shares) + term[:, None] * shares
    given = network_inputs(x, laws, np.ones_like(laws))
    return float(shares[np.abs(given - inputs).sum(axis=1).argmin()])


def test_the_range_of_noise_is_widened_to_bounds_that_campaigns_share() -> None:
    rng = np.random.default_rng(0)
    values = measure(np.ones((200, 5)), rng, noise=0.3)

    low, high = noise_range(values)

    assert (low, high) == (0.2, 0.35)
    assert noise_range(values[:, :, :1]) == (0.0, 1.0)


@pytest.mark.usefixtures("_trains")
def test_a_network_is_adapted_once_with_progress_and_then_reused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "BETWEEN_REPORTS", 0.02)
    long, shares = replace(TASK, per_class=200), list[float]()
    network, how = network_for(long, shares.append)

    assert how == ADAPTED
    assert not np.array_equal(network.layers[0][0], pretrained().layers[0][0])
    [file] = tmp_path.glob("*.npz")
    written = file.stat().st_ino
    assert shares[0] == 0
    assert shares[-1] == 1
    assert shares == sorted(shares)
    assert any(0 < share < 1 for share in shares)
    shares.clear()
    keep_in(tmp_path)  # Makes the process forget the networks that it has in memory.
    again, how = network_for(long, shares.append)
    assert how == ADAPTED
    assert np.array_equal(again.layers[0][0], network.layers[0][0])
    assert file.stat().st_ino == written
    assert shares == []


@pytest.mark.usefixtures("_trains")
def test_the_process_ends_when_nobody_waits_for_it(tmp_path: Path) -> None:
    (tmp_path / apart.TASK_FILE).write_text(json.dumps(TASK.to_json()))
    command = [sys.executable, "-m", apart.MODULE, str(tmp_path)]

    done = subprocess.run(
        command, env=os.environ | {apart.PARENT: "1"}, capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert "Nobody waits" in done.stderr
    assert not (tmp_path / apart.NETWORK_FILE).exists()


@pytest.mark.usefixtures("_trains")
def test_the_caller_can_cancel_the_adaptation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "BETWEEN_REPORTS", 0.1)
    begun: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            begun.append(self)

    class NobodyWantsItError(Exception):
        pass

    def refuse(_: float) -> None:
        if begun:
            raise NobodyWantsItError

    monkeypatch.setattr(apart.subprocess, "Popen", Noted)
    with pytest.raises(NobodyWantsItError):
        network_for(replace(TASK, per_class=2000), refuse)

    [process] = begun
    assert process.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


def test_the_last_output_of_a_failed_process_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(adaptation, "extra_installed", lambda: True)
    monkeypatch.setattr(apart, "MODULE", "modeling.engine.no_such_module")

    network_for(TASK)

    assert "No module named modeling.engine.no_such_module" in caplog.text


def test_an_adaptation_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adaptation, "extra_installed", lambda: True)
    monkeypatch.setattr(apart, "SECONDS", 0)

    assert network_for(TASK) == (pretrained(), PRETRAINED_FAILED)
    assert list(tmp_path.iterdir()) == []


def test_only_the_latest_networks_are_kept_in_memory(tmp_path: Path) -> None:
    tasks = [replace(TASK, repetitions=number) for number in range(2, 5)]
    for task in tasks:
        (tmp_path / f"{task.digest}-{adaptation.VERSION}.npz").write_bytes(FILE.read_bytes())
        network_for(task)

    for file in tmp_path.iterdir():
        file.unlink()
    adapt_here(False)

    assert [network_for(task)[1] for task in tasks] == [PRETRAINED_NO_EXTRA, ADAPTED, ADAPTED]


def test_without_the_extra_the_shipped_network_is_used() -> None:
    adapt_here(False)

    network, how = network_for(TASK)

    assert how == PRETRAINED_NO_EXTRA
    assert network is pretrained()


def test_after_a_failure_the_shipped_network_is_used_and_no_file_is_left(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(adaptation, "extra_installed", lambda: True)
    monkeypatch.setattr(apart, "MODULE", "modeling.engine.no_such_module")

    network, how = network_for(TASK)

    assert how == PRETRAINED_FAILED
    assert network is pretrained()
    assert list(tmp_path.iterdir()) == []


def test_a_failed_adaptation_is_repeated_only_after_a_while(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(adaptation, "extra_installed", lambda: True)
    monkeypatch.setattr(apart, "MODULE", "modeling.engine.no_such_module")

    assert [network_for(TASK)[1] for _ in range(2)] == [PRETRAINED_FAILED] * 2
    assert len(caplog.records) == 1
    monkeypatch.setattr(adaptation, "PATIENCE", 0.0)
    network_for(TASK)
    assert len(caplog.records) == 2


@pytest.mark.usefixtures("_trains")
def test_a_process_that_is_killed_leaves_the_shipped_network_and_no_files(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The operating system kills processes in this way when memory is short."""
    killer = Thread(target=_kill_adapting_child)
    killer.start()

    network, how = network_for(replace(TASK, per_class=2000))

    killer.join()
    assert how == PRETRAINED_FAILED
    assert network is pretrained()
    assert list(tmp_path.iterdir()) == []
    assert caplog.messages == [
        "The network could not be adapted to a task: its process was killed by signal 9"
    ]


def _kill_adapting_child() -> None:
    """Wait until a child of this process adapts a network, and kill it."""
    while True:
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, IndexError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == os.getpid() and apart.MODULE in (folder / "cmdline").read_text():
                    os.kill(int(folder.name), signal.SIGKILL)
                    return
        time.sleep(0.05)


def test_a_file_that_is_damaged_counts_as_missing(tmp_path: Path) -> None:
    adapt_here(False)
    (tmp_path / f"{TASK.digest}-{adaptation.VERSION}.npz").write_bytes(b"no network")

    assert network_for(TASK)[1] == PRETRAINED_NO_EXTRA


def test_the_least_recently_used_networks_are_deleted_first(tmp_path: Path) -> None:
    for number in range(adaptation.KEPT + 3):
        file = tmp_path / f"{number:03}.npz"
        file.write_bytes(FILE.read_bytes()[:10])
        os.utime(file, (time.time() - number, time.time() - number))

    left, used = tmp_path / "adapting-left", tmp_path / "adapting-now"
    for folder, age in ((left, 3 * apart.SECONDS), (used, 10)):
        folder.mkdir()
        os.utime(folder, (time.time() - age, time.time() - age))

    keep_in(tmp_path, at_most=adaptation.KEPT + 3)
    adaptation._forget_oldest(tmp_path)
    assert len(list(tmp_path.glob("*.npz"))) == adaptation.KEPT + 3
    keep_in(tmp_path)
    adaptation._forget_oldest(tmp_path)

    assert used.exists()
    assert not left.exists()  # A worker that was killed has left this folder behind.
    used.rmdir()
    assert sorted(file.name for file in tmp_path.iterdir())[-1] == f"{adaptation.KEPT - 1:03}.npz"
    assert len(list(tmp_path.iterdir())) == adaptation.KEPT
