"""Addresses of commits and of ranges of commits, in the forms of the hosts of repositories."""

from urllib.parse import quote, urlsplit

GITLAB = "/-"
"""Path component between a GitLab project and its pages; addresses that end with it are GitLab's."""


def commit_address(repository: str, commit: str) -> str:
    """Return the page of a commit; empty if repository or commit is not known."""
    if not repository or not commit:
        return ""
    return f"{_pages(repository)}/commit/{quote(commit, safe='')}"


def range_address(repository: str, before: str, after: str) -> str:
    """Return the page of all commits between two; empty if one is not known, or both are the same."""
    if not repository or not before or not after or before == after:
        return ""
    return f"{_pages(repository)}/compare/{quote(before, safe='')}...{quote(after, safe='')}"


def _pages(repository: str) -> str:
    """Return the base address of a repository's pages, which GitLab has below `/-`."""
    is_gitlab = "gitlab" in (urlsplit(repository).hostname or "") and not repository.endswith(GITLAB)
    return f"{repository}{GITLAB}" if is_gitlab else repository
