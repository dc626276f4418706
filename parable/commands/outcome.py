"""Exit codes of commands, and their result as JSON, printed as the last line or written to a file."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from parable.commands.results.numbers import finite

DONE: Final = 0
UNUSABLE: Final = 2
"""Exit code if a file cannot be used."""


def print_json(data: Mapping[str, Any]) -> None:
    """Print an object as one line of JSON, with null for numbers that are not finite."""
    print(json.dumps(finite(data), ensure_ascii=False, allow_nan=False))


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write an object to a JSON file, with null for numbers that are not finite; raise OSError on failure."""
    text = json.dumps(finite(data), ensure_ascii=False, indent=1, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def unusable(error: Exception, of: Path | None = None) -> int:
    """Print why a command cannot continue, naming the file `of` if given; return the exit code `UNUSABLE`."""
    if isinstance(error, OSError):
        message = f"{error.filename}: cannot be written: {error.strerror or error}."
    else:
        message = str(error) if of is None else f"{of}: {error}"
    print(message, file=sys.stderr)
    return UNUSABLE
