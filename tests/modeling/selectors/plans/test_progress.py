"""When a kept plan has reached its goal."""

import pytest

from modeling.models import Plan
from modeling.selectors.plans.progress import Progress


@pytest.mark.parametrize(
    ("question", "before", "after", "width", "reached"),
    [
        ("", 1.44, 1.19, 1.21, False),
        ("", 1.44, 1.19, 1.2, True),
        ("within=5", 1.44, 1.04, 1.2, False),  # Half of the width is not what the user asked for.
        ("within=5", 1.44, 1.04, 1.049, True),
        ("within=5", 1.44, 1.1, 1.1, True),  # No better result was expected of the plan.
        ("", 1.44, 1.3, 1.3, True),
    ],
)
def test_a_goal_is_reached_at_the_wanted_width(question, before, after, width, reached):
    plan = Plan(goal="interval", width_before=before, width_after=after, question=question)
    assert Progress(plan, (), width).reached is reached


@pytest.mark.parametrize("goal", ["rivals", "change"])
def test_another_goal_is_reached_when_its_question_is_settled(goal):
    assert Progress(Plan(goal=goal), (), settled=True).verdict == "reached"
    assert Progress(Plan(goal=goal), (), pointless=True).reached is False
