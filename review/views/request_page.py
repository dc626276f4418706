"""Contexts of the page of a request at each step: blind, revealed, judged, or ruling."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.kinds import item_kind
from annotation.places import about_choices, place_name
from annotation.queries.comment import comments_on
from annotation.services import check_name
from core.invariants import present
from parable.formats.limits import MAX_EXPLANATION_CHARS, MAX_OPTION_CHARS, MAX_STEM_CHARS
from parable.kinds import kind_of
from parable.kinds.base import Scale
from projects.models import Project, Rating
from projects.queries import members
from review.forms import picks_in
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
from review.queries import blind_item, count_open, verdicts_on
from review.queries.blocked import possible_substitutes
from review.queries.drawn import begun_edit, edit_of, given_answer, own_edit, place_seen, with_numbers_seen
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
from review.queries.sibling import together
from review.views.criteria import CRITERION_NAMES
from review.views.practice import lesson
from review.views.presentation import (
    answer_in_words,
    asks_each_option,
    changes_of,
    marked,
    option_views,
    reworded,
)
from review.views.queue import PAGE_OF, page_after
from web.forms import Choice

LONGEST = {"stem": str(MAX_STEM_CHARS), "option": str(MAX_OPTION_CHARS), "words": str(MAX_EXPLANATION_CHARS)}
"""The `maxlength` of the fields of an edit, in characters."""

MOST_WAITING = 100
"""The maximum of the number of waiting requests displayed beside an item.

It is low, as the requests are counted at each step of every reviewer.
"""

DISPOSITIONS = {
    Stage.CROSS_CHECK: (Disposition.PASS, Disposition.EDIT, Disposition.RETURN, Disposition.REJECT),
    Stage.VERIFICATION: (Disposition.PASS, Disposition.RETURN, Disposition.REJECT),
    Stage.ADJUDICATION: (Disposition.SEND_ON, Disposition.PASS, Disposition.RETURN, Disposition.REJECT),
}

MOST_BESIDE_NINE = 8
"""If there are more options than this, the key 9 selects an option, and “more than one” gets a letter."""

# the shortcut keys of the buttons
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


def lapsed_context(review_request: ReviewRequest) -> dict[str, object]:
    """Return the context of the notice that a lease ran out.

    `free`: whether the user can claim the request again.
    """
    stage = Stage(review_request.stage)
    return {
        "project": review_request.project,
        "review_request": review_request,
        "stage": stage,
        "free": review_request.state == review_request.given_back_as,
        "queue_page": PAGE_OF[stage],
    }


def page_context(
    user: User, review_request: ReviewRequest, errors: dict[str, str] | None, *, shows_count: bool
) -> dict[str, object]:
    """Return the context that the page of a request has at every step.

    `shows_count`: True if the step is inserted into an open page that already displays how many requests
    wait.
    """
    until = review_request.lease_expires_at
    left = until - timezone.now() if until else None
    blind, kind = blind_item(review_request), kind_of(review_request.task)
    # The next step may need the scripts of any of the project's kinds.
    tasks = (review_request.task, *review_request.project.tasks)
    scripts = dict.fromkeys(filter(None, (item_kind(task).paths.get("blind_scripts") for task in tasks)))
    return {
        "project": review_request.project,
        "review_request": review_request,
        "stage": Stage(review_request.stage),
        "blind": blind,
        "fragments": {"text": ""} | item_kind(review_request.task).paths,
        "scripts": list(scripts),
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
        "more": None if shows_count else partial(_how_many_wait, user, review_request),
        "queue_page": page_after(user, review_request),
    }


def _how_many_wait(user: User, review_request: ReviewRequest) -> int:
    """Return how many requests wait for this user besides the current one."""
    # a practice item stands for a real item, which still waits and is counted
    stands_in = review_request.gold is not None and review_request.state == RequestState.CLAIMED
    if not stands_in and review_request.stage == Stage.CROSS_CHECK and review_request.project.gold_rate:
        stands_in = any(one.gold_id for one in together(user, review_request).held)
    # count one more for it: otherwise the maximum would reveal practice
    most = MOST_WAITING + stands_in
    found = count_open(user, review_request.project, review_request.stage, most=most)
    return max(0, found - stands_in)


def blind_context(user: User, review_request: ReviewRequest, posted: QueryDict | None) -> dict[str, object]:
    """Return the context before the answer; the form has the posted values, or those of a saved draft."""
    kind, words = item_kind(review_request.task), wording_of(review_request)
    context: dict[str, object] = {
        "undoable": undoable_verdict(review_request),
        "is_new": is_new(review_request),
        "together": together(user, review_request),
        "begun_sequence": 0,
    }
    own: Mapping[str, Any] = {}
    if posted is not None:
        given = kind.read_answer(posted)
        own = given.own or {}
        context["ticked"] = given.several if given.answer == Answer.SEVERAL_FIT else ""
    elif begun := begun_answer(user, review_request):
        own, context["begun_sequence"] = begun.content, begun.sequence
    language = blind_item(review_request).language
    return kind.answer_form(words, own, story=story_of(review_request), language=language) | context


def revealed_context(review_request: ReviewRequest, review: Review, posted: QueryDict) -> dict[str, object]:
    """Return the context of the page after the answer; after a refused verdict with the posted values."""
    language, item = get_language() or "en", wording_of(review_request)
    options, begun = option_views(review_request, review), begun_edit(review_request, review)
    kind = item_kind(review_request.task)
    flaws = set(posted.getlist("flaws")) if posted else _first_flaws(review)
    rating = posted.get("rating", review.rating)
    return {
        "review": review,
        "outcome": answer_in_words(review, review_request.task),
        "options": options,
        "shown": kind.solved_context(item, given_answer(review, review_request.task)),
        "begun": begun,
        "edits": reworded(review_request, review, posted, begun),
        **kind.form_context(
            kind.read_edit(posted, begun, ()) if posted else begun,
            story=story_of(review_request),
            language=blind_item(review_request).language,
        ),
        "marked": marked(options, posted, review) if asks_each_option(review_request) else [],
        "longest": LONGEST,
        "types": [one.name_in(language) for one in types_of(review_request)],
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


def _ratings(project: Project, chosen: str) -> list[Choice]:
    """Return the ratings of the project's scale as choices, each with its usual disposition."""
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
    """One row of ratings: field name, criterion, choices, and labels of the lowest and highest rating."""

    name: str
    label: str
    choices: list[Choice]
    low: str = ""
    high: str = ""


