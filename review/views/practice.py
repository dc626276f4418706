"""Pages of practice items: list, creation, and the lesson displayed to a reviewer."""

# Names gates: the flaws that are planted in practice items.

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import User
from annotation.content import ItemContent, from_json
from annotation.queries.item import get_item
from annotation.services import record_key_exposures
from core.errors import Conflict, Unusable, require
from core.invariants import present
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from projects.queries import get_project
from review import services
from review.forms import PracticeItemForm
from review.models import OF_OPTIONS, Answer, Disposition, Flaw, Review, ReviewRequest, Stage, verdict_words
from review.permissions import may_claim
from review.practice import PLANTS, Expected, in_words_order, plant
from review.queries.practice import (
    MOST_CLOSED,
    ClosedItem,
    calibration,
    closed_item,
    closed_items,
    expected_of,
    first_lesson,
    get_practice_item,
    judged_rightly,
    lessons_of,
    practice_items,
)
from review.queries.request import wording_of
from review.views.statistics_presentation import share
from web.forms import Choice, put_errors
from web.requests import MemberRequest, signed_in

PER_PAGE = 50


@project_page(Permission.SEE_REVIEWS)
@require_GET
def show(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the practice items with the share of right verdicts on each, and each reviewer's share."""
    page = Paginator(practice_items(project), PER_PAGE).get_page(request.GET.get("page"))
    scores = judged_rightly(page)
    context = {
        "project": project,
        "page": page,
        "rows": [
            (practice_item, from_json(practice_item.words).stem, share(*scores.get(practice_item.pk, (0, 0))))
            for practice_item in page
        ],
        "reviewers": [(row.name, share(row.right, row.n)) for row in calibration(project)],
        "closed_items": closed_items(project)[:MOST_CLOSED],
    }
    return render(request, "review/practice.html", context)


@project_page(Permission.CHANGE_REVIEWS)
@require_http_methods(["GET", "POST"])
def make(request: MemberRequest, project: Project, item: int) -> HttpResponse:
    """Show the form that makes a practice item from a reviewed item, unchanged or with a planted flaw."""
    user = request.user
    found = get_item(user=user, project=project, pk=item)
    known = closed_item(found)
    if known is None:
        raise Conflict(_("This item has no settled verdict yet."))
    record_key_exposures(actor=user, items=[found.pk])
    kind = request.GET.get("plant", "") if known.is_sound else ""
    content, expected = known.content, known.expected
    if kind in PLANTS:
        content, expected = plant(kind, known.content, good=known.expected)
    before: dict[str, Any] = {"before": content, "max_rating": project.max_rating}
    form = PracticeItemForm(request.POST or None, initial=_initial(known, content, expected), **before)
    if form.is_valid():
        try:
            services.make_practice_item(
                actor=user,
                item=found,
                content=form.content(),
                expected=form.expected(),
                lesson=form.cleaned_data["lesson"],
            )
        except Unusable as error:
            put_errors(form, error)
        else:
            messages.success(request, _("Practice item created. It is now mixed into the queue."))
            return redirect("review:practice", project.slug)
    status = 400 if form.is_bound else 200
    return render(request, "review/practice_new.html", _making(known, form, kind), status=status)


def _initial(known: ClosedItem, content: ItemContent, expected: Expected) -> dict[str, Any]:
    options = {f"option_{index}": option.text for index, option in enumerate(content.options)}
    return options | {
        "stem": content.stem,
        "explanation": content.explanation,
        "key": next((index for index, option in enumerate(content.options) if option.is_key), 0),
        "answer": expected.answer,
        "right": list(expected.positions),
        "rating_low": expected.rating_low,
        "rating_high": expected.rating_high,
        "flaws": list(expected.flaws),
        "dispositions": list(expected.dispositions),
        "lesson": first_lesson(known, expected),
    }


def _making(known: ClosedItem, form: PracticeItemForm, kind: str) -> dict[str, object]:
    chosen: dict[str, set[str]] = {}
    for name in ("answer", "right", "flaws", "dispositions", "key"):
        value = form[name].value()
        chosen[name] = {str(one) for one in (value if isinstance(value, list) else [value])}
    kinds = {
        "": _("original"),
        "wrong_key": _("another option as the key"),
        "two_right": _("a second correct option"),
        "no_story": _("answerable without the story"),
        "typo": _("a language error"),
    }
    words = verdict_words(Stage.CROSS_CHECK)
    verdicts = [each for each in Disposition if each != Disposition.SEND_ON]
    return {
        "project": known.item.project,
        "item": known.item,
        "story": known.item.story,
        "form": form,
        "kinds": [Choice(one, label, one == kind) for one, label in kinds.items() if known.is_sound],
        "options": [
            (form[f"option_{index}"], index, str(index) in chosen["key"], str(index) in chosen["right"])
            for index in range(len(known.content.options))
        ],
        "answers": [Choice(each.value, str(each.label), each.value in chosen["answer"]) for each in Answer],
        "flaws": [Choice(each.value, str(each.label), each.value in chosen["flaws"]) for each in OF_OPTIONS],
        "dispositions": [
            Choice(each.value, words[each], each.value in chosen["dispositions"]) for each in verdicts
        ],
    }


@project_page(Permission.CHANGE_REVIEWS)
@require_POST
def retire(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Retire a practice item, so that it is no longer dealt."""
    services.retire_practice_item(actor=request.user, practice_item=get_practice_item(project=project, pk=pk))
    return redirect("review:practice", project.slug)


@project_page(Permission.CHANGE_REVIEWS)
@require_POST
def restore(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Put a retired practice item into use again."""
    services.restore_practice_item(
        actor=request.user, practice_item=get_practice_item(project=project, pk=pk)
    )
    return redirect("review:practice", project.slug)


@login_required
@require_GET
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the practice items that the user has judged, each with its lesson."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    require(may_claim(user, project, Stage.CROSS_CHECK))
    found = lessons_of(user, project)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "page": page,
        "rows": [(result, wording_of(result.review.request).stem) for result in page],
        "right": found.filter(is_right=True).count(),
    }
    return render(request, "review/practice_results.html", context)


class Part(NamedTuple):
    """One part of a verdict: its name, the given value, the expected value, and whether they agree."""

    name: str
    said: str
    known: str
    is_right: bool | None


def lesson(user: User, review_request: ReviewRequest, review: Review) -> dict[str, object]:
    """Return the context of the lesson of a judged practice item, and record that the reviewer saw it."""
    services.see_lesson(actor=user, review=review)
    return {
        "practice": review.result,
        "practice_item": review_request.gold,
        "parts": _parts(review_request, review),
        "outcome": None,
    }


def _parts(review_request: ReviewRequest, review: Review) -> list[Part]:
    practice_item = present(review_request.gold, "only practice items come here")
    expected, found = expected_of(practice_item), review.result.findings
    words, low, high = verdict_words(review_request.stage), expected.rating_low, expected.rating_high
    chosen = [] if review.chosen_position is None else [review.chosen_position]
    given = in_words_order([*chosen, *review.several_positions], review.drawn_order)
    return [
        Part(
            _("Your answer"),
            _answer(review.drawn_order, review.answer, given),
            _answer(review.drawn_order, expected.answer, expected.positions),
            found["answer"],
        ),
        Part(
            _("Rating"),
            str(review.rating),
            str(low) if low == high else _("%(low)s to %(high)s") % {"low": low, "high": high},
            found["rating"],
        ),
        Part(_("Flaws"), _flaws(review.flaws), _flaws(expected.flaws), found["flaws"]),
        Part(
            _("Verdict"),
            words[review.disposition],
            _(", ").join(words[one] for one in expected.dispositions),
            found["disposition"],
        ),
    ]


def _flaws(flaws: Iterable[str]) -> str:
    labels = dict(Flaw.choices)
    return _(", ").join(str(labels[flaw]) for flaw in flaws) or _("none")


def _answer(drawn: Sequence[int], answer: str, positions: Iterable[int]) -> str:
    """Return an answer as text. Options have the numbers that the reviewer saw."""
    numbers = _(", ").join(str(drawn.index(one) + 1) for one in sorted(positions))
    if answer == Answer.OPTION:
        return _("option %(number)s") % {"number": numbers}
    label = str(Answer(answer).label)
    return f"{label} ({numbers})" if numbers else label
