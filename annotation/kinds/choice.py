"""The kind of items with options, exactly one of which is the key."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, ClassVar, Final

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotation.content import ItemContent, OptionContent, from_json
from annotation.kinds.base import AnswerSentence, Comparison, GivenAnswer, ItemKind, PlaceWords
from annotation.models import Option, Revision
from core.errors import Unusable
from core.numbers import whole_number
from parable.formats.limits import MAX_OPTIONS
from parable.formats.options import normalise_option
from parable.formats.records import ItemRecord
from web.forms import stored_text
from web.rows import Columns, Row

ONE_OPTION: Final = "option"
NONE_FITS: Final = "none_fits"
SEVERAL_FIT: Final = "several_fit"
WARNING: Final = "answer-"
"""The prefix of the form fields that hold reasons for warnings; the warning's key follows."""
_OPTION: Final = Columns(Option, "revision_id", "position", "text", "normalised", "is_key", "rank")


def shared_fields(data: QueryDict) -> dict[str, object]:
    """Return the posted fields that all kinds have: stem, types, explanation, reasons for warnings."""
    return {
        "stem": stored_text(data.get("stem", "")),
        "types": data.getlist("types"),
        "explanation": stored_text(data.get("explanation", "")),
        "answered_warnings": {
            name.removeprefix(WARNING): data.get(name) for name in data if name.startswith(WARNING)
        },
    }


