"""Answers the question: what are the results of this campaign?"""

from collections.abc import Sequence
from statistics import median
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from ingest.models import Campaign
from ingest.selectors import bound_parameters, uploads_of
from ingest.services.growing import SETTLE
from modeling.engine import ENGINE_VERSION
from modeling.models import ModelRun
from modeling.selectors.application.dependencies import profile_differs
from modeling.selectors.run.campaign import laws_in_latex, laws_of, longest_line, run_unfinished
from modeling.selectors.run.direction import Direction
from modeling.selectors.run.kernel_table import KernelRow, KernelTable, table_load
from modeling.selectors.run.targets import target_point
from modeling.services.models.runs import run_again
from perfweb.accounts.models import Role
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.portal.asked.campaign import campaign_or_404, target_to_evaluate
from perfweb.portal.asked.focus import Focus, focus_of_campaign
from perfweb.portal.asked.links import KernelLinks
from perfweb.portal.asked.navigation import role_in
from perfweb.portal.asked.paging import Pages, pages_of
from perfweb.portal.charts.noise import noise_figure
from perfweb.portal.charts.svg.points import points_picture, points_sentence, ranges, repetitions_sentence
from perfweb.portal.files.campaign import MODELS, kernels_latex, target_text
from perfweb.portal.files.exports import as_csv, as_json, attached
from perfweb.portal.tables.campaign_columns import (
    COLUMNS,
    ROWS_A_PAGE,
    columns_of,
    export,
    headings,
    wanted_of,
)
from perfweb.portal.tables.campaign_kernels import CampaignTable, campaign_body
from perfweb.portal.text.lettering import isolated
from perfweb.together import together_note

NOISIEST = 6
"""The number of the noisiest kernels that are listed."""

LONG_NAME = 6
"""If names of parameters, such as mpi.world.size, are longer, laws may exceed their column."""


