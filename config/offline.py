"""Settings for tools such as mypy that import the code, but never connect to a server.

The server addresses are intentionally invalid, so that an accidental connection fails at once.
"""

from __future__ import annotations

import os
import sys

PLACEHOLDERS = {
    "DATABASE_URL": "postgres://nobody@localhost:1/none",
    "REDIS_URL": "redis://localhost:1/0",
    "PARABLE_SECRET_KEY": "not-a-secret-because-nothing-is-ever-signed-with-it",
}
for _name, _value in PLACEHOLDERS.items():
    os.environ.setdefault(_name, _value)

from config.settings import *  # noqa: E402, F403 - the placeholders must be there first

# `manage.py check` also checks the admin's pages, which are otherwise loaded on demand.
if "check" in sys.argv[1:2]:
    INSTALLED_APPS = ["django.contrib.admin", *INSTALLED_APPS[1:]]
