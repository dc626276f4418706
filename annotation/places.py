"""The parts of an item that a finding or a comment is about, and what they are called."""

from collections.abc import Iterator
from typing import NamedTuple

from django.utils.translation import gettext as _

from annotation.content import ItemContent


def place_name(place: str) -> str:
    """What a part of the form is called in the reader's language; empty for the whole item.

    A place is a name, maybe with a number, and within a group maybe with a role: `alternative-2-P1`.
    """
    name, _dash, rest = place.partition("-")
    number, _dash, within = rest.partition("-")
    if not number:
        return _names().get(name, "")
    numbered = _numbered().get(name, _("Option %(number)s")) % {"number": number}
    return f"{numbered} {_names().get(within, within)}" if within else numbered


def _names() -> dict[str, str]:
    return {
        "stem": _("Stem"),
        "options": _("Options"),
        "key": _("Key"),
        "types": _("Types"),
        "explanation": _("Explanation"),
        "alternatives": _("Alternatives"),
        "tuples": _("Tuples"),
        "texts": _("Texts"),
        "judgement": _("Judgement"),
        "reason": _("Reason"),
        "narrative": _("Narrative"),
        "proverb": _("Proverb"),
        "pairs": _("Pairs"),
    }


def _numbered() -> dict[str, str]:
    return {
        "option": _("Option %(number)s"),
        "answer": _("Group %(number)s"),
        "alignment": _("Pair %(number)s"),
        "alternative": _("Alternative %(number)s"),
        "tuple": _("Tuple %(number)s"),
        "pair": _("Pair %(number)s"),
        "corefs": _("Mentions %(number)s"),
        "non_corefs": _("Other mentions %(number)s"),
    }


class Place(NamedTuple):
    """A part of an item to choose; the empty value is the whole item."""

    value: str
    label: str
    checked: bool


def about_choices(content: ItemContent, chosen: str = "") -> list[Place]:
    """What a comment on this wording can be about, the whole item first."""
    return [
        Place(each, place_name(each) or _("Whole item"), each == chosen) for each in ["", *places_of(content)]
    ]


def places_of(content: ItemContent) -> list[str]:
    """The parts that a comment on this wording can be about, in the order of the form, options from 1."""
    options = [f"option-{number}" for number in range(1, len(content.options) + 1)]
    types = ["types"] if content.types else []
    stem = ["stem"] if content.stem or not content.own else []
    return [*types, *stem, *options, *_groups(content), *(["explanation"] if content.explanation else [])]


def _groups(content: ItemContent) -> Iterator[str]:
    """The groups of marks that answer the item, or are aligned."""
    for layer in ("answer", "alignment"):
        yield from (f"{layer}-{number}" for number in range(1, len(content.own.get(layer, ())) + 1))
