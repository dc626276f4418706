"""A list of stories offers a choice of languages only where there is one; dates are written in one way."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation
from django.utils.formats import date_format

from corpus.models import Story
from tests.factories import make_project, make_story

pytestmark = pytest.mark.django_db


def filters(context: Any) -> set[str]:
    return {one.name for one in context["asked"].listing.filters}


def test_it_offers_a_language_only_where_there_are_two(client: Client) -> None:
    cast = make_project()
    make_story(cast)
    other = make_story(cast)
    client.force_login(cast.writer)
    page = reverse("dashboard:stories", args=[cast.project.slug])
    assert "language" not in filters(client.get(page).context)
    Story.objects.filter(pk=other.pk).update(language="zh")
    assert "language" in filters(client.get(page).context)
    assert client.get(page, {"language": "zh"}).context["page"].pks == [other.pk]


def test_a_story_s_page_shows_its_language(client: Client) -> None:
    cast = make_project()
    story = make_story(cast)
    client.force_login(cast.writer)
    for language, shown in (("zh", "Chinese"), ("lzh", "lzh")):
        Story.objects.filter(pk=story.pk).update(language=language)
        page = client.get(reverse("corpus:story", args=[cast.project.slug, story.pk])).content.decode()
        assert f"<dt>Language</dt><dd>{shown}</dd>" in page


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_it_writes_dates_in_one_way(language: str) -> None:
    when = datetime(2026, 3, 5, 9, 7)  # noqa: DTZ001 - only how it is written is looked at
    with translation.override(language):
        assert date_format(when, "DATE_FORMAT") == "2026-03-05"
        assert date_format(when, "DATETIME_FORMAT") == "2026-03-05 09:07"
        assert date_format(when, "SHORT_DATE_FORMAT") == "2026-03-05"
        assert date_format(when, "SHORT_DATETIME_FORMAT") == "2026-03-05 09:07"
        assert date_format(when, "TIME_FORMAT") == "09:07"
