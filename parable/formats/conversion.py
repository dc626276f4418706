"""Writes items in a format of another tool, and counts the values that the format cannot hold."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from parable.formats.format import LINES, LOSABLE, Writer
from parable.formats.records import HUMAN, ItemRecord
from parable.kinds import kind_of
from parable.sentences import gettext_noop as _
from parable.sentences import translate

WORDS: Final = {
    "id": _("ids of items"),
    "task": _("tasks"),
    "story_id": _("ids of stories"),
    "title": _("titles of stories"),
    "story": _("stories"),
    "types": _("commonsense types"),
    "style": _("styles"),
    "generators": _("models that wrote options"),
    "explanation": _("texts of explanations"),
    "language": _("languages"),
    "split": _("splits"),
    LINES: _("line breaks within stems and options"),
}
"""The translatable name of each entry of `LOSABLE`."""


def lost_words(name: str, language: str) -> str:
    """Return the name of an entry of `LOSABLE` in a language."""
    return translate(WORDS[name], language)


def used_by(item: ItemRecord) -> set[str]:
    """Return the names in `LOSABLE` for which an item has a value; the default style does not count."""
    used = {name for name in LOSABLE if name != LINES and getattr(item, name)}
    used -= {"style"} if item.style == HUMAN else set()
    return used | ({LINES} if any("\n" in text for text in (item.question, *item.choices)) else set())


@dataclass(slots=True)
class Conversion:
    """Writes items in a format; counts are complete once `parts` is exhausted.

    `written` is the number of items written; `left_out` are the ids of items that have no key or that the
    format does not take. `lost` gives, for each entry of `LOSABLE`, the number of written items that lost it.
    """

    writer: Writer
    written: int = 0
    left_out: list[str] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)

    def parts(self, items: Iterable[ItemRecord]) -> Iterator[bytes]:
        """Yield the contents of the file in pieces."""
        return self.writer.parts(self._taken(items))

    def _taken(self, items: Iterable[ItemRecord]) -> Iterator[ItemRecord]:
        for item in items:
            if item.is_keyed and self.writer.kinds(kind_of(item.task)) and self.writer.takes(item):
                self.written += 1
                self.lost.update(used_by(item) - self.writer.holds)
                yield item
            else:
                self.left_out.append(item.id)
