"""The page on which managers turn confusions of proverbs into items: rankings, near-synonyms, proposals."""

from typing import Any, Final, NamedTuple

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from core.errors import Conflict, Hidden, Unusable
from generation import services
from generation.forms import AskForRankingsForm, PairsForm, ProposalForm, RankingForm
from generation.models import ProverbRanking
from generation.queries.batch import GENERATE
from generation.queries.proverb import (
    DECISIONS,
    UNDECIDED,
    get_pair,
    pair_counts,
    pairs,
    proposed,
    rankings,
)
from jobs import hooks
from jobs.queries import askable_endpoints
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from web.files import takes_files
from web.forms import put_errors
from web.requests import MemberRequest

PAGE: Final = 20


class RankingRow(NamedTuple):
    """A ranking with its figures in percent, each as (value, low, high)."""

    ranking: ProverbRanking
    accuracy: list[float | None]
    reciprocal_rank: list[float | None]


@project_page(Permission.SEE_ITEMS)
@require_GET
def show(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the rankings with their figures, the pairs of proverbs by decision, and the forms."""
    return _page(request, project)


def _page(request: MemberRequest, project: Project, **forms: Any) -> HttpResponse:
    """Show the page; with `forms`, the forms that were refused, by name."""
    if not project.drafts_by_confusion:
        raise Hidden(_("This project has no items that ask for a proverb."))
    decision = request.GET.get("show", UNDECIDED)
    decision = decision if decision in DECISIONS else UNDECIDED
    page = Paginator(pairs(project, decision), PAGE).get_page(request.GET.get("page"))
    found = list(rankings(project))
    context = {
        "project": project,
        "section": "candidates",
        "rankings": [RankingRow(one, _percent(one.accuracy), _percent(one.reciprocal_rank)) for one in found],
        "show": decision,
        "page_obj": page,
        "counts": pair_counts(project),
        "proposed": proposed(project),
        "ranking_form": RankingForm(),
        "ask_form": AskForRankingsForm(project) if askable_endpoints(project).exists() else None,
        "pairs_form": PairsForm(),
        "proposal_form": ProposalForm(project) if found else None,
        **forms,
    }
    return render(request, "generation/proverbs.html", context, status=400 if forms else 200)


def _percent(figure: list[float | None]) -> list[float | None]:
    return [None if one is None else 100 * one for one in figure]


@takes_files(services.LARGEST_RANKING)
@project_page(Permission.SEE_ITEMS, change=Permission.CHANGE_ITEMS)
@require_POST
def import_ranking(request: MemberRequest, project: Project) -> HttpResponse:
    """Store how a model ranks the proverbs, from a file."""
    form = RankingForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            ranking = services.import_ranking(
                actor=request.user,
                project=project,
                examinee=form.cleaned_data["name"],
                data=form.cleaned_data["file"].read(),
            )
        except Unusable as error:
            put_errors(form, error)
        else:
            messages.success(request, _("Ranking of %(name)s imported.") % {"name": ranking.examinee})
            return redirect("generation:proverbs", project.slug)
    return _page(request, project, ranking_form=form)


@project_page(Permission.SEE_ITEMS, change=Permission.CHANGE_ITEMS)
@require_POST
def ask(request: MemberRequest, project: Project) -> HttpResponse:
    """Ask a model which proverbs fit the next narratives; the page of the job shows how far it is."""
    form = AskForRankingsForm(project, request.POST)
    if form.is_valid():
        try:
            batch = services.ask_for_rankings(actor=request.user, project=project, **form.cleaned_data)
        except (Unusable, Conflict) as error:
            put_errors(form, error)
        else:
            hooks.dispatch(GENERATE, batch.job_id)
            return redirect("jobs:job", project.slug, batch.job_id)
    return _page(request, project, ask_form=form)


@project_page(Permission.SEE_ITEMS, change=Permission.CHANGE_ITEMS)
@require_POST
def add_pairs(request: MemberRequest, project: Project) -> HttpResponse:
    """Mark pairs of proverbs, typed or pasted, as near-synonyms."""
    form = PairsForm(request.POST)
    if form.is_valid():
        try:
            count = services.add_pairs(actor=request.user, project=project, text=form.cleaned_data["pairs"])
        except Unusable as error:
            put_errors(form, error)
        else:
            message = ngettext("%(n)d pair marked.", "%(n)d pairs marked.", count) % {"n": count}
            messages.success(request, message)
            return redirect(f"{reverse('generation:proverbs', args=[project.slug])}?show=synonyms")
    return _page(request, project, pairs_form=form)


@project_page(Permission.SEE_ITEMS, change=Permission.CHANGE_ITEMS)
@require_POST
def decide_pair(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Record whether two proverbs are near-synonyms, or reopen the decision."""
    decision = request.POST.get("decision", "")
    if decision not in DECISIONS:
        raise Unusable(_("Choose whether the proverbs mean the same."), "decision")
    pair = get_pair(project, pk)
    services.decide_pair(actor=request.user, pair=pair, is_synonym=DECISIONS[decision])
    shown = request.POST.get("show", UNDECIDED)
    address = reverse("generation:proverbs", args=[project.slug])
    return redirect(f"{address}?show={shown if shown in DECISIONS else UNDECIDED}")


@project_page(Permission.SEE_ITEMS, change=Permission.CHANGE_ITEMS)
@require_POST
def propose(request: MemberRequest, project: Project) -> HttpResponse:
    """Propose items from the confusions of a model, as drafts of a writer."""
    form = ProposalForm(project, request.POST)
    if form.is_valid():
        chosen = form.cleaned_data
        try:
            drafts = services.propose_items(
                actor=request.user,
                project=project,
                ranking=chosen["ranking"],
                writer=chosen["writer"],
                count=chosen["count"],
            )
        except Unusable as error:
            put_errors(form, error)
        else:
            words = ngettext(
                "%(n)d draft is on the writing page of %(name)s.",
                "%(n)d drafts are on the writing page of %(name)s.",
                len(drafts),
            )
            messages.success(request, words % {"n": len(drafts), "name": chosen["writer"]})
            return redirect("generation:proverbs", project.slug)
    return _page(request, project, proposal_form=form)
