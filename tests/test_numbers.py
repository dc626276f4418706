"""Whole numbers as addresses and forms send them."""

from __future__ import annotations

import pytest

from core.numbers import LARGEST, whole_number


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0", 0),
        ("17", 17),
        ("0017", 17),
        (str(LARGEST), LARGEST),
        (str(LARGEST + 1), None),
        ("9" * 5000, None),
        ("", None),
        ("-1", None),
        ("1.0", None),
        (" 1", None),
        ("²", None),
        ("１", None),
        ("one", None),
    ],
)
def test_it_reads_what_a_row_can_have(text: str, found: int | None) -> None:
    assert whole_number(text) == found
