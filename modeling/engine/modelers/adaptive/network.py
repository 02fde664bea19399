"""Evaluate the network with NumPy alone (Ritter et al. 2021, section IV-D)."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float32]

WIDTHS = (11, 1500, 1500, 750, 250, 250, 43)
"""The number of neurons of each layer: inputs first, classes last."""

FILE = Path(__file__).with_name("weights.npz")
RECORD = Path(__file__).with_name("weights.json")
"""The files with the shipped weights, and with the record of their training."""

INPUTS_AT_ONCE = 512
"""The number of inputs in one matrix product. The results fit into the processor's cache."""


@dataclass(frozen=True)
class Network:
    """Dense layers with tanh between them. Each layer has weights (inputs, outputs) and biases (outputs,)."""

    layers: tuple[tuple[Weights, Weights], ...]

    def probabilities(self, inputs: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the probability of each class, (N, 43), for N inputs, (N, 11)."""
        parts = [
            softmax(self._outputs(inputs[begin : begin + INPUTS_AT_ONCE].astype(np.float32)))
            for begin in range(0, len(inputs), INPUTS_AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, WIDTHS[-1]))

    def _outputs(self, inputs: Weights) -> Weights:
        *hidden, (weights, biases) = self.layers
        values = inputs
        for each, bias in hidden:
            values = values @ each
            values += bias
            np.tanh(values, out=values)
        return np.asarray(values @ weights + biases)

    def save(self, path: Path) -> None:
        """Write the weights in half precision."""
        halves = [part.astype(np.float16) for layer in self.layers for part in layer]
        np.savez_compressed(path, *halves)


def load(path: Path) -> Network:
    """Read weights that were written by `save`.

    Raises:
        OSError, ValueError, KeyError: there are no weights in the file, or the layers have other sizes.
    """
    with np.load(path, allow_pickle=False) as arrays:
        layers = tuple(
            (
                arrays[f"arr_{2 * number}"].astype(np.float32),
                arrays[f"arr_{2 * number + 1}"].astype(np.float32),
            )
            for number in range(len(WIDTHS) - 1)
        )
    shapes = tuple(weights.shape for weights, _ in layers)
    if shapes != tuple(pairwise(WIDTHS)):
        raise ValueError(f"{path}: found layers {shapes}, expected those of {WIDTHS}")
    return Network(layers)


@cache
def pretrained() -> Network:
    """Return the shipped network, which is trained for any series of values."""
    return load(FILE)


def initial(rng: np.random.Generator) -> Network:
    """Return an untrained network with weights of variance 2 / (inputs + outputs) (Glorot and Bengio
    2010).
    """
    layers = []
    for inputs, outputs in pairwise(WIDTHS):
        bound = np.sqrt(6 / (inputs + outputs))
        weights = rng.uniform(-bound, bound, (inputs, outputs)).astype(np.float32)
        layers.append((weights, np.zeros(outputs, np.float32)))
    return Network(tuple(layers))


def softmax(outputs: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the probabilities of classes from N outputs of the last layer, (N, 43)."""
    raised = np.exp((outputs - outputs.max(axis=1, keepdims=True)).astype(np.float64))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
