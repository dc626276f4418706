#!/usr/bin/env python
"""The command line of Parable."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run one command."""
    from django.core.management import execute_from_command_line

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
