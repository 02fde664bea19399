"""Inference of the network, compared with a plain loop and, where installed, with JAX; and the shipped
weights.
"""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from modeling.engine.modelers.adaptive.examples import CLASSES, generic_examples
from modeling.engine.modelers.adaptive.network import FILE, RECORD, WIDTHS, Network, initial, load, pretrained

MEGABYTE = 1_000_000


def by_loop(network: Network, inputs: list[float]) -> list[float]:
    """Return the probabilities for one input, computed neuron by neuron in double precision."""
    values = [float(np.float32(value)) for value in inputs]
    for number, (weights, biases) in enumerate(network.layers):
        sums = [
            math.fsum([*(a * w for a, w in zip(values, column, strict=True)), bias])
            for column, bias in zip(weights.T.tolist(), biases.tolist(), strict=True)
        ]
        values = sums if number == len(network.layers) - 1 else [math.tanh(each) for each in sums]
    raised = [math.exp(value - max(values)) for value in values]
    return [each / sum(raised) for each in raised]


def test_probabilities_are_those_of_a_plain_loop() -> None:
    rng = np.random.default_rng(1)
    layers = tuple(
        (rng.normal(size=shape).astype(np.float32), rng.normal(size=shape[1]).astype(np.float32))
        for shape in ((11, 7), (7, 6), (6, 43))
    )
    inputs = rng.normal(size=(5, 11))

    found = Network(layers).probabilities(inputs)

    for one, row in zip(found, inputs.tolist(), strict=True):
        assert one == pytest.approx(by_loop(Network(layers), row), rel=1e-4, abs=1e-7)


def test_inference_is_that_of_jax() -> None:
    jax = pytest.importorskip("jax")
    inputs = np.random.default_rng(2).normal(size=(700, 11)).astype(np.float32)
    values = inputs
    for weights, biases in pretrained().layers[:-1]:
        values = jax.numpy.tanh(values @ weights + biases)
    weights, biases = pretrained().layers[-1]

    expected = np.asarray(jax.nn.softmax(values @ weights + biases))

    assert pretrained().probabilities(inputs) == pytest.approx(expected, abs=1e-4)


def test_the_shipped_network_is_the_papers_and_small() -> None:
    shapes = [weights.shape for weights, _ in load(FILE).layers]

    assert shapes == [(11, 1500), (1500, 1500), (1500, 750), (750, 250), (250, 250), (250, 43)]
    assert FILE.stat().st_size < 8 * MEGABYTE


def test_the_record_describes_the_training_and_the_accuracy_holds() -> None:
    record = json.loads(RECORD.read_text())
    examples = generic_examples(4000, np.random.default_rng(99))

    found = pretrained().probabilities(examples.inputs).argmax(axis=1) == examples.classes

    assert {"seed", "data", "epochs", "loss", "accuracy", "processor_seconds"} <= set(record)
    assert found.mean() == pytest.approx(record["accuracy"], abs=0.04)


def test_the_command_without_options_repeats_the_recorded_training() -> None:
    pytest.importorskip("jax")
    pytest.importorskip("optax")
    from modeling.engine.modelers.adaptive import train  # noqa: PLC0415 -- needs the extra
    from modeling.engine.modelers.adaptive.training import BATCH  # noqa: PLC0415 -- needs the extra

    record = json.loads(RECORD.read_text())

    assert (record["seed"], record["epochs"]) == (train.SEED, train.EPOCHS)
    assert record["examples"] == train.EPOCHS * train.EPOCH // BATCH * BATCH


def test_stored_weights_are_read_unchanged(tmp_path: Path) -> None:
    network = initial(np.random.default_rng(0))
    network.save(tmp_path / "network.npz")

    again = load(tmp_path / "network.npz")

    assert len(again.layers) == len(WIDTHS) - 1
    for (before, _), (after, _) in zip(network.layers, again.layers, strict=True):
        np.testing.assert_allclose(after, before, rtol=0, atol=1e-3)


def test_weights_of_another_network_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", *[np.zeros((3, 3), np.float16)] * 12)

    with pytest.raises(ValueError, match=r"found layers .* expected those of"):
        load(tmp_path / "other.npz")


def test_no_inputs_have_no_probabilities() -> None:
    assert pretrained().probabilities(np.zeros((0, 11))).shape == (0, len(CLASSES))
