import subprocess
import sys

from perfweb.launcher.portal import ROOT
from tests.docs.cells import CELL, written

NOTEBOOK = ROOT / "docs" / "notebook.md"


def test_the_cells_print_the_output_in_the_document():
    text = NOTEBOOK.read_text()
    assert text.count("```python") == len(CELL.findall(text)) == 5
    assert written(text) == text


def test_importing_the_engine_needs_no_portal():
    """Importing the engine must not need Django's settings, because a notebook has none."""
    code = "import modeling.engine, ingest.formats, sys; print('django' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
