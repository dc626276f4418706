"""The connection of a process: taken as it is until something comes from the server unasked."""

from __future__ import annotations

from unittest.mock import patch

import psycopg
import pytest
from django.db import connection
from django.db.backends.postgresql import base

pytestmark = pytest.mark.django_db


def test_a_connection_that_stands_is_asked_nothing() -> None:
    connection.ensure_connection()
    with patch.object(base.DatabaseWrapper, "is_usable", side_effect=AssertionError("asked")):
        assert connection.is_usable()


def test_a_connection_that_the_server_has_ended_is_not_used_again() -> None:
    known = connection.get_connection_params()
    ours = connection.copy()
    try:
        ours.ensure_connection()
        assert ours.is_usable()
        pid = ours.connection.info.backend_pid
        with psycopg.connect(**{name: known[name] for name in known if name in ADDRESS}) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
        assert not ours.is_usable()
    finally:
        ours.close()


def test_a_connection_that_was_closed_here_is_not_usable() -> None:
    ours = connection.copy()
    ours.ensure_connection()
    ours.connection.close()
    assert not ours.is_usable()
    ours.connection = None
    assert not ours.is_usable()


ADDRESS = ("dbname", "host", "port", "user", "password")
