"""Programs that send access tokens to the programming interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Scope, User
from projects.services import create_token

Sent = dict[str, Any]
"""What a program sends as JSON, or as the fields of a form."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program with a token of somebody, who may do what the scopes say."""

    token: str
    base: str

    def ask(self, method: str, address: str, body: Any = None, **headers: str) -> Any:
        """Return the response to a request; other addresses than `/...` are below the project's."""
        if not address.startswith("/"):
            address = self.base + address
        client = Client(
            headers={"Authorization": f"Bearer {self.token}", **headers}, enforce_csrf_checks=True
        )
        if method in ("get", "head") or body is None:
            answer = getattr(client, method)(address)
        else:
            answer = getattr(client, method)(address, body, content_type="application/json")
        if answer.streaming:  # read at once, so that no file stays open
            content = answer.getvalue()
            for close in answer._resource_closers:  # `close` would end the test's connection, too
                close()
            answer.streaming_content = [content]
        return answer

    def get(self, address: str, **headers: str) -> Any:
        """Return what is at an address."""
        return self.ask("get", address, **headers)

    def post(self, address: str, body: Any = None, **headers: str) -> Any:
        """Return the response to what is sent."""
        return self.ask("post", address, {} if body is None else body, **headers)

    def upload(self, address: str, **fields: Any) -> Any:
        """Return the response to a form with files."""
        client = Client(headers={"Authorization": f"Bearer {self.token}"}, enforce_csrf_checks=True)
        return client.post(self.base + address, fields)

    def all(self, address: str) -> list[Any]:
        """Return the rows of all pages of a list."""
        rows, at = [], address
        while at:
            answer = self.get(at)
            assert answer.status_code == 200, answer.content
            rows += answer.json()["results"]
            at = (answer.json()["next"] or "").removeprefix("http://testserver")
        return rows

    def statements(self, address: str) -> int:
        """Return how many statements a page of a list takes, without those of the token and the roles."""
        with CaptureQueriesContext(connection) as seen:
            assert self.get(address).status_code == 200
        return len([one for one in seen.captured_queries if not _is_of_every_request(one["sql"])])


def _is_of_every_request(sql: str) -> bool:
    tables = ("projects_accesstoken", "projects_membership", 'FROM "projects_project"', "SAVEPOINT")
    return any(table in sql for table in tables)


def program(user: User, slug: str, *scopes: str) -> Program:
    """Return a program of this person for one project; with all scopes if none are named."""
    made = create_token(actor=user, name="a script", scopes=scopes or Scope.values, days=1)
    return Program(made.text, f"/api/v1/projects/{slug}/")
