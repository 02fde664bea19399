"""Runs the cells of a document: code in ```python, followed by its output in ```text.

`python -m tests.docs.cells docs/notebook.md` writes what the cells print into the document.
"""

import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

CELL = re.compile(r"```python\n(?P<code>.*?)```\n\n```text\n(?P<printed>.*?)```\n", re.DOTALL)


def written(text: str) -> str:
    """Return the document with the output of its cells, which are run in order in one namespace."""
    names: dict[str, Any] = {"__name__": "__main__"}

    def again(cell: re.Match[str]) -> str:
        with redirect_stdout(StringIO()) as printed:
            exec(cell["code"], names)
        return f"```python\n{cell['code']}```\n\n```text\n{printed.getvalue()}```\n"

    return CELL.sub(again, text)


if __name__ == "__main__":
    document = Path(sys.argv[1])
    document.write_text(written(document.read_text()))
