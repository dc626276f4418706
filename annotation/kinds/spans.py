"""The base of the kinds whose answer is marked spans.

An answer has groups of fragments of a text; each fragment has a role.
"""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, ClassVar, Final

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from annotation.content import ItemContent, from_json
from annotation.kinds.base import AnswerRows, AnswerSentence, Comparison, GivenAnswer, ItemKind, PlaceWords
from annotation.kinds.choice import shared_fields
from annotation.kinds.editor import editor_words
from annotation.kinds.layers import (
    LayerForm,
    clean_layers,
    groups_in,
    groups_of_rows,
    plain_groups,
    read_plain,
    span_values,
    tidy_layer,
)
from annotation.kinds.marked import MarkedGroup, PairedGroups, marked_groups, paired_groups, summary
from annotation.models import Revision, Span
from annotation.places import place_name
from core.errors import Unusable
from parable.formats.records import ItemRecord
from parable.kinds.base import AGREES_FROM
from parable.kinds.comparison import Pick, compare, merge
from parable.kinds.mark_json import write_groups
from parable.kinds.marks import Group, Groups
from parable.quality.item import ERROR, Finding, ItemView
from parable.quality.kinds import CHECKS, judge
from web.forms import json_object, stored_text
from web.rows import Columns, Row

OWN = "own"
"""The form field into which the script writes the marks."""
NOTHING_TO_MARK = "none_fits"
"""The answer that there is nothing to mark."""
_SPAN: Final = Columns(
    Span, "revision_id", "layer", "group", "number", "role", "target", "text", "positions", "label"
)


