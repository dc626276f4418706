"""Translates the sentences of `parable` and of the data card by gettext, without Django.

A sentence is marked where it is written, `python -m config.messages extract` collects it into
`parable/locale`, and `translate` looks it up there. The catalog is named `django` since Django reads no other
name: the site adds the folder to its LOCALE_PATHS and so translates the same sentences.
"""

import gettext
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

LANGUAGES: Final = ("en", "zh")
"""The languages that `translate` supports; the sentences are written in the first."""
LOCALE: Final = Path(__file__).parent / "locale"

_DOMAIN: Final = "django"
_FOLDERS: Final = MappingProxyType({"zh": "zh_Hans"})
_AFTER_CONTEXT: Final = "\x04"


class CatalogMissingError(Exception):
    """Raised if the catalog of a language is not compiled."""


def gettext_noop(sentence: str) -> str:
    """Mark a sentence for extraction; it is translated where it is displayed."""
    return sentence


def ngettext_noop(singular: str, plural: str) -> tuple[str, str]:
    """Mark a sentence with a number for extraction, in singular and plural."""
    return singular, plural


def pgettext_noop(context: str, sentence: str) -> str:
    """Mark a sentence whose translation depends on a context; `translate` removes the context."""
    return f"{context}{_AFTER_CONTEXT}{sentence}"


def translate(sentence: str, language: str) -> str:
    """Return a marked sentence in a language, or in English if the catalog lacks it."""
    return _catalog(language).gettext(sentence).rpartition(_AFTER_CONTEXT)[2]


@cache
def _catalog(language: str) -> gettext.NullTranslations:
    if language == LANGUAGES[0]:
        return gettext.NullTranslations()
    try:
        return gettext.translation(_DOMAIN, LOCALE, [_FOLDERS[language]])
    except FileNotFoundError as error:
        raise CatalogMissingError(
            f"{LOCALE} is not compiled; run: python -m config.messages compile"
        ) from error
