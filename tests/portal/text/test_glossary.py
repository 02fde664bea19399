"""The glossary explains the terms that pages use, and every link to the glossary leads to a term."""

import re

import pytest

from ingest.models import Campaign
from modeling.models import Model
from perfweb.portal.help.chapters import CHAPTERS
from perfweb.portal.kernel.facts import trust
from perfweb.portal.tables.campaign_columns import COLUMNS
from perfweb.portal.text.glossary import GLOSSARY, anchor, meaning

pytestmark = pytest.mark.django_db


@pytest.fixture
def anchors(client):
    return set(re.findall(r'\bid="([\w-]+)"', client.get("/help/glossary/").content.decode()))


def test_the_help_lists_every_term(anchors):
    assert {anchor(word) for word in GLOSSARY} <= anchors


@pytest.mark.parametrize("word", GLOSSARY.values(), ids=lambda word: word.word)
def test_each_term_has_one_sentence_and_a_chapter(word):
    assert word.meaning.endswith(".")
    assert word.meaning[0].isupper() or word.meaning[0] == "|"
    assert not word.chapter or word.chapter in dict(CHAPTERS)


def test_every_heading_of_the_table_of_kernels_has_a_meaning():
    assert {column.key for column in COLUMNS if not meaning(column.key)} == set()
    assert meaning("unheard of") == ""


def test_every_fact_about_a_law_leads_to_its_explanation(anchors):
    model = Model(lead_exponents=[1.0, 0.0], status="ok", points_used=3, degrees_of_freedom=1, posterior=None)
    campaign = Campaign(parameters=["p"], points=[[2.0], [4.0], [8.0]])
    facts = trust(model, campaign, campaign.points, {"p": (2.0, 8.0, 16.0)}, [])
    assert len(facts) == 9
    assert {fact.help for fact in facts} <= anchors
    with pytest.raises(KeyError):
        anchor("unheard of")
