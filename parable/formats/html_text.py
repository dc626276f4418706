"""Converts HTML in texts of other tools to plain text with lines, and names the elements that are lost."""

import html
import re
from typing import Final

_BLOCKS: Final = frozenset(
    {"p", "div", "br", "li", "tr", "ul", "ol", "table", "blockquote", "pre", "hr"}
    | {f"h{number}" for number in range(1, 7)}
)
_PARAGRAPHS: Final = frozenset({"p", "blockquote", "table", "pre"} | {f"h{number}" for number in range(1, 7)})
_UNSEEN: Final = frozenset({"script", "style", "rt", "rp"})
"""Elements whose content is skipped, such as `rt`, the pronunciation of a word."""
_LOST: Final = frozenset(
    {"img", "audio", "video", "object", "embed", "iframe", "svg", "math", "table", "input", "sub", "sup"}
    | {"s", "del"}
)
_TOKEN: Final = re.compile(r"<!--|-->|<(/?)([A-Za-z][A-Za-z0-9]*)([^<>]*)>")
_DEEPEST_LIST: Final = 20
_ALTERNATIVE: Final = re.compile(r"""\balt\s*=\s*(["'])(.+?)\1""")
_SPACE: Final = re.compile(r"[ \t\r\n\f]+")
_START: Final = re.compile(r"""\bstart\s*=\s*["']?(-?[0-9]{1,9})\b""")
_TAG: Final = re.compile(
    r"</?(?:p|br|div|span|b|i|u|em|strong|sub|sup|ul|ol|li|table|tr|td|th|img|a|h[1-6]|pre|code|font"
    r"|blockquote|ruby|rt|rp|rb|audio|video|small|hr|del|s)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)


def has_tags(text: str) -> bool:
    """Return whether a text contains HTML tags; `a < b` and `<name>` do not count."""
    return _TAG.search(text) is not None


def text_of_html(written: str) -> tuple[str, tuple[str, ...]]:
    """Return the plain text of HTML, and the names of the elements whose content it cannot represent.

    The text is scanned once: `html.parser` takes quadratic time for tags that are never closed.
    """
    pieces: list[str] = []
    lost: list[str] = []
    unseen, is_comment, end = 0, False, 0
    counts: list[int | None] = []

    def say(text: str) -> None:
        if not (unseen or is_comment):
            pieces.append(_SPACE.sub(" ", html.unescape(text)))

    for found in _TOKEN.finditer(written):
        say(written[end : found.start()])
        end = found.end()
        if found[0] in {"<!--", "-->"}:
            is_comment = found[0] == "<!--"
        elif not is_comment:
            name, is_end = found[2].lower(), bool(found[1])
            if name in {"ol", "ul"}:
                counts = _counted(counts, found[3], is_ordered=name == "ol", is_end=is_end)
            unseen = max(0, unseen + (-1 if is_end else 1)) if name in _UNSEEN else unseen
            if is_end:
                pieces.append("\n\n" if name in _PARAGRAPHS else "")
                continue
            lost += [name] if name in _LOST else []
            alternative = _ALTERNATIVE.search(found[3]) if name == "img" else None
            say(f"[{alternative[2]}]" if alternative else " " if name in {"td", "th"} else "")
            pieces.append("\n" if name in _BLOCKS else "")
            if name == "li" and counts and (number := counts[-1]) is not None:
                say(f"{number}. ")
                counts[-1] = number + 1
    say(written[end:])
    lines = [" ".join(filter(None, line.split(" "))) for line in "".join(pieces).split("\n")]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines))
    # non-breaking spaces are converted last, since HTML does not collapse them
    return text.replace("\u00a0", " ").strip(), tuple(dict.fromkeys(lost))


def _counted(
    counts: list[int | None], attributes: str, *, is_ordered: bool, is_end: bool
) -> list[int | None]:
    """Return the counters of the open lists after a list has begun or ended.

    Unordered lists have None.
    """
    if is_end or len(counts) >= _DEEPEST_LIST:
        return counts[:-1]
    first = _START.search(attributes)
    return [*counts, (int(first[1]) if first else 1) if is_ordered else None]
