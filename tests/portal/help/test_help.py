import json
import re
from pathlib import Path

import numpy as np
import pytest
from django.template.loader import get_template
from django.utils.html import escape, strip_tags

from modeling.engine.modelers.adaptive.modeler import THRESHOLDS, THRESHOLDS_AS_SHIPPED
from perfweb.portal.help.accuracy import (
    ADAPTIVE_FILE,
    EXTRAP_ERROR,
    NOISE,
    REAL_FILE,
    accuracy_load,
    crossings,
)
from perfweb.portal.help.chapters import (
    ACCURACY,
    CHAPTERS,
    MATHEMATICS,
    contents,
)
from perfweb.portal.help.examples import shared
from perfweb.portal.help.mathematics_figures import families_figure, rivals_figure, shared_figure
from perfweb.portal.help.modelers_table import MODELERS as SIDE_BY_SIDE
from perfweb.portal.help.modelers_table import leading
from perfweb.portal.help.short import short
from perfweb.portal.help.table_rows import figures_load
from perfweb.portal.kernel import facts
from perfweb.portal.text.formatting import in_percent
from perfweb.portal.text.glossary import GLOSSARY
from perfweb.portal.text.help_links import address_of, chapter_text

pytestmark = pytest.mark.django_db


def test_it_works_for_everybody(client):
    page = client.get("/help/all/").content.decode()
    assert "▲" in page
    assert "http://testserver/api/v1/" in page


def test_every_chapter_is_in_the_contents_and_has_a_page(client, django_assert_num_queries):
    listed = [chapter for group in contents() for chapter in group.chapters]
    assert sorted((chapter.anchor, chapter.title) for chapter in listed) == sorted(CHAPTERS)
    page = client.get("/help/").content.decode()
    for chapter in listed:
        assert f'href="{chapter.address}"' in page
        with django_assert_num_queries(0):
            text = client.get(chapter.address).content.decode()
        assert f'<h1 id="chapter">{escape(chapter.title)}</h1>' in text
        main = text.partition("<main")[2]
        assert not re.findall(r'href="/help/#(?!word-)[\w-]', main), chapter
        for anchor in re.findall(r'href="#(?!word-)([\w-]+)"', main):
            assert f'id="{anchor}"' in main, chapter
        assert text.count('aria-current="page"') == 1
    assert client.get("/help/nothing/").status_code == 404


def test_chapters_link_to_their_neighbours(client):
    first, last = client.get("/help/reading/"), client.get("/help/roles/")
    assert b'rel="prev"' not in first.content
    assert b'href="/help/targets/" rel="next"' in first.content
    assert b'rel="next"' not in last.content


def test_links_to_anchors_of_the_help_lead_to_chapters():
    text = '<a href="#noise">a</a> <a href="/help/#trust">b</a> <a href="#word-term">c</a>'
    alone = (
        '<a href="/help/noise/">a</a> <a href="/help/trust/">b</a> <a href="/help/glossary/#word-term">c</a>'
    )
    assert chapter_text(text, True) == alone
    together = alone.replace("/help/noise/", "#noise").replace("/help/glossary/", "")
    assert chapter_text(text) == together


def test_headings_follow_the_title_of_the_page():
    text = '<h3 id="a">One</h3><h3>Two</h3>'
    assert chapter_text(text, True) == '<h2 id="a">One</h2><h2>Two</h2>'
    assert chapter_text(text) == text


def test_every_link_to_a_chapter_of_the_help_leads_to_one():
    assert linked(r"{% url 'help-chapter' '(\w+)' %}") <= {anchor for anchor, _ in CHAPTERS}
    assert linked(r"{% url 'help' %}#([\w-]+)") <= {anchor for anchor, _ in CHAPTERS}


def linked(pattern: str) -> set[str]:
    """What templates link to."""
    folder = Path(get_template("base.html").origin.name).parent
    found = {anchor for path in folder.rglob("*.html") for anchor in re.findall(pattern, path.read_text())}
    assert found
    return found


@pytest.mark.parametrize(
    ("name", "chapters"), [("help-mathematics", MATHEMATICS), ("help-accuracy", ACCURACY)]
)
def test_every_link_in_templates_leads_to_a_chapter(name, chapters):
    assert linked(r"{% url '" + name + r"' %}#([\w-]+)") <= {anchor for anchor, _ in chapters}


def marks() -> set[str]:
    """Anchors of the help that a "?" beside a term leads to, wherever a template or Python writes them."""
    return linked(r'class="help" href="{% url \'help-chapter\' \'(\w+)\' %}"')


def test_every_question_mark_beside_a_term_has_a_short_explanation(client):
    assert len(marks()) > 15
    for anchor in marks() | {f"word-{word}" for word in GLOSSARY}:
        answer = client.get("/help/in-short/", {"of": anchor})
        assert answer.status_code == 200, anchor
        text = answer.content.decode()
        assert f'href="{address_of(anchor)}"' in text
        assert len(strip_tags(text)) < 500


@pytest.mark.parametrize("anchor", ["", "nothing", "word-nothing", "files", "<b>"])
def test_an_unknown_anchor_has_no_short_explanation(client, anchor):
    assert client.get("/help/in-short/", {"of": anchor}).status_code == 404


