import re
from pathlib import Path

import perfweb
from perfweb.portal.text.topics.audit import ACTIONS, action_words

ROOT = Path(perfweb.__file__).parent.parent
CODE = re.compile(r'(?:action=|_record\(\w+, |_changed\(\w+, )"(\w+\.\w+)"')


def test_every_logged_action_has_words():
    sources = [path for room in ("perfweb", "ingest", "modeling") for path in (ROOT / room).rglob("*.py")]
    written = {code for path in sources for code in CODE.findall(path.read_text())}
    assert len(written) > 25
    assert written - set(ACTIONS) == set()


def test_an_action_without_words_is_shown_by_its_code():
    assert action_words("token.create") == "made a token"
    assert action_words("rocket.launch") == "rocket launch"
