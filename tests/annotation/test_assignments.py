"""Who owes what: the manager's page, the text for the group chat, handing stories out, taking over."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Cause, Item, State, WritingAssignment
from annotation.queries.assignment import assigned_work, assignments_of, progress, progress_of
from annotation.services import apply_verdict, hand_over_work, name_writers
from projects.models import Role
from projects.services import set_roles
from tests.annotation.conftest import SeenBy
from tests.factories import Cast, make_project, make_story, make_user, submit_item, wording

pytestmark = pytest.mark.django_db


def page_of(cast: Cast, rest: str) -> str:
    return f"/p/{cast.project.slug}{rest}"


def late(cast: Cast) -> WritingAssignment:
    """A story that the writer should have written about by yesterday."""
    made = name_writers(actor=cast.manager, story=make_story(cast), writers=[cast.writer])[0]
    made.due_on = timezone.localdate() - timedelta(days=1)
    made.save()
    return made


def returned_item(cast: Cast) -> Item:
    item = submit_item(cast)
    apply_verdict(
        actor=cast.reviewer, item=item, revision_id=wording(item).pk, to_state=State.RETURNED,
        cause=Cause.ALL_RETURN,
    )  # fmt: skip
    return item


def answers(cast: Cast, seen_by: SeenBy, rest: str) -> dict[str, int]:
    names = ("manager", "writer", "reviewer", "verifier", "outsider")
    return {name: seen_by(getattr(cast, name)).get(page_of(cast, rest)).status_code for name in names}


def test_it_shows_who_owes_what_to_managers_only(cast: Cast, seen_by: SeenBy) -> None:
    managers = {"manager": 200, "writer": 403, "reviewer": 403, "verifier": 403, "outsider": 404}
    for rest in ("/assignments", "/assignments/name", "/handover"):
        assert answers(cast, seen_by, rest) == managers
        assert Client().get(page_of(cast, rest)).status_code == 302
    assert answers(cast, seen_by, "/write/without-writer") == managers | {"writer": 200}


def test_it_puts_who_is_overdue_first(cast: Cast) -> None:
    name_writers(actor=cast.manager, story=make_story(cast), writers=[cast.writer2, cast.manager])
    assignment = late(cast)
    submit_item(cast, story=assignment.story)
    first, *others = progress(cast.project)
    assert (first.writer, first.written, first.owed, first.left) == (cast.writer, 1, 4, 3)
    assert (first.overdue, first.due) == (1, assignment.due_on)
    assert [person.overdue for person in others] == [0, 0]


def test_it_counts_no_more_than_is_owed(cast: Cast) -> None:
    story = late(cast).story
    for _number in range(6):
        submit_item(cast, story=story)
    only = progress(cast.project)[0]
    assert (only.written, only.left, only.overdue, only.due) == (4, 0, 0, None)


def test_many_items_are_counted_once_a_minute_and_whenever_stories_change_hands(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.queries.assignment.COUNTED_ANEW", 0)
    story = late(cast).story
    submit_item(cast, story=story)
    assert [one.written for one in progress(cast.project)] == [1]
    submit_item(cast, story=story)
    assert [one.written for one in progress(cast.project)] == [1]
    name_writers(actor=cast.manager, story=make_story(cast), writers=[cast.writer2])
    assert [(one.writer, one.written) for one in progress(cast.project)] == [
        (cast.writer, 2),
        (cast.writer2, 0),
    ]


def test_it_counts_one_writers_stories_as_it_counts_everybodys(cast: Cast) -> None:
    name_writers(actor=cast.manager, story=make_story(cast), writers=[cast.writer2, cast.manager])
    story = late(cast).story
    name_writers(actor=cast.manager, story=make_story(cast), writers=[cast.writer])
    other = make_project()
    name_writers(actor=other.manager, story=make_story(other), writers=[other.writer])
    submit_item(cast, story=story)
    submit_item(cast, story=story, writer=cast.writer2)
    for each in progress(cast.project):
        assert progress_of(each.writer, cast.project) == each
        row = assigned_work([cast.project, other.project], each.writer)[cast.project.pk, each.writer.pk]
        assert (row.written, row.overdue, row.due) == (each.written, each.overdue, each.due)
    mine = assigned_work([cast.project], cast.writer)[cast.project.pk, cast.writer.pk]
    assert (mine.stories, mine.written, mine.unfinished, mine.overdue) == (2, 1, 2, 1)
    assert [one.submitted for one in assignments_of(cast.writer, cast.project)] == [1, 0]


def test_it_gives_the_text_for_the_chat_in_the_readers_and_the_projects_language(seen_by: SeenBy) -> None:
    cast = make_project(language="zh")
    late(cast)
    texts = seen_by(cast.manager).get(page_of(cast, "/assignments")).context["texts"]
    assert [text["lang"] for text in texts] == ["en", "zh-Hans"]
    assert "Wen Writer: 0 of 4 written, 4 items to write, 1 story overdue" in texts[0]["text"]
    assert "Wu Writer" not in texts[0]["text"]
    english = make_project()
    late(english)
    texts = seen_by(english.manager).get(page_of(english, "/assignments")).context["texts"]
    assert [text["lang"] for text in texts] == ["en"]


def test_it_hands_stories_out(cast: Cast, seen_by: SeenBy) -> None:
    stories, day = [make_story(cast), make_story(cast)], timezone.localdate() + timedelta(days=7)
    sent = {
        "stories": [story.pk for story in stories],
        "writers": [cast.writer.pk, cast.writer2.pk],
        "due_on": day.isoformat(),
    }
    address = page_of(cast, "/assignments/name")
    assert seen_by(cast.writer).post(address, sent).status_code == 403
    assert seen_by(cast.outsider).post(address, sent).status_code == 404
    assert seen_by(cast.manager).post(address, sent).status_code == 302
    assert WritingAssignment.objects.filter(due_on=day).count() == 4
    desk = seen_by(cast.writer).get(page_of(cast, "/write")).content.decode()
    assert "0 of 8 items written, 8 to go" in desk


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"stories": []}, "stories"),
        ({"writers": []}, "writers"),
        ({"due_on": "2001-01-01"}, "due_on"),
        ({"due_on": "soon"}, "due_on"),
    ],
)
def test_it_says_what_keeps_stories_from_being_handed_out(
    cast: Cast, seen_by: SeenBy, wrong: dict[str, object], field: str
) -> None:
    sent = {"stories": [make_story(cast).pk], "writers": [cast.writer.pk]} | wrong
    answer = seen_by(cast.manager).post(page_of(cast, "/assignments/name"), sent)
    assert answer.status_code == 400
    assert field in answer.context["form"].errors
    assert not WritingAssignment.objects.exists()


def test_it_takes_neither_stories_nor_people_of_other_projects(cast: Cast, seen_by: SeenBy) -> None:
    other = make_project()
    address, manager = page_of(cast, "/assignments/name"), seen_by(cast.manager)
    theirs = {"stories": [make_story(other).pk], "writers": [cast.writer.pk]}
    assert manager.post(address, theirs).status_code == 400
    strangers = {"stories": [make_story(cast).pk], "writers": [other.writer.pk]}
    assert manager.post(address, strangers).status_code == 400
    assert not WritingAssignment.objects.exists()


def test_it_shows_the_writer_what_is_overdue(cast: Cast, seen_by: SeenBy) -> None:
    late(cast)
    assert "overdue" in seen_by(cast.writer).get(page_of(cast, "/write")).content.decode()
    assert "1 story is overdue." in seen_by(cast.writer).get(page_of(cast, "")).content.decode()


def test_it_says_which_cap_is_reached(cast: Cast, seen_by: SeenBy) -> None:
    cast.project.most_stories_in_hand = 1
    cast.project.save()
    make_story(cast)
    make_story(cast)
    client = seen_by(cast.writer)
    client.post(page_of(cast, "/write/next"))
    client.post(page_of(cast, "/write/next"))
    assert "the most this project allows" in client.get(page_of(cast, "/write")).content.decode()


def test_it_lets_a_writer_take_over_what_was_left(cast: Cast, seen_by: SeenBy) -> None:
    item, client = returned_item(cast), seen_by(cast.writer2)
    address = page_of(cast, f"/write/item/{item.pk}/take-over")
    assert client.post(address).status_code == 404
    hand_over_work(actor=cast.manager, project=cast.project, departing=cast.writer, receiver=None)
    assert "Take over" in client.get(page_of(cast, "/write/without-writer")).content.decode()
    assert seen_by(cast.reviewer).post(address).status_code == 403
    assert seen_by(cast.outsider).post(address).status_code == 404
    taken = client.post(address)
    assert taken["Location"] == page_of(cast, f"/write/item/{item.pk}")
    assert client.get(taken["Location"]).status_code == 200


def test_it_shows_no_key_of_what_others_left(cast: Cast, seen_by: SeenBy) -> None:
    returned_item(cast)
    hand_over_work(actor=cast.manager, project=cast.project, departing=cast.writer, receiver=None)
    page = seen_by(cast.writer2).get(page_of(cast, "/write/without-writer")).content.decode()
    assert "It felt sure of winning" not in page


def test_it_shows_before_and_hands_back_after(cast: Cast, seen_by: SeenBy) -> None:
    item, manager = returned_item(cast), seen_by(cast.manager)
    address = page_of(cast, f"/handover?from={cast.writer.pk}")
    shown = manager.get(address)
    assert shown.context["moves"]["items"] == 1
    assert seen_by(cast.writer).post(address, {"receiver": cast.writer2.pk}).status_code == 403
    assert manager.post(address, {"receiver": cast.reviewer.pk}).status_code == 400
    assert manager.post(address, {"receiver": cast.writer2.pk}).status_code == 302
    item.refresh_from_db()
    assert item.writer == cast.writer2
    made = manager.get(page_of(cast, "/handover")).context["made"][0]
    back = page_of(cast, f"/handover/{made.pk}/undo")
    assert seen_by(cast.writer).post(back).status_code == 403
    assert seen_by(make_project().manager).post(back).status_code == 404
    assert manager.post(back).status_code == 302
    item.refresh_from_db()
    assert item.writer == cast.writer
    assert manager.post(back).status_code == 409


def test_it_hands_over_for_somebody_who_is_out_of_the_project_already(cast: Cast, seen_by: SeenBy) -> None:
    returned_item(cast)
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=[])
    address, manager = page_of(cast, f"/handover?from={cast.writer.pk}"), seen_by(cast.manager)
    assert manager.get(address).status_code == 200
    assert manager.post(address, {"receiver": ""}).status_code == 302
    assert manager.get(page_of(cast, f"/handover?from={cast.outsider.pk}")).status_code == 404
    assert manager.get(page_of(cast, "/handover?from=x")).status_code == 404


def test_it_asks_the_database_as_often_for_many_as_for_few(cast: Cast, seen_by: SeenBy) -> None:
    client, counts = seen_by(cast.manager), []
    pages = [page_of(cast, rest) for rest in ("/assignments", "/assignments/name", "/handover")]
    pages.append(page_of(cast, f"/handover?from={cast.writer.pk}"))
    pages.append(page_of(cast, "/write/without-writer"))
    for size in (2, 3):
        for _number in range(size):
            other = make_user("Another")
            set_roles(actor=cast.manager, project=cast.project, user=other, roles=[Role.WRITER])
            name_writers(actor=cast.manager, story=make_story(cast), writers=[cast.writer, other])
            Item.objects.filter(pk=returned_item(cast).pk).update(offered_at=timezone.now())
        counts.append([_queries(client, page) for page in pages])
    assert counts[0] == counts[1]


def _queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return len(captured)
