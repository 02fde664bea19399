"""Kernels on the field and the order of the particles of one rank.

The field is an array (n, COMPONENTS). The same memory, seen as an array (n / COARSENING, COARSENING ·
COMPONENTS), is the right-hand side of the coarse grid's operator.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

COMPONENTS = 8
COARSENING = 32
DIFFUSION = 0.1

_ROWS = 256
"""Rows that a stencil sweep takes at once, so that its scratch arrays fit into the first-level cache."""


def diffuse(field: Floats, out: Floats) -> None:
    """Compute one explicit diffusion step with fixed ends, into `out` (n, COMPONENTS): O(n)."""
    out[0], out[-1] = field[0], field[-1]
    for start in range(1, len(field) - 1, _ROWS):
        stop = min(start + _ROWS, len(field) - 1)
        _diffuse_rows(field[start - 1 : stop + 1], out[start:stop])


def diffuse_copying(field: Floats, out: Floats) -> None:
    """Compute the same as `diffuse` through private copies of its input and output: also O(n), but slower."""
    out[0], out[-1] = field[0], field[-1]
    for start in range(1, len(field) - 1, _ROWS):
        stop = min(start + _ROWS, len(field) - 1)
        private = field[start - 1 : stop + 1].copy()
        result = np.zeros_like(private[1:-1])
        _diffuse_rows(private, result)
        out[start:stop] = result


def _diffuse_rows(rows: Floats, out: Floats) -> None:
    """`out` = u + D·(left − 2u + right) for all `rows` but the first and last."""
    middle = rows[1:-1]
    np.add(rows[:-2], rows[2:], out=out)
    out -= 2.0 * middle
    out *= DIFFUSION
    out += middle


def transform(field: Floats) -> NDArray[np.complex128]:
    """Return the spectrum along the slab (n / 2 + 1, COMPONENTS) by fast Fourier transform: O(n·log n)."""
    return np.fft.rfft(field, axis=0)


def sort_along(x: Floats) -> NDArray[np.intp]:
    """Return the particles' order along the slab by merge sort: O(n·log n)."""
    return np.argsort(x, kind="stable")


def coarse_operator(n: int) -> Floats:
    """Return the dense inverse of the coarse grid's diffusion matrix, with n / COARSENING rows."""
    cells = n // COARSENING
    laplacian = np.eye(cells, k=1) + np.eye(cells, k=-1) - 2.0 * np.eye(cells)
    return np.linalg.inv(np.eye(cells) - DIFFUSION * laplacian).astype(np.float64, copy=False)


def apply_coarse(operator: Floats, field: Floats, out: Floats) -> None:
    """Multiply the operator with the field's coarse view, into `out` of the same shape as the view: O(n²)."""
    np.matmul(operator, field.reshape(len(operator), -1), out=out)
