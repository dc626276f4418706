"""Pilots: the same stories for several writers, each alone; then another look at what is older."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from annotation.models import Cause, Item, KeyExposure, Pilot, State, WritingAssignment
from annotation.queries.pilot import older_counts, older_items, stories_withheld_from
from annotation.services import (
    apply_verdict,
    end_pilot,
    judge_content,
    look_again_at_older_items,
    note_on_pilot,
    start_pilot,
)
from core.errors import Conflict, Forbidden, Unusable
from corpus.models import Story
from projects.models import Guideline, Role
from projects.services import acknowledge_guideline, publish_guideline, set_roles
from review.models import Answer, Disposition, Stage
from review.queries import waiting
from review.services import claim_next, send_verdict, solve
from tests.annotation.conftest import SeenBy
from tests.factories import Cast, content, make_project, make_story, submit_item, wording

pytestmark = pytest.mark.django_db


def counted(page: Any) -> list[str]:
    """What the list of stories says in its columns of items and writers."""
    return re.findall(r'data-label="(?:Items|Writers)">([^<]*)<', page.content.decode())


def begin(cast: Cast, *stories: Story) -> Pilot:
    return start_pilot(
        actor=cast.manager,
        project=cast.project,
        name="First round",
        stories=stories or [make_story(cast), make_story(cast)],
        writers=[cast.writer, cast.writer2],
    )


def publish(cast: Cast, *readers: User) -> Guideline:
    guideline = publish_guideline(actor=cast.manager, project=cast.project, text="Be kind.")
    for reader in readers:
        acknowledge_guideline(actor=reader, guideline=guideline)
    return guideline


def verified(cast: Cast, **more: object) -> Item:
    """An item that has gone all its way."""
    item = submit_item(cast, **more)  # type: ignore[arg-type]  # as the factory takes them
    for state, cause in ((State.IN_VERIFICATION, Cause.ALL_PASS), (State.VERIFIED, Cause.VERIFIER_PASS)):
        apply_verdict(
            actor=cast.reviewer, item=item, revision_id=wording(item).pk, to_state=state, cause=cause
        )
    item.refresh_from_db()
    return item


def page_of(cast: Cast, rest: str) -> str:
    return f"/p/{cast.project.slug}{rest}"


def statuses(cast: Cast, seen_by: SeenBy, address: str, method: str = "get") -> dict[str, int]:
    people = ("manager", "writer", "reviewer", "verifier", "outsider")
    return {name: getattr(seen_by(getattr(cast, name)), method)(address).status_code for name in people}


ONLY_MANAGERS = {"manager": 200, "writer": 403, "reviewer": 403, "verifier": 403, "outsider": 404}


def test_it_gives_every_writer_every_story(cast: Cast) -> None:
    pilot = begin(cast)
    held = WritingAssignment.objects.filter(given_back_at=None).values_list("story", "writer")
    links = [link.story_id for link in pilot.links.all()]
    assert set(held) == {(story, person.pk) for story in links for person in (cast.writer, cast.writer2)}
    assert pilot.guideline is None
    publish(cast)
    assert begin(cast).guideline is not None


def test_it_is_begun_by_managers_with_stories_and_writers_of_the_project(cast: Cast) -> None:
    story, other = make_story(cast), make_story(make_project())

    def refused(**wrong: object) -> set[str]:
        words = {"name": "A", "stories": [story], "writers": [cast.writer, cast.writer2]} | wrong
        with pytest.raises(Unusable) as caught:
            start_pilot(actor=cast.manager, project=cast.project, **words)  # type: ignore[arg-type]  # wrong on purpose
        return set(caught.value.fields)

    assert refused(name="  ") == refused(name="x" * 101) == {"name"}
    assert refused(stories=[]) == refused(stories=[other]) == refused(stories=[story] * 21) == {"stories"}
    assert refused(writers=[cast.writer]) == refused(writers=[cast.writer, cast.reviewer]) == {"writers"}
    both = [cast.writer, cast.writer2]
    with pytest.raises(Forbidden):
        start_pilot(actor=cast.writer, project=cast.project, name="A", stories=[story], writers=both)
    assert not Pilot.objects.exists()
    assert not WritingAssignment.objects.exists()


def test_it_keeps_the_others_items_from_its_writers_until_it_ends(cast: Cast) -> None:
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer2, roles=[Role.WRITER, Role.REVIEWER])
    pilot = begin(cast)
    story = pilot.links.all()[0].story
    submit_item(cast, story=story)
    assert stories_withheld_from(cast.writer2, cast.project) == [link.story_id for link in pilot.links.all()]
    assert claim_next(actor=cast.writer2, project=cast.project, stage=Stage.CROSS_CHECK) is None
    waits = waiting(cast.writer2, cast.project, Stage.CROSS_CHECK)
    assert (waits.open, waits.excluded) == (0, 1)
    assert waiting(cast.reviewer, cast.project, Stage.CROSS_CHECK).open == 1
    with pytest.raises(Forbidden):
        end_pilot(actor=cast.writer2, pilot=pilot)
    end_pilot(actor=cast.manager, pilot=pilot)
    with pytest.raises(Conflict):
        end_pilot(actor=cast.manager, pilot=pilot)
    assert waiting(cast.writer2, cast.project, Stage.CROSS_CHECK).open == 1
    assert claim_next(actor=cast.writer2, project=cast.project, stage=Stage.CROSS_CHECK) is not None


def test_it_does_not_show_its_writers_that_others_have_written(cast: Cast, seen_by: SeenBy) -> None:
    story = make_story(cast)
    pilot = begin(cast, story)
    client, address = seen_by(cast.writer2), page_of(cast, f"/write/story/{story.pk}?new=1")
    stories = page_of(cast, "/stories")

    def seen() -> tuple[str, str, list[str], list[str]]:
        sheet, desk = client.get(address), client.get(page_of(cast, "/write"))
        problems = judge_content(
            content(), project=cast.project, story=story, task="commonsense", reader=cast.writer2
        )
        missing = ", ".join(sheet.context["missing"])
        assigned = ", ".join(desk.context["assigned"][0]["missing"])
        return missing, assigned, [one.check for one in problems], counted(client.get(stories))

    before = seen()
    assert before[3] == ["–", "–"]
    submit_item(cast, story=story)
    assert seen() == before
    end_pilot(actor=cast.manager, pilot=pilot)
    after = seen()
    assert "Social" in before[0]
    assert "Social" not in after[0]
    assert "Social" not in after[1]
    assert after[2] != before[2]
    begin(cast, story)
    own = judge_content(content(), project=cast.project, story=story, task="commonsense", reader=cast.writer)
    assert [one.check for one in own] == after[2]  # one's own items count all the same


def test_it_is_for_managers_alone(cast: Cast, seen_by: SeenBy) -> None:
    pilot = begin(cast)
    story = pilot.links.all()[0].story_id
    for rest in ("/pilots", "/pilots/new", f"/pilots/{pilot.pk}", "/guideline/older"):
        assert statuses(cast, seen_by, page_of(cast, rest)) == ONLY_MANAGERS, rest
    moved = ONLY_MANAGERS | {"manager": 302}
    assert statuses(cast, seen_by, page_of(cast, f"/pilots/{pilot.pk}/story/{story}/note"), "post") == moved
    assert statuses(cast, seen_by, page_of(cast, f"/pilots/{pilot.pk}/end"), "post") == moved
    other = make_project()
    assert seen_by(other.manager).get(page_of(other, f"/pilots/{pilot.pk}")).status_code == 404


def test_it_is_started_from_a_form_that_names_what_is_wrong(cast: Cast, seen_by: SeenBy) -> None:
    story, client = make_story(cast, title="The Tortoise"), seen_by(cast.manager)
    form = client.get(page_of(cast, "/pilots/new"), {"q": "tortoise"}).content.decode()
    assert "The Tortoise" in form
    assert form.count("checked") >= 2, "all writers are chosen to begin with"
    words = {"name": "One", "stories": [story.pk], "writers": [cast.writer.pk]}
    refused = client.post(page_of(cast, "/pilots/new"), words)
    assert refused.status_code == 400
    assert "Select 2 to 60 writers of this project." in refused.content.decode()
    words["writers"] = [cast.writer.pk, cast.writer2.pk]
    assert client.post(page_of(cast, "/pilots/new"), words).status_code == 302
    assert "One" in client.get(page_of(cast, "/pilots")).content.decode()
    desk = seen_by(cast.writer2).get(page_of(cast, "/write")).content.decode()
    assert "The Tortoise" in desk


@pytest.mark.parametrize(("most", "chosen"), [(2, True), (1, False)])
def test_it_begins_with_all_writers_where_a_pilot_can_have_so_many(
    cast: Cast, seen_by: SeenBy, monkeypatch: pytest.MonkeyPatch, most: int, chosen: bool
) -> None:
    monkeypatch.setattr("annotation.views.pilot.MOST_WRITERS", most)
    answer = seen_by(cast.manager).get(page_of(cast, "/pilots/new"))
    assert len(answer.context["form"]["writers"].value()) == (2 if chosen else 0)
    message = f"There are more writers than a pilot can have; select at most {most}."
    assert (message in answer.content.decode()) != chosen


def test_it_shows_items_side_by_side_with_keys_types_and_flaws(cast: Cast, seen_by: SeenBy) -> None:
    pilot = begin(cast)
    story = pilot.links.all()[0].story
    submit_item(cast, story=story, words=content("Mine?"))
    submit_item(cast, story=story, words=content("Theirs?", types=("physical",)), writer=cast.writer2)
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    review = solve(
        actor=cast.reviewer, request=request, answer=Answer.OPTION, position=request.drawn_order.index(1)
    )
    send_verdict(
        actor=cast.reviewer, review=review, rating=0, flaws=["unclear_stem"], comment="Which nap?",
        disposition=Disposition.RETURN,
    )  # fmt: skip
    page = seen_by(cast.manager).get(page_of(cast, f"/pilots/{pilot.pk}")).content.decode()
    for words in ("Mine?", "Theirs?", "Physical", "unclear stem", "Which nap?", cast.writer2.name):
        assert words in page
    assert page.count("<strong>It felt sure of winning</strong>") == 2
    second = pilot.links.all()[1].story_id
    empty = seen_by(cast.manager).get(page_of(cast, f"/pilots/{pilot.pk}"), {"story": second})
    assert "Mine?" not in empty.content.decode()
    for wrong in ("0", "x", "²"):
        address = page_of(cast, f"/pilots/{pilot.pk}")
        assert seen_by(cast.manager).get(address, {"story": wrong}).status_code == 404


def test_it_remembers_that_the_manager_saw_moral_keys(cast: Cast, seen_by: SeenBy) -> None:
    pilot = begin(cast)
    story = pilot.links.all()[0].story
    seen_by(cast.manager).get(page_of(cast, f"/pilots/{pilot.pk}"))
    assert not KeyExposure.objects.filter(user=cast.manager).exists()
    submit_item(cast, story=story, task="moral")
    seen_by(cast.manager).get(page_of(cast, f"/pilots/{pilot.pk}"))
    assert KeyExposure.objects.filter(user=cast.manager, story=story, task="moral").exists()


def test_it_keeps_notes_on_each_story_and_leads_to_the_next_guideline(cast: Cast, seen_by: SeenBy) -> None:
    pilot = begin(cast)
    first, second = pilot.links.all()
    client = seen_by(cast.manager)
    address = page_of(cast, f"/pilots/{pilot.pk}/story/{first.story_id}/note")
    kept = client.post(address, {"note": "Stems\r\nare long.", "then": "guideline"})
    assert kept.headers["Location"] == page_of(cast, "/guideline/new")
    first.refresh_from_db()
    assert first.note == "Stems\nare long."
    other = client.get(page_of(cast, f"/pilots/{pilot.pk}"), {"story": second.story_id}).content.decode()
    assert "are long." in other
    with pytest.raises(Unusable):
        note_on_pilot(actor=cast.manager, link=first, text="x" * 20_001)
    with pytest.raises(Forbidden):
        note_on_pilot(actor=cast.writer, link=first, text="x")


def test_it_asks_as_often_for_many_items_as_for_few(cast: Cast, seen_by: SeenBy) -> None:
    pilot, client = begin(cast), seen_by(cast.manager)
    story = pilot.links.all()[0].story
    counts = []
    for more in (2, 4):
        for number in range(more):
            submit_item(cast, story=story, words=content(f"Why {more} {number}?"))
            begin(cast)
        found = []
        for rest in (f"/pilots/{pilot.pk}", "/pilots"):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(page_of(cast, rest)).status_code == 200
            found.append(len(queries))
        counts.append(found)
    assert counts[0] == counts[1]


def test_it_counts_and_sends_what_older_versions_have_left(cast: Cast, seen_by: SeenBy) -> None:
    bare = verified(cast)
    assert older_counts(cast.project) == [], "there is no guideline yet"
    publish(cast, cast.writer)
    first = verified(cast, words=content(types=("physical",)))
    waits = submit_item(cast)
    publish(cast, cast.writer)
    newest = verified(cast)
    assert older_counts(cast.project) == [(None, 1), (1, 1)]
    assert list(older_items(cast.project, kind="physical")) == [first]
    assert not older_items(cast.project, task="moral").exists()
    client = seen_by(cast.manager)
    page = client.get(page_of(cast, "/guideline/older"), {"kind": "physical"}).content.decode()
    assert "Send 1 item for re-review" in page
    refused = client.post(page_of(cast, "/guideline/older"), {"kind": "physical", "reason": " "})
    assert refused.status_code == 400
    sent = client.post(
        page_of(cast, "/guideline/older"), {"kind": "physical", "reason": "Types are stricter"}
    )
    assert sent.status_code == 302
    states = {item.pk: item.state for item in Item.objects.all()}
    assert states == {
        bare.pk: State.VERIFIED,
        first.pk: State.IN_REVIEW,
        waits.pk: State.IN_REVIEW,
        newest.pk: State.VERIFIED,
    }
    move = first.transitions.get(cause=Cause.ANOTHER_LOOK)
    assert (move.reason, move.actor) == ("Types are stricter", cast.manager)
    assert older_counts(cast.project) == [(None, 1)]


def test_it_keeps_many_older_items_counted_until_some_are_sent(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr("annotation.queries.pilot.COUNTED_ANEW", 1)
    verified(cast)
    publish(cast, cast.writer)
    assert older_counts(cast.project) == [(None, 1)]
    verified(cast)
    publish(cast, cast.writer)
    assert older_counts(cast.project) == [(None, 1), (1, 1)], "one was not many"
    verified(cast)
    publish(cast, cast.writer)
    assert older_counts(cast.project) == [(None, 1), (1, 1)], "as it was a minute ago"
    monkeypatch.setattr("annotation.services.pilot.AT_ONCE", 1)
    with django_capture_on_commit_callbacks(execute=True):
        look_again_at_older_items(actor=cast.manager, project=cast.project, reason="New rules")
    assert older_counts(cast.project) == [(1, 1), (2, 1)]


def test_it_looks_again_at_an_item_once_a_version(cast: Cast) -> None:
    item = verified(cast)
    publish(cast, cast.writer)
    assert look_again_at_older_items(actor=cast.manager, project=cast.project, reason="New rules") == 1
    item.refresh_from_db()
    for state, cause in ((State.IN_VERIFICATION, Cause.ALL_PASS), (State.VERIFIED, Cause.VERIFIER_PASS)):
        apply_verdict(
            actor=cast.reviewer, item=item, revision_id=wording(item).pk, to_state=state, cause=cause
        )
    assert look_again_at_older_items(actor=cast.manager, project=cast.project, reason="New rules") == 0
    publish(cast, cast.writer)
    assert look_again_at_older_items(actor=cast.manager, project=cast.project, reason="Newer rules") == 1
    with pytest.raises(Forbidden):
        look_again_at_older_items(actor=cast.writer, project=cast.project, reason="x")
    with pytest.raises(Unusable):
        look_again_at_older_items(actor=cast.manager, project=cast.project, reason=" ")
