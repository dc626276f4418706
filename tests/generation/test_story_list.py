"""The list of stories with candidates: narrowed in its address, and walked through."""

from __future__ import annotations

import pytest

from tests.factories import make_story
from tests.generation.bench import Bench
from tests.generation.test_pages import address, drafted, signed_in

__all__ = ["drafted"]
pytestmark = pytest.mark.django_db


def test_it_narrows_the_stories_by_title_id_and_what_is_done(drafted: Bench) -> None:
    other = make_story(drafted.cast, title="The Crow and the Jug")
    client, where = signed_in(drafted.cast.writer), address(drafted, "candidates")
    title = drafted.story.current.title if drafted.story.current else ""

    def shown(**asked: str) -> tuple[bool, bool]:
        html = client.get(where, asked).content.decode()
        return f">{title}</a>" in html, ">The Crow and the Jug</a>" in html

    assert shown() == (True, True)
    assert shown(q="crow") == shown(q=other.ref.upper()) == shown(show="none") == (False, True)
    assert shown(show="waiting") == shown(q="the race", show="0") == (True, False)
    assert shown(show="0") == (True, True)
    assert shown(show="2") == shown(show="1") == shown(q="zzz") == (False, False)
    assert "No matching stories." in client.get(where, {"q": "zzz"}).content.decode()
    assert shown(show="²") == shown(show="nonsense") == shown(q="\x00") == (True, True)


def test_it_leads_to_the_next_story_of_the_narrowed_list(drafted: Bench) -> None:
    crow, fox, crow2 = (make_story(drafted.cast, title=name) for name in ("Crow one", "Fox", "Crow two"))
    client = signed_in(drafted.cast.writer)
    html = client.get(address(drafted, "story", crow.pk), {"q": "crow"}).content.decode()
    assert f'rel="next" data-key="n" href="{address(drafted, "story", crow2.pk)}?q=crow"' in html
    assert 'rel="prev"' not in html
    html = client.get(address(drafted, "story", fox.pk)).content.decode()
    assert f'href="{address(drafted, "story", crow.pk)}"' in html
    assert f'href="{address(drafted, "story", crow2.pk)}"' in html