@login_required
@require_safe
def campaign(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Show the campaign's page."""
    found, run = campaign_or_404(request, campaign_id)
    focus = focus_of_campaign(request, found)
    table = table_load(run, focus.metric, target_to_evaluate(focus, run))
    context = {
        "focus": focus,
        "campaign": found,
        "run": run,
        "unfinished": run_unfinished(run) or found.settles_at is not None,
        "uploads": uploads_of(found),
        "settle_seconds": round(SETTLE.total_seconds()),
        "table": table,
        "evaluated_at": _evaluated_at(focus, found, run),
        "engine": ENGINE_VERSION,
        "profile_differs": run is not None and profile_differs(run),
        "may_model": role_in(request, focus.project.pk) >= Role.MAINTAINER,
        "not_measured": max(found.kernel_count - len(table.rows), 0),
        "together": _together(focus, found, table),
        **_facts(found, run, table),
        **_table(request, focus, found, table),
    }
    return render(request, "campaign/campaign.html", context)


@login_required
@require_safe
def campaign_tree(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Show the nodes below one node of the call tree; large trees are loaded step by step."""
    found, run = campaign_or_404(request, campaign_id)
    focus = focus_of_campaign(request, found)
    tree = table_load(run, focus.metric, target_to_evaluate(focus, run)).tree
    branches = tree.branches(request.GET.get("node", "")[:4096])
    return render(request, "campaign/branches.html", {"branches": branches, **_addresses(found)})


@login_required
@require_safe
def campaign_export(request: HttpRequest, campaign_id: int, kind: str) -> HttpResponse:
    """Answer with a file of the kernels on all pages of the table."""
    found, run = campaign_or_404(request, campaign_id)
    focus = focus_of_campaign(request, found)
    wanted = wanted_of(request.GET, focus.metric)
    table = table_load(run, focus.metric, target_to_evaluate(focus, run))
    columns = columns_of(request.GET, focus.metric, nested=table.nested)
    rows = table.select(wanted).rows
    name = f"{focus.application.slug}-{found.version.label}-kernels"
    if kind == "tex":
        return _paper_table(name, focus, found, run, rows)
    laws = laws_of(run, focus.metric)
    written = [(row, laws[row.model.kernel_id]) for row in rows]
    write = as_csv if kind == "csv" else as_json
    return write(name, *export(columns, focus, found, written, _target_text(focus, found, run)))


def _paper_table(
    name: str, focus: Focus, found: Campaign, run: ModelRun | None, rows: Sequence[KernelRow]
) -> HttpResponse:
    if focus.metric is None or run is None:
        raise Http404("This campaign has no models yet.")
    laws = laws_in_latex(run, focus.metric)
    about = f"{focus.application.name} {found}"
    written = [(row, laws.get(row.model.kernel_id, "")) for row in rows]
    text = "".join(kernels_latex(about, _target_text(focus, found, run), focus.metric, found, written))
    return attached(HttpResponse(text, content_type=MODELS["tex"][0]), f"{name}.tex")


def _target_text(focus: Focus, found: Campaign, run: ModelRun | None) -> str:
    return target_text(_evaluated_at(focus, found, run))


def _evaluated_at(focus: Focus, found: Campaign, run: ModelRun | None) -> dict[str, float]:
    """Return the configuration for which the table predicts."""
    point = target_to_evaluate(focus, run)
    if point is None:
        point = target_point(run.target if run else {}, found).tolist()
    return dict(zip(found.parameters, point, strict=True))


@login_required
@require_POST
def campaign_model(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Request new models of the campaign by the current engine."""
    found, run = campaign_or_404(request, campaign_id)
    role_require(request.user, found.version.application.project, Role.MAINTAINER)
    if run is not None and run_again(run=run, user=reader(request)):
        messages.success(request, f"The campaign is being modelled again with engine {ENGINE_VERSION}.")
    else:
        messages.info(request, f"The models were already made by engine {ENGINE_VERSION}, or are being made.")
    return redirect("campaign", campaign_id)


def _together(focus: Focus, found: Campaign, table: KernelTable) -> str:
    """Return which parameters were always varied together, and the consequences; empty if there are none."""
    known = bound_parameters(found, focus.parameters)
    if known is None:
        return ""
    written = all(row.model.region is not None for row in table.rows[:1])
    return together_note(known.relations, found.parameters, written=written)


def _facts(found: Campaign, run: ModelRun | None, table: KernelTable) -> dict[str, Any]:
    levels = table.noise
    return {
        "repetitions": _repetitions(found, run),
        "points_picture": points_picture(found.points, found.parameters),
        "points_sentence": points_sentence(found.points, found.parameters),
        "ranges": ranges(found.points, found.parameters),
        "noise": levels,
        "noisiest": table.noisiest(NOISIEST),
        "noise_median": median(levels) if levels else None,
        "noise_figure": noise_figure(levels) if levels else None,
    }


def _repetitions(found: Campaign, run: ModelRun | None) -> str:
    full = run.series_total * found.point_count * found.repetitions if run else 0
    return repetitions_sentence(found.repetitions, everywhere=found.value_count == full)


def _table(request: HttpRequest, focus: Focus, found: Campaign, table: KernelTable) -> dict[str, Any]:
    wanted = wanted_of(request.GET, focus.metric)
    columns = columns_of(request.GET, focus.metric, nested=table.nested)
    selection = table.select(wanted)
    skip = min(Pages.skip_from(request.GET.get("skip"), ROWS_A_PAGE), max(len(selection.rows) - 1, 0))
    keys = {column.key for column in columns}
    line = longest_line(found.points)
    line_text = _line_text(found, line)
    shown = selection.rows[skip : skip + ROWS_A_PAGE]
    medians = {}
    if focus.metric and shown and "measured" in keys:
        medians = table.medians(found, focus.metric, [row.model.kernel_id for row in shown], line)
    links = KernelLinks.to(found.pk, focus.query())
    return {
        "wanted": wanted,
        "selection": selection,
        "shown": shown,
        "body": campaign_body(
            CampaignTable(found.parameters, focus.unit, links, medians, line_text, table.overlaps),
            shown,
            keys,
        ),
        "line": line_text,
        "pages": pages_of(len(selection.rows), skip, ROWS_A_PAGE),
        "headings": headings(request, columns, wanted),
        "columns": keys,
        "all_columns": [column for column in COLUMNS if table.nested or column.key != "own"],
        "wide_laws": max(map(len, found.parameters)) > LONG_NAME,
        "flat": table.tree.is_flat,
        "branches": table.tree.branches(towards=wanted.under or table.tree.trunk),
        **_addresses(found),
    }


def _addresses(found: Campaign) -> dict[str, str]:
    """Return the addresses that all branches of the tree use; they are resolved only once."""
    return {
        "campaign_url": reverse("campaign", args=[found.pk]),
        "tree_url": reverse("campaign-tree", args=[found.pk]),
    }


def _line_text(found: Campaign, line: list[int]) -> str:
    """Return the points of the small charts: "p from 4 to 1,024 at n = 4,000"; empty if there is one."""
    if len(line) < 2:
        return ""
    first, last = found.points[line[0]], found.points[line[-1]]
    name, others = isolated(found.parameters[0]), Direction.along(0, found.points).others
    fixed = ", ".join(f"{isolated(found.parameters[at])} = {last[at]:,g}" for at in others)
    return f"{name} from {first[0]:,g} to {last[0]:,g}" + (f" at {fixed}" if fixed else "")
