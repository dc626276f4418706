"""A practice item in a reviewer's hands: the pages of any other place, and afterwards what there is to learn.

Its routes are those of places: `either` looks for a practice item where no such place exists.
"""

from collections.abc import Callable
from functools import wraps
from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from core.errors import Conflict, Hidden, Unusable, require
from projects.queries import get_project
from review import services
from review.forms import AnswerForm, SkipForm, VerdictForm
from review.models import Answer, Flaw, GoldPlace, Stage, verdict_words
from review.permissions import may_claim
from review.queries import count_open
from review.queries.gold import (
    as_place,
    as_review,
    get_gold_place,
    gold_words,
    lessons_of,
    practice_in_hand,
)
from review.views.place import (
    in_sentences,
    noted_as_slip,
    page_context,
    proposed_wording,
    revealed,
    show_as_far_as_it_came,
)
from review.views.queue import claim
from web.requests import signed_in

View = Callable[..., HttpResponse]

PER_PAGE = 50


def either(real: View, practice: View) -> View:
    """The view of a place; where none of this number exists for the person, that of a practice item."""

    @wraps(real)
    def view(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
        try:
            return real(request, slug=slug, pk=pk)
        except Hidden:
            return practice(request, slug=slug, pk=pk)

    return view


def _place(request: HttpRequest, slug: str, pk: int) -> tuple[User, GoldPlace]:
    user = signed_in(request)
    return user, get_gold_place(user=user, project=get_project(user=user, slug=slug), pk=pk)


@login_required
@require_GET
def show(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The practice item as far as it has come: blind, revealed, or judged with its lesson."""
    user, place = _place(request, slug, pk)
    if place.sent_at and place.judged_at is None and place.lease_expires_at < timezone.now():
        services.score_sent_practice(actor=user, project=place.gold.project)
        place.refresh_from_db()
    if place.judged_at is None:
        return _show(request, user, place)
    services.see_lesson(actor=user, practice=place)
    return render(request, "review/gold_lesson.html", _lesson(user, place))


def _show(
    request: HttpRequest, user: User, place: GoldPlace, errors: dict[str, str] | None = None
) -> HttpResponse:
    in_hand = place.sent_at is not None or practice_in_hand(user, place.gold.project) == place
    return show_as_far_as_it_came(
        request, user, as_place(place), as_review(place), errors, uncounted=int(in_hand)
    )


@login_required
@require_POST
def solve(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Send the blind answer; it is final."""
    user, place = _place(request, slug, pk)
    form = AnswerForm(request.POST)
    try:
        services.solve_practice(
            actor=user, practice=place, **(form.answer() if form.is_valid() else {"answer": ""})
        )
    except Unusable as error:
        return _show(request, user, place, error.fields)
    return redirect("review:place", slug, pk)


@login_required
@require_POST
def judge(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Send the verdict; then comes the lesson, unless it can still be undone."""
    user, place = _place(request, slug, pk)
    if place.solved_at is None:
        raise Conflict(_("Solve the item first."))
    shown, review = as_place(place), as_review(place)
    assert review is not None  # noqa: S101 - it is solved
    form = VerdictForm(request.POST)
    wording, faults = proposed_wording(request.POST, review, shown)
    if not form.is_valid() or faults:
        return _show(request, user, place, in_sentences(form, faults))
    try:
        services.judge_practice(
            actor=user,
            practice=place,
            edit=wording,
            final="stay" not in request.POST,
            **form.verdict(),
        )
    except Unusable as error:
        return _show(request, user, place, error.fields)
    return redirect("review:place", slug, pk)


@login_required
@require_POST
def slip(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Say that the answer was a slip of the finger."""
    user, place = _place(request, slug, pk)
    services.slip_practice(actor=user, practice=place)
    return noted_as_slip(request, slug, pk)


@login_required
@require_POST
def undo(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take back a verdict that has not been scored yet."""
    user, place = _place(request, slug, pk)
    if place.solved_at is None:
        raise Conflict(_("Solve the item first."))
    services.undo_practice(actor=user, practice=place)
    return redirect("review:place", slug, pk)


@login_required
@require_POST
def rule(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Nobody rules on it, as on no other place of cross-check."""
    _place(request, slug, pk)
    raise Conflict(_("This item is not in adjudication."))


@login_required
@require_POST
def resume(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take it up again when the lease has run out."""
    user, place = _place(request, slug, pk)
    services.hold_practice(actor=user, practice=place)
    return redirect("review:place", slug, pk)


@login_required
@require_POST
def skip(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Give it back with a reason, and go on to the next."""
    user, place = _place(request, slug, pk)
    form = SkipForm(request.POST)
    reason = form.cleaned_data["reason"] if form.is_valid() else ""
    try:
        services.skip_practice(actor=user, practice=place, reason=reason)
    except Unusable as error:
        messages.error(request, str(error))
        return redirect("review:place", slug, pk)
    messages.success(request, _("Skipped. It will not be offered to you again."))
    return claim(request, slug=slug, stage=Stage.CROSS_CHECK)


@login_required
@require_POST
def postpone(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Put it off and take the next."""
    user, place = _place(request, slug, pk)
    services.postpone_practice(actor=user, practice=place)
    messages.success(request, _("Put off. It comes back to you when the others are done."))
    return claim(request, slug=slug, stage=Stage.CROSS_CHECK)


@login_required
@require_GET
def lessons(request: HttpRequest, slug: str) -> HttpResponse:
    """The practice items one has judged, each with its lesson."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    require(may_claim(user, project, Stage.CROSS_CHECK))
    found = lessons_of(user, project)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "page": page,
        "rows": [(place, gold_words(place.gold).stem) for place in page],
        "right": found.filter(is_right=True).count(),
    }
    return render(request, "review/gold_lessons.html", context)


class Part(NamedTuple):
    """One part of a verdict: what it concerns, what was said, what is known, and whether they agree."""

    name: str
    said: str
    known: str
    is_right: bool | None


def _lesson(user: User, place: GoldPlace) -> dict[str, object]:
    shown, review = as_place(place), as_review(place)
    assert review is not None  # noqa: S101 - what is judged has been solved
    context = page_context(user, shown, None) | revealed(shown, review, QueryDict())
    more = count_open(user, place.gold.project, Stage.CROSS_CHECK)
    return context | {
        "more": more,
        "practice": place,
        "gold": place.gold,
        "parts": _parts(place),
        "told": None,
    }


def _parts(place: GoldPlace) -> list[Part]:
    gold, found, words = place.gold, place.findings, verdict_words(Stage.CROSS_CHECK)
    low, high = gold.rating_low, gold.rating_high
    return [
        Part(_("Your answer"), _said(place), _known(place), found["answer"]),
        Part(
            _("Score"),
            str(place.rating),
            str(low) if low == high else _("%(low)s to %(high)s") % {"low": low, "high": high},
            found["rating"],
        ),
        Part(_("Flaws"), _flaws(place.flaws), _flaws(gold.expected_flaws), found["flaws"]),
        Part(
            _("Verdict"),
            words[place.disposition],
            _(", ").join(words[one] for one in gold.dispositions),
            found["disposition"],
        ),
    ]


def _flaws(flaws: list[str]) -> str:
    labels = dict(Flaw.choices)
    return _(", ").join(str(labels[flaw]) for flaw in flaws) or _("none")


def _said(place: GoldPlace) -> str:
    several = [place.drawn_order[one] for one in place.several_positions]
    chosen = [] if place.chosen_position is None else [place.drawn_order[place.chosen_position]]
    return _answer(place, place.answer, chosen or several)


def _known(place: GoldPlace) -> str:
    return _answer(place, place.gold.expected_answer, place.gold.expected_positions)


def _answer(place: GoldPlace, answer: str, positions: list[int]) -> str:
    """An answer in words, its options by the numbers that the reviewer saw."""
    numbers = _(", ").join(str(place.drawn_order.index(one) + 1) for one in sorted(positions))
    if answer == Answer.OPTION:
        return _("option %(number)s") % {"number": numbers}
    label = str(Answer(answer).label)
    return f"{label} ({numbers})" if numbers else label
