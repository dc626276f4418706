"""Runs commands of `manage.py` in forks of one process that has loaded Django, with faults on request.

Usage: python -m tests.drills.commands, with the owner in DATABASE_URL too, since these commands are set up as
the owner. Each line of standard input is JSON: `{"arguments": [...], "fault": NAME, "out": FILE, "url":
DATABASE_URL}`; the answer is the wait status of the fork.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn
from unittest.mock import patch

os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"

import django
from django.core.checks import run_checks
from django.db.migrations import Migration

from config import command_line
from config.backup.errors import BackupError

django.setup()

from config.backup import commands, files  # noqa: E402 - after Django


def die(*_arguments: Any, **_named: Any) -> NoReturn:
    """End as by kill -9."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("it is dead")


def _refuse(*_arguments: Any, **_named: Any) -> NoReturn:
    raise BackupError("A crow sits on it.")


def _after_three_migrations(fault: Callable[[], NoReturn]) -> Any:
    whole, seen = Migration.apply, list[str]()

    def apply(self: Migration, *arguments: Any, **named: Any) -> Any:
        seen.append(self.name)
        done = whole(self, *arguments, **named)
        return fault() if len(seen) == 3 else done

    return patch.object(Migration, "apply", apply)


FAULTS: dict[str, Callable[[], Any]] = {
    "killed in the backup": lambda: patch.object(files, "fingerprints", die),
    "killed after three migrations": lambda: _after_three_migrations(die),
    "refused after three migrations": lambda: _after_three_migrations(_refuse),
    "killed after the commit": lambda: patch.object(command_line, "_prepare_role", die),
    "unusable after the commit": lambda: patch.object(commands, "check_as_application", _refuse),
}


def main() -> None:
    """Answer each line."""
    run_checks()  # so that each fork has all modules
    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if pid == 0:
            with Path(asked["out"]).open("w", encoding="utf-8") as out:
                os.dup2(out.fileno(), 1)
                os.dup2(out.fileno(), 2)
            os.environ["DATABASE_URL"] = asked["url"]
            if asked["fault"]:
                FAULTS[asked["fault"]]().start()
            sys.stdin.close()
            sys.exit(command_line.main(asked["arguments"]))
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
