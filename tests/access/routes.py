"""Every route of the site from the URL table, and what its parameters can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
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

FIXED: Final[dict[str, dict[str, str]]] = {
    "review:export_statistics": {"kind": "csv"},
    "dashboard:export_overview": {"kind": "csv"},
    "dashboard:export_work_report": {"kind": "csv"},
    "dashboard:export": {"name": "items", "kind": "csv"},
    **{f"dashboard:{name}": {"listing": "items"} for name in ("bulk", "save_view", "delete_view")},
    "dashboard:hide_begin": {"role": "writer"},
    "release:export_downloads": {"kind": "csv"},
    "release:converted": {"code": "label_studio"},
    "evaluation:result_file": {"table": "accuracy", "ending": "csv"},
    "evaluation:replication_file": {"ending": "csv"},
    "evaluation:calibration_plot": {"plot": "test_information"},
    "dashboard:export_published": {"task": "anomaly_spans"},
}
"""Parameters that name no object."""

COMMON: Final = {"slug": "slug", "version": "version", "before": "version", "after": "later"}
OBJECTS: Final[dict[str, dict[str, str]]] = {
    **{
        f"review:{name}": {"pk": "claimed"}
        for name in (
            *("request", "solve", "verdict", "ruling", "misclick", "undo", "resume", "skip", "postpone"),
            *("name_deputy", "take_as_deputy"),
        )
    },
    "review:create_practice": {"item": "item"},
    "review:retire_practice": {"pk": "gold"},
    "review:restore_practice": {"pk": "gold"},
    "review:comments": {"item": "item"},
    "dashboard:item": {"pk": "item"},
    "dashboard:pilot": {"pk": "pilot"},
    "dashboard:undo_handover": {"pk": "hand_over"},
    "dashboard:end_reservation": {"pk": "reservation"},
    "dashboard:undo_bulk": {"pk": "bulk"},
    "dashboard:delete_view": {"pk": "view"},
    "accounts:reset": {"uidb64": "uid", "token": "reset_token"},
    "accounts:stop_mail": {"token": "mail_token"},
    "accounts:allow_projects": {"pk": "member"},
    "accounts:reset_link": {"pk": "member"},
    "projects:invite_accept": {"token": "invitation_token"},
    "projects:rename_type": {"pk": "type"},
    "projects:retire_type": {"pk": "type"},
    "projects:restore_type": {"pk": "type"},
    "projects:revoke": {"pk": "invitation"},
    "projects:member": {"pk": "member"},
    "projects:remove_member": {"pk": "member"},
    "projects:reset_link": {"pk": "member"},
    "jobs:withdraw_host": {"pk": "host"},
    "jobs:unbind_key": {"pk": "binding"},
    **{f"jobs:{name}": {"pk": "job"} for name in ("job", "pause", "resume", "cancel", "retry")},
    **{f"corpus:{name}": {"pk": "story"} for name in ("story", "edit", "rights")},
    **{f"annotation:{name}": {"pk": "item"} for name in ("take_over", "revise", "withdraw", "changes")},
    **{f"annotation:{name}": {"story": "story"} for name in ("write", "take", "see_moral")},
    "annotation:give_back": {"pk": "assignment"},
    "annotation:draft": {"client_id": "draft"},
    "annotation:restore": {"client_id": "draft"},
    "annotation:comment": {"pk": "item"},
    "annotation:contest": {"pk": "item"},
    "annotation:end_pilot": {"pk": "pilot"},
    "annotation:note_on_pilot": {"pk": "pilot", "story": "pilot_story"},
    "annotation:story_items": {"pk": "story"},
    "annotation:moral": {"pk": "story"},
    **{
        f"generation:{name}": {"pk": "endpoint"}
        for name in ("endpoint", "store_key", "discard_key", "restore", "test", "retire")
    },
    "generation:prompt": {"pk": "template"},
    **{f"generation:{name}": {"story": "story"} for name in ("story", "checks", "by_hand")},
    **{f"generation:{name}": {"story": "story", "draft": "draft"} for name in ("test_item", "stem_options")},
    "release:report_status": {"token": "report_token"},
    "release:answer_report": {"pk": "report"},
    "release:score": {"token": "team_token"},
    "release:revoke_team": {"pk": "team"},
    **{
        f"release:{name}": {"pk": "release_draft"}
        for name in (
            *("draft_contents", "draft_gates", "draft_settings", "draft_build", "draft_items"),
            *("check_draft", "exclude_items", "include_items", "return_items", "override_gate"),
            *("remove_override", "discard_draft", "restore_draft"),
        )
    },
    "release:file": {"name": "file"},
    "evaluation:public_file": {"name": "file"},
    "evaluation:imported": {"pk": "response_file"},
    "evaluation:retry_import": {"pk": "response_file"},
    **{f"evaluation:{name}": {"pk": "run"} for name in ("run", "responses", "download", "compare_probe")},
    "evaluation:panel": {"pk": "panel"},
    "evaluation:withdraw_seat": {"pk": "panel", "seat": "seat"},
    **{
        f"evaluation:{name}": {"pk": "results"}
        for name in (
            *("result", "result_items", "recalculate", "result_file"),
            *("replication", "figures_template", "replication_file"),
        )
    },
    **{
        f"evaluation:{name}": {"pk": "calibration"}
        for name in ("calibration", "calibrated_items", "calibration_plot")
    },
    **{
        f"evaluation:{name}": {"pk": "calibration", "name": "public_id"}
        for name in ("calibrated_item", "item_curve")
    },
    "evaluation:solve": {"token": "seat_token"},
    "api_job": {"pk": "job"},
    **{name: {"client_id": "draft"} for name in ("api_draft", "api_draft_check", "api_draft_separate")},
    "api_lease": {"pk": "claimed"},
    "api_comment": {"pk": "claimed"},
    "api_begun_answer": {"pk": "claimed"},
    "api_slots": {"pk": "story"},
    "api_score": {"token": "team_token"},
}
"""What object each parameter of a route names; a route whose parameters are not all known fails the test."""


@dataclass(frozen=True, slots=True)
class Route:
    """A route of ours: its name, and its parameters by the kind of object they name."""

    name: str
    objects: dict[str, str]
    fixed: dict[str, str]
    methods: frozenset[str] | None
    """What its decorator lets through to the view, or none where the view itself decides."""
    permissions: Mapping[str, Permission]
    """What `project_page` asks of who sends a method; empty where the view or a service decides."""

    def takes(self, method: str) -> bool:
        """Whether the view is called at all; else everybody is answered 405, whatever the address names."""
        return self.methods is None or method in self.methods

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
    parameters = set(pattern.pattern.converters)
    fixed = FIXED.get(name, {})
    known = COMMON | OBJECTS.get(name, {})
    missing = parameters - fixed.keys() - known.keys()
    assert not missing, f"{name}: say in tests/access/routes.py what {sorted(missing)} can be"
    objects = {one: known[one] for one in parameters - fixed.keys()}
    asked = getattr(pattern.callback, "permissions", {})
    return Route(name, objects, fixed, methods_of(pattern), asked)


def methods_of(pattern: URLPattern) -> frozenset[str] | None:
    """What `require_GET`, `require_POST` or `require_http_methods` was told, under other decorators too."""
    view: Callable[..., Any] | None = pattern.callback
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
