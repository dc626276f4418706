"""The parts of an item that a finding or a comment is about, and what they are called."""

from typing import NamedTuple

from django.utils.translation import gettext as _

from annotation.content import ItemContent


def place_name(place: str) -> str:
    """What a part of the form is called in the reader's language; empty for the whole item."""
    name, _dash, number = place.partition("-")
    if number:
        return _("Option %(number)s") % {"number": number}
    names = {
        "stem": _("Stem"),
        "options": _("Options"),
        "key": _("Key"),
        "types": _("Types"),
        "explanation": _("Explanation"),
    }
    return names.get(name, "")


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
    return [*types, "stem", *options, *(["explanation"] if content.explanation else [])]
