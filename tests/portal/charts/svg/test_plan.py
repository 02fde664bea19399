"""The picture of a plan."""

from dataclasses import dataclass
from xml.etree import ElementTree

from perfweb.portal.charts.svg.plan import interval_bars, plan_picture, plan_sentence
from perfweb.portal.text import formatting


@dataclass(frozen=True)
class Estimated:
    predicted: float
    lower: float
    upper: float


def test_core_hours_fit_into_their_cells():
    svg = plan_picture([], [(4, 256), (512, 256)], [1, 2], ("p", "n"), costs=[3.7007e-5, 12000.0])
    root = ElementTree.fromstring(str(svg))
    cells = [float(part.get("width")) for part in root.iter() if part.tag == "rect"]
    texts = [part.text for part in root.iter() if part.tag == "text" and "plan-cost" in part.get("class")]
    assert texts == ["<0.001", "12,000"]
    assert min(cells) >= 5.5 * len(texts[0])  # No digit of the font of 10 pixels is wider.


def test_both_axes_have_names_that_fit():
    def named(*names):
        root = ElementTree.fromstring(str(plan_picture([], [(4, 256), (512, 256)], [1, 2], names)))
        top, height = (float(root.get("viewBox").split()[at]) for at in (1, 3))
        found = [part for part in root.iter() if part.get("class") == "plan-name"]
        assert all(top < float(part.get("y")) < top + height for part in found)
        return [part.text for part in found]

    assert named("p", "n") == ["p", "n"]
    assert named("p") == ["p"]
    cut = named("p", "number_of_grid_points_in_the_longest_direction")[1]
    assert cut.startswith("number_of")
    assert cut.endswith("…")


def test_pictures_of_few_columns_are_made_smaller_on_a_phone():
    """The planned cells at the right of eight columns were hidden."""
    offered = [(2.0**at, n) for at in range(2, 26) for n in (256, 8192)]

    def picture(columns):
        return str(plan_picture([], [], [], ("p", "n"), offered=offered[: 2 * columns]))

    assert 'class="plan-grid fits"' in picture(9)
    assert 'class="plan-grid"' in picture(24)


def test_labels_at_the_left_take_no_more_room_than_they_need():
    """On a phone, room of 92 pixels for labels such as 256 hid two columns of the grid."""
    lefts = []
    for most in (256, 2_592_000):
        root = ElementTree.fromstring(str(plan_picture([], [(4, 64), (8, most)], [1, 2], ("p", "n"))))
        left = min(float(part.get("x")) for part in root.iter() if part.tag == "rect")
        ends = [part for part in root.iter() if part.tag == "text" and part.get("text-anchor") == "end"]
        assert all(float(part.get("x")) - 6.5 * len(str(part.text)) >= 0 for part in ends)
        lefts.append(left)
    assert lefts[0] < 40 < lefts[1]


def test_the_interval_has_the_same_ends_as_in_the_text():
    now = Estimated(29.5, 29.0519, 30.1912)
    root = ElementTree.fromstring(f"<p>{interval_bars(now, now, 's')}</p>")
    texts = [part.text for part in root.iter("text")]
    assert texts[-2:] == ["29.0 s", "30.2 s"]
    assert formatting.interval(now.lower, now.upper, "s", now.predicted) == "29.0 – 30.2 s"


def test_new_configurations_are_counted():
    names = ("p",)
    assert plan_sentence([(4,)], [(4,)], [3], names) == "3 runs at 1 configuration of p; 1 measured so far"
    assert ", 1 of them new; 1 measured so far" in plan_sentence([(4,)], [(4,), (8,)], [1, 1], names)