class SpanKind(ItemKind):
    """The base class of the kinds whose answer is marked in the text of the story.

    The first layer of `layers` is the answer. Only writers mark the other layers.
    """

    look: ClassVar[str] = "spans"
    fragments: ClassVar[tuple[str, ...]] = (
        "form", "form_keys", "form_scripts", "words", "wording", "text",
        "blind", "blind_keys", "blind_scripts", "solved", "edit", "ruling",
    )  # fmt: skip
    merges: ClassVar[bool] = True
    prefetched: ClassVar[tuple[str, ...]] = ("spans",)
    layers: ClassVar[tuple[LayerForm, ...]]
    instruction: ClassVar[str | Promise] = ""
    """The instruction for reviewers and panel members, if the form itself has no instruction."""
    may_find_nothing: ClassVar[bool] = False
    """Whether a reviewer may answer that there is nothing to mark."""

    @property
    def answer(self) -> LayerForm:
        """The layer that has the groups of the answer."""
        return self.layers[0]

    # --- to be defined by each kind ---

    def answer_layers(self) -> list[dict[str, object]]:
        """Return the layer of the answer with its roles, in the reader's language."""
        return [self.answer.as_json()]

    @abstractmethod
    def value(self, story: str, own: Mapping[str, Any]) -> object:
        """Return the story and its marks as a value for the kind's checks."""

    @abstractmethod
    def likeness(self, first: Group, second: Group) -> float:
        """Return the agreement of two groups, from 0 to 1."""

    @abstractmethod
    def score(self, gold: Groups, given: Groups, own: Mapping[str, Any]) -> float:
        """Return the published scorer's score of the answer `given`.

        `gold` are the item's groups. `own` has all layers of the item.
        """

    def ordered(self, groups: Groups) -> Groups:
        """Return the answer's groups in the order in which a record has them."""
        return groups

    # --- the desk ---

    def read_form(self, data: QueryDict) -> ItemContent:
        """Return the posted content with its marks, from the form with or without script."""
        return from_json({**shared_fields(data), "own": self.read_own(data, self.layers)})

    def read_own(self, data: QueryDict, layers: Sequence[LayerForm]) -> dict[str, object]:
        """Return the posted marks of these layers."""
        if OWN in data:
            return clean_layers(json_object(data.get(OWN, "")), layers)
        texts = self.texts(data)
        read = {layer.code: read_plain(data, layer, texts) for layer in layers}
        return {code: groups for code, groups in read.items() if groups}

    def texts(self, data: QueryDict) -> dict[str, str]:
        """Return the posted texts by name.

        Fragments typed in the form without JavaScript are located in them.
        """
        return {"": stored_text(data.get("marked_text", ""))}

    def form_context(self, content: ItemContent, *, story: str, language: str) -> dict[str, object]:
        """Return the context of the form: its layers and their saved marks."""
        return self.editor(content.own, self.layers, story=story, language=language)

    def editor(
        self, own: Mapping[str, Any], layers: Sequence[LayerForm], *, story: str, language: str
    ) -> dict[str, Any]:
        """Return the context of `_editor.html`: data for its script, and fields that work without script."""
        texts = self.plain_texts(own, story)
        return {
            "marking": {
                "field": OWN,
                "lang": language,
                "layers": [layer.as_json() for layer in layers],
                "texts": [{"name": name} for name in texts],
                "value": {layer.code: write_groups(groups_in(own, layer.code)) for layer in layers},
                "words": editor_words(),
            },
            "plain": [(layer, plain_groups(own, layer, texts)) for layer in layers],
            "marked_text": story,
        }

    def plain_texts(self, own: Mapping[str, Any], story: str) -> dict[str, str]:
        """Return the texts that can be marked, by name."""
        del own
        return {"": story}

    def clean(self, own: object) -> dict[str, object]:
        """Return the groups of the kind's layers, without malformed parts."""
        return clean_layers(own, self.layers)

    def find(self, item: ItemView, content: ItemContent) -> Iterable[Finding]:
        """Return the findings of the kind's own checks."""
        return judge(self.value(item.story, self.tidy(content.own)))

    def tidy(self, own: Mapping[str, Any]) -> dict[str, object]:
        """Return the layers as they are submitted: roles and groups in order, without blank marks."""
        return {
            layer.code: write_groups(self.ordered(groups) if layer is self.answer else groups)
            for layer in self.layers
            if (groups := tidy_layer(own, layer))
        }

    # --- the rows of a revision ---

    def rows(self, revision: Revision, content: ItemContent) -> Iterator[Row]:
        """Yield a row for each mark."""
        own = self.tidy(content.own)
        for layer in self.layers:
            for values in span_values(layer.code, groups_in(own, layer.code)):
                yield _SPAN, (revision.pk, *(values[name] for name in _SPAN.names[1:]))

    def own_of(self, revision: Revision) -> dict[str, object]:
        """Return the layers of a revision that have marks."""
        rows = [vars(row) for row in revision.spans.all()]
        read = {layer.code: groups_of_rows(rows, layer.code) for layer in self.layers}
        return {code: write_groups(groups) for code, groups in read.items() if groups}

    def compared(self, before: ItemContent, after: ItemContent) -> Iterator[PlaceWords]:
        """Yield each group of both contents as text, then the explanation of both."""
        for layer in self.layers:
            pairs = zip_longest(
                self.in_words(before.own, layer), self.in_words(after.own, layer), fillvalue=""
            )
            for number, (old, new) in enumerate(pairs, start=1):
                yield PlaceWords(layer.place, number, old, new)
        yield PlaceWords("explanation", 0, before.explanation, after.explanation)

    def in_words(self, own: Mapping[str, Any], layer: LayerForm) -> list[str]:
        """Return each group of a layer as a line of text."""
        return [summary(layer, group) for group in tidy_layer(own, layer)]

    # --- review ---

    def places(self, content: ItemContent) -> int:
        """Return 0, since marked spans are not shuffled."""
        del content
        return 0

    def blind(self, content: ItemContent, drawn: Sequence[int]) -> dict[str, object]:
        """Return the context of an empty answer form, without the item's marks."""
        del content, drawn
        return {"may_find_nothing": self.may_find_nothing, "instruction": self.instruction}

    def answer_form(
        self, content: ItemContent, own: Mapping[str, Any], *, story: str, language: str
    ) -> dict[str, object]:
        """Return the context of the answer form, with the marks of the reviewer's draft."""
        del content
        return self.editor(own, self.layers[:1], story=story, language=language)

    def read_answer(self, data: QueryDict) -> GivenAnswer:
        """Return the posted marks, or the answer that there is nothing to mark."""
        if self.may_find_nothing and data.get("nothing"):
            return GivenAnswer(NOTHING_TO_MARK)
        return GivenAnswer("own", own=self.read_own(data, self.layers[:1]))

    def refuse_answer(self, given: GivenAnswer, places: int) -> None:
        """Raise `Unusable` if the answer has no mark and does not state that there is nothing to mark."""
        del places
        if given.answer == NOTHING_TO_MARK and self.may_find_nothing:
            return
        if not tidy_layer(given.own or {}, self.answer):
            sentence = _("Mark at least one fragment first.")
            raise Unusable(sentence, "answer")

    def refuse_marks(self, given: GivenAnswer, content: ItemContent, story: str) -> None:
        """Raise `Unusable` if the reviewer's marks have errors. The checks are those for a writer's marks."""
        if given.answer == NOTHING_TO_MARK:
            return
        found = judge(self.value(story, self.answered(content, given.own or {})))
        wrong = {one.place: _(CHECKS[one.check].says) % one.params for one in found if one.severity == ERROR}
        if wrong:
            messages = (f"{place_name(place)}{_(': ')}{sentence}" for place, sentence in wrong.items())
            raise Unusable(" ".join(messages), wrong)

    def answered(self, content: ItemContent, own: Mapping[str, Any]) -> dict[str, object]:
        """Return the item's `own` with the layer of the answer replaced by that of `own`."""
        return {**content.own, self.answer.code: self.tidy(own).get(self.answer.code, [])}

    def answer_rows(self, own: Mapping[str, Any]) -> AnswerRows:
        """Return a row for each mark of the answer."""
        groups = self.ordered(tidy_layer(own, self.answer))
        return AnswerRows(spans=tuple(span_values(self.answer.code, groups)))

    def read_rows(self, rows: AnswerRows) -> dict[str, object]:
        """Return the groups of the answer from its rows."""
        groups = groups_of_rows(rows.spans, self.answer.code)
        return {self.answer.code: write_groups(groups)} if groups else {}

    def compare(self, given: GivenAnswer, content: ItemContent, drawn: Sequence[int]) -> Comparison:
        """Return a comparison by the published scorer. An answer is correct from a score of `AGREES_FROM`."""
        del drawn
        gold = groups_in(content.own, self.answer.code)
        score = self.score(gold, tidy_layer(given.own or {}, self.answer), content.own)
        return Comparison(is_correct=score >= AGREES_FROM, score=score)

    def answer_sentence(self, given: GivenAnswer, *, is_correct: bool) -> AnswerSentence:
        """Return a friendly sentence that states whether the answers agree."""
        if is_correct:
            return AnswerSentence(_("Your answer agrees with the writer's."), "good")
        if given.answer == NOTHING_TO_MARK:
            return AnswerSentence(_("You found nothing to mark; the writer did."), "careful")
        return AnswerSentence(
            _("Your answer differs from the writer's. That is useful information about the item."), "careful"
        )

    def solved_context(self, content: ItemContent, given: GivenAnswer | None) -> dict[str, object]:
        """Return the context with the item's groups.

        If an answer is given, add the pairs of groups of both.
        """
        gold = groups_in(content.own, self.answer.code)
        mine = tidy_layer(given.own or {}, self.answer) if given else ()
        return {
            "layers": self.marked(content.own),
            "pairs": self.side_by_side(gold, mine) if given else [],
        }

    def marked(self, own: Mapping[str, Any]) -> list[tuple[LayerForm, list[MarkedGroup]]]:
        """Return (layer, view models of its groups) for each layer that has groups."""
        return [
            (layer, marked_groups(layer, groups))
            for layer in self.layers
            if (groups := groups_in(own, layer.code))
        ]

    def side_by_side(self, first: Groups, second: Groups) -> list[PairedGroups]:
        """Pair the groups of two answers by similarity; return the pairs with their differences."""
        return paired_groups(self.answer, first, second, compare(first, second, self.likeness))

    def read_edit(self, data: QueryDict, before: ItemContent, drawn: Sequence[int]) -> ItemContent:
        """Return the content with the marks and explanation that a reviewer proposes."""
        del drawn
        return ItemContent(
            stem=before.stem,
            types=before.types,
            explanation=data.get("edit_explanation", before.explanation).strip(),
            answered_warnings=before.answered_warnings,
            own=self.read_own(data, self.layers),
        )

    def proposed(self, sent: Mapping[str, Any], before: ItemContent) -> ItemContent:
        """Return the content with the layers of marks and the explanation that a program proposes."""
        own, codes = sent.get("own", {}), {layer.code for layer in self.layers}
        unchanged = {name: value for name, value in before.own.items() if name not in codes & own.keys()}
        return replace(
            before,
            explanation=sent.get("explanation", before.explanation).strip(),
            own=unchanged | clean_layers(own, self.layers),
        )

    def merged(self, answers: Sequence[Mapping[str, Any]], picks: Iterable[Pick]) -> dict[str, object]:
        """Return `own` with an answer merged from the picked groups.

        Other layers are those of the item.

        `answers` begins with the item's answer. Raise `ValueError` if a pick names a group that does not
        exist.
        """
        groups = [tidy_layer(own, self.answer) for own in answers]
        filtered = {code: value for code, value in answers[0].items() if code != self.answer.code}
        return filtered | {self.answer.code: write_groups(self.ordered(merge(groups, picks)))}

    def beside(
        self, answers: Sequence[tuple[str, Mapping[str, Any]]], picked: Collection[Pick]
    ) -> dict[str, object]:
        """Return the context that compares the item's answer with each other answer, and picked groups."""
        groups = [(name, tidy_layer(own, self.answer)) for name, own in answers]
        own = groups[0][1]
        return {
            "writer": groups[0][0],
            "answers": [
                (number, name, self.side_by_side(own, theirs))
                for number, (name, theirs) in enumerate(groups[1:], start=1)
            ]
            or [(0, "", self.side_by_side(own, ()))],
            "picked": [f"{pick.answer}:{pick.group}" for pick in picked],
        }

    def changes_answer(self, before: ItemContent, after: ItemContent) -> bool:
        """Return whether the edit changes the answer, so that the item must be solved again."""
        return self.tidy(before.own) != self.tidy(after.own)

    # --- release and import ---

    def answer_fields(self, content: ItemContent) -> dict[str, Any]:
        """Return the marks as JSON values."""
        return {"choices": (), "answer": None, "own": self.tidy(content.own)}

    def content_of(self, record: ItemRecord) -> ItemContent:
        """Return the marks and the explanation of an imported record."""
        return ItemContent(
            stem=record.question,
            types=record.types,
            explanation=record.explanation or "",
            own=self.clean(record.own),
        )
