"""Tables with any letters, numbers, blanks and sheets are read as they were meant, or something is said."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings

from tests.parable.written_tables import TABLE, WrittenTable, as_csv, as_xlsx, check_reading


@settings(deadline=None, max_examples=60)
@given(TABLE)
@example(WrittenTable([(["fox", "hare"], 0)], blanks="rows between"))
def test_a_written_table_is_read_as_it_was_meant_or_something_is_said(table: WrittenTable) -> None:
    check_reading(as_csv(table), table)
    check_reading(as_xlsx(table), table)


@pytest.mark.drill
@settings(deadline=None, max_examples=500)
@given(TABLE)
def test_many_written_tables_are_read_as_they_were_meant(table: WrittenTable) -> None:
    check_reading(as_csv(table), table)
    check_reading(as_xlsx(table), table)
