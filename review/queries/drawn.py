"""What a reviewer sees of an item after answering it: parts and options in the order drawn for this user."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from annotation.content import ItemContent, from_json
from annotation.kinds.base import GivenAnswer
from annotation.models import Comment
from annotation.queries.item import revision_content
from core.numbers import whole_number
from review.models import Review, ReviewRequest
from review.queries.request import own_answer, wording_of


def place_seen(place: str, drawn: Sequence[int]) -> str:
    """Return the name of an item's part with the option's number in the drawn order, which this user saw."""
    name, _dash, number = place.partition("-")
    return f"{name}-{drawn.index(int(number) - 1) + 1}" if number and drawn else place


Commented = TypeVar("Commented", Comment, Review)


def with_numbers_seen(
    found: Iterable[Commented], revision_id: int | None, drawn: Sequence[int]
) -> list[Commented]:
    """Return comments or verdicts, unsaved, with option numbers in the drawn order.

    Comments on another revision then name no option, as the number would be the writer's.
    """
    comments = list(found)
    for one in comments:
        if one.revision_id == revision_id:
            one.about = place_seen(one.about, drawn)
        elif one.about.startswith("option-"):
            one.about = ""
    return comments


def place_stored(place: str, drawn: Sequence[int]) -> str:
    """Return the name of an item's part with the option's number in the writer's order."""
    name, _dash, shown = place.partition("-")
    number = whole_number(shown) or 0
    return f"{name}-{drawn[number - 1] + 1}" if 0 < number <= len(drawn) else place


def given_answer(review: Review, task: str) -> GivenAnswer:
    """Return the blind answer of a review as a `GivenAnswer`."""
    own = own_answer(review, task)
    return GivenAnswer(review.answer, review.chosen_position, tuple(review.several_positions), own)


def as_drawn(content: ItemContent, drawn: Sequence[int]) -> ItemContent:
    """Return the content with its options in the drawn order."""
    if not drawn:
        return content
    writers_order = sorted(drawn)
    places = [writers_order.index(position) for position in drawn]
    return replace(content, options=tuple(content.options[place] for place in places))


def as_stored(content: ItemContent, drawn: Sequence[int]) -> ItemContent:
    """Return content whose options are in the drawn order with its options in the writer's order."""
    if not drawn:
        return content
    places = [drawn.index(position) for position in sorted(drawn)]
    return replace(content, options=tuple(content.options[place] for place in places))


class Edit(NamedTuple):
    """A proposed edit, with options in the drawn order.

    `has_numbers`: False if it is about another revision, whose options this user has not seen.
    """

    before: ItemContent
    after: ItemContent
    has_numbers: bool = True


def begun_edit(request: ReviewRequest, review: Review) -> ItemContent:
    """Return the initial content of the edit form, in the drawn order: the proposed edit, or the wording."""
    content = from_json(review.proposed_edit) if review.proposed_edit else wording_of(request)
    return as_drawn(content, review.drawn_order)


def own_edit(request: ReviewRequest, review: Review) -> Edit | None:
    """Return the edit that a reviewer proposes, in the order that the reviewer saw, or None."""
    if not review.proposed_edit:
        return None
    return Edit(as_drawn(wording_of(request), review.drawn_order), begun_edit(request, review))


def edit_of(request: ReviewRequest, verdict: Review) -> Edit | None:
    """Return the edit that a verdict proposes, in the order that the request's claimant sees, or None."""
    if not verdict.proposed_edit:
        return None
    before, after = revision_content(verdict.revision, request.task), from_json(verdict.proposed_edit)
    if verdict.revision_id != request.revision_id:
        return Edit(before, after, has_numbers=False)
    drawn = request.drawn_order
    return Edit(as_drawn(before, drawn), as_drawn(after, drawn))
