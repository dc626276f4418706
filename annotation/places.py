"""The parts of an item that a finding or comment can be about, and their names."""

from typing import Final, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.content import ItemContent

_NAMES: Final = {
    "stem": gettext_lazy("Stem"),
    "options": gettext_lazy("Options"),
    "key": gettext_lazy("Key"),
    "types": gettext_lazy("Types"),
    "explanation": gettext_lazy("Explanation"),
    "alternatives": gettext_lazy("Alternatives"),
    "tuples": gettext_lazy("Tuples"),
    "texts": gettext_lazy("Texts"),
    "judgement": gettext_lazy("Judgement"),
    "reason": gettext_lazy("Reason"),
    "narrative": gettext_lazy("Narrative"),
    "proverb": gettext_lazy("Proverb"),
    "pairs": gettext_lazy("Pairs"),
}
_NUMBERED: Final = {
    "option": gettext_lazy("Option %(number)s"),
    "answer": gettext_lazy("Group %(number)s"),
    "alignment": gettext_lazy("Pair %(number)s"),
    "alternative": gettext_lazy("Alternative %(number)s"),
    "tuple": gettext_lazy("Tuple %(number)s"),
    "pair": gettext_lazy("Pair %(number)s"),
    "corefs": gettext_lazy("Mentions %(number)s"),
    "non_corefs": gettext_lazy("Other mentions %(number)s"),
}


def place_name(place: str) -> str:
    """Return the translated name of a part of an item; "" for the whole item.

    The code of a part is a name, optionally with a number and, within a group, a role: `alternative-2-P1`.
    """
    name, _dash, rest = place.partition("-")
    number, _dash, within = rest.partition("-")
    if not number:
        return str(_NAMES.get(name, ""))
    numbered = str(_NUMBERED.get(name, _NUMBERED["option"])) % {"number": number}
    return f"{numbered} {_NAMES.get(within, within)}" if within else numbered


class Place(NamedTuple):
    """A part of an item as a choice in a form; the value "" is the whole item."""

    value: str
    label: str
    checked: bool


def about_choices(content: ItemContent, chosen: str = "") -> list[Place]:
    """Return the parts that a comment on this content can be about, as choices; the whole item is first."""
    return [
        Place(each, place_name(each) or _("Whole item"), each == chosen) for each in ["", *places_of(content)]
    ]


def places_of(content: ItemContent) -> list[str]:
    """Return the codes of the parts that a comment on this content can be about, in the order of the form."""
    options = [f"option-{number}" for number in range(1, len(content.options) + 1)]
    types = ["types"] if content.types else []
    stem = ["stem"] if content.stem or not content.own else []
    groups = [
        f"{layer}-{number}"
        for layer in ("answer", "alignment")
        for number in range(1, len(content.own.get(layer, ())) + 1)
    ]
    return [*types, *stem, *options, *groups, *(["explanation"] if content.explanation else [])]
