"""What cannot be missing: it is passed on, and its absence is a fault with a reason."""

from __future__ import annotations

import pytest

from core.invariants import present


@pytest.mark.parametrize("value", [0, "", False, "a story"])
def test_what_is_there_is_passed_on_also_where_it_is_empty(value: object) -> None:
    assert present(value, "it is there") is value


def test_what_is_missing_is_a_fault_with_the_reason() -> None:
    with pytest.raises(RuntimeError, match="although every story has a first revision"):
        present(None, "every story has a first revision")
