"""The citation of a release: BibTeX that nobody's name or title can break."""

from __future__ import annotations

from typing import Any

import pytest

from release.card.citation import authors_of, bibtex

GIVEN: dict[str, Any] = {
    "name": "small-fables", "title": "Small Fables", "year": 2026, "version": "1.0.1",
    "url": "https://parable.example/r/small-fables/1.0.1/", "sums": "ab12",
}  # fmt: skip


def test_it_is_one_entry_with_all_that_identifies_a_release() -> None:
    assert bibtex(authors=["Lim, Grace", "Osei, Amara", "Fable Lab"], **GIVEN) == (
        "@misc{smallfables2026,\n"
        "  title   = {{Small Fables}},\n"
        "  author  = {Lim, Grace and Osei, Amara and {Fable Lab}},\n"
        "  year    = {2026},\n"
        "  version = {1.0.1},\n"
        "  url     = {https://parable.example/r/small-fables/1.0.1/},\n"
        "  note    = {SHA256SUMS: ab12}\n"
        "}"
    )


def test_what_is_unknown_is_left_out() -> None:
    assert "author" not in bibtex(authors=[], **GIVEN)
    assert "url" not in bibtex(authors=[], **GIVEN | {"url": ""})


@pytest.mark.parametrize(
    ("author", "written"),
    [
        ("Lim, Grace", "Lim, Grace"),
        ("Fable Lab", "{Fable Lab}"),
        ("Sand and Sea", "{Sand and Sea}"),
        ("And, Ole", "{And, Ole}"),
        ("Anders, Sandy", "Anders, Sandy"),
        ("Lim, Grace, Jr.", "{Lim, Grace, Jr.}"),
        (", Grace", "{, Grace}"),
        ("}, year = {1900", r"\textbraceright{}, year = \textbraceleft{}1900"),
        ("{Lab", r"{\textbraceleft{}Lab}"),
        ("A & B % $ # _", r"{A \& B \% \$ \# \_}"),
        (r"\input~^", r"{\textbackslash{}input\textasciitilde{}\textasciicircum{}}"),
        ("林, 悦", "林, 悦"),
    ],
)
def test_a_name_is_a_person_or_in_braces_and_ends_no_field(author: str, written: str) -> None:
    assert f"  author  = {{{written}}},\n" in bibtex(authors=[author], **GIVEN)


def test_an_author_is_a_line() -> None:
    assert authors_of(" Lim,  Grace \n\n\tFable Lab\r\n") == ["Lim, Grace", "Fable Lab"]
