"""Items that ask whether two similar texts can describe the same scene: subtask 3 of SpaCE2023."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Final

from parable.kinds.base import Kind, Scale
from parable.kinds.count import mean
from parable.kinds.published import Published
from parable.kinds.question import NO_ANSWER, Answered, OwnAnswer, Released
from parable.reading.answers import CHOSEN
from parable.reading.json_answers import find_json, whole_json
from parable.sentences import gettext_noop as _

# Types of an answer, and the difference between the two texts.

ELEMENTS: Final = ("处所", "朝向", "终点", "方向", "路径", "位置关系")
"""Aspects of the scene that a difference may concern."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether two texts can describe the same scene, and why; the reason is None if a file has none."""

    is_same: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class Difference:
    """The contiguous parts in which two texts differ; the text before and after them is the same.

    `start` is the position of both parts in their text.
    """

    start: int
    first: str
    second: str


def find_difference(first: str, second: str) -> Difference | None:
    """Return the parts of two texts that differ; None if the texts are equal.

    The longest common end is removed first, then the longest common beginning.
    """
    if first == second:
        return None
    end = _length_shared(first[::-1], second[::-1])
    start = min(_length_shared(first, second), len(first) - end, len(second) - end)
    return Difference(start, first[start : len(first) - end], second[start : len(second) - end])


def _length_shared(first: str, second: str) -> int:
    """Return the length of the common prefix of two texts."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(first), len(second)))


@dataclass(frozen=True, slots=True)
class ScenePair:
    """Two texts with judgements of whether both describe the same scene; missing fields are None."""

    id: str
    first: str | None
    second: str | None
    judgements: tuple[Judgement, ...] | None


# Statistics of a set of pairs of texts.


@dataclass(frozen=True, slots=True)
class SceneCounts:
    """Counts of pairs and judgements, and mean lengths of texts, differences and reasons in characters."""

    pairs: int
    same: int
    different: int
    characters: float
    difference: float
    reason: float


def scene_counts(pairs: Iterable[ScenePair]) -> SceneCounts:
    """Return the counts and mean lengths of these pairs."""
    found = list(pairs)
    judged = [judgement for one in found for judgement in one.judgements or ()]
    texts = [text for one in found for text in (one.first, one.second) if text is not None]
    both = [(one.first, one.second) for one in found if one.first is not None and one.second is not None]
    differences = [find_difference(first, second) for first, second in both]
    return SceneCounts(
        pairs=len(found),
        same=sum(one.is_same for one in judged),
        different=sum(not one.is_same for one in judged),
        characters=mean([len(text) for text in texts]),
        difference=mean([max(len(one.first), len(one.second)) for one in differences if one]),
        reason=mean([len(one.reason) for one in judged if one.reason]),
    )


# Grading of subtask 3: a wrong judgement scores 0, a right one the two raters' grades of its reason.

HIGHEST_GRADE: Final = 5
"""The highest grade of a reason: 0 means no reason, 5 a description of the scene with outside knowledge."""
RATERS: Final = 2
FULL: Final = 100.0

Grades = Sequence[int]


@dataclass(frozen=True, slots=True)
class SceneScores:
    """The share of right judgements in a set and, if reasons are graded, the score from 0 to 100."""

    n: int
    correct: int
    accuracy: float
    score: float | None


def is_graded(grades: Grades) -> bool:
    """Return whether there are two grades, both from 0 to 5."""
    return len(grades) == RATERS and all(0 <= grade <= HIGHEST_GRADE for grade in grades)


def score_item(*, is_right: bool, grades: Grades) -> float:
    """Return the mean grade of the two raters, scaled to 100; 0 for a wrong judgement.

    Raise ValueError if a right judgement does not have two grades from 0 to 5.
    """
    if not is_right:
        return 0.0
    if not is_graded(grades):
        raise ValueError(f"Two grades of 0 to {HIGHEST_GRADE} are needed, not {list(grades)}.")
    return sum(grades) / RATERS / HIGHEST_GRADE * FULL


def score_all(
    gold: Mapping[str, bool], judged: Mapping[str, bool], grades: Mapping[str, Grades] | None = None
) -> SceneScores:
    """Return the accuracy on all gold items and, if `grades` is given, the score.

    An item without a judgement is wrong. Raise KeyError if `grades` lacks a rightly judged item.
    """
    right = [name for name, is_same in gold.items() if judged.get(name) == is_same]
    count = len(gold) or 1
    total = (
        None
        if grades is None
        else sum(score_item(is_right=True, grades=grades[name]) for name in right) / count
    )
    return SceneScores(len(gold), len(right), len(right) / count, total)


# A reason composed of its parts: the difference, the entities, the aspect, and what both texts describe.


@dataclass(frozen=True, slots=True)
class ReasonParts:
    """The six parts of a reason; missing parts are "".

    The difference in the first and in the second text, the common entities, the aspect in which the two forms
    differ, what the texts describe, and how this comes about.
    """

    first_form: str = ""
    second_form: str = ""
    entities: str = ""
    aspect: str = ""
    described: str = ""
    manner: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether no part is missing."""
        return all(part.strip() for part in astuple(self))


