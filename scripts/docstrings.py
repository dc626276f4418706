"""Print the number of docstrings that are not written like those of Django, one measure a line.

Usage: python scripts/docstrings.py [--list verb|subject|words] [--draw N [--seed N]] [PATH ...]

The Python files in git are read, without tests, migrations and benchmarks, or only those below the given
paths. Only the first sentence of a docstring counts. In a function it should begin with a verb ("Return
..."); properties and fixtures may have noun phrases. The subject should not be "who", "what" or "nobody", and
words with too many meanings should not occur. `--list` prints the docstrings that fail a measure. `--draw`
prints random docstrings, in which a newcomer marks those that must be read twice.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent
GIT = shutil.which("git") or "git"
LEFT_OUT = re.compile(r"^(tests|benchmarks|findings)/|/migrations/")
SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+(?=[A-Z`\"'(])|\n\s*\n")
NOT_VERBS = re.compile(
    r"""
    a | about | above | after | all | also | an | and | another | any | as | at | because | before |
    below | beside | between | both | but | by | each | either | else | every | everybody | everything |
    few | fewer | first | for | from | half | here | how | if | in | instead | is | it | its | items |
    keys | last | least | less | many | more | most | names | neither | no | nobody | none | nor | not |
    nothing | numbers | of | on | one | only | or | other | others | our | out | over | people | per |
    rows | same | second | several | so | some | somebody | something | stories | such | than | that |
    the | their | them | then | there | these | they | this | those | three | through | to | two | under
    | unless | until | up | what | whatever | when | where | wherever | whether | which | whichever |
    who | whoever | whom | whose | why | with | within | without | words
    """,
    re.VERBOSE,
)
SUBJECT = re.compile(
    r"^(who|whom|whose|one|those|he|she|they)\b"
    r"|\b(what|whatever|whoever|whom|nobody|somebody|everybody)\b"
    r"|(?:^\w+|[,;:]) who\b",
    re.IGNORECASE,
)
OVERUSED = re.compile(
    r"\b(found|said|kept|places?|shown|marks?|asked|settled?|stands?|in hand)\b", re.IGNORECASE
)
NOUN_PHRASES = {"property", "cached_property", "fixture"}


@dataclass(frozen=True)
class Docstring:
    """The docstring of a module, class or function, and its location."""

    file: str
    line: int
    name: str
    text: str
    is_function: bool

    @property
    def first_sentence(self) -> str:
        """The first sentence, on one line, with quoted code replaced by `code`."""
        return " ".join(re.sub(r"`[^`]*`", "`code`", SENTENCE_END.split(self.text)[0]).split())

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.name}: {' '.join(self.text.split())}"


def main() -> None:
    """Print the measures, the docstrings that fail one of them, or randomly drawn docstrings."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("--list", choices=["verb", "subject", "words"])
    parser.add_argument("--draw", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    docstrings = list(read(wanted.paths))
    faults = {
        "verb": [each for each in docstrings if each.is_function and not begins_with_verb(each)],
        "subject": [each for each in docstrings if SUBJECT.search(each.first_sentence)],
        "words": [each for each in docstrings if OVERUSED.search(each.first_sentence)],
    }
    if wanted.draw or wanted.list:
        drawn = sorted(docstrings, key=lambda each: draw(wanted.seed, each))[: wanted.draw or 0]
        for each in faults[wanted.list] if wanted.list else drawn:
            print(each)
        return
    print(f"docstrings: {len(docstrings)}, of functions: {sum(each.is_function for each in docstrings)}")
    print(f"functions whose first sentence is not a verb phrase: {len(faults['verb'])}")
    print(f"first sentences with a subject like 'who' or 'what': {len(faults['subject'])}")
    print(f"first sentences with an over-used word: {len(faults['words'])}")


def draw(seed: int, docstring: Docstring) -> bytes:
    """Return a hash of a seed and a docstring.

    Sorting by the hash shuffles docstrings.
    """
    return hashlib.sha256(f"{seed}:{docstring}".encode()).digest()


def begins_with_verb(docstring: Docstring) -> bool:
    """Return whether the first word looks like a verb in its plain form."""
    word = re.split(r"[\s:,;.]", docstring.first_sentence)[0].lower()
    plain = not re.search(r"[^s]s$|ed$|ing$", word) or word in {"bring", "exceed", "focus", "need", "seed"}
    return word.isalpha() and plain and not NOT_VERBS.fullmatch(word)


def read(paths: list[str]) -> Iterator[Docstring]:
    """Yield every docstring in the Python files of the repository, or of the given paths only."""
    command = [GIT, "ls-files", "-z", "--", *(paths or ["*.py"])]
    names = subprocess.run(command, cwd=BASE, check=True, capture_output=True).stdout.decode().split("\0")
    for name in names:
        if not name.endswith(".py") or LEFT_OUT.search(name) or not (BASE / name).exists():
            continue
        for node in ast.walk(ast.parse((BASE / name).read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node)
                if text:
                    line, definition = getattr(node, "lineno", 1), getattr(node, "name", "module")
                    yield Docstring(name, line, definition, text, _is_function(node))


def _is_function(node: ast.AST) -> bool:
    """Return whether a definition is a function or method, and not a property."""
    words = {
        word for each in getattr(node, "decorator_list", []) for word in re.findall(r"\w+", ast.unparse(each))
    }
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not words & NOUN_PHRASES


if __name__ == "__main__":
    main()
