"""How tests look at a page: on both screens, light and dark, with the rules of axe.

A page is loaded once in each language; screen and colours change under it. Layout is looked at on both
screens in both languages. The rules of axe see light and dark in both languages, but each screen in one
colour per language, crossed over: what a rule sees of colours hangs on scheme and screen, not on language.
"""

from __future__ import annotations

import os
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
SCHEMES: Final[dict[tuple[str, str], Scheme]] = {
    ("en", "wide"): "light",
    ("en", "phone"): "dark",
    ("zh", "wide"): "dark",
    ("zh", "phone"): "light",
}
AXE: Final = Axe().axe_script
RUN: Final = "axe.run({resultTypes: ['violations'], preload: false}).then(found => found.violations)"
"""Without fetching what pages play and styles from elsewhere: the site has neither, and it takes a third."""


def listened_to(page: Page) -> tuple[Page, list[str]]:
    """The page, and a list to which whatever goes wrong in its scripts is added."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page, complaints


def look_at(page: Page, name: str, language: str, screen: str, *, with_rules: bool = True) -> list[Any]:
    """What axe finds on this screen, and whether the page is too wide for it; `SHOTS` keeps pictures."""
    scheme = SCHEMES[language, screen]
    page.set_viewport_size(SIZES[screen])
    page.emulate_media(color_scheme=scheme)
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}-{language}-{screen}-{scheme}.png"), full_page=True)
    found = broken_rules(page) if with_rules else []
    if page.evaluate("document.scrollingElement.scrollWidth > innerWidth"):
        found.append("too wide")
    return found


def broken_rules(page: Page) -> list[Any]:
    """The rules of axe that the page breaks as it is shown now, each with the elements that break it."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    return [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in page.evaluate(RUN)]
