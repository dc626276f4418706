"""The kind of items with one or more correct options."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotation.content import ItemContent, OptionContent
from annotation.kinds.base import AnswerSentence, Comparison, GivenAnswer, ItemKind
from annotation.kinds.choice import ChoiceKind
from core.errors import Unusable
from parable.formats.records import ItemRecord

SEVERAL: Final = "several"


class MultipleKind(ChoiceKind):
    """The kind of items with one or more correct options.

    An answer is correct if it chooses all correct options and no other.
    """

    look: ClassVar[str] = "multiple"
    fragments: ClassVar[tuple[str, ...]] = (*ItemKind.fragments, "edit")
    borrowed: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("form", "form_keys", "words", "wording", "solved"), ChoiceKind.look
    )
    is_compared_with_words: ClassVar[bool] = True

    def form_context(self, content: ItemContent, *, story: str, language: str) -> dict[str, object]:
        """Return the control that selects correct options in the form, and its legend."""
        del content, story, language
        return {"mark": "checkbox", "legend": _("Tick every correct option; the others are distractors.")}

    def read_option(self, data: QueryDict, place: int) -> dict[str, object]:
        """Return one posted option; it is correct if its box is ticked."""
        return super().read_option(data, place) | {"is_key": str(place) in data.getlist("key")}

    def key_text(self, content: ItemContent) -> str:
        """Return all correct options as text."""
        return " / ".join(option.text for option in content.options if option.is_key)

    def read_answer(self, data: QueryDict) -> GivenAnswer:
        """Return the ticked positions as the answer."""
        return GivenAnswer(SEVERAL, several=self.read_several(data))

    def refuse_answer(self, given: GivenAnswer, places: int) -> None:
        """Raise `Unusable` if the answer chooses no option, or an option that does not exist."""
        if given.answer != SEVERAL or not given.several:
            raise Unusable(_("Select at least one option."), "answer")
        if not all(0 <= position < places for position in given.several):
            raise Unusable(_("Option not found."), "answer")

    def stored_positions(self, given: GivenAnswer) -> Sequence[int]:
        """Return the chosen positions, sorted and without repetitions."""
        return sorted(set(given.several))

    def compare(self, given: GivenAnswer, content: ItemContent, drawn: Sequence[int]) -> Comparison:
        """Return a comparison; the answer is correct if it chooses all keys and no other option."""
        chosen = {drawn[place] for place in given.several}
        is_same = chosen == {place for place, option in enumerate(content.options) if option.is_key}
        return Comparison(is_correct=is_same, score=float(is_same))

    def answer_sentence(self, given: GivenAnswer, *, is_correct: bool) -> AnswerSentence:
        """Return a friendly sentence that states whether the answer is right."""
        if is_correct:
            return AnswerSentence(_("You chose all keys and nothing else."), "good")
        return AnswerSentence(
            _("Your answer differs from the keys. That is useful information about the item."), "careful"
        )

    def read_edited(self, data: QueryDict, place: int) -> OptionContent:
        """Return one option posted by the form in which a reviewer edits the item."""
        text = data.get(f"edit_option_{place}", "").strip()
        return OptionContent(text, str(place) in data.getlist("edit_key"))

    def changes_answer(self, before: ItemContent, after: ItemContent) -> bool:
        """Return whether other options are correct, or the text of a correct option has changed."""
        return self.key_text(before) != self.key_text(after)

    def answer_fields(self, content: ItemContent) -> dict[str, Any]:
        """Return the texts of the options, and the positions of the correct ones."""
        return {
            "choices": tuple(option.text for option in content.options),
            "answer": None,
            "answers": tuple(index for index, option in enumerate(content.options) if option.is_key),
        }

    def content_of(self, record: ItemRecord) -> ItemContent:
        """Return the record's stem, options with the keys, types and explanation."""
        options = (
            OptionContent(text, is_key=position in record.answers)
            for position, text in enumerate(record.choices)
        )
        return ItemContent(record.question, tuple(options), record.types, record.explanation or "")


MULTIPLE: Final = MultipleKind()
