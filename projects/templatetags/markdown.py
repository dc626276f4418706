"""A template filter that renders Markdown: headings, lists, emphasis, tables and links, but no HTML."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

register = template.Library()


@cache
def _renderer() -> MarkdownIt:
    """Return a Markdown renderer that escapes HTML, loads no images, and allows no script links."""
    renderer = MarkdownIt("commonmark", {"html": False, "breaks": True})
    renderer.enable(["table", "strikethrough"]).disable(["image", "html_block", "html_inline"])
    renderer.core.ruler.push("fit_our_pages", _fit_our_pages)
    renderer.add_render_rule("table_open", _open_table)
    renderer.add_render_rule("table_close", _close_table)
    return renderer


def _open_table(renderer: RendererHTML, tokens: Sequence[Token], place: int, *rest: Any) -> str:
    """Return the opening tags of a table, inside a box that scrolls sideways on narrow screens."""
    box = format_html('<div class="scroll-x" role="group" tabindex="0" aria-label="{}">', _("Table"))
    return box + renderer.renderToken(tokens, place, *rest)


def _close_table(renderer: RendererHTML, tokens: Sequence[Token], place: int, *rest: Any) -> str:
    return renderer.renderToken(tokens, place, *rest) + "</div>\n"


def _fit_our_pages(state: StateCore) -> None:
    for token in state.tokens:
        # lower headings by one level, below the page's own, and replace inline styles of tables by classes
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + 1, 6)}"
        elif token.type == "table_open":
            token.attrSet("class", "table")
        elif "right" in str(token.attrs.pop("style", "")):
            token.attrSet("class", "n")
        for child in token.children or ():
            # set the `rel` of a link so that the linked site gets no referrer
            if child.type == "link_open":
                child.attrSet("rel", "noopener noreferrer nofollow")


@register.filter
def markdown(text: str) -> SafeString:
    """Render Markdown to HTML. HTML within the text is escaped."""
    return SafeString(_renderer().render(text))  # the renderer escapes; a test attacks it
