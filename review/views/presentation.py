"""View models of the pages that follow a blind answer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotation.content import ItemContent, from_json
from annotation.kinds import item_kind
from annotation.kinds.base import GivenAnswer
from annotation.models import Comment
from annotation.queries.item import Change, revision_content, wording_changes
from core.numbers import whole_number
from parable.kinds import kind_of
from review.models import Review, ReviewRequest, Stage
from review.queries.request import own_answer, wording_of
from web.forms import Choice


class Mark(NamedTuple):
    """A label beside an option."""

    label: str
    tone: str = ""
    icon: str = ""


@dataclass(frozen=True, slots=True)
class OptionView:
    """An option in this user's order, with its labels, and whether it is the key."""

    place: int
    cap: int
    text: str
    is_key: bool
    marks: tuple[Mark, ...]
    rank: int = 0


def option_views(request: ReviewRequest, review: Review | None) -> list[OptionView]:
    """Return the options for display after the answer, with the key and this user's choice marked."""
    options = wording_of(request).options
    drawn = request.drawn_order or range(len(options))
    views = []
    for index, position in enumerate(drawn):
        option, marks = options[position], []
        if review and (review.chosen_position == index or index in review.several_positions):
            marks.append(Mark(_("your answer")))
        if option.is_key:
            marks.append(Mark(_("key"), "good"))
        view = OptionView(
            place=index,
            cap=index + 1,
            text=option.text,
            is_key=option.is_key,
            marks=tuple(marks),
            rank=option.rank or 0,
        )
        views.append(view)
    return views


def place_seen(place: str, drawn: Sequence[int]) -> str:
    """Renumber the option in the name of an item's part to the order that this user saw."""
    name, _dash, number = place.partition("-")
    return f"{name}-{drawn.index(int(number) - 1) + 1}" if number and drawn else place


Commented = TypeVar("Commented", Comment, Review)


def with_numbers_seen(
    found: Iterable[Commented], revision_id: int | None, drawn: Sequence[int]
) -> list[Commented]:
    """Renumber options in comments or verdicts to the order that this user saw.

    The changes are not saved. Comments on another revision then name no option, as the number would be the
    writer's.
    """
    said = list(found)
    for one in said:
        if one.revision_id == revision_id:
            one.about = place_seen(one.about, drawn)
        elif one.about.startswith("option-"):
            one.about = ""
    return said


def place_stored(place: str, drawn: Sequence[int]) -> str:
    """Return the name of an item's part with the option's number in the writer's order."""
    name, _dash, shown = place.partition("-")
    number = whole_number(shown) or 0
    return f"{name}-{drawn[number - 1] + 1}" if 0 < number <= len(drawn) else place


def given_answer(review: Review, task: str) -> GivenAnswer:
    """Return the blind answer of a review as a `GivenAnswer`."""
    own = own_answer(review, task)
    return GivenAnswer(review.answer, review.chosen_position, tuple(review.several_positions), own)


def answer_in_words(review: Review, task: str) -> Mark:
    """Return a label that states whether the blind answer was right."""
    said = item_kind(task).answer_sentence(given_answer(review, task), is_correct=bool(review.is_correct))
    return Mark(said.label, said.tone)


def begun_edit(request: ReviewRequest, review: Review) -> ItemContent:
    """Return the initial content of the edit form: the proposed edit, or else the wording.

    Options are in the reviewer's order.
    """
    words = from_json(review.proposed_edit) if review.proposed_edit else wording_of(request)
    return _as_drawn(words, review.drawn_order)


def own_changes(request: ReviewRequest, review: Review) -> list[Change]:
    """Return the changes that a reviewer proposes. Options have the numbers that the reviewer saw."""
    if not review.proposed_edit:
        return []
    before = _as_drawn(wording_of(request), review.drawn_order)
    return wording_changes(before, begun_edit(request, review), request.task)


def proposed_changes(request: ReviewRequest, verdict: Review) -> list[Change]:
    """Return the changes that a verdict proposes. Options have the numbers that the request's claimant sees.

    If the verdict is about another revision than the request, options have no number (0).
    """
    if not verdict.proposed_edit:
        return []
    before, after = revision_content(verdict.revision, request.task), from_json(verdict.proposed_edit)
    if verdict.revision_id != request.revision_id:
        return [change._replace(number=0) for change in wording_changes(before, after, request.task)]
    drawn = request.drawn_order
    return wording_changes(_as_drawn(before, drawn), _as_drawn(after, drawn), request.task)


def _as_drawn(words: ItemContent, drawn: Sequence[int]) -> ItemContent:
    if not drawn:
        return words
    writers_order = sorted(drawn)
    places = [writers_order.index(position) for position in drawn]
    return replace(words, options=tuple(words.options[place] for place in places))


def reworded(
    request: ReviewRequest, review: Review, posted: QueryDict, begun: ItemContent
) -> list[OptionView]:
    """Return the options for the edit form: as in `begun` or, after a refused verdict, as posted."""
    words = begun
    if "edit_option_0" in posted:
        read = item_kind(request.task).read_edit(posted, wording_of(request), review.drawn_order)
        words = _as_drawn(read, review.drawn_order)
    return [
        OptionView(index, index + 1, option.text, option.is_key, (), option.rank or 0)
        for index, option in enumerate(words.options)
    ]


def asks_each_option(request: ReviewRequest) -> bool:
    """Return whether a verifier must mark each option as right or wrong."""
    return request.stage == Stage.VERIFICATION and kind_of(request.task).marks_each_option


def marked(
    options: list[OptionView], posted: QueryDict, review: Review
) -> list[tuple[OptionView, str, list[Choice]]]:
    """Return (option, name of the field, choices right and wrong); a choice posted or saved is selected."""
    rows, before = [], _marks_before(review)
    for option in options:
        name = f"mark_{option.place}"
        said = posted.get(name, "") if posted else before.get(option.place, "")
        choices = [
            Choice("right", _("right"), said == "right"),
            Choice("wrong", _("wrong"), said == "wrong"),
        ]
        rows.append((option, name, choices))
    return rows


def _marks_before(review: Review) -> dict[int, str]:
    """Return the verifier's saved marks by the option's index in the verifier's order."""
    by_position = dict(zip(sorted(review.drawn_order), review.option_marks, strict=False))
    data = {True: "right", False: "wrong"}
    return {
        index: data[by_position[position]]
        for index, position in enumerate(review.drawn_order)
        if position in by_position
    }


def option_marks(posted: QueryDict, count: int) -> list[bool | None]:
    """Return the posted marks in the verifier's order; None for an option without a mark."""
    data = {"right": True, "wrong": False}
    return [data.get(posted.get(f"mark_{index}", "")) for index in range(count)]
