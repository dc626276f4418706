"""Page of one request: solved blind, then revealed and judged, or ruled upon."""

from functools import partial
from typing import NamedTuple
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms.utils import ErrorList
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect, push_url

from accounts.models import User
from annotation.content import ItemContent
from annotation.kinds import item_kind
from annotation.places import about_choices, place_name
from annotation.queries.comment import comments_on
from annotation.services import check_name, record_keys_shown
from core.errors import Conflict, Unusable
from core.invariants import present
from parable.formats.limits import MAX_EXPLANATION_CHARS, MAX_OPTION_CHARS, MAX_STEM_CHARS
from parable.kinds import kind_of
from parable.kinds.base import Scale
from projects.models import Project, Rating
from projects.queries import get_project, members
from review import services
from review.forms import EditForm, RulingForm, VerdictForm, picks_in, ratings_in
from review.models import (
    Answer,
    Disposition,
    Flaw,
    RequestState,
    Review,
    ReviewRequest,
    Stage,
    flaws_of,
    verdict_words,
)
from review.permissions import may_claim
from review.queries import blind_item, count_open, get_held_request, verdicts_on
from review.queries.blocked import possible_substitutes
from review.queries.request import (
    answers_to,
    begun_answer,
    is_new,
    is_reworded,
    story_of,
    types_of,
    undoable_verdict,
    wording_of,
)
from review.queries.sibling import is_withheld, together
from review.views.criteria import CRITERION_NAMES
from review.views.practice import lesson
from review.views.presentation import (
    answer_in_words,
    asks_each_option,
    begun_edit,
    given_answer,
    marked,
    option_marks,
    option_views,
    own_changes,
    place_seen,
    place_stored,
    proposed_changes,
    reworded,
    with_numbers_seen,
)
from review.views.queue import PAGE_OF, page_after
from web.forms import Choice
from web.requests import is_step, signed_in

LONGEST = {"stem": str(MAX_STEM_CHARS), "option": str(MAX_OPTION_CHARS), "words": str(MAX_EXPLANATION_CHARS)}
"""The `maxlength` of the fields of an edit, in characters."""

MOST_WAITING = 100
"""The count beside an item ends here, as it is made at each step of everyone's work."""

CLEAN = "clean"
"""The name of the button that says that nothing is wrong with an item."""

DISPOSITIONS = {
    Stage.CROSS_CHECK: (Disposition.PASS, Disposition.EDIT, Disposition.RETURN, Disposition.REJECT),
    Stage.VERIFICATION: (Disposition.PASS, Disposition.RETURN, Disposition.REJECT),
    Stage.ADJUDICATION: (Disposition.SEND_ON, Disposition.PASS, Disposition.RETURN, Disposition.REJECT),
}

MOST_BESIDE_NINE = 8
"""With more options, 9 is an option's number, and “more than one” gets a letter."""

# shortcut keys; s sends on, x rejects
KEYS = {
    Disposition.PASS: "p",
    Disposition.EDIT: "e",
    Disposition.RETURN: "r",
    Disposition.REJECT: "x",
    Disposition.SEND_ON: "s",
}

OUTCOMES = {
    Disposition.SEND_ON: gettext_lazy("A verifier checks it."),
    Disposition.EDIT: gettext_lazy("What you pick becomes the item; a verifier checks it."),
    Disposition.PASS: gettext_lazy("It is verified as it is."),
    Disposition.RETURN: gettext_lazy("Its writer revises it."),
    Disposition.REJECT: gettext_lazy("It is in no release."),
}
"""The effect of a ruling on the item."""

FLAW_KEYS = {
    Flaw.NO_RIGHT_OPTION: "n",
    Flaw.TWO_RIGHT_OPTIONS: "d",
    Flaw.ANSWERABLE_WITHOUT_STORY: "a",
    Flaw.TRIVIAL_DISTRACTOR: "t",
    Flaw.WRONG_TYPE: "w",
    Flaw.UNCLEAR_STEM: "u",
    Flaw.LANGUAGE: "l",
    Flaw.NOT_COMMON_SENSE: "c",
    Flaw.MISSING_MARK: "m",
    Flaw.NEEDLESS_MARK: "n",
    Flaw.WRONG_BOUNDS: "b",
    Flaw.WRONG_ROLE: "w",
    Flaw.SEVERAL_DIFFERENCES: "d",
    Flaw.WEAK_REASON: "w",
    Flaw.OTHER: "o",
}


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


