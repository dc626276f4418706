"""The pages a writer can open, and a walk over the addresses of the site that finds those not named here."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from django.test import Client
from django.urls import URLPattern, get_resolver, resolve, reverse
from django.urls.converters import get_converters
from django.urls.resolvers import RoutePattern, URLResolver

from tests.browser.whole_site import Site

PAGES: Final = {
    "inbox": "/",
    "home": "{project}",
    "project-inbox": "{project}/inbox",
    "search": "/search",
    "search-found": "/search?q=tortoise",
    "desk": "{project}/write",
    "without-writer": "{project}/write/without-writer",
    "empty-sheet": "{project}/write/story/{story}?new=1",
    "commonsense": "{project}/write/draft/{commonsense}",
    "moral-item": "{project}/write/draft/{moral}",
    "moral-asked": "{project}/write/story/{story}?task=moral",
    "revising": "{project}/write/item/{returned}",
    "stories": "{project}/stories",
    "no-story": "{project}/stories?q=nothing+like+it",
    "story": "{project}/stories/{story}",
    "items": "{project}/items",
    "item": "{project}/items/{item}",
    "item-returned": "{project}/items/{returned}",
    "guideline": "{project}/guideline",
    "guideline-changes": "{project}/guideline/changes",
    "work-report": "{project}/work-report",
    "deputy": "{project}/review/deputy",
    "releases": "{project}/releases",
    "report": "/report",
    "glossary": "/help/glossary",
    "profile": "/me",
    "my-projects": "/me/projects",
    "new-project": "/projects/new",
    "password": "/accounts/password/change/",
    "who-are-you": "/accounts/reauthenticate/",
    "sign-out": "/accounts/logout/",
    "candidates": "{project}/candidates",
    "candidates-asked": "{project}/candidates/{story}",
    "candidates-story": "{project}/candidates/{drafted}",
    "candidates-batch": "{project}/candidates/batch?story={drafted}",
    "candidates-by-hand": "{project}/candidates/{drafted}/by-hand",
    "candidates-job": "{project}/jobs/{job}",
    "tried": "{project}/candidates/{drafted}/test/{moral}",
    "stem-options": "{project}/candidates/{drafted}/options/{commonsense}",
    "all-candidates": "{project}/candidates/all",
    "yield": "{project}/candidates/yield",
    "templates": "{project}/candidates/prompts",
    "template": "{project}/candidates/prompts/{template}",
    "template-new": "{project}/candidates/prompts/new",
    "missing": "{project}/stories/0",
    "no-page": "{project}/stories/{story}/moral",
}
"""By name, the address of each page a writer can open; in braces what `Site.address` fills in."""

WITHOUT_PRIMARY: Final = {
    "glossary",
    "no-story", "guideline-changes", "my-projects", "item", "story", "candidates-by-hand",
    "work-report", "releases", "yield", "candidates-job",
}  # fmt: skip
"""Pages that are read, with nothing to press that is more urgent than leaving them."""

NOT_A_WRITERS: Final = {"account_login", "account_inactive", "api-docs"}
"""Pages of people who are not signed in, and the interface's, for programmers, which others have drawn."""


def other_pages(site: Site) -> dict[str, str]:
    """By route, the address of each whole page that a writer gets and no address of `PAGES` leads to."""
    client = Client()
    client.force_login(site.cast.writer)
    known = {resolve(site.path(address).partition("?")[0]).view_name for address in PAGES.values()}
    return {
        name: address
        for name, pattern in routes(get_resolver())
        if name not in known | NOT_A_WRITERS and (address := _opens(client, site, name, pattern))
    }


def routes(resolver: URLResolver, space: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every route that has a name, but for the framework's own administration and the samples of style."""
    for each in resolver.url_patterns:
        if isinstance(each, URLPattern):
            if each.name and isinstance(each.pattern, RoutePattern):
                yield f"{space}{each.name}", each
        elif each.app_name != "admin":
            yield from routes(each, f"{space}{each.namespace}:" if each.namespace else space)


def _opens(client: Client, site: Site, name: str, pattern: URLPattern) -> str:
    """Return an address of this route that answers with a page, of all that the site holds, or ""."""
    choices = [_choices(site, converter) for converter in _converters(pattern)]
    for values in product(*choices):
        address = reverse(name, args=values)
        answer = client.get(address)
        if answer.status_code == 200 and "<html" in answer.content.decode(errors="replace")[:2000]:
            return address
    return ""


def _converters(pattern: URLPattern) -> list[str]:
    names = {type(converter): name for name, converter in get_converters().items()}
    return [names[type(each)] for each in getattr(pattern.pattern, "converters", {}).values()]


def _choices(site: Site, converter: str) -> list[str]:
    """What may stand in an address in place of a part of this kind."""
    numbers = [str(number) for number in sorted(site.numbers())]
    return {
        "slug": [site.cast.project.slug],
        "int": numbers,
        "place": numbers,
        "uuid": [str(draft) for draft in site.drafts.values()],
    }.get(converter, ["csv"])