class ChoiceKind(ItemKind):
    """The kind of items with options, exactly one of which is the key."""

    look: ClassVar[str] = "choice"
    fragments: ClassVar[tuple[str, ...]] = (*ItemKind.fragments, "edit", "picks")
    is_compared_with_words: ClassVar[bool] = False

    def form_context(self, content: ItemContent, *, story: str, language: str) -> dict[str, object]:
        """Return the control that selects the key in the form, and its legend."""
        del content, story, language
        return {"mark": "radio", "legend": _("The dot marks the key; the others are distractors.")}

    def read_form(self, data: QueryDict) -> ItemContent:
        """Return the posted stem, options with the key, types and explanation."""
        options = [self.read_option(data, index) for index in range(MAX_OPTIONS) if f"option-{index}" in data]
        return from_json({**shared_fields(data), "options": options})

    def read_option(self, data: QueryDict, place: int) -> dict[str, object]:
        """Return one posted option, in the form of a draft's JSON."""
        return {
            "text": stored_text(data.get(f"option-{place}", "")),
            "is_key": data.get("key") == str(place),
            "candidate": whole_number(data.get(f"candidate-{place}", "")),
        }

    def rows(self, revision: Revision, content: ItemContent) -> Iterable[Row]:
        """Yield a row for each option."""
        for position, one in enumerate(content.options):
            normalised = normalise_option(one.text)
            yield _OPTION, (revision.pk, position, one.text, normalised, one.is_key, one.rank)

    def compared(self, before: ItemContent, after: ItemContent) -> Iterator[PlaceWords]:
        """Yield the stem, the options, the key and the explanation of both contents."""
        yield PlaceWords("stem", 0, before.stem, after.stem)
        nothing = OptionContent("")
        pairs = zip_longest(before.options, after.options, fillvalue=nothing)
        for number, (old, new) in enumerate(pairs, start=1):
            yield PlaceWords("option", number, old.text, new.text)
        yield PlaceWords("key", 0, self.key_text(before), self.key_text(after))
        yield PlaceWords("explanation", 0, before.explanation, after.explanation)

    def key_text(self, content: ItemContent) -> str:
        """Return the correct answer as text."""
        return content.key.text if content.key else ""

    def places(self, content: ItemContent) -> int:
        """Return the number of options."""
        return len(content.options)

    def blind(self, content: ItemContent, drawn: Sequence[int]) -> dict[str, object]:
        """Return the texts of the options in the order `drawn`."""
        return {"options": tuple(content.options[position].text for position in drawn)}

    def read_answer(self, data: QueryDict) -> GivenAnswer:
        """Return the posted answer: a position, “several fit” or “none fits”.

        The position is that in the order displayed to the reviewer.
        """
        value = data.get("position", "")
        if value == SEVERAL_FIT:
            return GivenAnswer(SEVERAL_FIT, several=self.read_several(data))
        if value == NONE_FITS:
            return GivenAnswer(NONE_FITS)
        position = whole_number(value)
        return GivenAnswer() if position is None else GivenAnswer(ONE_OPTION, position=position)

    def read_several(self, data: QueryDict) -> tuple[int, ...]:
        """Return the ticked positions, or () if one of them is invalid."""
        marked = [whole_number(value) for value in data.getlist("several")]
        places = tuple(place for place in marked if place is not None and place < MAX_OPTIONS)
        return places if len(places) == len(marked) else ()

    def refuse_answer(self, given: GivenAnswer, places: int) -> None:
        """Raise `Unusable` unless the answer is one option, “several fit” or “none fits”."""
        if given.answer not in {ONE_OPTION, NONE_FITS, SEVERAL_FIT}:
            raise Unusable(_("Select an option first."), "answer")
        if (given.answer == ONE_OPTION) != (given.position is not None):
            raise Unusable(_("Select an option first."), "answer")
        if given.position is not None and not 0 <= given.position < places:
            raise Unusable(_("Option not found."), "answer")
        if given.answer == SEVERAL_FIT and (
            len(set(given.several)) < 2 or not all(0 <= position < places for position in given.several)
        ):
            message = _("Tick at least two options.")
            raise Unusable(message, "several")

    def stored_positions(self, given: GivenAnswer) -> Sequence[int]:
        """Return the sorted positions of an answer “several fit”; [] for other answers."""
        return sorted(set(given.several)) if given.answer == SEVERAL_FIT else []

    def compare(self, given: GivenAnswer, content: ItemContent, drawn: Sequence[int]) -> Comparison:
        """Return a comparison; the answer is correct if it is the key."""
        is_key = given.position is not None and content.options[drawn[given.position]].is_key
        return Comparison(is_correct=is_key, score=float(is_key))

    def answer_sentence(self, given: GivenAnswer, *, is_correct: bool) -> AnswerSentence:
        """Return a friendly sentence that states whether the answer is right."""
        if is_correct:
            return AnswerSentence(_("You chose the key."), "good")
        sentences = {
            NONE_FITS: _("You said that none is correct; the writer marked a key."),
            SEVERAL_FIT: _("You said that several are correct; the writer marked one."),
        }
        other = _("You chose a different option from the key. That is useful information about the item.")
        return AnswerSentence(sentences.get(given.answer, other), "careful")

    def read_edit(self, data: QueryDict, before: ItemContent, drawn: Sequence[int]) -> ItemContent:
        """Return the edited content, with options in the writer's order. The types stay the same."""
        at = {position: index for index, position in enumerate(drawn)}
        return ItemContent(
            stem=data.get("edit_stem", "").strip(),
            options=tuple(self.read_edited(data, at[position]) for position in sorted(at)),
            types=before.types,
            explanation=data.get("edit_explanation", "").strip(),
            answered_warnings=before.answered_warnings,
        )

    def read_edited(self, data: QueryDict, place: int) -> OptionContent:
        """Return one option posted by the form in which a reviewer edits the item."""
        return OptionContent(data.get(f"edit_option_{place}", "").strip(), data.get("edit_key") == str(place))

    def proposed(self, sent: Mapping[str, Any], before: ItemContent) -> ItemContent:
        """Return the proposed content. The types stay the same."""
        options = before.options
        if "options" in sent:
            options = tuple(map(self.proposed_option, sent["options"]))
        if len(options) != len(before.options):
            sentence = _("An edit has as many options as the item: %(count)d.")
            raise Unusable(sentence % {"count": len(before.options)}, "edit")
        return ItemContent(
            stem=sent.get("stem", before.stem).strip(),
            options=options,
            types=before.types,
            explanation=sent.get("explanation", before.explanation).strip(),
            answered_warnings=before.answered_warnings,
        )

    def proposed_option(self, sent: Mapping[str, Any]) -> OptionContent:
        """Return one option of an edit that a program proposes."""
        return OptionContent(sent["text"].strip(), sent.get("is_key", False))

    def changes_answer(self, before: ItemContent, after: ItemContent) -> bool:
        """Return whether the text of the key has changed, or whether a key is missing."""
        return before.key is None or after.key is None or before.key.text != after.key.text

    def answer_fields(self, content: ItemContent) -> dict[str, Any]:
        """Return the texts of the options, and the position of the key."""
        return {
            "choices": tuple(option.text for option in content.options),
            "answer": next(index for index, option in enumerate(content.options) if option.is_key),
        }

    def content_of(self, record: ItemRecord) -> ItemContent:
        """Return the record's stem, options with the key, types and explanation."""
        options = (
            OptionContent(text, is_key=position == record.answer)
            for position, text in enumerate(record.choices)
        )
        return ItemContent(record.question, tuple(options), record.types, record.explanation or "")


CHOICE: Final = ChoiceKind()
