"""The list of kernels on the compare page: the changed kernels, or those of one group."""

from dataclasses import dataclass

from django.http import HttpRequest

from modeling.selectors.versions.pairs import UNCHANGED, Group, Pairs
from perfweb.portal.asked.focus import Focus
from perfweb.portal.asked.links import KernelLinks
from perfweb.portal.asked.paging import Pages, pages_of
from perfweb.portal.tables.compare import PairsTable, pairs_body

KERNELS_A_PAGE = 50
LONGEST_SEARCH = 200
DIFFERING = "differing"
"""The value of ?show= that selects the changed kernels even if there are none."""

ORDER = (Group.WORSE, Group.BETTER, Group.LAW, Group.UNKNOWN, Group.NEW, Group.GONE, Group.SAME, Group.OPEN)
WORDS = {
    Group.WORSE: "▲△⊕ worse",
    Group.BETTER: "▼▽⊖ better",
    Group.LAW: "◇⊙ other law or overhead",
    Group.UNKNOWN: "? not identifiable",
    Group.NEW: "new",
    Group.GONE: "gone",
    Group.SAME: "● unchanged",
    Group.OPEN: "not compared",
}


@dataclass(frozen=True)
class Choice:
    """A group of kernels that can be listed: its name in the address, its title and its size."""

    key: str | None
    words: str
    count: int
    chosen: bool


def kernels_listed(request: HttpRequest, focus: Focus, pairs: Pairs, *, shared: bool) -> dict[str, object]:
    """Return the kernels of the group in ?show=, by default those that changed, are new or are gone.

    If there are none, the default is the unchanged kernels. `shared`: most kernels changed by one factor.
    """
    shown = _shown(request.GET.get("show"), pairs)
    search = request.GET.get("q", "")[:LONGEST_SEARCH].replace("\0", "")
    skip = Pages.skip_from(request.GET.get("skip"), KERNELS_A_PAGE)
    places = pairs.select(shown, search)
    rows = [pairs.pair(at) for at in places[skip : skip + KERNELS_A_PAGE]]
    return {
        "rows": rows,
        "body": pairs_body(_table(request, focus, pairs, shared=shared), rows),
        "contradicted": any(row.contradicted for row in rows),
        "pages": pages_of(len(places), skip, KERNELS_A_PAGE),
        "choices": _choices(pairs, shown),
        "search": search,
        "kernel_count": len(pairs.kernels),
    }


def _table(request: HttpRequest, focus: Focus, pairs: Pairs, *, shared: bool) -> PairsTable:
    kept = request.GET.copy()
    kept["why"] = "0"
    address = f"?{kept.urlencode()}"
    head, _, tail = address.rpartition("why=0")
    query = focus.query(version=None, machine=None)
    campaigns = [side.snapshot.campaign for side in (pairs.before, pairs.after)]
    return PairsTable(
        KernelLinks.to(campaigns[0].pk, query),
        KernelLinks.to(campaigns[1].pk, query),
        pairs.metric,
        campaigns[1].parameters,
        lambda kernel: f"{head}why={kernel}{tail}#why",
        shared,
        shared and pairs.same_largest,
    )


def _shown(asked: str | None, pairs: Pairs) -> frozenset[Group]:
    """Return the chosen groups: one, all, or those that differ. If nothing was compared, return all."""
    if asked == "all" or (not asked and pairs.changes is None):
        return frozenset(Group)
    if not asked and pairs.counts[Group.SAME] and not _differing(pairs):
        return frozenset({Group.SAME})
    found = next((group for group in Group if group.value == asked), None)
    return frozenset({found}) if found else frozenset(Group) - UNCHANGED


def _choices(pairs: Pairs, shown: frozenset[Group]) -> list[Choice]:
    differ = _differing(pairs)
    every = [
        Choice(
            None if differ else DIFFERING,
            "changed, new or gone",
            differ,
            shown == frozenset(Group) - UNCHANGED,
        ),
        *(
            Choice(group.value, WORDS[group], pairs.counts[group], shown == {group})
            for group in ORDER
            if pairs.counts[group] or shown == {group}
        ),
        Choice("all", "all", len(pairs.kernels), shown == frozenset(Group)),
    ]
    return [choice for choice in every if choice is not every[0] or pairs.changes is not None]


def _differing(pairs: Pairs) -> int:
    return sum(count for group, count in pairs.counts.items() if group not in UNCHANGED)