_SAME: Final[Mapping[str, str]] = MappingProxyType(
    {
        "zh": "差异在于“{0}”与“{1}”。两段都有的实体：{2}。"
        "{3}的说法不同，但都表示{4}：{5}。所以可以是同一场景。",
        "en": "The texts differ in “{0}” and “{1}”. Both have {2}. They word {3} differently, but both say "
        "{4}: {5}. So it can be the same scene.",
    }
)
_DIFFERENT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "zh": "差异在于“{0}”与“{1}”。两段都有的实体：{2}。"
        "{3}的说法不同，可见{4}不同：{5}。所以不是同一场景。",
        "en": "The texts differ in “{0}” and “{1}”. Both have {2}. They word {3} differently, so {4} "
        "differs: {5}. So it is not the same scene.",
    }
)


def template_of(language: str, *, is_same: bool) -> str:
    """Return the template of a reason in this language, or in English if there is none."""
    found = _SAME if is_same else _DIFFERENT
    return found.get(language.lower().partition("-")[0], found["en"])


def compose(parts: ReasonParts, language: str, *, is_same: bool) -> str:
    """Return the reason as a text composed of these parts; "" if a part is missing."""
    if not parts.is_whole:
        return ""
    return template_of(language, is_same=is_same).format(*(part.strip() for part in astuple(parts)))


# Conversion of an item to a record of published files, and back.

SAME: Final = "same"
SECOND: Final = "second"
"""Names of `own` fields: the judgement, and the second text, which is part of the prompt."""


def value(item: Released) -> ScenePair:
    """Convert an item to a published record; `judgements` is None if withheld."""
    own = item.get("own") or {}
    judged = (Judgement(own[SAME], item.get("explanation") or None),) if SAME in own else None
    return ScenePair(item["id"], item["story"], own.get(SECOND, ""), judged)


def fields(record: ScenePair) -> Mapping[str, Any]:
    """Convert a published record to the fields of an item; only the first judgement is used."""
    judged = record.judgements[0] if record.judgements else None
    return {
        "id": record.id,
        "story_id": record.id,
        "story": record.first or "",
        "own": {SECOND: record.second or ""} | ({SAME: judged.is_same} if judged else {}),
        "language": "zh",
        "explanation": judged.reason if judged else None,
    }


SCENE_FILES: Final = Published(
    layouts=("space2023-3",),
    file="task3_{split}.jsonl",
    value=value,
    fields=fields,
    count=scene_counts,
    figures=MappingProxyType(
        {
            "same": _("pairs that can be the same scene"),
            "different": _("pairs that cannot"),
            "characters": _("characters in a text"),
            "difference": _("characters in a difference"),
            "reason": _("characters in a reason"),
        }
    ),
)


