"""Removes quotes, bold, labels and list marks from a proposal."""

from __future__ import annotations

import re

from parable.llm.marks import drop_mark
from parable.reading.chatter import drop_label

_PAIRS = (
    ("“", "”"),
    ('"', '"'),
    ("「", "」"),
    ("『", "』"),
    ("‘", "’"),
    ("'", "'"),
    ("`", "`"),
    ("*", "*"),
    ("_", "_"),
)
_BOLD = re.compile(r"\*\*|__(?=\S)|(?<=\S)__")
_TRAILING = " \t;；,，、|"
_HAN_GAP = re.compile(
    r"(?<=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef])\s+(?=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef])"
)
_HAS_WORDS = re.compile(r"\w")


def clean_candidate(text: str) -> str:
    """Return the plain text of a proposal on one line; "" if it has no words."""
    text = _HAN_GAP.sub("", " ".join(_BOLD.sub("", text).split()))
    for _ in range(6):
        peeled = drop_label(drop_mark(_peel_quotes(text.strip(_TRAILING)))).strip(_TRAILING)
        if peeled == text:
            break
        text = peeled
    return text if _HAS_WORDS.search(text) else ""


def _peel_quotes(text: str) -> str:
    for opening, closing in _PAIRS:
        body, stop = (text[:-1], text[-1]) if text.endswith((".", "。")) else (text, "")
        if body[1:-1] and body.startswith(opening) and body.endswith(closing):
            inner = body[1:-1]
            # Two pairs of quotation marks belong to words inside the text and do not enclose it.
            if opening not in inner and closing not in inner:
                return inner if inner.endswith((".", "。")) else inner + stop
    return text
