"""Writes docs/formats.md and docs/doors.md from the modules of the formats: `python -m scripts.formats`."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from parable.formats.answer_log import AnswerLog, answer_logs
from parable.formats.conversion import lost_words
from parable.formats.format import LOSABLE, Format
from parable.formats.items import FORMATS
from release.files.harnesses import TEMPLATES

BASE: Final = Path(__file__).parents[1]
HEAD = """# Formats

Each section says what comes across, what does not, and the commands. [doors.md](doors.md) is the table of all
and says where each is done on the site. `python -m scripts.formats` writes both pages from the modules
of the formats.

Without `--format`, or with `auto`, the format is found by what the file holds, never by its name. A format of
another tool passes the mapping of columns ([layouts.md](layouts.md)), which gives what it lacks: an import
needs `--map story:WORDS` where a file has no stories. *Without* names what a written file has no place for,
beside tasks that the tool does not know. Items without a key are left out of it."""
LOGS = """
## Logs of evaluation and annotation tools

The answers are read by our own rules; where the tool has a verdict of its own, `score` says how many agree
and lists the others. An item that a log does not name is found by the words of its prompt: the story, the
question and behind it all options, in the order of the release. Letters of answers are those of that order,
which a tool must not shuffle."""
TAIL = """
## One more format

A module in `parable/formats/foreign` and its test. The module ends in
`FORMAT = Format(code=..., label=..., label_zh=..., detect=..., rows=..., writer=...)`, where
`parable/formats/format.py` says what each is; its docstring is its section of this page, and the last
paragraph of it, “Made by ... Tried with ...”, stands in the table of doors, too. A log is likewise a module
in `parable/formats/logs` that ends in `LOG`."""
HARNESSES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "evalscope": ("EvalScope", "python harness/evalscope/TAG.py"),
        "inspect_ai": ("Inspect", "inspect eval"),
        "lighteval": ("lighteval", "lighteval"),
        "lm_eval": ("lm-evaluation-harness", "lm_eval"),
        "opencompass": ("OpenCompass", "opencompass"),
    }
)
"""The name and the command of each harness that has a folder in a release."""


def formats_page() -> str:
    """Return the text of docs/formats.md."""
    return "\n".join([HEAD, *_sections(), LOGS, *_logs(), TAIL]) + "\n"


def doors_page() -> str:
    """Return the text of docs/doors.md."""
    text = (BASE / "scripts" / "doors.md.txt").read_text(encoding="utf-8")
    for name, rows in (
        ("ITEMS", map(_item_row, FORMATS.values())),
        ("ANSWERS", map(_answer_row, answer_logs())),
        ("HARNESSES", map(_harness_row, sorted(path.name for path in TEMPLATES.iterdir() if path.is_dir()))),
    ):
        text = text.replace(f"@{name}@", "\n".join(f"| {' | '.join(cells)} |" for cells in rows))
    return re.sub("@([a-z_]+):([a-z-]+)@", lambda found: _tried(found[1], found[2]), text)


PAGES: Final[Mapping[str, Callable[[], str]]] = MappingProxyType(
    {"formats.md": formats_page, "doors.md": doors_page}
)


def _sections() -> Iterator[str]:
    for one in FORMATS.values():
        yield f"\n## {heading(one)}\n"
        yield about(one)
        if one.writer is not None:
            lost = [lost_words(name, "en") for name in LOSABLE if name not in one.writer.holds]
            yield f"\nWritten as `{one.writer.suffix}`, without {', '.join(lost) or 'loss'}."
        yield from _block(item_commands(one))


def _logs() -> Iterator[str]:
    for log in answer_logs():
        yield f"\n### {log.label}\n"
        yield about(log)
        yield from _block(answer_commands(log))


def item_commands(one: Format) -> list[str]:
    """Return the commands that read a file of this format, and the command that writes it."""
    has_stories = one.writer is None or "story" in one.writer.holds
    commands = ["parable audit FILE", "manage.py import_items FILE --project SLUG"] if one.has_items else []
    if commands and has_stories:
        commands.append("manage.py import_stories FILE --project SLUG")
    elif commands:
        commands[-1] += ' --map "story:WORDS"'
    if one.writer is not None:
        commands.append(f"parable convert FILE --to {one.code} --out NEW{one.writer.suffix}")
    return commands


def answer_commands(log: AnswerLog) -> list[str]:
    """Return the commands that read this log."""
    return ["parable score FILE --release DIR", *["parable raters FILE"] * log.has_ratings]


def _block(commands: list[str]) -> Iterator[str]:
    if commands:
        yield "\n".join(["", "```", *commands, "```"])


def _item_row(one: Format) -> tuple[str, ...]:
    commands = " ".join(item_commands(one))
    comes = [what for what in ("items", "stories") if f"import_{what}" in commands] or ["answers, below"]
    goes = "" if one.writer is None else f"`{one.writer.suffix}`"
    link = f"[{heading(one)}](formats.md#{slug(heading(one))})"
    return link, one.label_zh, *origin(one), ", ".join(comes), goes


def _answer_row(log: AnswerLog) -> tuple[str, ...]:
    comes = "answers, ratings" if log.has_ratings else "answers"
    return f"[{log.label}](formats.md#{slug(log.label)})", *origin(log), comes


def _harness_row(folder: str) -> tuple[str, ...]:
    name, command = HARNESSES[folder]
    link = f"[{name}, `harness/{folder}/`](releases.md#loading-it)"
    return link, f"`{command}`", _tried(folder, folder.replace("_", "-"))


def _tried(environment: str, package: str) -> str:
    """Return the name of a package and its pinned version in an environment of the drills."""
    pins = (BASE / "tests" / "harnesses" / f"{environment}.txt").read_text(encoding="utf-8")
    return f"{package} {re.findall(rf'^{package}==(.+)$', pins, re.MULTILINE)[0]}"


def heading(one: Format) -> str:
    """Return the heading of a format's section."""
    return f"`{one.code}`: {one.label}"


def slug(title: str) -> str:
    """Return the anchor of a heading on GitHub."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def about(one: Format | AnswerLog) -> str:
    """Return the docstring of the module that defines a format or a log."""
    package = "foreign" if isinstance(one, Format) else "logs"
    own = f"parable.formats.{package}.{one.code}"
    return (sys.modules[own if own in sys.modules else one.read.__module__].__doc__ or "").strip()


def origin(one: Format | AnswerLog) -> tuple[str, str]:
    """Return (tool that makes such a file, tools it was tried with), from the end of the docstring.

    Raise `ValueError` if the last paragraph of the module's docstring does not say both.
    """
    last = " ".join(about(one).rpartition("\n\n")[2].split())
    found = re.fullmatch(r"Made by (.+?)\. Tried with (.+)\.", last)
    if found is None:
        raise ValueError(f"{one.code}: {last}")
    return found[1], found[2]


if __name__ == "__main__":
    for file, page in PAGES.items():
        (BASE / "docs" / file).write_text(page(), encoding="utf-8")
