"""Every route of the site from the URL table, and what its parameters can be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from inspect import getclosurevars, isfunction
from typing import Any, Final
from uuid import UUID

import pytest
from django.http import HttpResponse
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.exceptions import NoReverseMatch

from projects.permissions import Permission
from tests.access.world import World

NOBODY: Final = 2_000_000_000
ABSENT: Final[dict[str, Any]] = {
    "slug": "no-such-project",
    "draft": UUID(int=7),
    "version": "9.9.9",
    "later": "9.9.8",
    "file": "no-such-file.md",
    "public_id": "no-such-item",
    "claimed": UUID(int=8),
}
"""What is not there, by the kind of object; other numbers are NOBODY, and tokens are made up."""

FIXED: Final[dict[str, str | int]] = {
    "kind": "csv",
    "ending": "csv",
    "role": "writer",
    "listing": "items",
    "task": "anomaly_spans",
    "code": "label_studio",
    "table": "accuracy",
    "plot": "test_information",
    "export/name": "items",
    "versions/number": 1,
    "queue/stage": "cross_check",
    "audit/token/name": "audit.json",
    "overrides/gate": "rights",
}
"""Parameters that name no object, by the end of the address up to them."""

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")

OBJECTS: Final = {
    **{name: name for name in ("slug", "version", "item", "story", "draft", "seat")},
    "before": "version",
    "after": "later",
    "client_id": "draft",
    "uidb64": "uid",
    "item/pk": "item",
    "items/pk": "item",
    "stories/pk": "story",
    "pilots/pk": "pilot",
    "pilots/pk/story/story": "pilot_story",
    "assignments/pk": "assignment",
    "reservations/pk": "reservation",
    "handover/pk": "hand_over",
    "bulk/pk": "bulk",
    "views/pk": "view",
    "people/pk": "member",
    "members/pk": "member",
    "tokens/pk": "program",
    "invitations/pk": "invitation",
    "types/pk": "type",
    "hosts/pk": "host",
    "keys/pk": "binding",
    "jobs/pk": "job",
    "webhooks/pk": "webhook",
    "deliveries/delivery": "delivery",
    "endpoints/pk": "endpoint",
    "prompts/pk": "template",
    "batches/pk": "batch",
    "review/pk": "claimed",
    "requests/pk": "claimed",
    "practice/pk": "gold",
    "reports/pk": "report",
    "teams/pk": "team",
    "uploads/pk": "team_upload",
    "drafts/pk": "release_draft",
    "files/name": "file",
    "version/name": "file",
    "import/pk": "response_file",
    "item-imports/upload": "item_upload",
    "similar-pairs/pk": "similar_pair",
    "story-groups/pk": "story_group",
    "story-imports/upload": "story_upload",
    "runs/pk": "run",
    "panels/pk": "panel",
    "results/pk": "results",
    "item-analysis/pk": "calibration",
    "calibrations/pk": "calibration",
    "examinees/pk": "examinee",
    "response-files/pk": "response_file",
    "items/name": "public_id",
    "audit/token": "checked_file",
    "file-audits/token": "checked_file",
    "join/token": "invitation_token",
    "report/token": "report_token",
    "score/token": "team_token",
    "solve/token": "seat_token",
    "stop/token": "mail_token",
    "uidb64/token": "reset_token",
}
"""What object a parameter names, by the end of the address up to it.

