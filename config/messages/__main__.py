"""The command `python -m config.messages`, which extracts, compiles or checks translations."""

from __future__ import annotations

import sys

from config.messages import BASE, compile_stale
from config.messages.catalogues import faults, update
from config.messages.extraction import templates
from config.messages.scanner import unmarked_texts

USAGE = "Say one of: python -m config.messages extract | compile | check"


def main(arguments: list[str]) -> int:
    """Run a subcommand; return 0, 1 if the check reports faults, or 2 for incorrect usage."""
    if arguments == ["extract"]:
        for path in update():
            print(f"Updated {path.relative_to(BASE)}.")
        return 0
    if arguments == ["compile"]:
        compile_stale()
        return 0
    if arguments == ["check"]:
        found = [
            f"{path.relative_to(BASE)}:{line}: not marked for translation: {text!r}"
            for path in templates(BASE)
            for line, text in unmarked_texts(path.read_text(encoding="utf-8"))
        ]
        found += faults()
        for fault in found:
            print(fault)
        print(f"Messages: {len(found)} faults." if found else "Messages: all marked and translated.")
        return 1 if found else 0
    print(USAGE, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
