"""How tests look at pages: a fault is found on the first page, screen and scheme that shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser import looking

pytestmark = pytest.mark.browser

PAGE = """<!doctype html><html lang="en"><title>A page</title><style>
body {{ background: #fff; color: #111 }} section {{ background: #eee }} div {{ opacity: .4 }}
@media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #ddd }} .night {{ color: #222 }} }}
@media (max-width: 600px) {{ .wide {{ display: none }} .pale {{ color: #aaa; background: #fff }} }}
@media (min-width: 600px) {{ .phone {{ display: none }} }}
</style><main><h1>Words</h1>{body}</main></html>"""
SOUND = "<p>Some words <b>and more</b>.</p><label>Name <input></label>"


@pytest.fixture
def sheet(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Page:
    """A page, and nothing known of any other."""
    monkeypatch.setattr(looking, "_sound", looking.SharedLines(tmp_path / "sound"))
    return page


def look(sheet: Page, body: str) -> dict[str, list[Any]]:
    """What is found on each screen."""
    sheet.set_content(PAGE.format(body=body))
    found = {screen: looking.look_at(sheet, "page", "en", screen) for screen in looking.SIZES}
    return {screen: [_name(one) for one in faults] for screen, faults in found.items() if faults}


def _name(fault: Any) -> Any:
    """The rule, and the scheme if colours broke it."""
    if isinstance(fault, str):
        return fault
    first, second = fault
    return (first, second[0]) if isinstance(second, tuple) else first


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (SOUND + "<input>", {"wide": ["label"]}),
        (SOUND + '<p class="phone"><input></p>', {"phone": ["label"]}),
        (SOUND + "<button></button>", {"wide": ["button-name"]}),
        (
            SOUND + '<p class="night">Night</p>',
            {screen: [("dark", "color-contrast")] for screen in looking.SIZES},
        ),
        (
            SOUND + "<div><p>Faint</p></div>",
            {screen: [(scheme, "color-contrast") for scheme in looking.SCHEMES] for screen in looking.SIZES},
        ),
        (
            SOUND + '<p class="pale">Pale</p>',
            {"phone": [(scheme, "color-contrast") for scheme in looking.SCHEMES]},
        ),
        (
            SOUND + "<section><p>Words on another ground.</p></section>",
            {screen: [("dark", "color-contrast")] for screen in looking.SIZES},
        ),
        (SOUND + "<p style='width: 900px'>Wide</p>", {"phone": ["too wide"]}),
    ],
)
def test_it_finds_what_a_page_adds_to_those_it_knows(
    sheet: Page, body: str, found: dict[str, list[Any]]
) -> None:
    assert look(sheet, SOUND) == {}
    assert look(sheet, body) == found
    assert look(sheet, body) == found  # what was found is no page that is known to be sound


def test_it_runs_axe_once_for_pages_of_one_shape(sheet: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    assert look(sheet, f"<ul>{'<li>One</li>' * 2}</ul>") == {}
    monkeypatch.setattr(looking, "_bring_axe", lambda _page: pytest.fail("axe is brought again"))
    assert look(sheet, f"<ul>{'<li>Eins</li>' * 5}</ul>") == {}


def test_it_reads_styles_only_where_an_element_has_another_path(
    sheet: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert look(sheet, SOUND) == {}
    read: list[str] = []

    def weak(_page: Page, _name: str, _where: str, scheme: str) -> list[Any]:
        read.append(scheme)
        return []

    monkeypatch.setattr(looking, "_weak", weak)
    look(sheet, SOUND * 2)
    assert read == []
    for body in (
        "<p class='pale'>Words</p>",
        "<p role='note'>Words</p>",
        "<section><p>Words</p></section>",
        "<label>Name <input disabled></label>",
        "<label hidden><input type='radio' name='split' value='mixed' checked></label>",
    ):
        look(sheet, SOUND + body)
        assert read == [*looking.SCHEMES] * 2, body
        read.clear()


def test_what_another_worker_found_sound_is_not_looked_at_again(
    sheet: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert look(sheet, SOUND) == {}
    assert look(sheet, SOUND + "<input>") == {"wide": ["label"]}
    monkeypatch.setattr(looking, "_sound", looking.SharedLines(tmp_path / "sound"))  # as a new worker begins
    assert look(sheet, SOUND + "<input>") == {"wide": ["label"]}
    monkeypatch.setattr(looking, "_bring_axe", lambda _page: pytest.fail("axe is brought again"))
    assert look(sheet, SOUND) == {}


def test_lines_are_shared_in_whole_lines_only(tmp_path: Path) -> None:
    one, other = (looking.SharedLines(tmp_path / "lines") for _ in range(2))
    one.add(["a", "b"])
    with (tmp_path / "lines").open("a") as file:
        file.write("half")
    assert other.missing(["a", "half", "c"]) == {"half", "c"}
    one.add([" of a line", "c"])
    assert other.missing(["a", "b", "c", "half of a line", "half"]) == {"half"}
