"""The page of one request, in steps: answered blind, then revealed and judged; or ruled upon."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms.utils import ErrorList
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect, push_url

from accounts.models import User
from annotation.content import ItemContent
from annotation.kinds import item_kind
from annotation.services import record_key_exposures
from core.errors import Conflict, Unusable
from parable.kinds import kind_of
from projects.queries import get_project
from review import services
from review.forms import EditForm, RulingForm, VerdictForm, option_marks, picks_in, ratings_in
from review.models import Disposition, RequestState, Review, ReviewRequest, Stage
from review.permissions import may_claim
from review.queries import get_held_request
from review.queries.drawn import place_stored
from review.queries.request import undoable_verdict, wording_of
from review.queries.sibling import has_lapsed
from review.views.queue import PAGE_OF, page_after
from review.views.request_page import (
    blind_context,
    judged_context,
    lapsed_context,
    page_context,
    revealed_context,
    ruling_context,
)
from web.requests import is_step, signed_in

CLEAN = "clean"
"""The name of the button that passes an item with the highest rating."""


def _held_request(
    request: HttpRequest, slug: str, pk: UUID, *, with_words: bool = False
) -> tuple[User, ReviewRequest, Review | None]:
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    return user, *get_held_request(user=user, project=project, pk=pk, with_words=with_words)


def _solved(request: HttpRequest, slug: str, pk: UUID) -> tuple[User, ReviewRequest, Review]:
    user, review_request, review = _held_request(request, slug, pk)
    if review is None:
        raise Conflict(_("Answer the item first."))
    return user, review_request, review


@login_required
@require_GET
def show(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Show a request at its current step: blind, revealed or judged."""
    user, review_request, review = _held_request(request, slug, pk, with_words=True)
    if review and review.sent_at and not review.judged_at:
        services.carry_out_overdue_verdict(review_id=review.pk)
        review.refresh_from_db(fields=["judged_at"])
    return _show(request, user, review_request, review)


def _show(
    request: HttpRequest,
    user: User,
    review_request: ReviewRequest,
    review: Review | None,
    errors: dict[str, str] | None = None,
) -> HttpResponse:
    """Return the whole page or, if htmx sent the form, only its next step."""
    layout = {"layout": "base_part.html"} if is_step(request) else {}
    if has_lapsed(user, review_request, review):
        return render(request, "review/lapsed.html", lapsed_context(review_request) | layout)
    is_sent = review is not None and bool(review.judged_at or review.sent_at)
    if review and not is_sent:
        following = services.reveal(actor=user, request=review_request)
        if following is not None:
            return _open(request, user, following)
    open_page = request.resolver_match.kwargs.get("pk") if request.resolver_match else None
    is_further_step = is_step(request) and review_request.state == RequestState.CLAIMED
    shows_count = is_further_step and open_page == review_request.public_id
    context = page_context(user, review_request, errors, shows_count=shows_count) | layout
    # the posted values belong only to a refused form: after an accepted one, another item follows
    posted = request.POST if errors else QueryDict()
    if review and is_sent:
        is_practice = review_request.gold and review.judged_at
        template = "review/practice_result.html" if is_practice else "review/judged.html"
        return render(request, template, context | judged_context(user, review_request, review))
    if review_request.stage == Stage.ADJUDICATION:
        record_key_exposures(actor=user, items=[review_request.source_id])
        template, context = "review/adjudicate.html", context | ruling_context(user, review_request, posted)
    elif review is None:
        begun = blind_context(user, review_request, posted if errors else None)
        template, context = "review/blind.html", context | begun
    else:
        context |= {"undoable": undoable_verdict(review_request), "posted": posted}
        template, context = "review/revealed.html", context | revealed_context(review_request, review, posted)
    return render(request, template, context, status=400 if errors else 200)


