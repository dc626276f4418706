"""Writes docs/formats.md from the formats' docstrings: `python -m scripts.formats > docs/formats.md`."""

import sys
from collections.abc import Iterator

from parable.formats.answer_log import answer_logs
from parable.formats.conversion import lost_words
from parable.formats.format import LOSABLE, Format
from parable.formats.items import FORMATS

HEAD = """# Formats of items

`manage.py import_items --format FORMAT`, the import page and `audit` read these formats. Without `--format`,
or with `auto`, the format is found by what the file holds, never by its name. A format of another tool passes
the mapping of columns ([layouts.md](layouts.md)), which gives what it lacks: `--map story:WORDS` where it has
no stories. `convert --to FORMAT` and *Other formats* on the page of a release write those that are also
written; the last column names what such a file has no place for, beside tasks that the tool does not know.
Items without a key are left out. This page is written by `python -m scripts.formats` from the modules of the
formats.

| `--format` | name | 名称 | also written | without |
|---|---|---|---|---|"""
LOGS = """
## Logs of evaluation and annotation tools

`parable score LOG --release DIR` and *Import responses* read these as they are. The answers are read by our
own rules; where the tool has a verdict of its own, `score` says how many agree and lists the others. An item
that a log does not name is found by the words of its prompt: the story, the question and behind it all
options, in the order of the release. Letters of answers are those of that order, which a tool must not
shuffle."""
TAIL = """
## One more format

A module in `parable/formats/foreign` and its test. The module ends in
`FORMAT = Format(code=..., label=..., label_zh=..., detect=..., rows=..., writer=...)`, where
`parable/formats/format.py` says what each is; its docstring is its section of this page. A log is likewise
a module in `parable/formats/logs` that ends in `LOG`."""


def page() -> str:
    """Return the text of docs/formats.md."""
    return "\n".join([HEAD, *_table(), *_sections(), LOGS, *_logs(), TAIL]) + "\n"


def _table() -> Iterator[str]:
    for one in FORMATS.values():
        written, lost = "no", ""
        if one.writer is not None:
            written = f"`{one.writer.suffix}`"
            lost = ", ".join(lost_words(name, "en") for name in LOSABLE if name not in one.writer.holds)
        yield f"| `{one.code}` | {one.label} | {one.label_zh} | {written} | {lost} |"


def _sections() -> Iterator[str]:
    for one in FORMATS.values():
        yield f"\n## `{one.code}`: {one.label}\n"
        yield about(one)


def _logs() -> Iterator[str]:
    for log in answer_logs():
        yield f"\n### {log.label}\n"
        yield (sys.modules[log.read.__module__].__doc__ or "").strip()


def about(one: Format) -> str:
    """Return the docstring of the module that defines a format."""
    reader = one.read or one.rows or one.book
    return (sys.modules[getattr(reader, "__module__", "")].__doc__ or "").strip()


if __name__ == "__main__":
    sys.stdout.write(page())
