"""The dialog behind `?` lists the keys of the page that it is opened on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture import BASE

TEMPLATES = BASE / "templates"
OWN_KEY = re.compile(r'data-key="([^"{]+)"|components/_button\.html" with [^%]*\bkey="(\w)"')
ANY_KEY = re.compile(r"data-key=")
INCLUDED = re.compile(r'{% include "([^"]+)"')
LISTED = re.compile(r"{% block keys %}(.*?){% endblock(?: keys)? %}", re.DOTALL)


def _with_parts(name: str, seen: set[str]) -> str:
    """The source of a template and its parts, without components, whose keys their callers choose."""
    if name in seen or name.startswith("components/"):
        return ""
    seen.add(name)
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    return text + "".join(_with_parts(part, seen) for part in INCLUDED.findall(text))


def pages_with_keys() -> list[str]:
    """Pages with a key of their own, written in them or in a part of them."""
    pages = []
    for path in sorted(TEMPLATES.rglob("*.html")):
        name = path.relative_to(TEMPLATES).as_posix()
        if "{% extends" in path.read_text(encoding="utf-8") and ANY_KEY.search(_with_parts(name, set())):
            pages.append(name)
    return pages


@pytest.mark.parametrize("page", pages_with_keys())
def test_it_lists_every_key_of_a_page(page: str) -> None:
    text = _with_parts(page, set())
    listed = LISTED.search((Path(TEMPLATES) / page).read_text(encoding="utf-8"))
    assert listed, f"{page} has keys and lists none: it needs the block `keys`"
    keys = {one or other for one, other in OWN_KEY.findall(text)}
    assert keys - set(re.findall(r"<kbd>([^<{]+)</kbd>", listed[1])) == set()


def test_it_finds_the_pages_that_are_worked_by_keys() -> None:
    assert {"annotation/write.html", "review/blind.html", "generation/story.html"} <= set(pages_with_keys())
