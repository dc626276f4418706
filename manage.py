#!/usr/bin/env python
"""The command line of Parable."""

from __future__ import annotations

import os
import sys

UTF8 = {"PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8"}


def speak_utf8() -> None:
    """Start again in Python's UTF-8 mode where the locale has another encoding: names may be Chinese."""
    encodings = {sys.getfilesystemencoding(), *(each.encoding for each in (sys.stdout, sys.stderr) if each)}
    if encodings != {"utf-8"} and not os.environ.items() >= UTF8.items():
        os.environ.update(UTF8)
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    speak_utf8()
    from config.command_line import main

    sys.exit(main(sys.argv[1:]))
