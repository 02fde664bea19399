"""Chapters and files that the code cites exist, and links in the documents lead to files."""

import re
from pathlib import Path

import pytest

from perfweb.portal.help.chapters import CHAPTERS, MATHEMATICS

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("ingest", "modeling", "perfweb")
DOCUMENTS = sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])


def anchors(document):
    """Return the anchors that GitHub makes from the headings of a document."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def sources():
    return [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]


def test_every_section_that_the_code_cites_exists():
    cited = {
        found for path in sources() for found in re.findall(r"(docs/\w+\.md)#([\w-]+)", path.read_text())
    }
    assert {anchor for _, anchor in cited} >= {"evidence", "noise-level", "refinement"}
    assert {(name, anchor) for name, anchor in cited if anchor not in anchors(ROOT / name)} == set()


def test_no_docstring_cites_a_section_without_its_document():
    assert [path for path in sources() if re.search(r"METHODS §", path.read_text())] == []


def test_sections_of_docstrings_have_one_style():
    """Sections begin with `Args:`, `Returns:`, `Raises:` or `Attributes:`, not with an underlined title."""
    underlined = r"^ *(?:Parameters|Attributes|Returns|Yields|Raises|Notes)\n *-{3,}$"
    assert [path for path in sources() if re.search(underlined, path.read_text(), re.MULTILINE)] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_of_documents_lead_to_files(document):
    links = re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", document.read_text())
    assert [link for link in links if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_documents_name_modules_that_exist(document):
    """Documents name paths with a folder and `.py`, and may omit the packages that the text is about."""
    known = [str(path) for path in sources()]
    named = set(re.findall(r"`((?:[\w.]+/)+\w+\.py)", document.read_text()))
    assert {name for name in named if not any(path.endswith("/" + name) for path in known)} - {
        name for name in named if (ROOT / name).exists()
    } == set()


def test_methods_name_help_chapters_that_exist():
    text = (ROOT / "docs/methods.md").read_text()
    chapters = set(re.findall(r"`/help/(?!mathematics/|accuracy/)(\w+)/", text))
    assert chapters
    assert chapters <= {anchor for anchor, _ in CHAPTERS}
    anchors = set(re.findall(r"/help/mathematics/#(\w+)", text))
    assert anchors
    assert anchors <= {anchor for anchor, _ in MATHEMATICS}
