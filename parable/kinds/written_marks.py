"""Marks in the form that models are asked to write: a JSON list with one object per group.

An object maps roles to fragments of the text; `灯#2` is the second 灯. A label replaces the fragment, or both
are given: `{"label": "之前", "text": "到家"}`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final

from parable.kinds.mark_json import read_groups, write_groups
from parable.kinds.marks import (
    Group,
    Groups,
    Mark,
    in_order,
    locate,
    without_blanks,
    write_by_occurrence,
    write_plainly,
)
from parable.kinds.question import NO_ANSWER, Answered, Given, OwnAnswer, Released
from parable.reading.answers import CHOSEN
from parable.reading.json_answers import find_json, whole_json

WriteSpan = Callable[[Mark, str], str]
"""Writes the span of a mark in a text so that `locate` finds it."""
OCCURRENCE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "zh": "片段在文本中出现不止一次时，在后面写“#”和它是第几次出现，例如“灯#2”；不写就是第一次出现。",
        "en": 'Where a fragment occurs more than once in the text, put "#" and the number of the occurrence'
        ' behind it, such as "the lamp#2"; without it the first is meant.',
    }
)
"""What a prompt says of fragments that occur more than once, by language."""
MOST: Final = 300
"""The most groups that are read from an answer."""


class MarksAnswer(OwnAnswer):
    """Base class of questions answered by groups of marks; subclasses define layer, roles and labels."""

    layer: ClassVar[str]
    roles: ClassVar[Sequence[str]]
    labels: ClassVar[Mapping[str, Sequence[str]]] = {}

    def texts(self, item: Released) -> Mapping[str, str]:
        """Return the texts that contain the fragments, by target; "" is the target of the story."""
        return {"": item["story"]}

    def target(self, role: str) -> str:
        """Return the target of a role: the name of the text that contains its fragments."""
        del role
        return ""

    def read(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """Parse the JSON list from anywhere in the text; for strict parsing it must be the whole text."""
        del order
        found, alone = find_json(text, list), whole_json(text, list)
        if found is None:
            return NO_ANSWER
        lenient = self.given_of(found, item)
        return Answered(CHOSEN, lenient, lenient if alone is not None else None)

    def given_of(self, written: Sequence[Any], item: Released) -> Given:
        """Convert a parsed list to Parable's JSON; malformed parts are left out."""
        texts = self.texts(item)
        groups: list[Group] = []
        for one in written[:MOST]:
            if isinstance(one, Mapping):
                marks = [self._mark(role, one[role], texts) for role in self.roles if role in one]
                groups.append(in_order(marks, self.roles))
        return {self.layer: write_groups(without_blanks(groups))}

    def _mark(self, role: str, said: Any, texts: Mapping[str, str]) -> Mark:
        words, label = (said.get("text"), said.get("label")) if isinstance(said, Mapping) else (said, None)
        allowed = self.labels.get(role, ())
        if words in allowed and isinstance(said, str):
            words, label = "", words
        target = self.target(role)
        span = locate(words if isinstance(words, str) else "", texts[target])
        kept = label if isinstance(label, str) and label in allowed else ""
        return Mark(role, span.text, span.positions, kept, target)

    def words(self, item: Released) -> str:
        """Return the right answer as a model should write it; "" if it is withheld."""
        return self._words(item, write_by_occurrence)

    def words_by_position(self, item: Released) -> str:
        """Return the right answer as `words` did in releases before layout 8, and as people type it."""
        return self._words(item, write_plainly)

    def _words(self, item: Released, write: WriteSpan) -> str:
        right = self.right(item)
        if right is None:
            return ""
        groups = [
            {mark.role: self._said(mark, item, write) for mark in group if mark.role in self.roles}
            for group in self.groups_of(right)
        ]
        return json.dumps(groups, ensure_ascii=False)

    def answer_lines(self, given: Given) -> tuple[str, ...]:
        """Return one line per group, with the role, text and label of each mark."""
        return tuple(
            " · ".join(" ".join(filter(None, (mark.role, mark.text, mark.label))) for mark in group)
            for group in self.groups_of(given)
        )

    def groups_of(self, given: Given) -> Groups:
        """Return the groups of marks of an answer; () if it is invalid."""
        return read_groups(given.get(self.layer)) if isinstance(given, Mapping) else ()

    def _said(self, mark: Mark, item: Released, write: WriteSpan) -> Any:
        words = write(mark, self.texts(item)[mark.target])
        if mark.label and words:
            return {"label": mark.label, "text": words}
        if words in self.labels.get(mark.role, ()):
            return {"text": words}  # alone it would be read as the label
        return mark.label or words
