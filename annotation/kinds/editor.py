"""Translated texts for the script with which users select spans. Pure."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_WORDS: Final[Mapping[str, str | Promise]] = MappingProxyType(
    {
        "layers": _("What is marked"),
        "roles": _("Roles"),
        "role": _("{role}: select the first and the last character."),
        "no_role": _("No role selected."),
        "first": _("First character: {char}, {position}. Select the last one."),
        "here": _("{char} {position} {roles}"),
        "space": _("space"),
        "pending": _("“{text}” ({positions}) selected. Select a role."),
        "marked": _("{role}: “{text}” ({positions})"),
        "replaced": _("{role}: “{text}” ({positions}) in place of “{before}”. Undo brings that back."),
        "append": _("Add another part"),
        "appending": _("The next selection becomes part of this mark."),
        "first_character": _("First character"),
        "last_character": _("Last character"),
        "first_short": _("First"),
        "last_short": _("Last"),
        "first_back": _("Begin one character earlier"),
        "first_on": _("Begin one character later"),
        "last_back": _("End one character earlier"),
        "last_on": _("End one character later"),
        "forget": _("Clear selection"),
        "undo": _("Undo"),
        "undone": _("Undone."),
        "sort": _("Sort by text order"),
        "clone": _("Copy"),
        "drop": _("Remove {card}"),
        "drop_short": _("Remove"),
        "removed": _("{card} removed."),
        "begun": _("{card} added."),
        "most": _("No more than {n} can be added."),
        "remove": _("Remove {role}: {text}"),
        "label": _("Label of {role}"),
        "no_label": _("no label"),
        "empty": _("Nothing marked yet"),
    }
)


def editor_words() -> dict[str, str]:
    """Return the script's texts by name. The script replaces the placeholders in braces."""
    return {name: str(words) for name, words in _WORDS.items()}