def _render(
    request: HttpRequest, template: str, context: dict[str, object], status: int = 200
) -> HttpResponse:
    """Render the whole page, or only the next step if htmx sent the form."""
    layout = {"layout": "base_part.html"} if is_step(request) else {}
    return render(request, template, context | layout, status=status)


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
    if _has_lapsed(user, review_request, review):
        return _render(request, "review/lapsed.html", _lapsed(review_request))
    if review and not (review.judged_at or review.sent_at):
        following = services.reveal(actor=user, request=review_request)
        if following is not None:
            return _open(request, user, following)
    context = page_context(user, review_request, errors)
    context["more"] = (
        None if _is_shown_already(request, review_request) else partial(_how_many_wait, user, review_request)
    )
    status = 400 if errors else 200
    # of a refused form only: after an accepted form comes another item
    posted = request.POST if errors else QueryDict()
    if review and (review.judged_at or review.sent_at):
        return _judged(request, user, review_request, review, context)
    if review_request.stage == Stage.ADJUDICATION:
        record_keys_shown(actor=user, items=[review_request.source_id])
        return _render(
            request, "review/adjudicate.html", context | _ruling(user, review_request, posted), status=status
        )
    context["undoable"] = undoable_verdict(review_request)
    if review is None:
        context |= {"is_new": is_new(review_request), "together": together(user, review_request)}
        context |= _answer_form(user, review_request, posted if errors else None)
        return _render(request, "review/blind.html", context, status=status)
    shown = context | revealed(review_request, review, posted) | {"posted": posted}
    return _render(request, "review/revealed.html", shown, status=status)


def _answer_form(user: User, review_request: ReviewRequest, posted: QueryDict | None) -> dict[str, object]:
    """Return the context of an answer form, as posted or from the saved draft."""
    kind, ticked = item_kind(review_request.task), {}
    if posted is not None:
        given = kind.read_answer(posted)
        own, number = given.own or {}, 0
        ticked = {"ticked": given.several} if given.answer == Answer.SEVERAL_FIT else {}
    else:
        begun = begun_answer(user, review_request)
        own, number = (begun.content, begun.sequence) if begun else ({}, 0)
    language = blind_item(review_request).language
    words = wording_of(review_request)
    form = kind.answer_form(words, own, story=story_of(review_request), language=language)
    return form | {"begun_sequence": number} | ticked


def _judged(
    request: HttpRequest,
    user: User,
    review_request: ReviewRequest,
    review: Review,
    context: dict[str, object],
) -> HttpResponse:
    context |= revealed(review_request, review, QueryDict())
    if review_request.gold and review.judged_at:
        return _render(request, "review/practice_result.html", context | lesson(user, review_request, review))
    comments = (
        []
        if review_request.gold
        else with_numbers_seen(comments_on(review_request.item), review.revision_id, review.drawn_order)
    )
    context |= {"comments": comments, "writer": review_request.item.writer if comments else None}
    context |= {"changes": own_changes(review_request, review)}
    context |= {"about": place_name(place_seen(review.about, review.drawn_order))}
    return _render(request, "review/judged.html", context)


def _has_lapsed(user: User, review_request: ReviewRequest, review: Review | None) -> bool:
    """Return whether the page can show only a notice that the lease has run out.

    For a request whose key has not been shown yet, its siblings must be taken up again first.
    """
    if review is None:
        return review_request.claimed_by_id != user.pk
    may_resume = (
        review_request.state == review_request.given_back_as and review_request.freed_from_id == user.pk
    )
    return may_resume and is_withheld(user, review_request)


def _lapsed(review_request: ReviewRequest) -> dict[str, object]:
    """Return the context of the notice that a lease ran out, with whether the request can be regained."""
    stage = Stage(review_request.stage)
    free = review_request.state == review_request.given_back_as
    return {
        "project": review_request.project,
        "review_request": review_request,
        "stage": stage,
        "free": free,
        "queue_page": PAGE_OF[stage],
    }


