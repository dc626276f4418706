"""How tests look at a page: on both screens, light and dark, with the rules of axe.

A page is loaded once in each language; screen and colours change under it. Most rules of axe read what a
page holds, which no colour and no translation changes: they are run once for each shape of page, on all that
the first screen shows, then on what only the second shows. A shape is the elements that are shown, what they
say of themselves to a reader of screens, and whether they hold words; rows that are alike count once.
Contrast takes axe most of its time, and depends on how letters are painted and what is painted behind them:
it is judged once for each kind of element that holds words, in each language, on each screen, in light and
dark. The styles that tell kinds apart are read only where an element of another path is shown; a path is what
selectors can see of it and of all that it stands in. What one worker of a run has found to be sound, the
others do not look at again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

from tests.services import MARK

LOCALES: Final = {"en": "en", "zh": "zh-CN"}
SIZES: Final[dict[str, ViewportSize]] = {
    "wide": {"width": 1280, "height": 900},
    "phone": {"width": 390, "height": 844},
}
Scheme: TypeAlias = Literal["light", "dark"]
SCHEMES: Final[tuple[Scheme, ...]] = ("light", "dark")
CONTRAST: Final = ["color-contrast", "link-in-text-block"]
"""The rules of axe that colours can break."""
OF_SIZE: Final = ["scrollable-region-focusable"]
"""The rules that the size of a screen can break where what it shows stays."""
AXE: Final = Axe().axe_script
OPTIONS: Final = {"resultTypes": ["violations"], "preload": False}
"""Without fetching what pages play and styles from elsewhere: the site has neither, and it takes a third."""
RUN: Final = "options => axe.run(options).then(found => found.violations)"
RUN_ON_NEW: Final = """async ([options, ofSize]) => {
  const shown = [...document.body.querySelectorAll("*")].filter(each => each.checkVisibility());
  const before = window.shownBefore;
  window.shownBefore = new WeakSet(shown);
  if (!before) return (await axe.run(options)).violations;
  const isNew = (node) => node !== document.body && !before.has(node);
  const fresh = shown.filter(each => isNew(each) && !isNew(each.parentElement));
  const ran = [await axe.run({...options, runOnly: ofSize})];
  if (fresh.length) ran.push(await axe.run({include: fresh}, options));
  return ran.flatMap(each => each.violations);
}"""
"""Axe on all that is shown, or where it ran on this page before, on what was not shown then."""
HASH: Final = """
  const hash = (text) =>
    [...text].reduce((sum, letter) => Math.imul(31, sum) + letter.codePointAt() | 0, 7);
"""
HOLDS_WORDS: Final = """
  const holdsWords = (node) => node.matches("input, textarea, select") ||
    [...node.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.data.trim());
"""
SHAPE: Final = (
    """() => {
  const plain = /^(aria-(label|labelledby|describedby|controls|owns|valuenow|valuetext)|alt|title|lang)$/;
  const told = /^(aria-.*|role|type|tabindex|scope|alt|title|lang|for|href|hidden|disabled|required|open)$/;
"""
    + HASH
    + """
  const own = (node) => node.tagName + [...node.attributes].filter(each => told.test(each.name))
    .map(each => each.name + (plain.test(each.name) || /^(for|href)$/.test(each.name)
      ? Boolean(each.value) : each.value)).sort() +
    [...node.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.data.trim());
  const shape = (node) => hash(own(node) + [...new Set(
    [...node.children].filter(each => each.checkVisibility()).map(shape))]);
  return shape(document.body);
}"""
)
"""A number for what a page shows, as far as the rules of axe depend on it; like siblings count once."""
PATHS: Final = (
    """() => {
  const read =
    /^(class|type|role|name|lang|draggable|data-theme|aria-(current|selected|disabled|invalid|busy))$/;
"""
    + HASH
    + HOLDS_WORDS
    + """
  const state = (node) => [node.matches(":disabled"), node.checked, node.control?.disabled].map(Boolean);
  const own = (node) => node.tagName + [...node.attributes]
    .map(each => each.name + (read.test(each.name) ? each.value : "")).sort() + state(node);
  const chosen = [...document.querySelectorAll("[type=radio]:checked")].map(each => each.name + each.value);
  const known = new Map([[null, String(chosen)]]);
  const path = (node) => {
    if (!known.has(node)) known.set(node, hash(path(node.parentElement) + ">" + own(node)));
    return known.get(node);
  };
  const shown = [...document.body.querySelectorAll("*")]
    .filter(each => holdsWords(each) && each.checkVisibility());
  return [...new Set(shown.map(path))];
}"""
)
"""A number for each path of an element that is shown and holds words: the attributes that the style sheet
reads, of it and of all that it stands in, whether they are disabled or checked, and choices of the page."""
SEEN: Final = f"() => [({SHAPE})(), ({PATHS})(), document.scrollingElement.scrollWidth > innerWidth]"
"""What is asked of a page on a screen: its shape, its paths, and whether it is too wide."""
KINDS: Final = (
    """() => {
  const spent = (node) => node.matches(":disabled, [aria-disabled=true]") || Boolean(node.control?.disabled);
  const ground = (style) => [style.backgroundColor, style.backgroundImage, style.opacity, style.filter];
  const clear = /^rgba\\(0, 0, 0, 0\\),none,1,none$/, solid = /^rgb\\([^)]*\\),none,1,none$/;
  const known = new Map([[null, ""]]);
  const behind = (node) => {
    if (!known.has(node)) {
      const own = String(ground(getComputedStyle(node))), above = behind(node.parentElement);
      const under = above.replace("spent", ""), covers = solid.test(own) && (!under || solid.test(under));
      known.set(node, (clear.test(own) ? under : covers ? own : under + "|" + own)
        + (above !== under || spent(node) ? "spent" : ""));
    }
    return known.get(node);
  };
  const isLarge = (size, weight) => size >= (weight >= 700 ? 56 / 3 : 24);
  const ink = ({color, fontSize, fontWeight, textShadow, textDecorationLine}) =>
    [color, isLarge(parseFloat(fontSize), fontWeight), textShadow, textDecorationLine];
  const kind = (node) => [
    node.matches("a[href]") ? "a" + ink(getComputedStyle(node.parentElement)) : node.matches("input"),
    ink(getComputedStyle(node)), behind(node)].join(";");
