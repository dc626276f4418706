"""How tests look at a page: on both screens, light and dark, with the rules of axe.

A page is loaded once in each language; screen and colours change under it. Most rules of axe read what a
page holds, which no colour changes: they are run once a screen. Contrast takes axe most of its time, and
depends on the styles of an element and of those around it: it is judged once for each kind of element that
holds words, in each language, on each screen, in light and dark.
"""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

LOCALES: Final = {"en": "en", "zh": "zh-CN"}
SIZES: Final[dict[str, ViewportSize]] = {
    "wide": {"width": 1280, "height": 900},
    "phone": {"width": 390, "height": 844},
}
Scheme: TypeAlias = Literal["light", "dark"]
SCHEMES: Final[tuple[Scheme, ...]] = ("light", "dark")
CONTRAST: Final = ["color-contrast", "link-in-text-block"]
"""The rules of axe that colours can break."""
AXE: Final = Axe().axe_script
OPTIONS: Final = {"resultTypes": ["violations"], "preload": False}
"""Without fetching what pages play and styles from elsewhere: the site has neither, and it takes a third."""
RUN: Final = "options => axe.run(options).then(found => found.violations)"
RUN_ON_NEW_KINDS: Final = """async ([seen, options]) => {
  const known = new Set(seen), fresh = new Map();
  const said = (each) => each.value.length < 16 && !/\\d/.test(each.value) ? each.value : "";
  const one = (node) => node.tagName + [...node.attributes]
    .filter(each => !/^(id|href|for|name|title|lang|action)$/.test(each.name))
    .map(each => each.name + (each.name === "class" ? [...node.classList].sort() : said(each)))
    .join(" ");
  const kind = (node) => node === document.body ? "" : kind(node.parentElement) + ">" + one(node);
  const hash = (text) => [...text].reduce((sum, letter) => Math.imul(31, sum) + letter.codePointAt() | 0, 7);
  const holdsWords = (node) => node.matches("input, textarea, select") ||
    [...node.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.data.trim());
  for (const node of document.body.querySelectorAll("*")) {
    if (!holdsWords(node) || !node.checkVisibility()) continue;
    const key = hash(kind(node));
    if (!known.has(key) && !fresh.has(key)) fresh.set(key, node);
  }
  const found = fresh.size ? (await axe.run({include: [...fresh.values()]}, options)).violations : [];
  return [[...fresh.keys()], found];
}"""
"""Axe on one element of each kind that is not among those seen; a kind is the tags, classes and states of an
element and of all around it."""
_judged: Final[dict[tuple[str, str, str], set[int]]] = defaultdict(set)
"""By language, screen and scheme the kinds of element whose contrast has been judged in this process."""


def listened_to(page: Page) -> tuple[Page, list[str]]:
    """The page, and a list to which whatever goes wrong in its scripts is added."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page, complaints


def look_at(page: Page, name: str, language: str, screen: str) -> list[Any]:
    """What axe finds on this screen, and whether the page is too wide for it; `SHOTS` keeps pictures."""
    page.set_viewport_size(SIZES[screen])
    found = _broken(page, {"rules": {rule: {"enabled": False} for rule in CONTRAST}})
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        if folder := os.environ.get("SHOTS"):
            shot = Path(folder) / f"{name}-{language}-{screen}-{scheme}.png"
            page.screenshot(path=str(shot), full_page=True)
        found += [(scheme, fault) for fault in _weak_contrast(page, _judged[language, screen, scheme])]
    if page.evaluate("document.scrollingElement.scrollWidth > innerWidth"):
        found.append("too wide")
    return found


def broken_rules(page: Page) -> list[Any]:
    """The rules of axe that the page breaks as it is shown now, each with the elements that break it."""
    return _broken(page, {})


def _broken(page: Page, options: dict[str, Any]) -> list[Any]:
    _bring_axe(page)
    return _faults(page.evaluate(RUN, OPTIONS | options))


def _weak_contrast(page: Page, seen: set[int]) -> list[Any]:
    """The words that cannot be told from what is behind them, among those of a kind that is not seen yet."""
    _bring_axe(page)
    kinds, violations = page.evaluate(RUN_ON_NEW_KINDS, [sorted(seen), OPTIONS | {"runOnly": CONTRAST}])
    if not violations:
        seen.update(kinds)
    return _faults(violations)


def _bring_axe(page: Page) -> None:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)


def _faults(violations: list[dict[str, Any]]) -> list[Any]:
    return [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in violations]
