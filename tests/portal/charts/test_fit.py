"""What the caption of a kernel's main chart says of its band."""

import pytest

from modeling.selectors.kernel.curves import Curve, Estimate, PointValues
from perfweb.portal.charts.fit.figure import BETWEEN, fit_figure
from perfweb.portal.charts.fit.scene import Scene


def scene(*factors: float | None) -> Scene:
    """Points at p = 4 and 16, and a band of these factors around 1 s from p = 4 to 64."""
    x = (4.0, 8.0, 16.0, 32.0, 64.0)
    law = Curve(x, tuple(Estimate(1.0, factor and 1 / factor, factor) for factor in factors))
    points = [PointValues((at,), (1.0,), 1.0, 1.0) for at in (4.0, 16.0)]
    return Scene("p", "p", "s", "time", "", 4.0, 16.0, points, 0, law)


@pytest.mark.parametrize(
    ("factors", "bulges"),
    [
        ((1.1, 1.3, 1.1, 1.1, 1.1), True),
        ((1.1, 1.12, 1.1, 1.1, 1.1), False),
        ((1.1, 1.1, 1.1, 2.0, 3.0), False),
        ((1.1, 1.2, 1.4, 2.0, 3.0), False),
        ((None, None, None, None, None), False),
    ],
)
def test_the_caption_explains_a_band_that_widens_between_points(
    factors: tuple[float | None, ...], bulges: bool
) -> None:
    assert (BETWEEN in str(fit_figure(scene(*factors)).caption)) is bulges
