"""A list of stories offers a choice of languages only where there is one; dates are written in one way."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation
from django.utils.formats import date_format

from corpus.models import Story
from tests.factories import make_project, make_story

pytestmark = pytest.mark.django_db


def test_it_offers_a_language_only_where_there_are_two(client: Client) -> None:
    cast = make_project()
    make_story(cast)
    other = make_story(cast)
    client.force_login(cast.writer)
    page = reverse("corpus:stories", args=[cast.project.slug])
    assert "language" not in client.get(page).context["filter"].fields
    Story.objects.filter(pk=other.pk).update(language="zh")
    assert "language" in client.get(page).context["filter"].fields
    assert len(client.get(page, {"language": "zh"}).context["page_obj"]) == 1


@pytest.mark.parametrize(
    ("language", "long", "longer"),
    [("en", "5 March 2026", "5 March 2026, 09:07"), ("zh-hans", "2026年3月5日", "2026年3月5日 09:07")],
)
def test_it_writes_dates_in_one_way_in_each_language(language: str, long: str, longer: str) -> None:
    when = datetime(2026, 3, 5, 9, 7)  # noqa: DTZ001 - only how it is written is looked at
    with translation.override(language):
        assert date_format(when, "DATE_FORMAT") == long
        assert date_format(when, "DATETIME_FORMAT") == longer
        assert date_format(when, "SHORT_DATE_FORMAT") == "2026-03-05"
        assert date_format(when, "SHORT_DATETIME_FORMAT") == "2026-03-05 09:07"
        assert date_format(when, "TIME_FORMAT") == "09:07"
