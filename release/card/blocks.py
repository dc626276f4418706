"""Text as a list of blocks that can be rendered as Markdown or HTML."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

HEADING: Final = "heading"
PARAGRAPH: Final = "paragraph"
BULLETS: Final = "bullets"
TABLE: Final = "table"
CODE: Final = "code"


class Block(NamedTuple):
    """A block of a text: a heading with its level, a paragraph, a list, a table or code.

    The first row of a table has the column names.
    """

    kind: str
    text: str = ""
    level: int = 0
    lines: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def heading(text: str, level: int = 2) -> Block:
    """Return a heading. The title of the whole text has level 1."""
    return Block(HEADING, text, level)


def paragraph(text: str) -> Block:
    """Return a paragraph."""
    return Block(PARAGRAPH, text)


def bullets(lines: Iterable[str]) -> Block:
    """Return a bulleted list."""
    return Block(BULLETS, lines=tuple(lines))


def table(rows: Iterable[Sequence[object]]) -> Block:
    """Return a table; the first row has the column names."""
    return Block(TABLE, rows=tuple(tuple(map(str, row)) for row in rows))


def code(text: str) -> Block:
    """Return a code block."""
    return Block(CODE, text)


def as_markdown(blocks: Iterable[Block]) -> str:
    """Return the blocks as Markdown, with a final line feed."""
    return "\n\n".join(_written(block) for block in blocks) + "\n"


def _written(block: Block) -> str:
    if block.kind == HEADING:
        return f"{'#' * block.level} {_line(block.text)}"
    if block.kind == BULLETS:
        return "\n".join(f"- {_line(line)}" for line in block.lines)
    if block.kind == CODE:
        return f"```python\n{block.text}\n```"
    if block.kind == TABLE:
        head, *rows = block.rows
        return "\n".join(map(_row, [head, ("---",) * len(head), *rows]))
    return block.text


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_line(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _line(text: str) -> str:
    return " ".join(text.split())