def page_context(
    user: User, review_request: ReviewRequest, errors: dict[str, str] | None
) -> dict[str, object]:
    """Return the context that the page of a request has both before and after the answer."""
    until = review_request.lease_expires_at
    left = until - timezone.now() if until else None
    blind, kind = blind_item(review_request), kind_of(review_request.task)
    return {
        "project": review_request.project,
        "review_request": review_request,
        "stage": Stage(review_request.stage),
        "blind": blind,
        "fragments": {"text": ""} | item_kind(review_request.task).paths,
        "scripts": _scripts(review_request),
        "has_stem": kind.has_stem,
        "has_own_options": kind.has_own_options,
        "several_key": "m" if len(blind.options) > MOST_BESIDE_NINE else "9",
        # set here, as looking up a missing variable takes Django longest
        "marking": None,
        "ticked": "",
        "scene": None,
        "story_name": blind.title,
        "reworded": is_reworded(review_request),
        "most_counted": MOST_WAITING,
        "reserved_until": f"{timezone.localtime(until):%H:%M}" if until else "",
        "seconds_left": max(0, int(left.total_seconds())) if left else 0,
        "lease_seconds": review_request.project.lease_minutes * 60,
        "errors": errors or {},
        "queue_page": page_after(user, review_request),
    }


def _scripts(review_request: ReviewRequest) -> list[str]:
    """Return the scripts for the forms of all the project's kinds, as the next step may be any of them."""
    tasks = (review_request.task, *review_request.project.tasks)
    return list(dict.fromkeys(filter(None, (item_kind(task).paths.get("blind_scripts") for task in tasks))))


def _is_shown_already(request: HttpRequest, review_request: ReviewRequest) -> bool:
    """Return whether this is a further step of the open request, whose page already shows the count."""
    match = request.resolver_match
    open_page = match.kwargs.get("pk") if match else None
    return (
        is_step(request)
        and review_request.state == RequestState.CLAIMED
        and open_page == review_request.public_id
    )


def _how_many_wait(user: User, review_request: ReviewRequest) -> int:
    """Return how many requests wait for this user besides the current one."""
    # practice replaces a real item, which is counted among those that wait
    is_practice = review_request.gold is not None and review_request.state == RequestState.CLAIMED
    stands_in = is_practice or _holds_practice(user, review_request)
    # counted one further in its place: otherwise the highest count would reveal practice
    most = MOST_WAITING + stands_in
    found = count_open(user, review_request.project, review_request.stage, most=most)
    return max(0, found - stands_in)


def _holds_practice(user: User, review_request: ReviewRequest) -> bool:
    """Return whether a practice item is among the request's siblings."""
    may_be = review_request.stage == Stage.CROSS_CHECK and bool(review_request.project.gold_rate)
    return may_be and any(one.gold_id for one in together(user, review_request).held)


def revealed(review_request: ReviewRequest, review: Review, posted: QueryDict) -> dict[str, object]:
    """Return the context of the page after the answer, with the values of a refused verdict, if any."""
    language, item = get_language() or "en", wording_of(review_request)
    options, begun = option_views(review_request, review), begun_edit(review_request, review)
    flaws = set(posted.getlist("flaws")) if posted else _first_flaws(review)
    rating = posted.get("rating", review.rating)
    return {
        "review": review,
        "outcome": answer_in_words(review, review_request.task),
        "options": options,
        "shown": item_kind(review_request.task).shown(item, given_answer(review, review_request.task)),
        "begun": begun,
        "edits": reworded(review_request, review, posted, begun),
        **_edit_form(review_request, begun, posted),
        "marked": marked(options, posted, review) if asks_each_option(review_request) else [],
        "longest": LONGEST,
        "types": [kind.name_in(language) for kind in types_of(review_request)],
        "explanation": item.explanation,
        "ratings": _ratings(review_request.project, str(rating)),
        "scales": _scales(review_request, review, posted),
        "abouts": about_choices(item, posted.get("about", place_seen(review.about, review.drawn_order))),
        "flaws": [
            Choice(flaw.value, str(flaw.label), flaw.value in flaws, FLAW_KEYS[flaw])
            for flaw in flaws_of(review_request.task)
        ],
        "is_clean": review_request.stage == Stage.CROSS_CHECK
        and review.is_correct
        and not posted
        and kind_of(review_request.task).scale is None,
        "dispositions": _choices(review_request, posted.get("disposition", review.disposition)),
        "warnings": [(check_name(check), reason) for check, reason in sorted(item.answered_warnings.items())],
    }


