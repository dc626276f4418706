"""Converts texts with spans from other tools to items whose answer is marked spans.

The label of a span is its role, so the labels of a file show the task of its items. Spans that the file links
form a group; all spans without links form another. A role may occur only once in a group.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from parable.formats.errors import ErrorCode, ErrorList, InputError, excerpt
from parable.formats.fields import one_line_end
from parable.formats.format import Rows, Values
from parable.formats.limits import MAX_STORY_CHARS
from parable.kinds import anomaly, step
from parable.kinds.mark_json import MOST_GROUPS, MOST_MARKS, write_groups
from parable.kinds.marks import ANSWER, Group, Mark, in_order

FIELD: Final = "spans"
ROLES: Final[Mapping[str, Sequence[str]]] = {
    anomaly.ANOMALY.code: anomaly.ROLES,
    step.STEP.code: step.ROLES,
}
"""The roles of spans, by the code of the kind that uses them in one text."""
_LABELS: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {step.STEP.code: step.LABELS}
LABELS: Final = frozenset(
    label for roles in _LABELS.values() for labels in roles.values() for label in labels
)
"""Labels that a span may have in addition to its role."""
MOST_TIMES: Final = 20
"""Maximum number of marked characters in a text, as a multiple of its length.

Spans of published texts overlap up to three times.
"""


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A span as a tool marks it: its label, and the positions of its characters, counted in code points.

    `words` is the text that the file gives for the span, "" if none; `values` are its other attributes, one
    of which may be a label in addition to the role.
    """

    label: str
    positions: Sequence[int]
    id: str = ""
    words: str = ""
    values: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text of a file: its row, its other values by column, its spans, and links: ids of joined spans."""

    row: int
    text: str
    values: Values
    spans: Sequence[TextSpan] = ()
    links: Sequence[Sequence[str]] = ()


def kind_of_labels(labels: Iterable[str]) -> str | None:
    """Return the code of the kind that has most of these labels as roles; None if no kind has any."""
    found = Counter(code for label in labels for code, roles in ROLES.items() if label in roles)
    return found.most_common(1)[0][0] if found else None


def is_role(label: str) -> bool:
    """Return whether a label is a role of any kind."""
    return any(label in roles for roles in ROLES.values())


def marked_rows(texts: Sequence[MarkedText], errors: ErrorList, labels: Iterable[str] = ()) -> Rows:
    """Yield rows of items with their answer, or rows of texts alone if no label in the file is a role.

    `labels` are labels of further spans in the file, which are not answers of items but also show the kind.
    """
    kind = kind_of_labels(chain(labels, (span.label for one in texts for span in one.spans)))
    roles = [ROLES[kind]] if kind else [(f"{found[0]}…{found[-1]}",) for found in ROLES.values()]
    allowed = ", ".join(role for found in roles for role in found)
    for one in texts:
        values: dict[str, object] = {"story": one.text, **one.values}
        for label in {span.label: None for span in one.spans if span.label not in ROLES.get(kind or "", ())}:
            errors.remark(
                one.row, excerpt(label), ErrorCode.LABEL_NO_ROLE, found=excerpt(label), allowed=allowed
            )
        if kind is None:
            yield one.row, values
            continue
        try:
            groups = groups_of(one, kind)
        except InputError as refused:
            errors.add(one.row, refused.field, refused.code, **refused.params)
            continue
        if groups:
            errors.remark(one.row, FIELD, ErrorCode.SPANS_AS_ANSWER)
        yield one.row, values | {"task": kind, "own": {ANSWER: write_groups(groups)} if groups else None}


def groups_of(one: MarkedText, kind: str) -> list[Group]:
    """Return the groups of a text's spans.

    Raise InputError if the groups are not certain or a span is invalid.
    """
    if (marked := sum(len(span.positions) for span in one.spans)) > (most := MOST_TIMES * len(one.text)):
        raise InputError(ErrorCode.TOO_MANY_ENTRIES, field=FIELD, count=marked, limit=most)
    roles, places = ROLES[kind], _places(one.text)
    plain = one_line_end(one.text).strip()
    marks: list[Mark] = []
    ids: list[str] = []
    for span in one.spans:
        if span.label not in roles:
            continue
        positions = _checked(span, one.text, places)
        known = _LABELS.get(kind, {}).get(span.label, ())
        label = next((value for value in span.values if value in known), "")
        marks.append(Mark(span.label, "".join(plain[at] for at in positions), positions, label))
        ids.append(span.id)
    return _grouped(marks, ids, one.links, roles)


def marks_of(
    spans: Iterable[TextSpan], links: Iterable[Sequence[str]] = (), row: int = 1
) -> dict[str, object] | None:
    """Return the answer that these spans form; None if no label is a role.

    The text may be in another file. Raise InputError if the groups are not certain, or if a span has no
    characters or too many.
    """
    found = [*spans]
    kind = kind_of_labels(span.label for span in found)
    if kind is None:
        return None
    known = [span for span in found if span.label in ROLES[kind]]
    marks = []
    for span in known:
        if not span.positions or len(span.positions) > MAX_STORY_CHARS:
            raise InputError(
                ErrorCode.SPAN_OUTSIDE,
                field=FIELD,
                row=row,
                found=excerpt(span.label),
                length=MAX_STORY_CHARS,
            )
        marks.append(Mark(span.label, span.words, tuple(span.positions)))
    try:
        groups = _grouped(marks, [span.id for span in known], links, ROLES[kind])
    except InputError as refused:
        refused.row = row
        raise
    return {ANSWER: write_groups(groups)}


def _grouped(
    marks: Sequence[Mark], ids: Sequence[str], links: Iterable[Sequence[str]], roles: Sequence[str]
) -> list[Group]:
    groups = [in_order((marks[at] for at in group), roles) for group in _together(ids, links)]
    for group in groups:
        if repeated := [role for role, count in Counter(mark.role for mark in group).items() if count > 1]:
            raise InputError(ErrorCode.ROLE_TWICE, field=FIELD, role=repeated[0])
    for count, most in ((len(groups), MOST_GROUPS), (max(map(len, groups), default=0), MOST_MARKS)):
        if count > most:
            raise InputError(ErrorCode.TOO_MANY_ENTRIES, field=FIELD, count=count, limit=most)
    return groups


def _places(text: str) -> list[int | None]:
    """Return the position of each character in the stored text, or None if it is not stored.

    In the stored text, line ends are line feeds and outer white space is removed.
    """
    plain = one_line_end(text)
    start = len(plain) - len(plain.lstrip())
    end = len(plain.rstrip())
    found: list[int | None] = []
    at = 0
    for place, char in enumerate(text):
        if char == "\n" and place and text[place - 1] == "\r":
            found.append(None)
            continue
        found.append(at - start if start <= at < end else None)
        at += 1
    return found


def _checked(span: TextSpan, text: str, places: Sequence[int | None]) -> tuple[int, ...]:
    shown = f"{span.positions[0]}–{span.positions[-1] + 1}" if span.positions else excerpt(span.label)
    if not span.positions or any(not 0 <= at < len(text) for at in span.positions):
        raise InputError(ErrorCode.SPAN_OUTSIDE, field=FIELD, found=shown, length=len(text))
    there = "".join(text[at] for at in span.positions)
    if span.words and "".join(span.words.split()) != "".join(there.split()):
        words, there = excerpt(span.words), excerpt(there)
        raise InputError(ErrorCode.SPAN_MISSPELLED, field=FIELD, found=shown, words=words, there=there)
    kept = tuple(place for at in span.positions if (place := places[at]) is not None)
    if not kept:
        raise InputError(ErrorCode.SPAN_OUTSIDE, field=FIELD, found=shown, length=len(text))
    return kept


def _together(ids: Sequence[str], links: Iterable[Sequence[str]]) -> Iterator[list[int]]:
    """Yield the indexes of spans that links join, directly or through others, then those without links."""
    first = {name: name for name in ids if name}

    def root(name: str) -> str:
        while first[name] != name:
            first[name] = first[first[name]]
            name = first[name]
        return name

    linked: set[str] = set()
    for link in links:
        known = [name for name in link if name in first]
        if len(known) > 1:
            linked |= {*known}
            for name in known[1:]:
                first[root(name)] = root(known[0])
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for at, name in enumerate(ids):
        groups[root(name) if name in linked else ""].append(at)
    alone = groups.pop("", [])
    yield from groups.values()
    if alone:
        yield alone


def span_between(label: str, start: object, end: object, **more: str) -> TextSpan:
    """Return the span from `start` to before `end`; it has no characters if these are not valid positions."""
    numbers = [one for one in (start, end) if isinstance(one, int) and not isinstance(one, bool)]
    is_span = len(numbers) == 2 and 0 <= numbers[0] < numbers[1]
    return TextSpan(label, range(*numbers) if is_span else (), **more)
