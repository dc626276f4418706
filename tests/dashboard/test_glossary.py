"""The glossary says what the code says."""

from __future__ import annotations

import pytest
from django.utils.translation import override

from dashboard.glossary import TERMS
from projects.models import Rating


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_it_names_every_mark_of_the_scale_in_its_own_words(language: str) -> None:
    with override(language):
        (meaning,) = (str(term.meaning) for term in TERMS if term.code == "rating")
        assert all(f"{mark.value} {mark.label}" in meaning for mark in Rating)
