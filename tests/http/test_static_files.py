import os
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.test import Client

from perfweb.http import static_files


def test_it_works(client: Client) -> None:
    for name in ("plotly/plotly.min.js", "vendor/plotly-cartesian.min.js", "django_htmx/htmx-2.min.js"):
        answer = client.get(staticfiles_storage.url(name), headers={"accept-encoding": "gzip"})
        assert answer.status_code == 200
        assert answer["Content-Encoding"] == "gzip"
        assert "immutable" in answer["Cache-Control"]
        assert b"".join(answer.streaming_content)  # type: ignore[attr-defined] # a file's


@pytest.mark.parametrize("name", ["plotly/widgetbundle.js", "plotly/../version.py", "nothing"])
def test_other_files_of_packages_are_not_found(name: str) -> None:
    assert not finders.find(name)
    assert finders.find(name, find_all=True) == []


def test_files_are_collected_only_after_a_change(
    tmp_path: Path, settings: pytest.FixtureDef[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.css").write_text("a {}")
    calls = []
    monkeypatch.setattr(static_files, "get_finders", lambda: [finders.FileSystemFinder()])
    monkeypatch.setattr(static_files, "call_command", lambda *_, **__: calls.append(1))
    settings.STATICFILES_DIRS = [source]  # type: ignore[attr-defined]
    settings.STATIC_ROOT = tmp_path  # type: ignore[attr-defined]
    static_files.collect()
    static_files.collect()
    assert len(calls) == 1
    os.utime(source / "a.css", (1, 1))
    static_files.collect()
    assert len(calls) == 2


def test_flat_charts_and_surfaces_use_the_same_version_of_plotly() -> None:
    """The first file is part of this repository, published as plotly.js-cartesian-dist-min. The second file
    comes with the Python package.
    """
    versions = [
        re.search(r"plotly\.js.* v([\d.]+)", Path(str(finders.find(name))).read_text()[:200])
        for name in ("vendor/plotly-cartesian.min.js", "plotly/plotly.min.js")
    ]
    assert versions[0]
    assert versions[1]
    assert versions[0][1] == versions[1][1]
