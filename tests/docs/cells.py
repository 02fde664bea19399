"""Cells of a document: code in ```python, and its output in the ```text that follows.

`python -m tests.docs.cells docs/notebook.md` writes what they print into the document.
"""

import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

CELL = re.compile(r"```python\n(?P<code>.*?)```\n\n```text\n(?P<printed>.*?)```\n", re.DOTALL)


def written(text: str) -> str:
    """The document with what its cells print, run one after the other in one namespace."""
    names: dict[str, Any] = {"__name__": "__main__"}

    def again(cell: re.Match[str]) -> str:
        with redirect_stdout(StringIO()) as printed:
            exec(cell["code"], names)
        return f"```python\n{cell['code']}```\n\n```text\n{printed.getvalue()}```\n"

    return CELL.sub(again, text)


if __name__ == "__main__":
    document = Path(sys.argv[1])
    document.write_text(written(document.read_text()))
