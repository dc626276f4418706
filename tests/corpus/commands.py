"""Runs a command of ours as the terminal would, and hands back what it said."""

import io
import json
from dataclasses import dataclass
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError


@dataclass(frozen=True, slots=True)
class Output:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str
    verdict: str = ""

    @property
    def data(self) -> dict[str, Any]:
        """The JSON object of the last line."""
        found: dict[str, Any] = json.loads(self.out.splitlines()[-1])
        return found


def run(name: str, *arguments: object) -> Output:
    """Run a command with `--json`; an exception other than `CommandError` would be a traceback."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command(name, *map(str, arguments), "--json", stdout=out, stderr=err)
    except CommandError as error:
        return Output(error.returncode, out.getvalue(), err.getvalue(), str(error))
    return Output(0, out.getvalue(), err.getvalue())
