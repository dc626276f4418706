"""A database for each slot in which mutants of services are judged: a copy of the template of tests."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from urllib.parse import urlsplit

from tests import services


def start_servers(stack: ExitStack) -> None:
    """Start PostgreSQL and Redis; the runs that are forked find them in the environment."""
    services._start(stack)


def enter(slot: int) -> None:
    """Give this process the database and the Redis of its slot."""
    sys.modules.pop("tests.services")  # pytest reads its plugins itself
    address = urlsplit(os.environ["DATABASE_URL"])
    os.environ["DATABASE_URL"] = address._replace(path=f"{address.path}_slot{slot}").geturl()
    os.environ["PYTEST_XDIST_WORKER"] = f"gw{slot}"
