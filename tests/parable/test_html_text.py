"""HTML of other tools as plain text: what a reader sees stays, and what text cannot hold is named."""

import pytest

from parable.formats.html_text import has_tags, text_of_html


@pytest.mark.parametrize(
    ("html", "text", "lost"),
    [
        ("<p>One</p><p>two</p>", "One\n\ntwo", ()),
        ("One<br>two<br/>three", "One\ntwo\nthree", ()),
        ("a  <b>b</b>\n c", "a b c", ()),
        ("1 &lt; 2 &amp; 3&nbsp;&gt; 2", "1 < 2 & 3 > 2", ()),
        ("<ul><li>a</li><li>b</li></ul>", "a\nb", ()),
        ('<p>See <img src="x" alt="a fox">.</p>', "See [a fox].", ("img",)),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b", ("table",)),
        ("<ruby>狐<rt>hú</rt></ruby>来", "狐来", ()),
        ("<style>p {}</style><script>x()</script>a", "a", ()),
        ("H<sub>2</sub>O", "H2O", ("sub",)),
        ("x<sup>2</sup>", "x2", ("sup",)),
        ("<del>old</del> new", "old new", ("del",)),
        ("a < b and c > d", "a < b and c > d", ()),
        ('<ol start="1986"><li>年</li><li>月</li></ol>', "1986. 年\n1987. 月", ()),
        ("<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>", "1. a\n\nb\n2. c", ()),
        ("x &#160;y", "x  y", ()),
        ("<p>unclosed", "unclosed", ()),
        ("", "", ()),
    ],
)
def test_html_is_read_as_it_shows(html: str, text: str, lost: tuple[str, ...]) -> None:
    assert text_of_html(html) == (text, lost)


@pytest.mark.parametrize(
    ("text", "found"),
    [("<p>a</p>", True), ("a<br>", True), ("a < b > c", False), ("<name> of", False), ("x &lt; y", False)],
)
def test_signs_of_smaller_and_larger_are_no_tags(text: str, found: bool) -> None:
    assert has_tags(text) is found


@pytest.mark.parametrize("text", ["<p" * 100_000, "<!--" * 50_000, "&" * 200_000, "<rt>" * 50_000 + "a"])
def test_broken_html_takes_no_square_of_its_length(text: str) -> None:
    assert isinstance(text_of_html(text)[0], str)