"""
    + HOLDS_WORDS
    + """
  window.firstOfKind = new Map();
  for (const node of document.body.querySelectorAll("*"))
    if (holdsWords(node) && node.checkVisibility() && !firstOfKind.has(kind(node)))
      firstOfKind.set(kind(node), node);
  return [...firstOfKind.keys()];
}"""
)
"""The kinds of elements that hold words, and keeps the first of each; a kind is all that contrast depends on:
colour, size and weight of the letters, what is painted behind them, and for a link the words around it."""
RUN_ON_KINDS: Final = f"""async ([kinds, options]) => {{
  const there = new Set(({KINDS})()), asked = kinds.filter(each => there.has(each));
  if (!asked.length) return [asked, []];
  const found = await axe.run({{include: asked.map(each => firstOfKind.get(each))}}, options);
  return [asked, found.violations];
}}"""
"""The kinds that are still there, and what axe finds on the first element of each: a part of a page that
shows progress may have been replaced since its kinds were listed."""


class SharedLines:
    """Lines that all workers of a run add to one file and know of each other."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: set[str] = set()
        self._read = 0

    def missing(self, lines: Iterable[str]) -> set[str]:
        """Return which of the lines nobody has added."""
        wanted = set(lines)
        if not wanted <= self._known and self._path.exists():
            with self._path.open("rb") as file:
                file.seek(self._read)
                whole = file.read().rpartition(b"\n")  # another worker may be writing the last line
            self._read += len(whole[0] + whole[1])
            self._known |= set(whole[0].decode().split("\n"))
        return wanted - self._known

    def add(self, lines: Iterable[str]) -> None:
        """Add lines, in one piece."""
        with self._path.open("ab", buffering=0) as file:
            file.write("".join(f"{line}\n" for line in lines).encode())


_sound = SharedLines(Path(os.environ[MARK]) / "sound")
"""By screen the shapes of pages on which axe has found nothing; by language, screen and scheme the kinds of
element whose contrast is enough."""


def listened_to(page: Page) -> tuple[Page, list[str]]:
    """The page, and a list to which whatever goes wrong in its scripts is added."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page, complaints


def turn_to(page: Page, screen: str) -> None:
    """Show the page on this screen."""
    if page.viewport_size != SIZES[screen]:
        page.set_viewport_size(SIZES[screen])


def look_at(page: Page, name: str, language: str, screen: str) -> list[Any]:
    """What axe finds on this screen, and whether the page is too wide for it; `SHOTS` keeps pictures."""
    turn_to(page, screen)
    found: list[Any] = []
    shown, paths, is_too_wide = page.evaluate(SEEN)
    if shape := _sound.missing([f"{screen} {shown}"]):
        _bring_axe(page)
        options = OPTIONS | {"rules": {rule: {"enabled": False} for rule in CONTRAST}}
        found += _faults(page.evaluate(RUN_ON_NEW, [options, OF_SIZE]))
        _sound.add([] if found else shape)
    new_paths = _sound.missing(f"{language} {screen} {path}" for path in paths)
    schemes = SCHEMES if new_paths or os.environ.get("SHOTS") else ()
    names = f"{name}-{language}-{screen}", f"{language} {screen}"
    weak = [fault for scheme in schemes for fault in _weak(page, *names, scheme)]
    _sound.add([] if weak else new_paths)
    found += weak
    if is_too_wide:
        found.append("too wide")
    return found


def _weak(page: Page, name: str, where: str, scheme: Scheme) -> list[Any]:
    """What has too little contrast in this scheme."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}-{scheme}.png"), full_page=True)
    fresh = _sound.missing(f"{where} {scheme} {kind}" for kind in page.evaluate(KINDS))
    if not fresh:
        return []
    _bring_axe(page)
    kinds = sorted(each.removeprefix(f"{where} {scheme} ") for each in fresh)
    asked, violations = page.evaluate(RUN_ON_KINDS, [kinds, OPTIONS | {"runOnly": CONTRAST}])
    weak = _faults(violations)
    _sound.add([] if weak else (f"{where} {scheme} {kind}" for kind in asked))
    return [(scheme, fault) for fault in weak]


def broken_rules(page: Page) -> list[Any]:
    """The rules of axe that the page breaks as it is shown now, each with the elements that break it."""
    _bring_axe(page)
    return _faults(page.evaluate(RUN, OPTIONS))


def _bring_axe(page: Page) -> None:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)


def _faults(violations: list[dict[str, Any]]) -> list[Any]:
    return [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in violations]