def _edit_form(review_request: ReviewRequest, begun: ItemContent, posted: QueryDict) -> dict[str, object]:
    """Return the context of the kind's own edit form, initial or as posted."""
    kind, language = item_kind(review_request.task), blind_item(review_request).language
    if posted:
        begun = kind.read_edit(posted, begun, ())
    return kind.form_context(begun, story=story_of(review_request), language=language)


def _ratings(project: Project, chosen: str) -> list[Choice]:
    """Return the ratings of a project's scale, each with its usual verdict."""
    return [
        Choice(
            rating.value,
            str(rating.label),
            str(rating.value) == chosen,
            str(rating.value),
            Disposition.PASS if rating >= project.pass_rating else Disposition.RETURN,
        )
        for rating in Rating
        if rating <= project.max_rating
    ]


class ScaleRow(NamedTuple):
    """One row of ratings: field, criterion, choices, and labels of the lowest and highest."""

    name: str
    label: str
    choices: list[Choice]
    low: str = ""
    high: str = ""


def _scales(review_request: ReviewRequest, review: Review, posted: QueryDict) -> list[ScaleRow]:
    """Return the rating rows of a task with its own scale, or [] for other tasks and later stages."""
    scale = kind_of(review_request.task).scale
    if scale is None or review_request.stage != Stage.CROSS_CHECK:
        return []
    if not scale.criteria:
        given = posted.get("rating", str(review.rating))
        return [ScaleRow("rating", _("Grade"), _marks(scale, given, keys=True))]
    before = {one.criterion: str(one.value) for one in review.ratings.all()}
    return [
        ScaleRow(
            name := f"rating_{criterion}",
            str(CRITERION_NAMES.get(criterion, criterion)),
            _marks(scale, posted.get(name, before.get(criterion, ""))),
            *(_(words) for words in scale.ends.get(criterion, ("", ""))),
        )
        for criterion in scale.criteria
    ]


def _marks(scale: Scale, chosen: str, *, keys: bool = False) -> list[Choice]:
    """Return the ratings of a scale as choices, with their names and usual verdicts if it has any."""
    return [
        Choice(
            mark,
            _(scale.names[mark - scale.low]) if scale.names else str(mark),
            str(mark) == chosen,
            str(mark) if keys else "",
            (Disposition.PASS if mark >= scale.passes else Disposition.RETURN) if keys else "",
        )
        for mark in range(scale.low, scale.high + 1)
    ]


def _choices(request: ReviewRequest, chosen: str = "") -> list[Choice]:
    rules, kind = request.stage == Stage.ADJUDICATION, item_kind(request.task)
    labels, notes = verdict_words(request.stage), OUTCOMES if rules else {}
    offered = DISPOSITIONS[Stage(request.stage)]
    if rules and kind.merges:
        offered = (Disposition.EDIT, *offered)
    if not rules and "edit" not in kind.fragments:
        offered = tuple(value for value in offered if value != Disposition.EDIT)
    return [
        Choice(value.value, labels[value], value.value == chosen, KEYS[value], note=notes.get(value, ""))
        for value in offered
    ]


def _first_flaws(review: Review) -> set[str]:
    """Return the initially selected flaws: the saved ones, or those that the blind answer implies."""
    if review.flaws:
        return set(review.flaws)
    implied = {Answer.NONE_FITS: Flaw.NO_RIGHT_OPTION, Answer.SEVERAL_FIT: Flaw.TWO_RIGHT_OPTIONS}
    if not kind_of(review.request.task).has_options:
        return set()
    return {implied[Answer(review.answer)]} if review.answer in implied else set()


def _ruling(user: User, review_request: ReviewRequest, posted: QueryDict) -> dict[str, object]:
    verdicts = with_numbers_seen(
        verdicts_on(review_request), review_request.revision_id, review_request.drawn_order
    )
    return {
        "options": option_views(review_request, None),
        "shown": item_kind(review_request.task).shown(wording_of(review_request), None),
        "beside": _beside(review_request, posted),
        "explanation": wording_of(review_request).explanation,
        "verdicts": [(verdict, proposed_changes(review_request, verdict)) for verdict in verdicts],
        "contested": review_request.opened_by,
        "possible_substitutes": [
            one
            for one in possible_substitutes(review_request, members(review_request.project))
            if one != user
        ],
        "after_naming": reverse(PAGE_OF[Stage.ADJUDICATION], args=[review_request.project.slug]),
        "dispositions": _choices(review_request, posted.get("disposition", "")),
        "abouts": about_choices(wording_of(review_request), posted.get("about", "")),
        "posted": posted,
    }