@login_required
@require_POST
def solve(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Save the blind answer, which is final, and show the next step."""
    user, review_request, review = _held_request(request, slug, pk, with_words=True)
    given = item_kind(review_request.task).read_answer(request.POST)
    try:
        review = services.solve(
            actor=user,
            request=review_request,
            answer=given.answer,
            position=given.position,
            several=given.several,
            own=given.own,
        )
    except Unusable as error:
        return _show(request, user, review_request, review, error.fields)
    return _step(request, user, review_request, review)


def _step(request: HttpRequest, user: User, review_request: ReviewRequest, review: Review) -> HttpResponse:
    """Show the next step. Redirect to the request's page if the form was not sent from that page."""
    if not is_step(request) or review.request_id != review_request.pk or review.late_at:
        return _move_on(request, "review:request", review_request.project.slug, review_request.public_id)
    return _show(request, user, review.request, review)


@login_required
@require_POST
def judge(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Save the verdict and open the next request."""
    user, review_request, review = _solved(request, slug, pk)
    posted: QueryDict = request.POST
    if CLEAN in posted:  # a button on phones: the highest rating and a pass
        posted = posted.copy()
        posted.update({"rating": str(review_request.project.max_rating), "disposition": Disposition.PASS})
    form, goes_on = VerdictForm(posted), "stay" not in request.POST
    scale = kind_of(review_request.task).scale
    wording, faults = _proposed_wording(posted, review, review_request)
    if not form.is_valid() or faults:
        errors = {name: " ".join(map(str, words)) for name, words in {**form.errors, **faults}.items()}
        return _show(request, user, review_request, review, errors)
    stage = Stage(review_request.stage)
    # final if no further request follows, as a verdict is undone on the page of the next request
    final = goes_on and (
        review_request.gold is not None or not may_claim(user, review_request.project, stage)
    )
    try:
        review = services.send_verdict(
            actor=user,
            review=review,
            edit=wording,
            final=final,
            about=place_stored(form.cleaned_data["about"], review.drawn_order),
            option_marks=option_marks(request.POST, len(review.drawn_order)),
            ratings=ratings_in(request.POST, scale.criteria if scale else ()),
            **form.verdict(),
        )
    except Unusable as error:
        return _show(request, user, review_request, review, error.fields)
    if review.late_at:
        note = _("Your time expired and the item went to someone else. Your comment is kept for the manager.")
        messages.warning(request, note)
    if review_request.gold or not goes_on:
        return _step(request, user, review_request, review)
    return _next(request, user, review_request, undoable=review)


def _proposed_wording(
    posted: QueryDict, review: Review, review_request: ReviewRequest
) -> tuple[ItemContent | None, dict[str, ErrorList]]:
    """Return the content that an edit proposes, or None, and the form's errors by field."""
    if posted.get("disposition") != Disposition.EDIT:
        return None, {}
    edit = EditForm(posted, option_count=len(review.drawn_order))
    if not edit.is_valid():
        return None, edit.errors
    before = wording_of(review_request)
    return item_kind(review_request.task).read_edit(posted, before, review.drawn_order), {}


@login_required
@require_POST
def undo(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Undo a verdict that has not been carried out yet."""
    user, _place, review = _solved(request, slug, pk)
    services.undo_verdict(actor=user, review=review)
    return redirect("review:request", slug, pk)


@login_required
@require_POST
def resume(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Claim a request again after its lease has run out."""
    user, review_request, _review = _held_request(request, slug, pk)
    services.renew_lease(actor=user, request=review_request)
    return redirect("review:request", slug, pk)


@login_required
@require_POST
def mark_misclick(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Record that the blind answer was a misclick."""
    user, _place, review = _solved(request, slug, pk)
    services.mark_misclick(actor=user, review=review)
    messages.success(
        request,
        _("Marked as a misclick: your answer is left out of the statistics. Your verdict still counts."),
    )
    return redirect("review:request", slug, pk)


@login_required
@require_POST
def rule(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Save a ruling and open the next item in adjudication."""
    user, review_request, review = _held_request(request, slug, pk)
    form = RulingForm(request.POST)
    words = form.cleaned_data if form.is_valid() else {"disposition": "", "comment": "", "about": ""}
    words["about"] = place_stored(words["about"], review_request.drawn_order)
    try:
        services.send_ruling(actor=user, request=review_request, picks=picks_in(request.POST), **words)
    except Unusable as error:
        return _show(request, user, review_request, review, error.fields)
    return _next(request, user, review_request)


def _move_on(request: HttpRequest, view: str, *values: object) -> HttpResponse:
    """Redirect to another page, also in response to htmx."""
    address = reverse(view, args=values)
    return HttpResponseClientRedirect(address) if is_step(request) else redirect(address)


def _next(
    request: HttpRequest, user: User, review_request: ReviewRequest, undoable: Review | None = None
) -> HttpResponse:
    slug, stage = review_request.project.slug, Stage(review_request.stage)
    if not may_claim(user, review_request.project, stage):
        return _move_on(request, page_after(user, review_request), slug)
    following = services.claim_next(
        actor=user, project=review_request.project, stage=stage, undoable=undoable
    )
    if following is None:
        messages.success(request, _("That was the last one for now. Thank you!"))
        return _move_on(request, PAGE_OF[stage], slug)
    return _open(request, user, following)


def _open(request: HttpRequest, user: User, review_request: ReviewRequest) -> HttpResponse:
    """Open another request of this user: as the next step if htmx sent the form, else by a redirect."""
    address = reverse("review:request", args=[review_request.project.slug, review_request.public_id])
    if not is_step(request):
        return redirect(address)
    held = get_held_request(
        user=user, project=review_request.project, pk=review_request.public_id, with_words=True
    )
    return push_url(_show(request, user, *held), address)
