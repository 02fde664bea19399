import re
from types import SimpleNamespace

from perfweb.portal.text import markup


def test_laws_that_are_compared_have_one_unit():
    fast = SimpleNamespace(
        points_used=5, constant=5e-6, coefficients=[1e-7], exponents=[1, 0], segments=None, predicted=1e-5
    )
    slow = SimpleNamespace(**vars(fast) | {"constant": 3.0, "coefficients": [2.0], "predicted": 2000.0})

    def unit(model, beside=None):
        return re.findall('<span class="law-unit">(.*?)</span>', markup.law(model, ["p"], "s", beside))

    assert (unit(fast), unit(slow)) == (["µs"], ["s"])
    assert unit(fast, slow) == unit(slow, fast)
