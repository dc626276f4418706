"""The kind of items that ask whether two texts can describe the same scene."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotation.content import ItemContent, from_json
from annotation.kinds.base import (
    AnswerRows,
    AnswerSentence,
    Comparison,
    GivenAnswer,
    ItemKind,
    PlaceWords,
)
from annotation.kinds.choice import shared_fields
from annotation.models import Revision, SceneJudgement
from annotation.models.marks import Element
from core.errors import Unusable
from parable.formats.limits import MAX_EXPLANATION_CHARS, MAX_STORY_CHARS
from parable.formats.records import ItemRecord
from parable.kinds.scene import (
    SAME,
    SECOND,
    Judgement,
    ReasonParts,
    ScenePair,
    compose,
    find_difference,
    template_of,
)
from parable.quality.item import Finding, ItemView
from parable.quality.kinds import judge
from web.forms import stored_text
from web.rows import Columns, Row

ELEMENT: Final = "element"
REASON: Final = "reason"
PARTS: Final = ("first_form", "second_form", "entities", "aspect", "described", "manner")
_LONGEST: Final = {SECOND: MAX_STORY_CHARS, ELEMENT: 4, REASON: MAX_EXPLANATION_CHARS}
_LONGEST_PART: Final = 1000
_SCENE: Final = Columns(SceneJudgement, "revision_id", "second_text", "is_same", ELEMENT, *PARTS)
_JUDGED: Final = {"true": True, "false": False, True: True, False: False}


class SceneKind(ItemKind):
    """The kind of pairs of texts. The story of an item is the first text.

    The field `own` has the second text, the judgement and the parts of its reason.
    """

    look: ClassVar[str] = "scenes"
    fragments: ClassVar[tuple[str, ...]] = (
        "form", "form_keys", "form_scripts", "words", "wording", "text",
        "blind", "blind_keys", "blind_scripts", "solved", "edit",
    )  # fmt: skip
    prefetched: ClassVar[tuple[str, ...]] = ("scene",)

    # --- the desk ---

    def begun(self, story: str) -> dict[str, Any]:
        """Return the `own` of a new draft: the second text equals the first."""
        return {SECOND: story}

    def read_form(self, data: QueryDict) -> ItemContent:
        """Return the posted content. An empty explanation is composed from the parts of the reason."""
        own = self.clean({name: stored_text(data.get(name, "")) for name in (SECOND, SAME, ELEMENT, *PARTS)})
        read = from_json({**shared_fields(data), "own": own})
        if read.explanation.strip() or SAME not in own:
            return read
        made = compose(self.parts(own), data.get("marked_language", ""), is_same=own[SAME])
        return from_json({**shared_fields(data), "own": own, "explanation": made})

    def parts(self, own: Mapping[str, Any]) -> ReasonParts:
        """Return the parts of the reason."""
        return ReasonParts(*(own.get(name, "") for name in PARTS))

    def clean(self, own: object) -> dict[str, Any]:
        """Return the second text, judgement, element and reason from the JSON of a draft or an answer."""
        if not isinstance(own, Mapping):
            return {}
        filtered = {
            name: value[: _LONGEST.get(name, _LONGEST_PART)]
            for name in (SECOND, ELEMENT, *PARTS, REASON)
            if isinstance(value := own.get(name), str) and value
        }
        if filtered.get(ELEMENT, Element.PLACE) not in Element.values:
            del filtered[ELEMENT]
        judged = own.get(SAME)
        return filtered | (
            {SAME: _JUDGED[judged]} if isinstance(judged, str | bool) and judged in _JUDGED else {}
        )

    def is_blank(self, content: ItemContent) -> bool:
        """Return whether everything except the second text is empty."""
        return not (content.explanation or content.own.keys() - {SECOND})

    def form_context(self, content: ItemContent, *, story: str, language: str) -> dict[str, Any]:
        """Return the form's context: both texts, their difference, the judgement, templates of reasons."""
        return {
            "scene": self.view(content.own, story),
            "elements": Element.choices,
            "language": language,
            "templates": {name: template_of(language, is_same=name == "true") for name in ("true", "false")},
        }

    def view(self, own: Mapping[str, Any], story: str) -> dict[str, Any]:
        """Return the pair for templates; each text has three parts: before, in and after the difference."""
        second = own.get(SECOND, "")
        return {
            **{name: own.get(name, "") for name in (*PARTS, ELEMENT, REASON)},
            "second": second,
            "judged": str(own.get(SAME, "")).lower(),
            "pieces": pieces(story, second),
        }

    def caption(self, content: ItemContent) -> str:
        """Return the second text as the caption."""
        return str(content.own.get(SECOND, ""))

    def find(self, item: ItemView, content: ItemContent) -> Iterable[Finding]:
        """Return the findings of the kind's checks."""
        own = content.own
        judged = (Judgement(own[SAME], content.explanation or None),) if SAME in own else ()
        return judge(ScenePair("", item.story, own.get(SECOND, ""), judged))

    # --- the rows of a revision ---

    def rows(self, revision: Revision, content: ItemContent) -> Iterator[Row]:
        """Yield the single row of a pair."""
        own = self.clean(content.own)
        parts = (own.get(name, "") for name in PARTS)
        yield _SCENE, (revision.pk, own.get(SECOND, ""), own[SAME], own.get(ELEMENT, ""), *parts)

    def own_of(self, revision: Revision) -> dict[str, Any]:
        """Return the second text, the judgement, and the other fields that have a value."""
        row = revision.scene
        found = {SECOND: row.second_text, ELEMENT: row.element} | {name: getattr(row, name) for name in PARTS}
        return {name: value for name, value in found.items() if value} | {SAME: row.is_same}

    def compared(self, before: ItemContent, after: ItemContent) -> Iterator[PlaceWords]:
        """Yield the second text of both contents, then the judgement with its element, then the reason."""
        yield PlaceWords("texts", 0, before.own.get(SECOND, ""), after.own.get(SECOND, ""))
        yield PlaceWords("judgement", 0, self.judged(before.own), self.judged(after.own))
        yield PlaceWords("explanation", 0, before.explanation, after.explanation)

    def judged(self, own: Mapping[str, Any]) -> str:
        """Return the judgement as a sentence, with its element."""
        words = ""
        if SAME in own:
            words = _("can be the same scene") if own[SAME] else _("not the same scene")
        element = dict(Element.choices).get(own.get(ELEMENT, ""), "")
        return " · ".join(filter(None, (words, str(element))))

    # --- review ---

    def places(self, content: ItemContent) -> int:
        """Return 0, since pairs of texts are not shuffled."""
        del content
        return 0

    def blind(self, content: ItemContent, drawn: Sequence[int]) -> dict[str, Any]:
        """Return the second text; the page already has the first."""
        del drawn
        return {SECOND: content.own.get(SECOND, "")}

    def answer_form(
        self, content: ItemContent, own: Mapping[str, Any], *, story: str, language: str
    ) -> dict[str, Any]:
        """Return the context of the answer form, with the draft of the answer."""
        del content
        return {"scene": self.view(own, story), "elements": Element.choices, "language": language}

    def read_answer(self, data: QueryDict) -> GivenAnswer:
        """Return the posted judgement, element and reason."""
        sent = {name: stored_text(data.get(name, "")) for name in (SAME, ELEMENT, REASON)}
        return GivenAnswer("own", own=self.clean(sent))

    def refuse_answer(self, given: GivenAnswer, places: int) -> None:
        """Raise `Unusable` if the answer has no judgement."""
        del places
        if SAME not in (given.own or {}):
            sentence = _("Say whether the texts can describe the same scene.")
            raise Unusable(sentence, "answer")

    def answer_rows(self, own: Mapping[str, Any]) -> AnswerRows:
        """Return the single row of an answer."""
        return AnswerRows(
            judgement={
                "is_same": own[SAME], "element": own.get(ELEMENT, ""), "reason": own.get(REASON, "")
            }
        )  # fmt: skip

    def read_rows(self, rows: AnswerRows) -> dict[str, Any]:
        """Return the answer's judgement, element and reason from its row."""
        if rows.judgement is None:
            return {}
        found = {name: rows.judgement[name] for name in (ELEMENT, REASON) if rows.judgement[name]}
        return found | {SAME: rows.judgement["is_same"]}

    def compare(self, given: GivenAnswer, content: ItemContent, drawn: Sequence[int]) -> Comparison:
        """Return a comparison; the answer is correct if the judgements are equal."""
        del drawn
        is_same = (given.own or {}).get(SAME) == content.own.get(SAME)
        return Comparison(is_correct=is_same, score=float(is_same))

    def answer_sentence(self, given: GivenAnswer, *, is_correct: bool) -> AnswerSentence:
        """Return a friendly sentence that states whether the judgements agree."""
        del given
        if is_correct:
            return AnswerSentence(_("Your judgement agrees with the writer's."), "good")
        return AnswerSentence(
            _("Your judgement differs from the writer's. That is useful information about the item."),
            "careful",
        )

    def solved_context(self, content: ItemContent, given: GivenAnswer | None) -> dict[str, Any]:
        """Return the context with the writer's and the reviewer's judgement and reason."""
        mine = given.own if given else None
        return {
            "writer": self.judged(content.own),
            "mine": self.judged(mine) if mine else "",
            "my_reason": mine.get(REASON, "") if mine else "",
            "differs": mine is not None
            and any(
                mine.get(name, content.own.get(name)) != content.own.get(name) for name in (SAME, ELEMENT)
            ),
        }

    def read_edit(self, data: QueryDict, before: ItemContent, drawn: Sequence[int]) -> ItemContent:
        """Return the content with the edited judgement, element and reason. The texts stay the same."""
        del drawn
        own = {name: data.get(name, "") for name in (SAME, ELEMENT)}
        return ItemContent(
            stem=before.stem,
            types=before.types,
            explanation=data.get("edit_explanation", before.explanation).strip(),
            answered_warnings=before.answered_warnings,
            own=self.clean({**before.own, **own}),
        )

    def proposed(self, sent: Mapping[str, Any], before: ItemContent) -> ItemContent:
        """Return the content with the judgement, element and reason that a program proposes."""
        own = {name: value for name, value in sent.get("own", {}).items() if name in (SAME, ELEMENT)}
        return replace(
            before,
            explanation=sent.get("explanation", before.explanation).strip(),
            own=self.clean({**before.own, **own}),
        )

    def changes_answer(self, before: ItemContent, after: ItemContent) -> bool:
        """Return whether the judgement or a text has changed."""
        return any(before.own.get(name) != after.own.get(name) for name in (SAME, SECOND))

    # --- release and import ---

    def answer_fields(self, content: ItemContent) -> dict[str, Any]:
        """Return the second text and the judgement as JSON values."""
        return {"choices": (), "answer": None, "own": self.clean(content.own)}

    def content_of(self, record: ItemRecord) -> ItemContent:
        """Return the pair and the reason of an imported record."""
        own = self.clean(record.own)
        return ItemContent(types=record.types, explanation=record.explanation or "", own=own)


def pieces(first: str, second: str) -> list[tuple[str, str, str]]:
    """Return both texts, each split into three parts: before, in and after their difference."""
    found = find_difference(first, second) if second else None
    if found is None:
        return [(first, "", ""), (second, "", "")]
    return [
        (text[: found.start], part, text[found.start + len(part) :])
        for text, part in ((first, found.first), (second, found.second))
    ]


SCENE_KIND: Final = SceneKind()
