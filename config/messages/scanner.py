"""Finds text in templates that is not marked for translation.

It checks text that a reader sees or hears: text between tags, and a few attributes. Names of keys, code, and
text with a stated language (`lang`) are not translated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from django.template.base import Lexer, TokenType

HOLE = "\ufffc"
"""The placeholder for a template tag."""

_WORDS = re.compile(r"[^\W\d_]{2,}|[\u4e00-\u9fff]")
_SPOKEN_ATTRIBUTES = {"alt", "title", "placeholder", "aria-label", "aria-description", "data-confirm"}
_AS_IT_IS = {"script", "style", "code", "kbd", "samp", "svg", "var"}
_VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_NAMES = {"Parable", "SHA", "CSV", "JSONL", "SVG", "XLSX", "CRMUS"}
_NOT_TEXT = re.compile(r"block\s+(\w+_class|lang|skip_to)\b")
"""Blocks of our base templates whose content is the value of an attribute."""
_SPOKEN_ARGUMENT = re.compile(
    r"\b(?:label|title|text|hint|message|placeholder|heading|help|summary|legend|caption)"
    r"=(?P<quote>[\"'])(?P<text>[^\"']*)(?P=quote)(?!\|)"
)


def unmarked_texts(source: str) -> list[tuple[int, str]]:
    """Return (line, text) for all visible text in a template that is not marked for translation."""
    found = list(_arguments(source))
    scanner = _Scanner()
    scanner.feed("".join(_visible(source)))
    scanner.close()
    return sorted(found + scanner.found)


def _arguments(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, text) for literal texts that are passed as arguments to included templates."""
    for token in Lexer(source).tokenize():
        if token.token_type is TokenType.BLOCK:
            for argument in _SPOKEN_ARGUMENT.finditer(token.contents):
                if _says_something(argument["text"]):
                    yield token.lineno or 0, argument["text"]


def _visible(source: str) -> Iterator[str]:
    """Yield the template without texts that are marked for translation, with a `HOLE` for each tag."""
    closing = ""
    for token in Lexer(source).tokenize():
        if token.token_type is TokenType.BLOCK:
            word = token.contents.split()[0]
            if word in ("blocktranslate", "blocktrans", "comment") or _NOT_TEXT.match(token.contents):
                closing = f"end{word}"
            elif word == closing:
                closing = ""
        if token.token_type is TokenType.TEXT and not closing:
            yield token.contents
        else:
            yield HOLE + "\n" * token.contents.count("\n")


def _says_something(text: str) -> bool:
    return any(word not in _NAMES for word in _WORDS.findall(text))


class _Scanner(HTMLParser):
    """An HTML parser that collects visible text, except in elements whose content is not translated."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self._exempt: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Check the attributes, and note whether the content of the element is translated."""
        names = dict(attrs)
        is_button = tag == "input" and names.get("type") in ("submit", "button", "reset")
        if not self._exempt:
            for name, value in attrs:
                if name in _SPOKEN_ATTRIBUTES or (name == "value" and is_button):
                    self._judge(value or "")
        if tag in _VOID:
            return
        exempt = tag in _AS_IT_IS or ("lang" in names and tag != "html") or names.get("translate") == "no"
        if self._exempt or exempt:
            self._exempt.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Note the end of an element whose content is not translated."""
        if tag in self._exempt:
            while self._exempt.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        """Check the text between tags."""
        if not self._exempt:
            self._judge(data)

    def _judge(self, text: str) -> None:
        if _says_something(text.replace(HOLE, " ")):
            self.found.append((self.getpos()[0], " ".join(text.replace(HOLE, " ").split())))
