import pytest

from modeling.models import Change
from modeling.verdicts import Verdict, verdict

LAW, FACTOR, UNKNOWN = Change.Kind.LAW, Change.Kind.FACTOR, Change.Kind.UNKNOWN
OVERHEAD = Change.Kind.OVERHEAD


@pytest.mark.parametrize(
    ("kind", "ratio", "lower_is_better", "expected"),
    [
        (None, None, True, Verdict.SAME),
        (LAW, 2.0, True, Verdict.LAW_WORSE),
        (LAW, 0.5, True, Verdict.LAW_BETTER),
        (FACTOR, 1.1, True, Verdict.WORSE),
        (FACTOR, 0.9, True, Verdict.BETTER),
        (FACTOR, 1.1, False, Verdict.BETTER),
        (LAW, 0.5, False, Verdict.LAW_WORSE),
        (UNKNOWN, 2.0, True, Verdict.UNKNOWN),
        (LAW, None, True, Verdict.LAW),
        (OVERHEAD, 1.01, True, Verdict.OVERHEAD_WORSE),
        (OVERHEAD, 1.01, False, Verdict.OVERHEAD_BETTER),
        (OVERHEAD, None, True, Verdict.OVERHEAD),
        (FACTOR, None, True, Verdict.UNKNOWN),
    ],
)
def test_what_a_change_means(kind, ratio, lower_is_better, expected):
    assert verdict(kind, ratio, lower_is_better=lower_is_better) is expected
