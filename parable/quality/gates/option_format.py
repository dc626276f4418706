"""A gate that tests whether the options of an item have the same form: letters, white space, script."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
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
        are_plain = own.are_han[own.sizes > 0].tolist()  # their options are all of one form
        if items.as_typed:
            are_plain = [
                is_plain and (options is item.choices or has_han_alone("".join(options)))
                for item, options, is_plain in zip(with_options, typed, are_plain, strict=True)
            ]
        usual = _usual_marks(with_options, typed, are_plain)
        suspects = [
            (item, options)
            for item, options, is_plain in zip(with_options, typed, are_plain, strict=True)
            if not is_plain
        ]
        contradicted = {item.id for item, _options in suspects if typed_marks(item.choices)}
        found = [
            (item.id, kinds)
            for item, options in suspects
            if (kinds := set(_kinds(item, options, usual.get(item.task, ""))))
        ]
        found.sort(key=lambda one: one[0] not in contradicted)
        counts = Counter(kind for _item, kinds in found for kind in kinds)
        return [
            GateResult(
                self.id,
                None,
                ERROR if contradicted else WARNING if found else OK,
                figure=len(found),
                threshold=0,
                items=tuple(item for item, _kinds_of in found),
                looked_at=len(with_options),
                detail={kind: counts[kind] for kind in (LETTERS, SPACE, SCRIPT)},
            )
        ]


def _usual_marks(
    items: Sequence[ItemRecord], typed: Sequence[Sequence[str]], are_plain: Sequence[bool]
) -> dict[str, str]:
    """Return the most frequent mark between letter and option, by task code."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for item, options, is_plain in zip(items, typed, are_plain, strict=True):
        if is_plain:
            counts[item.task][""] += len(options)
        else:
            counts[item.task].update(map(mark, options))
    return {task: found.most_common(1)[0][0] for task, found in counts.items()}


def _kinds(item: ItemRecord, options: Sequence[str], usual: str) -> Iterator[str]:
    marks = [mark(option) for option in options]
    differ = any(marks) and (len(set(marks)) > 1 or marks[0] != usual) and are_letters(options)
    if differ or typed_marks(item.choices):
        yield LETTERS
    texts = without_letters(options)
    if have_stray_space(texts):
        yield SPACE
    if _mixes_scripts(texts):
        yield SCRIPT


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
