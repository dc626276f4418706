"""Every page of a project says in its menu where it is, whoever opens it."""

from __future__ import annotations

import re
from typing import Final

import pytest
from django.urls import get_resolver

from dashboard.queries.navigation import has_nouns, page_of
from projects.models import Role
from projects.permissions import permissions_for
from tests.access.routes import routes, site_objects
from tests.access.test_matrix import _scene, ask, is_let_in, scene
from tests.access.world import Scene
from tests.browser.writer_pages import routes as patterns

__all__ = ["_scene", "scene"]

FEWEST: Final = {Role.MANAGER: 60, Role.OBSERVER: 50, Role.WRITER: 15, Role.REVIEWER: 8, Role.VERIFIER: 8}
"""How many pages the walk finds at least."""


def current(page: str, row: str) -> list[str]:
    """The labels of the links that are current in this row of the menu."""
    found = re.search(rf'<nav class="{row}".*?</nav>', page, re.DOTALL)
    return re.findall(r"<a [^>]*aria-current=[^>]*>([^<]+)", found[0]) if found else []


@pytest.mark.parametrize("role", Role)
def test_each_page_of_a_project_is_marked_in_its_menu(scene: Scene, role: Role) -> None:
    held, faults, seen = permissions_for([role]), [], 0
    objects = site_objects(scene.ours, scene.site)
    by_name = {name: str(pattern.pattern) for name, pattern in patterns(get_resolver())}
    for route in routes():
        address = "" if route.has_token or not route.takes("GET") else route.address(objects, objects)
        if not address.startswith("/p/"):
            continue
        answer, page = ask(scene, role, "GET", address)
        if not is_let_in(answer) or answer.status_code != 200 or "<!doctype html>" not in page:
            continue
        seen += 1
        where = page_of(by_name[route.name], held)
        wanted = ([str(where[1].label)], [str(where[0].label)] if has_nouns(held) else []) if where else None
        if (marked := (current(page, "sub"), current(page, "nav"))) != wanted:
            faults.append(f"{route.name}: {marked}, not {wanted}")
    assert not faults, "\n".join(faults)
    assert seen >= FEWEST[role]
