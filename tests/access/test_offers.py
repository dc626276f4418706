"""Pages offer nobody a form, or a link to a page, that they would be refused."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest
from django.urls import Resolver404, resolve

from projects.models import Role
from projects.permissions import permissions_for
from tests.access.routes import Route, routes, site_objects
from tests.access.test_matrix import _scene, ask, is_let_in, scene
from tests.access.world import Scene

__all__ = ["_scene", "scene"]

HTMX = {f"hx-{method}": method.upper() for method in ("get", "post", "put", "patch", "delete")}


class _Offers(HTMLParser):
    """What a page lets people send, and where it leads: method and address of each."""

    def __init__(self) -> None:
        super().__init__()
        self.found = set[tuple[str, str]]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        if tag == "form" and "hidden" not in named:  # a hidden form is sent by buttons with a formaction
            self.found.add((named.get("method", "get").upper(), named.get("action", "")))
        elif tag == "a" and "href" in named:
            self.found.add(("GET", named["href"]))
        if "formaction" in named:
            self.found.add(("POST", named["formaction"]))
        self.found |= {(method, named[name]) for name, method in HTMX.items() if name in named}


@cache
def route_at(path: str) -> Route | None:
    """The route of ours that answers there; most links are on many pages."""
    try:
        name = resolve(path).view_name
    except Resolver404:
        return None
    return next((route for route in routes() if route.name == name), None)


def offers(page: str, address: str) -> Iterator[tuple[str, Route]]:
    """Return the offers of a page whose routes name a permission."""
    parser = _Offers()
    parser.feed(page)
    for method, offered in sorted(parser.found):
        route = route_at(urlsplit(offered).path or address)
        if route is not None and method in route.permissions:
            yield method, route


@pytest.mark.parametrize("role", Role)
def test_it_offers_no_one_what_they_may_not_do(scene: Scene, role: Role) -> None:
    held, faults, seen = permissions_for([role]), [], 0
    objects = site_objects(scene.ours, scene.site)
    for route in routes():
        if route.has_token or not route.takes("GET"):
            continue
        address = route.address(objects, objects)
        answer, page = ask(scene, role, "GET", address)
        if not is_let_in(answer) or "text/html" not in answer.headers.get("Content-Type", ""):
            continue
        for method, to in offers(page, address):
            seen += 1
            if to.permissions[method] not in held:
                faults.append(f"{route.name} offers {method} {to.name}")
    assert not faults, "\n".join(sorted(set(faults)))
    assert seen
