"""A strict checker of LaTeX sources, for tests."""

import re

_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|.", re.DOTALL)


def latex_problems(source: str, *, separators: bool = False) -> list[str]:
    """Return the errors that LaTeX would report, such as open braces and unescaped special characters.

    The character & is an error unless `separators` is set.
    """
    problems, depth = [], 0
    for token in _TOKEN.findall(source):
        depth += (token == "{") - (token == "}")
        if depth < 0 or token in "#%~" or (token == "&" and not separators) or token == "\\":
            problems.append(f"{token} in {source}")
    return problems + ([f"{depth} braces open in {source}"] if depth else [])
