"""One program out of several modules: the parts that it uses, in one text that needs nothing of ours.

So the program that goes out with a release reads answers by the very rules that we read them by.
"""

from __future__ import annotations

import ast
import importlib.util
import io
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

OURS: Final = ("parable", "release")


@dataclass(frozen=True, slots=True)
class _Part:
    """A statement of a module: what it defines, what it uses, and its lines with the comment above them."""

    place: int
    names: frozenset[str]
    uses: frozenset[str]
    text: str


@dataclass(frozen=True, slots=True)
class _Module:
    name: str
    about: str
    parts: tuple[_Part, ...]
    imports: Mapping[str, tuple[str, str]]  # by name here: the module and its name there, "" for all of it


def bundle(name: str) -> str:
    """The module of this name with all that it uses of ours, as the text of one program.

    Of the modules that it imports from us only those statements are taken that are needed.
    """
    gathered = _Gathered()
    main = _read(name)
    for part in main.parts:
        gathered.take(name, part)
    new_names = _without_collisions(gathered)
    head = f'"""{main.about}"""\n\nfrom __future__ import annotations\n\n{_imports(gathered.imports)}\n'
    return head + "".join(_spaced(gathered, new_names, _in_order(name, gathered))) + "\n"


def _in_order(name: str, gathered: _Gathered) -> list[str]:
    """The modules, each after those that it imports from."""
    order: dict[str, None] = {}
    for source in sorted({source for source, _original in gathered.aliases.get(name, {}).values()}):
        order |= dict.fromkeys(_in_order(source, gathered))
    return [*order, name]


def _spaced(
    gathered: _Gathered, new_names: Mapping[str, Mapping[str, str]], modules: Sequence[str]
) -> Iterator[str]:
    """The statements in their order: air round what is long, none between short ones."""
    was_long = True
    for module in modules:
        for part in sorted(gathered.parts[module].values(), key=lambda part: part.place):
            is_long = "\n" in part.text
            yield "\n\n\n" if is_long or was_long else "\n"
            yield _renamed(part.text, new_names[module])
            was_long = is_long


@dataclass
class _Gathered:
    """What has been taken so far, modules after those that they need."""

    parts: dict[str, dict[int, _Part]] = field(default_factory=dict)
    imports: set[tuple[str, str, str]] = field(default_factory=set)
    aliases: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)

    def take(self, module: str, part: _Part) -> None:
        """Take a statement and whatever it needs."""
        if part.place in self.parts.get(module, {}):
            return
        read = _read(module)
        for used in sorted(part.uses & read.imports.keys()):
            self._import(module, used, *read.imports[used])
        self.parts.setdefault(module, {})[part.place] = part
        for other in read.parts:
            if other is not part and other.names & part.uses:
                self.take(module, other)

    def _import(self, module: str, used: str, source: str, original: str) -> None:
        if source.split(".", maxsplit=1)[0] not in OURS:
            self.imports.add((source, original, used))
            return
        self.aliases.setdefault(module, {})[used] = (source, original)
        for part in _read(source).parts:
            if original in part.names:
                self.take(source, part)


@cache
def _read(name: str) -> _Module:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise ValueError(name)
    text = Path(found.origin).read_text(encoding="utf-8")
    tree = ast.parse(text)
    return _Module(
        name, ast.get_docstring(tree, clean=False) or "", tuple(_parts(tree, text)), _imported(tree)
    )


def _imported(tree: ast.Module) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for node in tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name: (alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            found |= {alias.asname or alias.name: (node.module or "", alias.name) for alias in node.names}
    return found


def _parts(tree: ast.Module, text: str) -> Iterator[_Part]:
    lines = text.split("\n")
    body = tree.body[1:] if ast.get_docstring(tree) else tree.body
    for place, node in enumerate(body):
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Expr):
            continue
        after = body[place + 1] if place + 1 < len(body) else None
        last = after if isinstance(after, ast.Expr) else node  # what is said of a name stands below it
        names = frozenset(_defined(node))
        uses = frozenset(one.id for one in ast.walk(node) if isinstance(one, ast.Name)) - names
        yield _Part(place, names, uses, "\n".join(lines[_first_line(node, lines) - 1 : last.end_lineno]))


def _first_line(node: ast.stmt, lines: Sequence[str]) -> int:
    decorators = getattr(node, "decorator_list", [])
    first: int = min([node.lineno, *(one.lineno for one in decorators)])
    while first > 1 and lines[first - 2].startswith("#"):
        first -= 1
    return first


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    for target in targets:
        yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name)) if target else ()


def _without_collisions(gathered: _Gathered) -> dict[str, dict[str, str]]:
    """What each name of each module is called in the program: names that several have, by module."""
    own = {
        module: {name for part in parts.values() for name in part.names}
        for module, parts in gathered.parts.items()
    }
    new_names: dict[str, dict[str, str]] = {}
    taken: set[str] = set()
    for module, names in own.items():
        tail = module.rpartition(".")[2]
        new_names[module] = {name: f"{name}_of_{tail}" for name in sorted(names & taken)}
        taken |= names
    for module, aliases in gathered.aliases.items():
        for name, (source, original) in aliases.items():
            new = new_names[source].get(original, original)
            new_names[module] |= {name: new} if new != name else {}
    return new_names


def _renamed(text: str, new_names: Mapping[str, str]) -> str:
    """The text with other names for some of what it names; attributes and words in quotes stay."""
    if not new_names:
        return text
    lines = text.split("\n")
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    before = [None, *tokens]
    for token, previous in reversed(list(zip(tokens, before, strict=False))):
        is_attribute = previous is not None and previous.string == "."
        if token.type == tokenize.NAME and token.string in new_names and not is_attribute:
            row, start = token.start
            line = lines[row - 1]
            lines[row - 1] = line[:start] + new_names[token.string] + line[token.end[1] :]
    return "\n".join(lines)


def _imports(wanted: set[tuple[str, str, str]]) -> str:
    whole = [f"import {module}" for module, original, _used in sorted(wanted) if not original]
    names: dict[str, list[str]] = {}
    for module, original, used in sorted(wanted):
        if original:
            names.setdefault(module, []).append(original if original == used else f"{original} as {used}")
    return "\n".join(
        [*whole, *(f"from {module} import {', '.join(names[module])}" for module in sorted(names))]
    )
