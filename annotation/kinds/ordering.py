"""The kind of items whose options have a correct order."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotation.content import ItemContent, OptionContent
from annotation.kinds.base import AnswerSentence, Comparison, GivenAnswer, ItemKind
from annotation.kinds.choice import ChoiceKind
from core.errors import Unusable
from core.numbers import whole_number
from parable.formats.limits import MAX_OPTIONS
from parable.formats.records import ItemRecord
from parable.kinds.ordering import kendall_tau

ORDER: Final = "order"


class OrderingKind(ChoiceKind):
    """The kind of items whose options have a correct order.

    An answer names every option once, and is right or wrong as a whole. Kendall's tau measures partial
    credit.
    """

    look: ClassVar[str] = "ordering"
    fragments: ClassVar[tuple[str, ...]] = (*ItemKind.fragments, "edit", "form_scripts", "blind_scripts")
    borrowed: ClassVar[Mapping[str, str]] = dict.fromkeys(("form", "words"), ChoiceKind.look)
    is_compared_with_words: ClassVar[bool] = True

    def form_context(self, content: ItemContent, *, story: str, language: str) -> dict[str, object]:
        """Return the control that numbers the options in the form, and its legend."""
        del content, story, language
        return {"mark": "rank", "legend": _("Number the options in their correct order.")}

    def read_option(self, data: QueryDict, place: int) -> dict[str, object]:
        """Return a posted option with its rank; the rank is None if it is missing."""
        rank = whole_number(data.get(f"rank-{place}", ""))
        return super().read_option(data, place) | {"is_key": False, "rank": rank}

    def key_text(self, content: ItemContent) -> str:
        """Return the options in their correct order, as text."""
        return " → ".join(content.options[place].text for place in _in_order(content))

    def read_answer(self, data: QueryDict) -> GivenAnswer:
        """Return the positions in the order of the posted numbers, or () if the numbers are not 1 to n."""
        ranks = {
            place: whole_number(data.get(f"rank-{place}", ""))
            for place in range(MAX_OPTIONS)
            if f"rank-{place}" in data
        }
        given = tuple(sorted(ranks, key=lambda place: ranks[place] or 0))
        is_order = sorted(rank or 0 for rank in ranks.values()) == list(range(1, len(ranks) + 1))
        return GivenAnswer(ORDER, several=given if is_order else ())

    def refuse_answer(self, given: GivenAnswer, places: int) -> None:
        """Raise `Unusable` unless the answer names every option exactly once."""
        if given.answer != ORDER or sorted(given.several) != list(range(places)):
            sentence = _("Give each option its own place, from 1 to %(count)d.") % {"count": places}
            raise Unusable(sentence, "answer")

    def stored_positions(self, given: GivenAnswer) -> Sequence[int]:
        """Return the positions in the order in which the answer names them."""
        return given.several

    def compare(self, given: GivenAnswer, content: ItemContent, drawn: Sequence[int]) -> Comparison:
        """Return a comparison; the answer is correct if the whole order is. The score is Kendall's tau."""
        chosen, right = [drawn[place] for place in given.several], _in_order(content)
        return Comparison(is_correct=chosen == right, score=kendall_tau(chosen, right))

    def answer_sentence(self, given: GivenAnswer, *, is_correct: bool) -> AnswerSentence:
        """Return a friendly sentence that states whether the order is right."""
        if is_correct:
            return AnswerSentence(_("You found the correct order."), "good")
        return AnswerSentence(
            _("Your order differs from the writer's. That is useful information about the item."), "careful"
        )

    def solved_context(self, content: ItemContent, given: GivenAnswer | None) -> dict[str, object]:
        """Return the reviewer's rank of each option, by the option's position on the page.

        Ranks begin at 1.
        """
        places = given.several if given else ()
        return {"given": {place: rank for rank, place in enumerate(places, start=1)}}

    def read_edited(self, data: QueryDict, place: int) -> OptionContent:
        """Return one option posted by the form in which a reviewer edits the item."""
        text = data.get(f"edit_option_{place}", "").strip()
        return OptionContent(text, rank=whole_number(data.get(f"edit_rank_{place}", "")))

    def proposed_option(self, sent: Mapping[str, Any]) -> OptionContent:
        """Return one option of an edit that a program proposes, with its rank."""
        return OptionContent(sent["text"].strip(), rank=sent.get("rank"))

    def changes_answer(self, before: ItemContent, after: ItemContent) -> bool:
        """Return whether the correct order or the text of an option has changed."""
        return self.key_text(before) != self.key_text(after)

    def answer_fields(self, content: ItemContent) -> dict[str, Any]:
        """Return the texts of the options, and their positions in the correct order."""
        return {
            "choices": tuple(option.text for option in content.options),
            "answer": None,
            "answers": tuple(_in_order(content)),
        }

    def content_of(self, record: ItemRecord) -> ItemContent:
        """Return the record's stem, options with their ranks, types and explanation."""
        ranks = {position: rank for rank, position in enumerate(record.answers, start=1)}
        options = (
            OptionContent(text, rank=ranks.get(position)) for position, text in enumerate(record.choices)
        )
        return ItemContent(record.question, tuple(options), record.types, record.explanation or "")


def _in_order(content: ItemContent) -> list[int]:
    """Return the positions of the options in their correct order. Options without a rank come last."""
    ranks = [option.rank or MAX_OPTIONS + 1 for option in content.options]
    return sorted(range(len(ranks)), key=lambda place: (ranks[place], place))


ORDERING: Final = OrderingKind()
