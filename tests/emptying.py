"""Empties the tables after a test that has committed: thirty times as fast as Django's flush.

Flush truncates, which creates new files for every table and index, and then writes all content types and
permissions again. Tests leave few rows, so deleting them is fast, and the rows of migrations and content
types are kept.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from django.db import connection, transaction

STAYS: Final = {"django_content_type", "auth_permission", "django_migrations"}


def empty_tables() -> None:
    """Delete all rows of all models, with the triggers disabled that would refuse it."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(_deletions())


@cache
def _deletions() -> str:
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    quoted = (connection.ops.quote_name(name) for name in sorted(set(names) - STAYS))
    return "; ".join(f"DELETE FROM {name}" for name in quoted)
