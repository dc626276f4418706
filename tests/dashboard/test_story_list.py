"""The list of stories: what is found, what a pilot hides, and what is done to many at once and undone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from annotation.models import KeyExposure, WritingAssignment, WritingPlaces
from annotation.services import (
    name_writers,
    reserve_story,
    save_draft,
    start_pilot,
    take_next_story,
    take_story,
)
from core.errors import Conflict
from corpus.models import Story
from corpus.queries import holding
from corpus.services import reword_story, set_rights
from dashboard.models import BulkAction, SavedView, Verb
from dashboard.services import order_bulk, undo_bulk
from review.models import Priority, ReviewRequest
from tests.factories import Cast, content, make_project, make_story, submit_item
from tests.projects.pages import answers, browser, only_managers

MORAL = "骄兵必败"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


@pytest.fixture
def stories(cast: Cast) -> list[Story]:
    hare = make_story(cast, title="龟兔赛跑", text="兔子在橡树下睡着了。", moral=MORAL)
    crow = make_story(cast, title="The Crow", text="A crow dropped pebbles into a ＪＡＲ.")
    return [hare, crow]


def page(cast: Cast, who: User, query: str = "") -> str:
    answer = browser(who).get(f"{reverse('dashboard:stories', args=[cast.project.slug])}?{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def shown(cast: Cast, who: User, query: str) -> list[int]:
    answer = browser(who).get(f"{reverse('dashboard:stories', args=[cast.project.slug])}?{query}")
    return list(answer.context["page"].pks)


@pytest.mark.parametrize(
    ("terms", "scope", "hits"),
    [
        (["龟兔"], "", [0]),
        (["橡树下"], "", [0]),
        (["橡树下"], "title", []),
        (["龟兔", "橡树"], "", [0]),
        (["树橡"], "", []),
        (["jar"], "text", [1]),
        (["CROW"], "", [1]),
        (["crow", "兔"], "", []),
        ([MORAL], "", []),
        (["%"], "", []),
    ],
)
def test_it_finds_stories_by_any_part_of_their_words_and_never_by_the_moral(
    stories: list[Story], terms: list[str], scope: str, hits: list[int]
) -> None:
    found = Story.objects.filter(holding(terms, scope)).order_by("pk")
    assert list(found) == [stories[each] for each in hits]


def test_it_finds_the_present_words_alone(cast: Cast, stories: list[Story]) -> None:
    reword_story(actor=cast.manager, story=stories[1], title="The Jackdaw", text="A bird.", reason="Shorter")
    assert not Story.objects.filter(holding(["pebbles"])).exists()
    assert Story.objects.get(holding(["jackdaw"])) == stories[1]
    assert Story.objects.get(holding([stories[0].ref])) == stories[0]


def test_it_narrows_and_orders(cast: Cast, stories: list[Story]) -> None:
    hare, crow = stories
    set_rights(actor=cast.manager, story=crow, rights="CC0", evidence="")
    set_rights(actor=cast.manager, story=hare, rights="", evidence="")
    submit_item(cast, story=crow)
    cast.project.writers_per_story = 1
    cast.project.save(update_fields=["writers_per_story"])
    WritingAssignment.objects.filter(story__in=stories).delete()
    take_story(actor=cast.writer2, story=crow)
    for query, found in (
        ("rights=unknown", [hare]),
        ("rights=known", [crow]),
        ("writers=lacking", [hare]),
        ("writers=enough", [crow]),
        ("writers=held_back", []),
        ("writers=reserved", []),
        (f"writer={cast.writer2.pk}", [crow]),
        (f"writer={cast.writer.pk}", []),
        ("items=none", [hare]),
        ("items=some", [crow]),
        ("sort=-added", [crow, hare]),
        ("sort=-writers", [crow, hare]),
        ("", [hare, crow]),
    ):
        assert shown(cast, cast.manager, query) == [story.pk for story in found], query


def test_it_shows_no_writer_of_a_pilot_how_much_others_have_written(cast: Cast, stories: list[Story]) -> None:
    start_pilot(
        actor=cast.manager, project=cast.project, name="First", stories=stories[1:],
        writers=[cast.writer, cast.writer2],
    )  # fmt: skip
    submit_item(cast, story=stories[1], writer=cast.writer2)
    count = '<td class="n" data-label="Items">1</td>'
    assert count in page(cast, cast.manager)
    assert count not in page(cast, cast.writer)
    assert shown(cast, cast.writer, "items=some") == [story.pk for story in stories]
    assert shown(cast, cast.writer, "sort=-writers") == [story.pk for story in stories]


def test_it_lets_only_managers_select_and_readers_save_nothing(cast: Cast, stories: list[Story]) -> None:
    assert "data-row" in page(cast, cast.manager)
    seen = page(cast, cast.reviewer, "q=兔")
    assert [mark in seen for mark in ("data-row", "save-view\"", "<mark>兔</mark>", MORAL)] == [
        False, False, True, False,
    ]  # fmt: skip
    assert 'popovertarget="filters"' in seen
    address = reverse("dashboard:bulk", args=[cast.project.slug, "stories"])
    assert answers(cast, address, "post") == only_managers(302)


def test_it_keeps_views_apart_from_those_of_other_lists(cast: Cast, stories: list[Story]) -> None:
    address = reverse("dashboard:save_view", args=[cast.project.slug, "stories"])
    sent = {"name": "To clear", "query": "rights=unknown&state=draft", "shared": "1"}
    assert browser(cast.manager).post(address, sent).status_code == 302
    assert SavedView.objects.get().query == "rights=unknown"
    assert "To clear" in page(cast, cast.writer)
    items = reverse("dashboard:items", args=[cast.project.slug])
    assert "To clear" not in browser(cast.manager).get(items).content.decode()
    gone = reverse("dashboard:save_view", args=[cast.project.slug, "no-list"])
    assert browser(cast.manager).post(gone, sent).status_code == 404


def test_it_asks_as_often_for_many_stories_as_for_one(cast: Cast) -> None:
    def asked(who: User, query: str) -> int:
        client = browser(who)
        client.get(f"{url}?{query}")
        with CaptureQueriesContext(connection) as statements:
            assert client.get(f"{url}?{query}").status_code == 200
        return len(statements)

    url = reverse("dashboard:stories", args=[cast.project.slug])
    queries = ("", "q=crow", "items=some&writers=lacking&cols=language&cols=added")
    submit_item(cast, story=make_story(cast, title="The crow"))
    before = [asked(who, query) for who in (cast.manager, cast.writer) for query in queries]
    for number in range(3):
        story = make_story(cast, title=f"The crow {number}")
        submit_item(cast, story=story, words=content(f"Why did crow {number} sleep?"))
    assert [asked(who, query) for who in (cast.manager, cast.writer) for query in queries] == before


def do(cast: Cast, verb: str, stories: Sequence[Story], **more: Any) -> BulkAction:
    rows = [story.pk for story in stories]
    return order_bulk(
        actor=cast.manager, project=cast.project, listing="stories", verb=verb, rows=rows, **more
    )


def undo(cast: Cast, done: BulkAction) -> BulkAction:
    return undo_bulk(actor=cast.manager, bulk=done)


def held(cast: Cast) -> list[tuple[int, int]]:
    found = WritingAssignment.objects.filter(story__project=cast.project, given_back_at=None)
    return list(found.order_by("story").values_list("story", "writer"))


def test_it_assigns_stories_and_takes_back_those_that_are_not_begun(cast: Cast, stories: list[Story]) -> None:
    hare, crow = stories
    has = make_story(cast)
    name_writers(actor=cast.manager, story=has, writers=[cast.writer])
    done = do(cast, Verb.ASSIGN, [hare, crow, has], receiver=cast.writer)
    assert [story for story, _made in done.changed] == [hare.pk, crow.pk]
    assert held(cast) == [(story.pk, cast.writer.pk) for story in (hare, crow, has)]
    save_draft(
        actor=cast.writer, project=cast.project, story=crow, task="commonsense", sequence=1,
        client_id=UUID(int=7), content={"stem": "Why"},
    )  # fmt: skip
    back = undo(cast, done)
    assert [story for story, _made in back.changed] == [hare.pk]
    assert held(cast) == [(story.pk, cast.writer.pk) for story in (crow, has)]
    taken = take_next_story(actor=cast.writer, project=cast.project)
    assert taken is not None
    assert taken.story == hare  # as if it had never been assigned


def test_it_holds_stories_back_for_managers_to_assign(cast: Cast, stories: list[Story]) -> None:
    hare, crow = stories
    done = do(cast, Verb.HOLD_BACK, [hare])
    taken = take_next_story(actor=cast.writer, project=cast.project)
    assert taken is not None
    assert taken.story == crow
    assert take_next_story(actor=cast.writer, project=cast.project) is None
    with pytest.raises(Conflict, match="held back"):
        take_story(actor=cast.writer, story=hare)
    do(cast, Verb.ASSIGN, [hare], receiver=cast.writer2)
    assert shown(cast, cast.manager, "writers=held_back") == [hare.pk]
    with pytest.raises(Conflict):
        do(cast, Verb.HOLD_BACK, [hare])
    undo(cast, done)
    assert take_story(actor=cast.writer, story=hare).story == hare
    with pytest.raises(Conflict):
        do(cast, Verb.RELEASE, [hare])


def test_it_undoes_no_hold_that_another_decided_since(cast: Cast, stories: list[Story]) -> None:
    held_back = WritingPlaces.objects.filter(story__in=stories, is_held_back=True)
    done = do(cast, Verb.HOLD_BACK, stories)
    do(cast, Verb.RELEASE, stories[:1])
    do(cast, Verb.HOLD_BACK, stories[:1])
    assert [story for story, _event in undo(cast, done).changed] == [stories[1].pk]
    assert [place.story for place in held_back] == stories[:1]
    released = do(cast, Verb.RELEASE, stories[:1])
    do(cast, Verb.HOLD_BACK, stories[:1])
    do(cast, Verb.RELEASE, stories[:1])
    assert undo(cast, released).changed == []
    assert not held_back.all().exists()


def test_it_shows_what_is_held_back_and_what_is_reserved(cast: Cast, stories: list[Story]) -> None:
    hare, crow = stories
    do(cast, Verb.HOLD_BACK, [hare])
    reserve_story(actor=cast.manager, story=crow, writer=cast.writer)
    assert shown(cast, cast.manager, "writers=held_back") == [hare.pk]
    assert shown(cast, cast.manager, "writers=reserved") == [crow.pk]
    for query, chip in (("writers=held_back", "held back"), ("writers=reserved", "reserved")):
        rows = page(cast, cast.manager, query).partition("<tbody")[2].partition("</tbody>")[0]
        chips = re.findall(r"(held back|reserved)</span>", rows)
        assert chips == [chip]


def test_the_desk_says_that_stories_are_held_back(cast: Cast, stories: list[Story]) -> None:
    do(cast, Verb.HOLD_BACK, stories)
    address = reverse("annotation:take_next", args=[cast.project.slug])
    page_text = browser(cast.writer).post(address, follow=True).content.decode()
    assert "2 stories are held back until a manager assigns them." in page_text
    assert "each has its" not in page_text


def test_an_action_at_once_takes_nothing_from_a_form_that_it_has_not(
    cast: Cast, stories: list[Story]
) -> None:
    answer = post(cast, verb="hold_back", row=[stories[0].pk], sure="1", receiver="nobody")
    assert answer.status_code == 302
    assert BulkAction.objects.get().rows == [stories[0].pk]


def test_it_has_the_items_of_stories_reviewed_first_and_as_before(cast: Cast, stories: list[Story]) -> None:
    made = [submit_item(cast, story=story) for story in (stories[0], stories[0], stories[1])]
    order_bulk(actor=cast.manager, project=cast.project, listing="items", verb=Verb.FIRST, rows=[made[0].pk])
    do(cast, Verb.FIRST, stories[1:])
    done = do(cast, Verb.FIRST, stories)
    assert done.changed == [[stories[0].pk, [made[1].pk]]]
    assert set(priorities()) == {Priority.FIRST}
    undo(cast, done)
    assert priorities() == [Priority.FIRST, Priority.NORMAL, Priority.FIRST]


def priorities() -> list[int]:
    return list(
        ReviewRequest.objects.filter(state="open").order_by("item").values_list("priority", flat=True)
    )


def facts(cast: Cast) -> list[tuple[str, str, str]]:
    found = Story.objects.filter(project=cast.project).order_by("pk")
    return list(found.values_list("rights", "rights_evidence", "genre"))


def test_it_sets_what_was_given_of_rights_and_genre_and_leaves_the_rest(
    cast: Cast, stories: list[Story]
) -> None:
    hare, crow = stories
    set_rights(actor=cast.manager, story=hare, rights="old", evidence="A letter", genre="fable")
    set_rights(actor=cast.manager, story=crow, rights="CC0", evidence="", genre="")
    before = facts(cast)
    done = do(cast, Verb.RIGHTS, [hare, crow], metadata={"rights": " CC0 ", "evidence": " ", "genre": ""})
    assert facts(cast) == [("CC0", "A letter", "fable"), ("CC0", "", "")]
    assert [story for story, _was in done.changed] == [hare.pk]  # the other one had it already
    more = do(cast, Verb.RIGHTS, [hare, crow], metadata={"evidence": "p. 3", "genre": "news"})
    assert facts(cast) == [("CC0", "p. 3", "news")] * 2
    crow.refresh_from_db()
    set_rights(actor=cast.manager, story=crow, rights="CC0", evidence="p. 3", genre="poem")
    assert [story for story, _was in undo(cast, more).changed] == [hare.pk]
    assert facts(cast) == [("CC0", "A letter", "fable"), ("CC0", "p. 3", "poem")]
    undo(cast, done)
    assert facts(cast)[0] == before[0]


def test_its_page_asks_for_rights_or_genre_and_says_what_is_missing(cast: Cast, stories: list[Story]) -> None:
    rows = [story.pk for story in stories]
    asked = post(cast, verb="rights", row=rows).content.decode()
    assert "What you leave empty stays as it is in each story." in asked
    assert set(re.findall(r'<a [^>]*aria-current="page"[^>]*>([^<]+)', asked)) == {"Stories"}
    assert [f'name="{name}"' in asked for name in ("rights", "evidence", "genre", "reason")] == [
        *[True] * 3, False,
    ]  # fmt: skip
    refused = post(cast, verb="rights", row=rows, sure="1", n="2", rights=" ", genre="")
    assert refused.status_code == 400
    assert "Enter rights, evidence or a genre." in refused.content.decode()
    assert not BulkAction.objects.exists()
    assert post(cast, verb="rights", row=rows, sure="1", n="2", rights="CC0").status_code == 302
    assert facts(cast) == [("CC0", "", "")] * 2
    assert shown(cast, cast.manager, "rights=unknown") == []
    assert "Rights and genre of 2 stories saved." in page(cast, cast.manager)
    post(cast, verb="rights", row=rows, sure="1", n="2", rights="CC0")
    assert "Nothing changed." in page(cast, cast.manager)


def test_rights_of_more_stories_take_seven_statements_more_each(cast: Cast, stories: list[Story]) -> None:
    def asked(chosen: Sequence[Story], rights: str) -> int:
        with CaptureQueriesContext(connection) as seen:
            do(cast, Verb.RIGHTS, chosen, metadata={"rights": rights})
        return len(seen)

    more = [*stories, *(make_story(cast, title=f"Fable {n}", text=f"{n}") for n in range(3))]
    asked(more, "warm")
    each = 7  # who may, the story, its event, and two savepoints, which begin and end
    assert asked(more, "CC0") - asked(stories, "public domain") == each * 3


def post(cast: Cast, **sent: Any) -> Any:
    address = reverse("dashboard:bulk", args=[cast.project.slug, "stories"])
    return browser(cast.manager).post(address, sent)


def test_it_exports_what_was_selected_and_records_whose_morals_were_seen(
    cast: Cast, stories: list[Story]
) -> None:
    make_story(cast, moral="Slow and steady.")
    text = (
        post(cast, verb="export", kind="csv", row=[stories[0].pk, stories[1].pk])
        .getvalue()
        .decode("utf-8-sig")
    )
    assert [word in text for word in ("龟兔赛跑", "The Crow", "Slow and steady.")] == [True, True, False]
    seen = set(KeyExposure.objects.filter(user=cast.manager).values_list("story", flat=True))
    with_moral = {story.pk for story in stories if story.current and story.current.moral}
    assert seen == with_moral


def test_it_says_what_was_done_and_undoes_it_by_a_press(cast: Cast, stories: list[Story]) -> None:
    assert post(cast, verb="hold_back", all="1", query="q=crow").status_code == 302
    done = BulkAction.objects.get()
    assert done.rows == [stories[1].pk]
    seen = page(cast, cast.manager)
    assert "1 story held back" in seen
    address = reverse("dashboard:undo_bulk", args=[cast.project.slug, done.pk])
    assert address in seen
    items = reverse("dashboard:items", args=[cast.project.slug])
    assert address not in browser(cast.manager).get(items).content.decode()
    answer = browser(cast.manager).post(address)
    assert answer["Location"] == reverse("dashboard:stories", args=[cast.project.slug])
    assert "Undone for 1." in page(cast, cast.manager)
