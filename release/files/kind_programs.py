"""The code that asks and scores items: modules of their kinds, copied into a release.

`score.py` of a release loads the copies, so that a kind is scored there by the code that scores it here,
whichever kind it is. Tasks with options are read by `score.py` itself, and need a copy only of the scorer of
partial credit.
"""

import ast
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any, Final

from parable.formats.other_answers import OWN
from parable.kinds import Kind, kind_of

KINDS: Final = "kinds/"
_READING: Final = "parable.reading."
_ABOUT: Final = (
    '"""How kinds of items are asked, read and scored: copies of the modules that define them."""\n'
)


def kinds_copied(tasks: Iterable[str]) -> tuple[Kind, ...]:
    """Return the kinds of these tasks whose code a release needs."""
    kinds = map(kind_of, tasks)
    return tuple(kind for kind in kinds if kind.answer == OWN or kind.measure)


def kind_settings(kinds: Iterable[Kind]) -> dict[str, dict[str, object]]:
    """Return by task where `score.py` finds its question and scorer, and how it counts scores."""
    return {
        kind.code: {
            "question": _named(type(kind.question)) if kind.answer == OWN else "",
            "scorer": _named(kind.scorer),
            "agrees_from": kind.agrees_from,
            "measure": kind.measure,
        }
        for kind in kinds
    }


def kind_modules(kinds: Iterable[Kind]) -> dict[str, str]:
    """Return the modules that these kinds need, by file name; {} for no kind.

    Raise ValueError if one imports anything besides the standard library and modules of `parable`, or if two
    would have the same file name.
    """
    waiting = [
        of.__module__
        for kind in kinds
        for of in (kind.scorer, *([type(kind.question)] if kind.answer == OWN else []))
    ]
    sources: dict[str, str] = {}
    named: dict[str, str] = {}
    while waiting:
        module = waiting.pop()
        if module in sources:
            continue
        sources[module], imported = _with_relative_imports(module)
        file = _file(module)
        if named.setdefault(file, module) != module:
            raise ValueError(f"{module} and {named[file]} would both be {file} in a release.")
        waiting += imported
    files = {_file(module): source for module, source in sources.items()}
    return {f"{KINDS}__init__.py": _ABOUT, **files} if files else {}


def _named(of: type | Callable[..., Any]) -> str:
    """Return the place of a class or function in a release, such as `kinds.anomaly:score_answer`."""
    if "<" in of.__qualname__:
        raise ValueError(f"{of.__qualname__} has no name by which a release could find it.")
    return f"{_file(of.__module__).removesuffix('.py').replace('/', '.')}:{of.__qualname__}"


def _file(module: str) -> str:
    folder = "reading/" if module.startswith(_READING) else KINDS
    return f"{folder}{module.rpartition('.')[2]}.py"


@cache
def _with_relative_imports(module: str) -> tuple[str, tuple[str, ...]]:
    """Return the source of a module as a release has it, and the modules that it imports there."""
    found = find_spec(module)
    if found is None or found.origin is None:
        raise ValueError(f"The source of {module} is missing.")
    source = Path(found.origin).read_text(encoding="utf-8")
    lines, imported = source.splitlines(keepends=True), list[str]()
    for line, name, is_relative in _imports(ast.parse(source), module):
        imported.append(name)
        if not is_relative:
            near = _file(name).removesuffix(".py").replace("/", ".")
            same_folder = _file(module).partition("/")[0] == near.partition(".")[0]
            there = f".{near.rpartition('.')[2]}" if same_folder else f"..{near}"
            lines[line] = lines[line].replace(f"from {name} import", f"from {there} import", 1)
    return "".join(lines), tuple(imported)


def _imports(tree: ast.AST, module: str) -> Iterator[tuple[int, str, bool]]:
    """Yield (index of the line, name of the module, whether the import is relative) of our own modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            name = resolve_name("." * node.level + (node.module or ""), module.rpartition(".")[0])
            yield node.lineno - 1, name, True
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("parable."):
            yield node.lineno - 1, node.module or "", False
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = (
                [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
            )
            for name in names:
                if name.partition(".")[0] not in sys.stdlib_module_names:
                    raise ValueError(f"{module} imports {name}, which a release does not have.")
