"""A gate that tests whether the options of an item have the same form: letters, white space, script."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

from parable.formats.option_marks import typed_marks
from parable.formats.records import ItemRecord
from parable.quality.gates.base import (
    ALL,
    ERROR,
    NOT_APPLICABLE,
    OK,
    STYLE,
    WARNING,
    Gate,
    GateResult,
    ItemSet,
)
from parable.quality.gates.typed import are_letters, have_stray_space, mark, without_letters
from parable.quality.gates.unit_numbers import columns
from parable.quality.item.words import HAN, has_han_alone
from parable.sentences import gettext_noop as _

LETTERS: Final = "letters"
SPACE: Final = "white_space"
SCRIPT: Final = "scripts"

_HAN: Final = re.compile(f"[{HAN}]")
_WORDS: Final = re.compile("[A-Za-zÀ-ÿ]{2,}")
_WIDE: Final = re.compile("[０-９Ａ-Ｚａ-ｚ]")
_NARROW: Final = re.compile("[0-9A-Za-z]")
_WORDS_OR_WIDE: Final = re.compile("[A-Za-zÀ-ÿ]{2}|[０-９Ａ-Ｚａ-ｚ]")


class OptionFormat(Gate):
    """Find items whose options have irregular letters before them, stray white space, or mixed scripts."""

    id: ClassVar = "option_format"
    trait: ClassVar = "has_options"
    name: ClassVar = _("Option format")
    looks_at: ClassVar = _(
        "Items whose options mix letter prefixes, contain extra white space or"
        " invisible characters, or use different scripts. It fails where options carry letters or numbers"
        " of their own, which those of a release would contradict."
    )
    needs: ClassVar = _("It needs items with options.")
    why: ClassVar = _(
        "An option that looks different is chosen or avoided for that reason, and breaks text comparison."
    )
    fix: ClassVar = _("In the items listed here, make the option that looks different like the others.")
    parts: ClassVar = (ALL, STYLE)

    def judge(self, items: ItemSet) -> list[GateResult]:
        """Return one result for all tasks; the figure is the number of items whose options differ in form."""
        with_options = [item for item in items.items if item.choices]
        if not with_options:
            return [GateResult(self.id, None, NOT_APPLICABLE)]
        typed = [items.typed(item) for item in with_options]
        own = items.once(columns)
        read = FormTally.of(with_options, typed, own.are_han[own.sizes > 0].tolist())
        return [result_of(read, [item.id for item in with_options])]


@dataclass(frozen=True, slots=True)
class Suspect:
    """An item that may differ in form: its position, task, and kinds of differences.

    `mark` is the mark before all its options, which differs only if it is not the usual one of the task; ""
    if there is none, or if the options differ in it. `is_contradicted`: whether options keep letters.
    """

    place: int
    task: str
    kinds: frozenset[str]
    mark: str = ""
    is_contradicted: bool = False


@dataclass(frozen=True, slots=True)
class FormTally:
    """How often each mark is before options, by task, and the items that may differ in form."""

    marks: dict[str, Counter[str]] = field(default_factory=dict)
    suspects: list[Suspect] = field(default_factory=list)

    @classmethod
    def of(
        cls, items: Sequence[ItemRecord], typed: Sequence[Sequence[str]], are_han: Sequence[bool]
    ) -> "FormTally":
        """Return the tally of items with options.

        `typed` are the options as typed; `are_han`: whether the options are Chinese characters alone.
        """
        tally = cls()
        for place, (item, options, is_han) in enumerate(zip(items, typed, are_han, strict=True)):
            counts = tally.marks.setdefault(item.task, Counter())
            # options of one form
            if is_han and (options is item.choices or has_han_alone("".join(options))):
                counts[""] += len(options)
                continue
            counts.update(marks := [mark(option) for option in options])
            if suspect := _suspect(place, item, options, marks):
                tally.suspects.append(suspect)
        return tally

    def add(self, other: "FormTally", offset: int) -> None:
        """Add the counts of later items, the first of which is at position `offset`."""
        for task, counts in other.marks.items():
            self.marks.setdefault(task, Counter()).update(counts)
        self.suspects.extend(replace(one, place=one.place + offset) for one in other.suspects)


def result_of(
    tally: FormTally, ids: Sequence[str] | Mapping[int, str], looked_at: int | None = None
) -> GateResult:
    """Return the result for items with options; `ids` has their ids by position."""
    usual = {task: found.most_common(1)[0][0] for task, found in tally.marks.items()}
    contradicted = {ids[one.place] for one in tally.suspects if one.is_contradicted}
    found = [
        (ids[one.place], kinds)
        for one in tally.suspects
        if (kinds := one.kinds | ({LETTERS} if one.mark and one.mark != usual[one.task] else set()))
    ]
    found.sort(key=lambda one: one[0] not in contradicted)
    counts = Counter(kind for _item, kinds in found for kind in kinds)
    return GateResult(
        OptionFormat.id,
        None,
        ERROR if contradicted else WARNING if found else OK,
        figure=len(found),
        threshold=0,
        items=tuple(item for item, _kinds_of in found),
        looked_at=len(ids) if looked_at is None else looked_at,
        detail={kind: counts[kind] for kind in (LETTERS, SPACE, SCRIPT)},
    )


def _suspect(place: int, item: ItemRecord, options: Sequence[str], marks: Sequence[str]) -> Suspect | None:
    is_contradicted = bool(typed_marks(item.choices))
    are_marked = any(marks) and are_letters(options)
    kinds = {LETTERS} if is_contradicted or (are_marked and len(set(marks)) > 1) else set()
    texts = without_letters(options)
    if have_stray_space(texts):
        kinds.add(SPACE)
    if _mixes_scripts(texts):
        kinds.add(SCRIPT)
    usual = marks[0] if are_marked and len(set(marks)) == 1 else ""
    return Suspect(place, item.task, frozenset(kinds), usual, is_contradicted) if kinds or usual else None


def _mixes_scripts(options: Sequence[str]) -> bool:
    """Return whether the options mix scripts: only some are Chinese, or only some are full-width."""
    if not _WORDS_OR_WIDE.search("".join(options)):
        return False
    chinese = [bool(_HAN.search(option)) for option in options]
    if not any(chinese):
        return any(map(_wide, options)) and not all(map(_wide, options))
    return any(
        bool(_WORDS.search(option)) and not han for option, han in zip(options, chinese, strict=True)
    ) or (any(map(_wide, options)) and any(map(_NARROW.search, options)))


def _wide(option: str) -> bool:
    return bool(_WIDE.search(option))
