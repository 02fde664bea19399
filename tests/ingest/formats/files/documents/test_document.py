"""JSON documents that are read section by section: an object with its sections, or a list."""

import pytest

from ingest.formats import FormatError, Limits
from ingest.formats.files.documents.document import LIST, Document


def document(text):
    return Document(text.encode(), Limits())


def entries(text):
    whole = document(text)
    whole.enter(LIST)
    return list(whole.elements())


def test_the_keys_of_an_object_are_its_sections():
    found = document('{"a": [1, 2], "b": {"c": 3}}')
    assert list(found.sections) == ["a", "b"]
    found.enter("a")
    assert list(found.elements()) == [1.0, 2.0]


def test_a_list_has_one_section_without_a_name():
    found = document(' [1,\n{"a": 2},\n[3]] ')
    assert list(found.sections) == [LIST]
    found.enter(LIST)
    assert list(found.elements()) == [1.0, (("a", 2.0),), [3.0]]
    assert found.line == 3


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[1, 2", "the end of the file"),
        ("[1] [2]", "after the end"),
        ("[" * 100 + "]" * 100, "nested deeper"),
        ("[1, nan]", "no JSON"),
        ("1", "“1”"),
    ],
)
def test_a_text_that_is_neither_object_nor_list_is_refused(text, found):
    with pytest.raises(FormatError, match=found):
        entries(text)
