"""View models of the pages that follow a blind answer."""

from dataclasses import dataclass
from typing import NamedTuple

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotation.content import ItemContent
from annotation.kinds import item_kind
from annotation.queries.item import Change, wording_changes
from parable.kinds import kind_of
from review.models import Review, ReviewRequest, Stage
from review.queries.drawn import Edit, as_drawn, given_answer
from review.queries.request import wording_of
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
    # of the answer, as another user may have claimed the request since
    drawn = (review.drawn_order if review else request.drawn_order) or range(len(options))
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


def answer_in_words(review: Review, task: str) -> Mark:
    """Return a label that states whether the blind answer was right."""
    said = item_kind(task).answer_sentence(given_answer(review, task), is_correct=bool(review.is_correct))
    return Mark(said.label, said.tone)


def changes_of(edit: Edit | None, task: str) -> list[Change]:
    """Return the changes of a proposed edit; options have the numbers that this user sees, or none (0)."""
    if edit is None:
        return []
    changes = wording_changes(edit.before, edit.after, task)
    return changes if edit.has_numbers else [change._replace(number=0) for change in changes]


def reworded(
    request: ReviewRequest, review: Review, posted: QueryDict, begun: ItemContent
) -> list[OptionView]:
    """Return the options for the edit form: as in `begun` or, after a refused verdict, as posted."""
    words = begun
    if "edit_option_0" in posted:
        read = item_kind(request.task).read_edit(posted, wording_of(request), review.drawn_order)
        words = as_drawn(read, review.drawn_order)
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
