"""Extracts messages from Python files and templates. Scripts get their texts from the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from babel.messages.extract import DEFAULT_KEYWORDS, extract
from django.template.base import Lexer, Token, TokenType
from django.utils.translation import trim_whitespace
from django.utils.translation.template import block_re, constant_re, endblock_re, inline_re, plural_re

KEYWORDS = DEFAULT_KEYWORDS | {
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_noop": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext_noop": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
NOT_OURS = {".venv", "build", "tests", "node_modules", "var", "staticfiles", "benchmarks"}


@dataclass(frozen=True)
class Found:
    """A message in a source file: its text, or its singular and plural.

    The context is None if it has none.
    """

    path: str
    texts: tuple[str, ...]
    context: str | None = None
    comments: tuple[str, ...] = ()


def collect(base: Path) -> Iterator[Found]:
    """Yield all messages of the repository, first those of Python files, then those of templates."""
    for path in _files(base):
        with path.open("rb") as file:
            messages = list(extract("python", file, keywords=KEYWORDS, comment_tags=["Translators:"]))
        for _line, text, comments, context in messages:
            texts = (text,) if isinstance(text, str) else tuple(text)
            yield Found(_name(path, base), texts, context, tuple(comments))
    for path in templates(base):
        for texts, context in from_template(path.read_text(encoding="utf-8")):
            yield Found(_name(path, base), texts, context)


def templates(base: Path) -> list[Path]:
    """Return the paths of all templates in the repository."""
    return sorted((base / "templates").rglob("*.html"))


def _files(folder: Path) -> list[Path]:
    found = []
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in NOT_OURS and not path.name.startswith("."):
            found += _files(path)
        elif path.suffix == ".py":
            found.append(path)
    return found


def _name(path: Path, base: Path) -> str:
    return path.relative_to(base).as_posix()


def from_template(source: str) -> Iterator[tuple[tuple[str, ...], str | None]]:
    """Yield (texts, context) for each message in a template; the context may be None."""
    tokens = iter(Lexer(source).tokenize())
    for token in tokens:
        if token.token_type not in (TokenType.BLOCK, TokenType.VAR):
            continue
        for constant in constant_re.findall(token.contents):
            yield (_escaped(constant[1:-1]),), None
        if token.token_type is TokenType.VAR:
            continue
        if token.contents.split()[0] == "comment":
            _skip_comment(tokens)
        elif inline := inline_re.match(token.contents):
            yield (_escaped(inline[1][1:-1]),), _context(inline[3])
        elif block := block_re.match(token.contents):
            yield _block(tokens, trimmed="trimmed" in token.split_contents()), _context(block[2])


def _escaped(text: str) -> str:
    """Return the text with percent signs doubled, as in the messages that Django looks up for templates."""
    return text.replace("%", "%%")


def _context(quoted: str | None) -> str | None:
    return quoted[1:-1] if quoted else None


def _skip_comment(tokens: Iterator[Token]) -> None:
    for token in tokens:
        if token.token_type is TokenType.BLOCK and token.contents.strip() == "endcomment":
            return


def _block(tokens: Iterator[Token], *, trimmed: bool) -> tuple[str, ...]:
    """Consume the tokens up to the end of a blocktranslate; return its text, or singular and plural."""
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token.token_type is TokenType.BLOCK:
            if endblock_re.match(token.contents):
                break
            if plural_re.match(token.contents):
                parts.append([])
        elif token.token_type is TokenType.VAR:
            parts[-1].append(f"%({re.split(r'[|]', token.contents)[0].strip()})s")
        elif token.token_type is TokenType.TEXT:
            parts[-1].append(_escaped(token.contents))
    texts = ("".join(part) for part in parts)
    return tuple(trim_whitespace(text) if trimmed else text for text in texts)