An address says before a number what it is a number of, so a new page about a known kind of object needs no
line here. A route whose parameters are not all known fails the test.
"""


@dataclass(frozen=True, slots=True)
class Route:
    """A route of ours: its name, and its parameters by the kind of object they name."""

    name: str
    objects: dict[str, str]
    fixed: dict[str, str | int]
    methods: frozenset[str] | None
    """What its decorator lets through to the view, or none where the view itself decides."""
    permissions: Mapping[str, Permission]
    """What `project_page` asks of who sends a method; empty where the view or a service decides."""
    is_api: bool = False
    """Whether programs may call it: it is one of Django REST framework."""
    scopes: Mapping[str, str] = field(default_factory=dict)
    """The scope that each method needs of an access token; tokens are refused for other methods."""
    takes_bound_tokens: bool = False
    """Whether tokens that are for one project may call it."""

    def takes(self, method: str) -> bool:
        """Whether the view is called at all; else everybody is answered 405, whatever the address names."""
        return self.methods is None or method in self.methods

    @property
    def changes(self) -> list[str]:
        """The methods of an endpoint that no page has."""
        return [method for method in ("PUT", "PATCH", "DELETE") if self.is_api and self.takes(method)]

    def address(self, project: dict[str, Any], others: dict[str, Any]) -> str:
        """The address with the project of one world and the other objects of another."""
        values: dict[str, Any] = dict(self.fixed)
        for parameter, kind in self.objects.items():
            values[parameter] = (project if kind == "slug" else others)[kind]
        return reverse(self.name, kwargs=values)

    @property
    def names_objects(self) -> bool:
        """Whether it names more than a project."""
        return bool(set(self.objects.values()) - {"slug"})

    @property
    def has_token(self) -> bool:
        """Whether it opens to anyone with its token: what it shows is meant for them."""
        return any("token" in kind for kind in self.objects.values())


class Absent(dict[str, Any]):
    """Objects that are not there, whatever kind is asked for."""

    def __missing__(self, kind: str) -> Any:
        if kind in ABSENT:
            return ABSENT[kind]
        return "no-such-token" if "token" in kind or kind == "uid" else NOBODY


@contextmanager
def unsaid() -> Iterator[None]:
    """Refuse with the status alone, for who reads nothing else: most of a refusal's cost is its page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("config.middleware.render", lambda *_page, status: HttpResponse(status=status))
        yield


def patterns(
    resolver: URLResolver | None = None, spaces: tuple[str, ...] = ()
) -> Iterator[tuple[str, URLPattern]]:
    """Every route with its full name, as Django knows them."""
    for one in (resolver or get_resolver()).url_patterns:
        if isinstance(one, URLResolver):
            yield from patterns(one, (*spaces, one.namespace) if one.namespace else spaces)
        else:
            yield ":".join((*spaces, one.name or "")), one


def routes() -> tuple[Route, ...]:
    """The named routes of our own; those of the admin stand apart."""
    return _routes_of(get_resolver())


@cache  # what a view's decorators were told is read from closures, which takes a fifth of what a page takes
def _routes_of(_table: URLResolver) -> tuple[Route, ...]:
    found = {name: one for name, one in patterns() if one.name and not name.startswith("admin:")}
    return tuple(_route(name, one) for name, one in found.items())


def _route(name: str, pattern: URLPattern) -> Route:
    objects, fixed = dict[str, str](), dict[str, str | int]()
    parts = re.split(r"[/.]", re.sub(r"<\w+:", "<", str(pattern.pattern)))
    bare = [part.strip("<>") for part in parts]
    for at, part in enumerate(parts):
        if part.startswith("<"):
            keys = ["/".join(bare[start : at + 1]) for start in range(at + 1)]
            key = next((key for key in keys if key in FIXED or key in OBJECTS), None)
            assert key, f"{name}: say in tests/access/routes.py what {keys[-2:]} can be"
            if key in FIXED:
                fixed[bare[at]] = FIXED[key]
            else:
                objects[bare[at]] = OBJECTS[key]
    asked = getattr(pattern.callback, "permissions", {})
    view = getattr(pattern.callback, "cls", None)
    scopes = {method: str(scope) for method, scope in getattr(view, "scopes", {}).items()}
    is_bound = getattr(view, "takes_bound_tokens", False)
    return Route(name, objects, fixed, methods_of(pattern), asked, view is not None, scopes, is_bound)


def methods_of(pattern: URLPattern) -> frozenset[str] | None:
    """What `require_GET`, `require_POST` or `require_http_methods` was told, under other decorators too."""
    view: Callable[..., Any] | None = pattern.callback
    if cls := getattr(view, "cls", None):  # of Django REST framework
        return frozenset(one for one in METHODS if hasattr(cls, one.lower()))
    while view is not None:
        kept = getclosurevars(view).nonlocals if isfunction(view) else {}
        if "request_method_list" in kept:
            return frozenset(kept["request_method_list"])
        view = getattr(view, "__wrapped__", None)
    return None


def admin_addresses() -> Iterator[str]:
    """Every address of the admin, with the number 1 where a row is named."""
    for name, one in patterns():
        if not name.startswith("admin:") or not one.name:
            continue
        for parameters in (
            {},
            {"object_id": 1},
            {"app_label": "accounts"},
            {"content_type_id": 1, "object_id": 1},
        ):
            try:
                yield reverse(name, kwargs=parameters)
            except NoReverseMatch:
                continue
            break


def site_objects(world: World, site: dict[str, Any]) -> dict[str, Any]:
    """The objects of a world, and those of the whole site."""
    return site | world.objects
