"""The citation of a release as a BibTeX entry."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

_ESCAPED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        # BibTeX counts braces even after a backslash
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        **{sign: f"\\{sign}" for sign in "%&#_$"},
    }
)
_AND: Final = re.compile(r"\band\b", re.IGNORECASE)
"""BibTeX separates authors by this word."""


def authors_of(text: str) -> list[str]:
    """Return the authors in a text with one author to a line."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def bibtex(
    *, name: str, title: str, authors: Sequence[str], year: int, version: str, url: str, sums: str
) -> str:
    """Return the BibTeX entry of a release.

    An author is "Family, Given", or an institution if there is no comma. `sums` is the SHA-256 of the file
    SHA256SUMS, which identifies the content of the release.
    """
    fields = {
        "title": f"{{{_escaped(title)}}}",
        "author": " and ".join(map(_author, authors)),
        "year": str(year),
        "version": _escaped(version),
        # in a URL, BibTeX expects the characters as they are
        "url": url,
        "note": f"SHA256SUMS: {sums}" if sums else "",
    }
    lines = [f"  {field:<7} = {{{value}}}" for field, value in fields.items() if value]
    key = re.sub(r"[^a-z0-9]", "", name.lower())
    return "\n".join([f"@misc{{{key}{year},", ",\n".join(lines), "}"])


def _author(name: str) -> str:
    """Return an author as BibTeX, in braces unless it is a person whose name has its two parts."""
    escaped = _escaped(name)
    is_person = name.count(",") == 1 and not name.startswith(",") and not _AND.search(name)
    return escaped if is_person else f"{{{escaped}}}"


def _escaped(text: str) -> str:
    return "".join(_ESCAPED.get(sign, sign) for sign in text)