def test_facts_about_a_law_have_short_explanations():
    source = Path(facts.__file__).read_text()
    anchors = re.findall(r'anchor\("([\w-]+)"\)', source)
    assert all(short(f"word-{word}") for word in anchors)


@pytest.mark.parametrize("part", ["mathematics", "accuracy"])
def test_parts_of_the_help_work_for_everybody(client, part, django_assert_num_queries):
    with django_assert_num_queries(0):
        page = client.get(f"/help/{part}/").content.decode()
    assert page.count('aria-current="page"') == 1
    assert "style=" not in page
    assert "data-chart=" in page


def test_figures_of_the_mathematics_agree_with_the_engine():
    rows = rivals_figure().rows
    assert len(rows) > 1
    assert "<sup>" not in json.dumps(rivals_figure().layout)  # The page's policy forbids inline styles.
    found = shared()
    assert found.evidence[0] < found.truth < found.evidence[1]
    width = found.regression[1] - found.regression[0]
    assert width < found.evidence[1] - found.evidence[0]
    assert str(round(found.truth, 1)) in shared_figure().caption


def test_families_of_noise_are_drawn_as_the_engine_defines_them():
    figure = families_figure()
    for curve, row in zip(figure.data, figure.rows, strict=True):
        reached = np.cumsum(curve["y"])
        drawn = np.interp([0.025, 0.5, 0.975], reached / reached[-1], curve["x"])
        np.testing.assert_allclose(drawn, [float(value) for value in row[1:]], atol=0.02)


def accuracy_page(client):
    """Return the page with plain spaces, because numbers are joined to their units by other ones."""
    return client.get("/help/accuracy/").content.decode().replace("\N{NO-BREAK SPACE}", " ")


def test_tables_of_accuracy_contain_the_measured_figures(client):
    found = accuracy_load()
    page = accuracy_page(client)
    for parameters in found.functions:
        for noise in NOISE:
            assert in_percent(found.row("evidence", parameters, noise).mean_error) in page
    assert in_percent(EXTRAP_ERROR[2][50]) in page
    assert len(found.rows) == 3 * len(found.functions) * (len(NOISE) + 3 * 3)


@pytest.mark.parametrize(
    ("value", "text"), [(0.042, "0.042 %"), (99.66, "99.7 %"), (None, "–"), (12.34, "12 %")]
)
def test_figures_have_suitable_numbers_of_digits(value, text):
    assert in_percent(value) == text


def test_the_table_of_all_modelers_contains_the_measured_figures(client):
    rows = figures_load(ADAPTIVE_FILE)["rows"]
    page = accuracy_page(client)
    assert {row["modeler"] for row in rows} == set(SIDE_BY_SIDE)
    for row in rows:
        assert in_percent(row["error"][-1]) in page
        assert in_percent(row["near"]) in page
    assert "parameters. The table is made by" in page


def test_the_page_tells_the_smallest_share_of_right_exponents_in_the_largest_terms():
    rows = [
        {"modeler": "adaptive", "parameters": m, "noise": noise, "leading": share}
        for m, noise, share in ((2, 5, 98.0), (2, 10, 97.0), (2, 50, 80.0), (3, 5, 60.0))
    ]
    older = {"modeler": "adaptive", "parameters": 2, "noise": 2}
    assert leading({"rows": [*rows, older]}, 2, "leading", 10) == "97 %"
    assert leading({"rows": [older]}, 2, "leading", 10) == "–"


def test_the_help_names_the_noise_from_which_only_the_network_is_used(client):
    text = re.sub(r"\s+", " ", strip_tags(client.get("/help/regression/").content.decode()))
    adapted = [f"{100 * level:.0f} %" for level in THRESHOLDS.values()]
    assert "below {} with one parameter, {} with two and {} with more".format(*adapted) in text
    shipped = [f"{100 * level:.0f} %" for level in list(THRESHOLDS_AS_SHIPPED.values())[:2]]
    said = "below {} with one parameter, below {} with two, and at any noise with more"
    assert said.format(*shipped) in text


def test_the_crossing_of_network_and_regression_is_computed_from_the_measured_figures():
    rows = [
        {"modeler": name, "parameters": 1, "noise": noise, "near": near}
        for name, measured in (("network alone", (70, 70, 60)), ("regression", (90, 60, 30)))
        for noise, near in zip((5, 20, 50), measured, strict=True)
    ]
    assert crossings(rows) == {1: pytest.approx(15)}
    assert crossings(rows[1:3] + rows[4:]) == {1: 20}
    assert crossings([rows[0], rows[3]]) == {}
    rivals = [{**row, "modeler": "choice"} if row["modeler"] == "regression" else row for row in rows]
    assert crossings(rivals, "choice") == {1: pytest.approx(15)}


def test_the_table_of_measured_campaigns_contains_the_measured_figures(client):
    page = accuracy_page(client)
    for row in figures_load(REAL_FILE)["rows"]:
        assert f'<th scope="row">{row["set"]}</th>' in page
        assert all(in_percent(error) in page for error in row["error"].values())
    assert "median over campaigns" in page


def test_a_chapter_links_to_its_own_headings():
    text = '<a href="#profile">a</a> <h3 id="profile">One</h3>'
    assert chapter_text(text, True) == '<a href="#profile">a</a> <h2 id="profile">One</h2>'