def _scales(review_request: ReviewRequest, review: Review, posted: QueryDict) -> list[ScaleRow]:
    """Return the rows of ratings for a task with its own scale; [] for other tasks and later stages."""
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
    """Return the ratings of a scale as choices.

    With `keys`, each has a shortcut and its usual disposition.
    """
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
    """Return the initially selected flaws: the saved ones, or the flaw that the blind answer implies."""
    if review.flaws:
        return set(review.flaws)
    implied = {Answer.NONE_FITS: Flaw.NO_RIGHT_OPTION, Answer.SEVERAL_FIT: Flaw.TWO_RIGHT_OPTIONS}
    if not kind_of(review.request.task).has_options:
        return set()
    return {implied[Answer(review.answer)]} if review.answer in implied else set()


def judged_context(user: User, review_request: ReviewRequest, review: Review) -> dict[str, object]:
    """Return the context after the verdict: comments on the item or, for practice, the lesson."""
    context = revealed_context(review_request, review, QueryDict())
    if review_request.gold and review.judged_at:
        return context | lesson(user, review_request, review)
    comments = []
    if not review_request.gold:
        comments = with_numbers_seen(comments_on(review_request.item), review.revision_id, review.drawn_order)
    return context | {
        "comments": comments,
        "writer": review_request.item.writer if comments else None,
        "changes": changes_of(own_edit(review_request, review), review_request.task),
        "about": place_name(place_seen(review.about, review.drawn_order)),
    }


def ruling_context(user: User, review_request: ReviewRequest, posted: QueryDict) -> dict[str, object]:
    """Return the context of a ruling: the verdicts so far and, for kinds that merge answers, the answers."""
    kind, item = item_kind(review_request.task), wording_of(review_request)
    beside = {}
    if kind.merges:
        others = [(review.reviewer.name, own) for review, own in answers_to(review_request)]
        writer = present(review_request.item, "practice is never adjudicated").writer.name
        beside = kind.beside([(writer, item.own), *others], picks_in(posted))
    verdicts = with_numbers_seen(
        verdicts_on(review_request), review_request.revision_id, review_request.drawn_order
    )
    return {
        "options": option_views(review_request, None),
        "shown": kind.solved_context(item, None),
        "beside": beside,
        "explanation": item.explanation,
        "verdicts": [
            (verdict, changes_of(edit_of(review_request, verdict), review_request.task))
            for verdict in verdicts
        ],
        "contested": review_request.opened_by,
        "possible_substitutes": [
            one
            for one in possible_substitutes(review_request, members(review_request.project))
            if one != user
        ],
        "after_naming": reverse(PAGE_OF[Stage.ADJUDICATION], args=[review_request.project.slug]),
        "dispositions": _choices(review_request, posted.get("disposition", "")),
        "abouts": about_choices(item, posted.get("about", "")),
        "posted": posted,
    }
