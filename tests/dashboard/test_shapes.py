"""The shapes that every page is made of, and the gallery that shows them."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template
from django.template.loader import render_to_string
from django.test import Client
from django.utils import translation

from dashboard.views.list_page import ListPage
from dashboard.views.long_list import LISTS
from tests.factories import Cast
from tests.gallery.samples import SAMPLES
from tests.gallery.views import SHAPES

TEMPLATES = Path(settings.BASE_DIR) / "templates"
GALLERY = Path(settings.BASE_DIR) / "tests" / "gallery" / "templates"
STYLESHEET = Path(settings.BASE_DIR) / "static" / "css" / "parable.css"


@pytest.mark.django_db
def test_it_shows_every_shape_in_both_languages_on_both_papers(client: Client, gallery: None) -> None:
    for path in ("/gallery", "/gallery?swap=1"):
        page = client.get(path).content.decode()
        for shape in SHAPES:
            assert f'<section class="shape" id="{shape}"' in page
        for scheme in ("light", "dark"):
            assert page.count(f'<div class="paper-{scheme}"') == len(SHAPES)
        for sample in SAMPLES.values():
            assert sample["title"] in page


def test_it_has_the_same_samples_in_both_languages() -> None:
    assert SAMPLES["zh"].keys() == SAMPLES["en"].keys()


def test_it_demonstrates_every_component() -> None:
    shown = "".join(path.read_text() for path in GALLERY.rglob("*.html"))
    shown += "".join(path.read_text() for path in TEMPLATES.glob("base*.html"))
    shown += "".join(path.read_text() for path in (TEMPLATES / "account").glob("*.html"))
    named = set(re.findall(r'components/(_\w+)\.html|shape "(\w+)"|(icon) "', shown))
    names = {include or f"_{block or tag}" for include, block, tag in named}
    parts = {"_field_notes"}  # a part of _field and _upload
    assert {path.stem for path in (TEMPLATES / "components").glob("*.html")} - parts == names


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.name)
def test_it_writes_nothing_into_a_page_that_the_security_policy_forbids(path: Path) -> None:
    text = re.sub(r"\{% comment %\}.*?\{% endcomment %\}", "", path.read_text(), flags=re.DOTALL)
    assert not re.search(r"\sstyle\s*=|<style", text), "no inline style"
    markup = re.sub(r"\{%.*?%\}", "", text)  # what a tag passes on by name is no attribute
    assert not re.search(r"\son[a-z]+\s*=|\shx-on|javascript:", markup), "no inline handler"
    assert not re.search(r"<script(?![^>]*\ssrc=)", text), "no inline script"
    assert not re.search(r"(src|href|action)=[\"']?(https?:)?//", text), "no other host"


@pytest.mark.parametrize("shown", LISTS.values(), ids=LISTS)
def test_a_row_of_a_list_has_the_cells_that_its_head_names(shown: ListPage, cast: Cast) -> None:
    rows = (TEMPLATES / "dashboard" / f"{shown.name}.html").read_text()
    columns = shown.listing(cast.manager, cast.project).columns
    assert re.findall(r"\{% if shows\.(\w+) %\}", rows) == [column.name for column in columns]


# --- the stylesheet -------------------------------------------------------------------------


def _tokens() -> dict[str, tuple[str, str]]:
    pairs = re.findall(
        r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);",
        STYLESHEET.read_text().split("@media")[0],
    )
    return {name: (light, dark) for name, light, dark in pairs}


def _luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


SPEAKS = ("ink", "ink-2", "ink-3", "good", "careful", "wrong")


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_it_keeps_its_contrast_in_both_schemes(scheme: int) -> None:
    colours = {name: pair[scheme] for name, pair in _tokens().items()}
    for ink, paper in product(SPEAKS, ("desk", "sheet")):
        assert _contrast(colours[ink], colours[paper]) >= 4.5, (ink, paper)
    for paper in ("desk", "sheet"):
        assert _contrast(colours["ink"], colours[paper]) >= 7, "story text"
        assert _contrast(colours["edge"], colours[paper]) >= 3, "the edge of a control"
    for meaning in ("good", "careful", "wrong"):
        wash = colours[f"{meaning}-wash"]
        assert _contrast(colours[meaning], wash) >= 4.5, meaning
        assert _contrast(colours["ink-2"], wash) >= 4.5, meaning
    assert _contrast("#fffaf4", colours["seal"]) >= 4.5, "the primary action"


def test_it_keeps_the_stylesheet_in_its_order() -> None:
    order = re.findall(r"=+ (\d)  (\w+) =+", STYLESHEET.read_text())
    assert [name for _, name in order] == ["Tokens", "Base", "Layout", "Components", "Pages"]


# --- pages that stand alone -----------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "500"])
def test_it_can_say_what_went_wrong_without_a_request_or_a_database(name: str, language: str) -> None:
    with translation.override(language):
        page = render_to_string(f"{name}.html")
    assert f'lang="{language}"' in page
    assert name[:3] in page
    assert "data-primary" in page


# --- the tags -------------------------------------------------------------------------------


def _render(source: str, **values: object) -> str:
    return Template("{% load shapes %}" + source).render(Context(values))


def test_it_wraps_a_block_into_a_shape_and_escapes_what_it_is_given() -> None:
    page = _render('{% shape "card" label=label %}<b>{{ label }}</b>{% endshape %}', label="<i>")
    assert '<p class="label">&lt;i&gt;</p>' in page
    assert "<b>&lt;i&gt;</b>" in page


def test_it_makes_a_paragraph_of_every_line_that_is_not_blank() -> None:
    page = _render("{% for p in text|paragraphs %}[{{ p }}]{% endfor %}", text="one\n\n  two\r\nthree\n")
    assert page == "[one][two][three]"


def test_it_shows_an_answer_row_without_any_trace_of_an_option() -> None:
    page = _render(
        '{% include "components/_answer_row.html" with position=2 cap=3 text="x" lang="en" only %}'
    )
    assert 'value="2"' in page
    assert "checked" not in page
    assert not re.search(r"option-?id|data-id|\bid=", page)
