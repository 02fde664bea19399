"""Train the network with JAX and optax, which belong to the extra `adaptive`. JAX uses the device for which
it was installed, for example a GPU.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax

from modeling.engine.modelers.adaptive.examples import Examples
from modeling.engine.modelers.adaptive.network import Network

BATCH = 512
"""The number of examples in one step of the optimiser. With half as many, an epoch takes a third longer."""


@dataclass(frozen=True)
class Trained:
    """A network, with the mean of its loss (nats) and of its accuracy over the last `RECENT` batches. Both
    are measured at each batch before the network is trained with it.
    """

    network: Network
    loss: float
    accuracy: float


AHEAD = 2
"""The number of steps that JAX may have begun but not finished. It keeps the reported progress right."""

RECENT = 100
"""Number of batches over which loss and accuracy are averaged."""


def train(
    network: Network, batches: Iterable[Examples], *, steps: int, rate: float, warm_up: int = 0
) -> Trained:
    """Train with AdaMax (Kingma and Ba 2015) on `steps` batches. The learning rate rises to `rate` over
    `warm_up` steps and falls to 0 along a cosine.
    """
    schedule = optax.warmup_cosine_decay_schedule(0.0 if warm_up else rate, rate, warm_up, steps)
    optimiser = optax.adamax(schedule)

    @partial(jax.jit, donate_argnums=(0, 1))  # weights are updated in place
    def step(layers, state, inputs, classes):  # type: ignore[no-untyped-def]
        (loss, accuracy), gradient = jax.value_and_grad(_loss, has_aux=True)(layers, inputs, classes)
        updates, state = optimiser.update(gradient, state)
        return optax.apply_updates(layers, updates), state, loss, accuracy

    layers = jax.tree.map(jnp.array, network.layers)
    state = optimiser.init(layers)
    losses, accuracies = [], []
    for batch in batches:
        layers, state, loss, accuracy = step(layers, state, batch.inputs, batch.classes)
        losses.append(loss)
        accuracies.append(accuracy)
        if len(losses) > AHEAD:
            losses[-AHEAD].block_until_ready()
    return Trained(
        network=Network(jax.tree.map(np.asarray, layers)),
        loss=float(np.mean(losses[-RECENT:])),
        accuracy=float(np.mean(accuracies[-RECENT:])),
    )


def _loss(layers, inputs, classes):  # type: ignore[no-untyped-def]
    """Return the cross entropy of a batch, and the share of examples whose class is the most probable one."""
    *hidden, (weights, biases) = layers
    values = inputs
    for each, bias in hidden:
        values = jnp.tanh(values @ each + bias)
    outputs = values @ weights + biases
    loss = optax.softmax_cross_entropy_with_integer_labels(outputs, classes).mean()
    return loss, (outputs.argmax(axis=1) == classes).mean()
