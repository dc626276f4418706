r"""GIFT, a text format of Moodle: `::name:: stem {=the key ~an option ~another}`, a blank line after each.

Questions with one or several right answers, and true-false questions, are items; others (short answer,
matching, numbers, essays, descriptions) are named and left out. An option with a weight is right if the
weight is above 0. Answers within a sentence leave a gap, `_____`. `// [id:...]` gives the id; otherwise the
name is the id, if every question has a different name. Feedback behind `####` is the explanation. HTML
becomes plain text; remarks name what is lost, and feedback on options, tags and categories, which are not
read.

A story is written before the stem, since people who answer in Moodle need it, with `\n` for its lines. A
comment gives its length, so that reading can separate it from the stem. Types, styles and languages are not
written.

Made by *Question bank*, *Export*, *GIFT format* in Moodle, or typed. Tried with gift-pegjs 1.0.2; Moodle's
reader was read, and not run.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from parable.formats.errors import ErrorCode, ErrorList, InputError
from parable.formats.format import Content, Format, Rows, Writer
from parable.formats.html_text import has_tags, text_of_html
from parable.formats.keys import Key
from parable.formats.markup import remark_kind
from parable.formats.option_marks import LETTERS
from parable.formats.records import ItemRecord, key_within
from parable.formats.source_file import SourceFile
from parable.kinds import KINDS, codes, kind_of

_HEAD: Final = 20_000
_ESCAPE: Final = re.compile(r"\\([\\~=#{}:n])")
_SPECIAL: Final = re.compile(r"([\\~=#{}:])")
_PARTS: Final = re.compile(r"((?:[^{}\\]|\\.)*)\{((?:[^{}\\]|\\.)*)\}(.*)", re.DOTALL)
"""The text before the answers, the answers, and the text after them."""
_NAME: Final = re.compile(r"::((?:[^:\\]|\\.|:(?!:))*)::", re.DOTALL)
_MARKUP: Final = re.compile(r"\[(html|markdown|plain|moodle)\]\s*", re.IGNORECASE)
_GENERAL: Final = re.compile(r"((?:[^#\\]|\\.|#(?!###))*)(?:####(.*))?", re.DOTALL)
_FEEDBACK: Final = re.compile(r"((?:[^#\\]|\\.)*)#?(.*)", re.DOTALL)
_OPTION: Final = re.compile(r"([~=])((?:[^~=\\]|\\.)*)", re.DOTALL)
_WEIGHT: Final = re.compile(r"%(-?[0-9]+(?:\.[0-9]+)?)%")
_IN_COMMENT: Final = re.compile(r"\[(id|tag):((?:\\\]|[^\]])*)\]")
_BRACKET: Final = r"\]"
_STORY: Final = re.compile(r"story: (\d+) characters")
_TRUE: Final = frozenset({"T", "TRUE"})
_FALSE: Final = frozenset({"F", "FALSE"})
_IDEOGRAPH: Final = re.compile(r"[\u3400-\u9fff]")


class _Question(NamedTuple):
    """The text of one question, the line where it begins, and the comments and category above it."""

    line: int
    text: str
    comments: str
    category: str


def _detect(file: SourceFile) -> bool:
    """Return whether the first question with answers has them in the form of GIFT."""
    for question in _questions(file.plain[:_HEAD]):
        parts = _PARTS.fullmatch(question.text)
        if parts is not None:
            answers = parts[2].strip()
            is_named = _NAME.match(question.text) is not None or bool(question.category)
            has_both = answers[:1] in {"=", "~"} and "~" in answers and "=" in answers
            return has_both or (
                is_named and (answers[:1] in {"", "=", "~", "#"} or _truth(answers) is not None)
            )
        if not (question.category or _NAME.match(question.text)):
            return False
    return False


def _questions(text: str) -> Iterator[_Question]:
    lines: list[str] = []
    comments: list[str] = []
    start, category = 0, ""
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        bare = line.strip()
        if bare.startswith("//"):
            comments.append(bare)
        elif bare.startswith("$CATEGORY:") and not lines:
            category = bare.partition(":")[2].strip()
        elif bare:
            start = start if lines else number
            lines.append(line)
        elif lines:
            yield _Question(start, "\n".join(lines).strip(), "\n".join(comments), category)
            lines, comments = [], []


def _rows(file: SourceFile, errors: ErrorList) -> Rows:
    rows = [(one.line, row) for one in _questions(file.text) if (row := _row(one, errors)) is not None]
    names = [row.pop("name") for _line, row in rows]
    are_ids = len({*names}) == len(names) and all(names)
    for (line, row), name in zip(rows, names, strict=True):
        known = {"id": name} if are_ids else {"name": name}
        yield line, {field: value for field, value in {**known, **row}.items() if value not in ("", None)}


def _row(question: _Question, errors: ErrorList) -> dict[str, object] | None:
    """Return the fields of a question; if it has no options, add a remark and return None."""
    name = _NAME.match(question.text)
    text = question.text[name.end() :].lstrip() if name else question.text
    markup = _MARKUP.match(text)
    text = text[markup.end() :] if markup else text
    parts = _PARTS.fullmatch(text)
    if parts is None:
        remark_kind(errors, question.line, "description")
        return None
    before, block, after = (part.strip() for part in parts.groups())
    answers, general = _cut(_GENERAL, block)
    format_said = markup[1].lower() if markup else "moodle"
    lost: list[str] = []

    def plain(written: str, reply: str = format_said) -> str:
        text = _ESCAPE.sub(lambda found: "\n" if found[1] == "n" else found[1], written.strip())
        if reply in {"plain", "markdown"} or (reply == "moodle" and not has_tags(text)):
            return text
        text, gone = text_of_html(text)
        lost.extend(gone)
        return text

    def plain_part(written: str) -> str:
        own = _MARKUP.match(written)
        return plain(written[own.end() :], own[1].lower()) if own else plain(written)

    reply = dict(_IN_COMMENT.findall(question.comments))
    length = _STORY.search(question.comments)
    stem = plain(f"{before} _____ {after}" if after else before)
    story = stem[: int(length[1])] if length else ""
    row: dict[str, object] = {
        "name": plain(name[1]) if name else "",
        "story": story,
        "question": stem[len(story) :].lstrip(),
        "explanation": plain_part(general),
        "tags": ", ".join(found for kind, found in _IN_COMMENT.findall(question.comments) if kind == "tag"),
        "category": question.category,
    }
    if "id" in reply:
        row["id"] = reply["id"].replace(r"\]", "]")
    truth = _truth(answers)
    if truth is not None:
        task, options = next((code, kind.options) for code, kind in KINDS.items() if kind.options)
        words = options["zh" if _IDEOGRAPH.search(stem) else "en"]
        row |= {"task": task, **dict(zip(LETTERS, words, strict=False)), "answer": Key(0 if truth else 1)}
    elif any(sign == "~" for sign, _text in _OPTION.findall(answers)):
        row |= _options(answers, plain_part)
    else:
        remark_kind(errors, question.line, _type_of(answers))
        return None
    if lost:
        errors.remark(question.line, "question", ErrorCode.MARKUP_LOST, found=", ".join(dict.fromkeys(lost)))
    return row


def _cut(at: re.Pattern[str], text: str) -> tuple[str, str]:
    """Return the texts before and after the separator in the pattern `at`.

    The second is "" if there is no text after it.
    """
    found = at.match(text)
    return (found[1].strip(), (found[2] or "").strip()) if found else (text, "")


def _truth(answers: str) -> bool | None:
    """Return whether a statement is true; None if the answers are not a truth value."""
    said = answers.partition("#")[0].strip().upper()
    return said in _TRUE if said in _TRUE | _FALSE else None


def _type_of(answers: str) -> str:
    if not answers:
        return "essay"
    if answers.startswith("#"):
        return "numerical"
    return "matching" if "->" in answers else "short answer"


def _options(answers: str, plain: Callable[[str], str]) -> dict[str, object]:
    """Return the options by letter, the key, and the feedback on options."""
    parts = _OPTION.findall(answers)
    is_single = any(sign == "=" for sign, _text in parts)
    texts: list[str] = []
    right: list[int] = []
    remarks: list[str] = []
    for place, (sign, text) in enumerate(parts):
        said, feedback = _cut(_FEEDBACK, text)
        weight = _WEIGHT.match(said) if sign == "~" else None  # after `=`, Moodle reads it as text
        texts.append(plain(said[weight.end() :] if weight else said))
        remarks += [plain(feedback)] if feedback else []
        if sign == "=" or (not is_single and weight and float(weight[1]) > 0):
            right.append(place)
    if len(texts) > len(LETTERS):
        return {"A": InputError(ErrorCode.TOO_MANY_OPTIONS, count=len(texts), limit=len(LETTERS))}
    several = {} if is_single or len(right) < 2 else {"task": codes("has_several_keys")[0]}
    key = Key(right[0]) if len(right) == 1 else ", ".join(LETTERS[place] for place in right)
    return {
        **several,
        **dict(zip(LETTERS, texts, strict=False)),
        "answer": key,
        "feedback": " ".join(remarks),
    }


def _parts(items: Iterable[ItemRecord]) -> Iterator[bytes]:
    for item in items:
        named = "" if item.id.endswith("\\") else f"[id:{item.id.replace(']', _BRACKET)}]"
        comment = f"// {named}"
        if item.story:
            comment += f" story: {len(item.story)} characters"
        text = f"{item.story}\n\n{item.question}" if item.story else item.question
        general = f"####{_part(item.explanation)}\n" if item.explanation else ""
        answers = "\n".join(_answers(item))
        stem = f"::{_escaped(item.id)}::[plain]{_escaped(text)}"
        yield f"{comment}\n{stem} {{\n{answers}\n{general}}}\n\n".encode()


def _answers(item: ItemRecord) -> Iterator[str]:
    """Yield the lines of the answers; raise ValueError for answers that GIFT cannot express."""
    kind = kind_of(item.task)
    if kind.options:
        yield "FT"[key_within(item) == 0]
    elif kind.has_several_keys and item.answers:
        share = f"{100 / len(item.answers):.5f}".rstrip("0").rstrip(".")
        for index, option in enumerate(item.choices):
            yield f"~%{share if index in item.answers else -100}%{_part(option)}"
    elif kind.has_one_key:
        for index, option in enumerate(item.choices):
            sign = "=" if index == key_within(item) else "~%0%" if option.startswith("%") else "~"
            yield f"{sign}{_part(option)}"
    else:
        raise ValueError(f"GIFT cannot say the answer of item {item.id!r}.")


def _part(text: str) -> str:
    """Return an escaped option or explanation; put `[plain]` before a leading tag such as `[html]`."""
    return f"{'[plain]' if _MARKUP.match(text) else ''}{_escaped(text)}"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text).replace("\n", "\\n")


FORMAT: Final = Format(
    code="gift",
    label="GIFT (Moodle)",
    label_zh="GIFT（Moodle）",
    contents=frozenset({Content.TEXT}),
    detect=_detect,
    rows=_rows,
    writer=Writer(
        suffix=".gift.txt",
        parts=_parts,
        kinds=lambda kind: kind.has_one_key or kind.has_several_keys,
        holds=frozenset({"id", "story", "explanation", "lines"}),
    ),
)
