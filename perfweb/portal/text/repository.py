"""Addresses of commits, and of what is between two, as the hosts of repositories have them."""

from urllib.parse import quote, urlsplit

GITLAB = "/-"
"""What GitLab puts between a project and its pages. A GitLab under another name is told by an address that
ends with it."""


def commit_address(repository: str, commit: str) -> str:
    """The page of a commit; empty where either is not known."""
    if not repository or not commit:
        return ""
    return f"{_pages(repository)}/commit/{quote(commit, safe='')}"


def range_address(repository: str, before: str, after: str) -> str:
    """The page of all commits between two; empty where something is not known, or they are the same."""
    if not repository or not before or not after or before == after:
        return ""
    return f"{_pages(repository)}/compare/{quote(before, safe='')}...{quote(after, safe='')}"


def _pages(repository: str) -> str:
    """Where the pages of a repository begin: GitHub, Gitea and Forgejo have them right below it."""
    is_gitlab = "gitlab" in (urlsplit(repository).hostname or "") and not repository.endswith(GITLAB)
    return f"{repository}{GITLAB}" if is_gitlab else repository