def _beside(review_request: ReviewRequest, posted: QueryDict) -> dict[str, object]:
    """Return the context with the writer's and reviewers' answers; {} for kinds that do not merge them."""
    kind = item_kind(review_request.task)
    if not kind.merges:
        return {}
    others = [(review.reviewer.name, own) for review, own in answers_to(review_request)]
    writer = present(review_request.item, "practice is never adjudicated").writer.name
    return kind.beside([(writer, wording_of(review_request).own), *others], picks_in(posted))


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
    """Show the next step, or redirect if the form was not sent by a step of this request's page."""
    if not is_step(request) or review.request_id != review_request.pk or review.late_at:
        return _move_on(request, "review:request", review_request.project.slug, review_request.public_id)
    return _show(request, user, review.request, review)


@login_required
@require_POST
def judge(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Save the verdict and open the next request."""
    user, review_request, review = _solved(request, slug, pk)
    posted = _posted_verdict(request, review_request.project)
    form, goes_on = VerdictForm(posted), "stay" not in request.POST
    wording, faults = proposed_wording(posted, review, review_request)
    if not form.is_valid() or faults:
        return _show(request, user, review_request, review, in_sentences(form, faults))
    try:
        review = services.send_verdict(
            actor=user,
            review=review,
            edit=wording,
            final=goes_on and _ends_here(user, review_request),
            about=place_stored(form.cleaned_data["about"], review.drawn_order),
            option_marks=option_marks(request.POST, len(review.drawn_order)),
            ratings=ratings_in(request.POST, _criteria(review_request)),
            **form.verdict(),
        )
    except Unusable as error:
        return _show(request, user, review_request, review, error.fields)
    _warn_if_late(request, review)
    if review_request.gold or not goes_on:
        return _step(request, user, review_request, review)
    return _next(request, user, review_request, undoable=review)


def _criteria(review_request: ReviewRequest) -> tuple[str, ...]:
    """Return the criteria by which the request's item is rated, or () for a single rating."""
    scale = kind_of(review_request.task).scale
    return scale.criteria if scale else ()


def _ends_here(user: User, review_request: ReviewRequest) -> bool:
    """Return whether no further request follows this verdict, from whose page it could be undone."""
    return review_request.gold is not None or not may_claim(
        user, review_request.project, Stage(review_request.stage)
    )


def _posted_verdict(request: HttpRequest, project: Project) -> QueryDict:
    """Return the posted verdict; the phone's "clean" button means the highest rating and a pass."""
    if CLEAN not in request.POST:
        return request.POST
    posted = request.POST.copy()
    posted.update({"rating": str(project.max_rating), "disposition": Disposition.PASS})
    return posted


def in_sentences(form: VerdictForm, faults: dict[str, ErrorList]) -> dict[str, str]:
    """Return the errors of a verdict and its edit, by field, as sentences."""
    return {name: " ".join(map(str, words)) for name, words in {**form.errors, **faults}.items()}


def proposed_wording(
    posted: QueryDict, review: Review, review_request: ReviewRequest
) -> tuple[ItemContent | None, dict[str, ErrorList]]:
    """Return the content that an edit proposes, and the form's errors by field."""
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
    """Regain a request whose lease has run out."""
    user, review_request, _review = _held_request(request, slug, pk)
    services.renew_lease(actor=user, request=review_request)
    return redirect("review:request", slug, pk)


def _warn_if_late(request: HttpRequest, review: Review) -> None:
    if review.late_at:
        note = _("Your time expired and the item went to someone else. Your comment is kept for the manager.")
        messages.warning(request, note)


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
    """Open another request of this user: as the next step if htmx sent the form, else by redirecting."""
    address = reverse("review:request", args=[review_request.project.slug, review_request.public_id])
    if not is_step(request):
        return redirect(address)
    held = get_held_request(
        user=user, project=review_request.project, pk=review_request.public_id, with_words=True
    )
    return push_url(_show(request, user, *held), address)


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
