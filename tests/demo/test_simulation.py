"""A run of the simulation measures the time of every kernel of its version."""

import math
from itertools import pairwise

import numpy as np
import pytest

from perfweb.demo.application.simulation import Simulation
from perfweb.demo.application.versions import VERSIONS

KERNELS = {
    "main->read_input",
    "main->timestep->sort",
    "main->timestep->neighbours",
    "main->timestep->stencil",
    "main->timestep->fft",
    "main->timestep->matrix_product",
    "main->timestep->halo_exchange",
    "main->timestep->reduction",
}


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.label)
def test_it_works(version):
    measured = Simulation(version, 4, 256, np.random.default_rng(1)).measure(steps=1)
    assert set(measured.time) == KERNELS
    assert all(0 < seconds < 1 for seconds in measured.time.values())


@pytest.mark.parametrize("p", [2, 8])
def test_received_bytes_follow_their_laws_in_p(p):
    by_label = {version.label: version for version in VERSIONS}
    for label, halo in (("1.2", 2 * 16 * 8 * 8), ("1.3", p * 2 * 16 * 8 * 8)):
        measured = Simulation(by_label[label], p, 256, np.random.default_rng(2)).measure(steps=2)
        assert measured.bytes_received == {
            "main->timestep->halo_exchange": halo,
            "main->timestep->reduction": math.log2(p) * 512 * 8,
        }


def test_versions_are_in_order_and_have_different_implementations():
    dates = [version.committed_at for version in VERSIONS]
    assert dates == sorted(dates)
    kernels = ("neighbours", "stencil", "halo_exchange")
    changed = [
        {kernel for kernel in kernels if getattr(old, kernel) is not getattr(new, kernel)}
        for old, new in pairwise(VERSIONS)
    ]
    assert changed == [{"neighbours"}, {"stencil"}, {"halo_exchange"}, {"halo_exchange"}, set()]
    assert VERSIONS[2].halo_exchange is VERSIONS[4].halo_exchange


@pytest.mark.parametrize(("p", "n", "named"), [(6, 256, "p is 6"), (0, 256, "p is 0"), (4, 100, "n is 100")])
def test_invalid_sizes_are_refused(p, n, named):
    with pytest.raises(ValueError, match=named):
        Simulation(VERSIONS[0], p, n, np.random.default_rng(1))
