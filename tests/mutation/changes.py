"""The mutants of a source file: one change each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators, operator_string

QUICK_SWAPS: Final = {"any": "all", "all": "any", "min": "max", "max": "min", "first": "last"}
"""Names of which the other one is as easily written, and which mutmut leaves alone."""

SQL_SWAPS: Final = (
    (r"\bNOT EXISTS\b", "EXISTS"),
    (r"\bAND NOT\b", "AND"),
    (r"\bWHERE NOT\b", "WHERE"),
    (r"\bIS NOT NULL\b", "IS NULL"),
    (r"\bIS NULL\b", "IS NOT NULL"),
    (r" DESC\b", ""),
    (r" = ", " <> "),
    (r" < now\(\)", " > now()"),
    (r" > now\(\)", " < now()"),
    (r" AND \b", " OR "),
)
"""Changes inside an SQL statement. Its states are compared by `=`, so that no string need be changed."""

_SQL: Final = re.compile(r"\b(SELECT|UPDATE|INSERT INTO|WHERE|FROM|AND)\b")
_WORDS: Final = {"_", "gettext", "ngettext", "gettext_lazy", "_words"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A source file with one change: where it is, and the line before and after."""

    path: str
    line: int
    before: str
    after: str
    source: str

    @property
    def name(self) -> tuple[str, str, str]:
        """What distinguishes it from other mutants, also when lines have moved."""
        return self.path, self.before, self.after


class Source:
    """A source file, read once; each of its changes is made into a mutant when that is asked for."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text
        self._wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        finder = _Finder()
        self._wrapper.visit(finder)
        self._changes = finder.changes
        self._positions = self._wrapper.resolve(PositionProvider)

    def __len__(self) -> int:
        return len(self._changes)

    def mutant(self, number: int) -> Mutant | None:
        """The mutant of one change; none where Python cannot read it, or nothing differs."""
        node, changed = self._changes[number]
        mutated = cst.ensure_type(self._wrapper.module.deep_replace(node, changed), cst.Module).code
        if mutated == self.text or not _is_python(mutated):
            return None
        before, after = _differing(self.text, mutated)
        return Mutant(self.path, self._positions[node].start.line, before, after, mutated)


def _is_python(source: str) -> bool:
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def _differing(source: str, mutated: str) -> tuple[str, str]:
    """The lines that differ, joined and without their indentation."""
    old, new = source.splitlines(), mutated.splitlines()
    shorter = min(len(old), len(new))
    start = next((index for index in range(shorter) if old[index] != new[index]), shorter)
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return _joined(old[start : len(old) - end]), _joined(new[start : len(new) - end])


def _joined(lines: Sequence[str]) -> str:
    return " ".join(line.strip() for line in lines)


class _Finder(cst.CSTVisitor):
    """Walks a file and keeps what could be changed; passes over what no test should look at.

    Left alone: docstrings, annotations, imports, decorators, assertions, `__all__`, and sentences for people.
    """

    def __init__(self) -> None:
        super().__init__()
        self.changes: list[tuple[cst.CSTNode, cst.CSTNode]] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Keep the changes of this node; say whether to look inside."""
        if isinstance(node, cst.Import | cst.ImportFrom | cst.Annotation | cst.Decorator | cst.Assert):
            return False
        if isinstance(node, cst.Expr) and isinstance(node.value, cst.BaseString):
            return False
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in _WORDS:
            return False
        if isinstance(node, cst.Assign) and _assigns_all(node):
            return False
        self.changes += [(node, changed) for changed in _changes(node)]
        return True


def _assigns_all(node: cst.Assign) -> bool:
    target = node.targets[0].target
    return isinstance(target, cst.Name) and target.value == "__all__"


def _changes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for kind, operator in mutation_operators:
        if isinstance(node, kind):
            changed = operator(node)
            # of a string, only the first change: another case shows no more
            yield from list(changed)[:1] if operator is operator_string else changed
    yield from _swapped_name(node)
    yield from _one_element_less(node)
    yield from _no_condition(node)
    yield from _other_sql(node)


def _swapped_name(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Swap a function that is called for its twin."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in QUICK_SWAPS:
        yield node.with_changes(func=cst.Name(QUICK_SWAPS[node.func.value]))


def _one_element_less(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Leave one member out of a set, list, tuple or mapping that is written down."""
    if isinstance(node, cst.Set | cst.List | cst.Tuple | cst.Dict) and len(node.elements) > 1:
        for index in range(len(node.elements)):
            yield node.with_changes(elements=[*node.elements[:index], *node.elements[index + 1 :]])


def _no_condition(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Take the condition of an `if` for always and for never met; drop one of a comprehension."""
    if isinstance(node, cst.If):
        yield node.with_changes(test=cst.Name("True"), whitespace_before_test=cst.SimpleWhitespace(" "))
        yield node.with_changes(test=cst.Name("False"), whitespace_before_test=cst.SimpleWhitespace(" "))
    if isinstance(node, cst.CompFor) and node.ifs:
        yield node.with_changes(ifs=())


def _other_sql(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Turn one condition of an SQL statement round, or drop it."""
    if not isinstance(node, cst.SimpleString | cst.FormattedStringText) or not _SQL.search(node.value):
        return
    for pattern, other in SQL_SWAPS:
        for found in re.finditer(pattern, node.value):
            changed = node.value[: found.start()] + other + node.value[found.end() :]
            yield node.with_changes(value=changed)
