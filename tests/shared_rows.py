"""Rows that are created once for all tests of a module.

They are created in a transaction that stays open around the tests. Changes by a test are rolled back to a
savepoint after it, as usual. A module with transactional tests cannot have such rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import transaction
from pytest_django import DjangoDbBlocker

Made = TypeVar("Made")


@contextmanager
def shared_rows(blocker: DjangoDbBlocker, make: Callable[[], Made]) -> Iterator[Made]:
    """Create rows for a module, and remove them in the end.

    A fixture should return a deep copy of objects that its tests change.
    """
    outer = transaction.atomic()
    outer._from_testcase = True  # type: ignore[attr-defined]  # as Django's own: durable blocks may begin inside
    with blocker.unblock():
        outer.__enter__()
    try:
        with blocker.unblock():
            made = make()
        yield made
    finally:
        with blocker.unblock():
            transaction.set_rollback(True)
            outer.__exit__(None, None, None)
