"""Configurations of parameters, as they are written in addresses."""

import pytest

from modeling.targets import target_key, target_parse

NAMES = ("vector<int, 3>", "a:b", "100%", "%2C", ",", "π n")


def test_names_with_separators_come_back():
    values = {name: 2.0**at for at, name in enumerate(NAMES)}
    assert target_parse(target_key(values), NAMES) == values


@pytest.mark.parametrize("text", ["100%:4", "100%25:4", " 100%:4 "])
def test_what_people_type_is_read_as_it_is(text):
    assert target_parse(text, ["100%"]) == {"100%": 4.0}


def test_plain_names_look_as_ever():
    assert target_key({"p": 65536.0, "n": 0.5}) == "p:65536,n:0.5"
