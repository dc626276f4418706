#!/usr/bin/env python
"""The command line of Parable."""

from __future__ import annotations

import sys

from config.command_line import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
