"""What Schemathesis makes of the schema is answered as the schema says, as each role and with each scope.

It draws parameters and bodies that fit an operation, and others that do not. Two of three requests are about
objects that are there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import cycle
from typing import Any, Final

import pytest
import schemathesis
from django.core import signals
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.core.failures import FailureGroup

from tests.access.routes import site_objects
from tests.access.test_matrix import undone
from tests.access.test_tokens_matrix import ALL, PEOPLE, SINGLE, Programs, _programs, programs
from tests.config.test_schema_answers import by_path

__all__ = ["_programs", "programs"]
WHO: Final = [*((role, ALL) for role in PEOPLE), *(("manager", scopes) for scopes in SINGLE)]
pytestmark = pytest.mark.drill

FUZZ: Final = int(os.environ.get("FUZZ", "1"))
"""Rounds: in each, every token asks for every operation once, in the next of `MODES`."""
MODES: Final = (
    (GenerationMode.POSITIVE, True),
    (GenerationMode.POSITIVE, False),
    (GenerationMode.NEGATIVE, True),
)
"""How a request is drawn, and whether it is about objects that are there."""
CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
PATIENT: Final = settings(
    deadline=None, database=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)


def closing(application: Any) -> Any:
    """Return the application as a server runs it, which closes each response."""

    def serve(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        response = application(environ, start_response)
        try:
            return [b"".join(response)]
        finally:
            response.close()

    return serve


def named(path: str, address: str) -> dict[str, str]:
    """Return the values in an address by the names in the path that it fits."""
    pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path)
    fits = re.fullmatch(pattern, address)
    assert fits, (path, address)
    return fits.groupdict()


def faults_of(
    operation: Any, mode: GenerationMode, there: Mapping[str, str] | None, tokens: Sequence[tuple[str, str]]
) -> list[str]:
    """Return what is wrong with the answers to these people's tokens, each of which asks once."""
    turns, faults = cycle(tokens), list[str]()

    @seed(len(operation.label))
    @settings(PATIENT, max_examples=len(tokens))
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Case[Any]) -> None:
        who, token = next(turns)
        if there is not None:
            case.path_parameters = dict(there)
        with undone():
            answer = case.call(headers={"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"})
        try:
            case.validate_response(answer, checks=CHECKS)
        except FailureGroup as group:
            what = "; ".join(f"{one.title}: {one.message}"[:300] for one in group.exceptions)
            sent = f"{case.method} {str(answer.request.url)[:200]} {str(case.body)[:200]}"
            faults.append(f"{who}: {sent} -> {answer.status_code} {what}")

    with suppress(Unsatisfiable):  # nothing is wrong for a path without parameters
        ask()
    return faults


@pytest.fixture
def in_one_transaction() -> Iterator[None]:
    """A server closes its connection between two requests, and with it the test's transaction."""
    ours = (signals.request_started, signals.request_finished)
    for signal in ours:
        signal.disconnect(close_old_connections)
    yield
    for signal in ours:
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("in_one_transaction")
def test_every_answer_is_as_the_schema_says(programs: Programs) -> None:
    described: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    schema = schemathesis.openapi.from_dict(described)
    schema.app = closing(get_wsgi_application())
    routes, objects = by_path(), site_objects(programs.scene.ours, programs.scene.site)
    tokens = [(f"{role} {'+'.join(scopes)}", programs.tokens[role, scopes]) for role, scopes in WHO] * FUZZ
    faults: list[str] = []
    for found in schema.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]  # a fault of the schema ends the test
        there = named(operation.path, routes[operation.path].address(objects, objects))
        for turn, (mode, is_there) in enumerate(MODES):
            asking = [one for at, one in enumerate(tokens) if (at + at // len(WHO)) % len(MODES) == turn]
            faults += faults_of(operation, mode, there if is_there else None, asking)
    assert faults == []