# The prompt that asks a model whether two texts can describe the same scene.

REASON: Final = "reason"
_TRUTH: Final[Mapping[object, bool]] = {True: True, False: False, "true": True, "false": False}
_SAYS: Final = re.compile(r'"?same"?\s*[:：=]\s*"?(true|false)', re.IGNORECASE)


class SceneQuestion(OwnAnswer):
    """Questions answered by a judgement, and a reason that people grade."""

    asked: ClassVar[tuple[str, ...]] = (SECOND,)
    wanted: ClassVar[tuple[str, ...]] = ("{story}", "{second}")
    templates: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "zh": "下面两段文本只有一处不同。请判断它们能不能描述同一个场景，并说明理由。\n"
            '只写一个 JSON 对象：{"same": true 或 false, "reason": "理由"}。\n\n'
            "文本一：\n{story}\n\n文本二：\n{second}\n\n答案：",
            "en": "These two texts differ in one place. Say whether both can describe the same scene, and"
            " why.\n"
            'Give only a JSON object: {"same": true or false, "reason": "your reason"}.\n\n'
            "First text:\n{story}\n\nSecond text:\n{second}\n\nAnswer:",
        }
    )

    def read(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """Parse the JSON object, or the last `same: true` or `same: false` in the text.

        Strict parsing requires that the whole text is the JSON object.
        """
        del item, order
        lenient = _given(find_json(text, dict))
        if not lenient and (said := _SAYS.findall(text)):
            lenient = _given({SAME: said[-1].lower()})
        if lenient is None:
            return NO_ANSWER
        return Answered(CHOSEN, lenient, _given(whole_json(text, dict)))

    def words(self, item: Released) -> str:
        """Return the right judgement as a model should write it, with the writer's reason; "" if withheld."""
        right = self.right(item)
        if right is None:
            return ""
        data = {SAME: right[SAME], REASON: item.get("explanation") or ""}
        return json.dumps(data, ensure_ascii=False)


def _given(found: Mapping[str, Any] | None) -> dict[str, object] | None:
    """Return the judgement and reason in a JSON object; None if there is no valid judgement."""
    same = None if found is None else found.get(SAME)
    if found is None or not isinstance(same, bool | str) or same not in _TRUTH:
        return None
    reason = found.get(REASON)
    return {SAME: _TRUTH[same]} | ({REASON: reason} if isinstance(reason, str) and reason else {})


SCENE_QUESTION: Final = SceneQuestion()


# The kind: pairs of texts with one difference, which can describe the same scene or not.

BARE: Final = 3
"""The grade of a reason that only names the difference; reasons with this grade or a higher one are good."""


def score_answer(given: object, right: object) -> float:
    """Return 1 if the judgement is right, else 0; reasons are graded by people instead."""
    judged = [one.get(SAME) if isinstance(one, Mapping) else None for one in (given, right)]
    return float(judged[0] == judged[1] and isinstance(judged[0], bool))


SCENES: Final = Kind(
    code="scene_pairs",
    name=_("same scene or not"),
    item_name=_("Scene item"),
    items_name=_("Scene items"),
    brief=_("Change one place of the text, decide whether both texts can be said of one scene, and say why."),
    answer="own",
    own_question=SCENE_QUESTION,
    scorer=score_answer,
    has_options=False,
    has_stem=False,
    published=SCENE_FILES,
    requires_explanation=True,
    scale=Scale(
        low=0,
        high=HIGHEST_GRADE,
        passes=BARE,
        names=(
            _("no reason"),
            _("not about space"),
            _("about another scene"),
            _("the bare difference"),
            _("the scene, by rewording the difference"),
            _("the scene, by knowledge from outside the text"),
        ),
        raters=RATERS,
    ),
)
