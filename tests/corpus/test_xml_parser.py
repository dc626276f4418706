"""An operator is warned of an XML parser that needs quadratic time."""

from __future__ import annotations

import pytest

from corpus import apps


@pytest.mark.parametrize(("is_slow", "said"), [(True, ["corpus.W001"]), (False, [])])
def test_an_old_parser_is_warned_of(is_slow: bool, said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apps, "has_slow_parser", is_slow)
    assert [found.id for found in apps.check_xml_parser()] == said
