"""A proverb's narratives come from as many writers as there are narratives: plan, desk, import, database."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.models import User
from annotation.models import Cause, Item, State, WritingAssignment
from annotation.queries.assignment import free_places, limits_of, progress_of, why_no_story
from annotation.queries.inbox import writing_in
from annotation.services import (
    apply_verdict,
    assign_item,
    contest_rejection,
    hand_over_work,
    import_items_as,
    name_writers,
    save_draft,
    take_next_story,
    take_story,
    withdraw_item,
)
from core.errors import Conflict, Unusable
from corpus.models import Story
from corpus.outcome import ImportResult
from parable.formats import read_items
from parable.formats.parable_jsonl import FORMAT
from tests.annotation.conftest import SeenBy
from tests.annotation.pulling import at_once
from tests.factories import Cast, make_project, make_story, submit_item, wording
from tests.kinds.samples import PROVERB, SAMPLES

TASK = "proverb_narratives"
OTHER = "Too many cooks never agree"
WORDS = SAMPLES[TASK].words


def make_cast(*, sole: bool = True, **settings: Any) -> Cast:
    return make_project(tasks=[TASK], distinct_writers=sole, writers_per_story=10, **settings)


def proverb(cast: Cast) -> Story:
    return make_story(cast, text=PROVERB)


def narrate(cast: Cast, story: Story, writer: User | None = None) -> Item:
    return submit_item(cast, story=story, task=TASK, words=WORDS, writer=writer)


def move(cast: Cast, item: Item, state: str, cause: str) -> None:
    apply_verdict(actor=cast.reviewer, item=item, revision_id=wording(item).pk, to_state=state, cause=cause)


@pytest.mark.django_db
class TestAtTheDesk:
    def test_it_takes_one_narrative_a_writer(self) -> None:
        cast = make_cast()
        story = proverb(cast)
        narrate(cast, story)
        narrate(cast, story, cast.writer2)
        narrate(cast, make_story(cast, text=OTHER))
        with pytest.raises(Conflict, match="Wen Writer has already written a narrative"):
            narrate(cast, story)
        with pytest.raises(Unusable, match="comes from another writer"):
            save_draft(
                actor=cast.writer, project=cast.project, story=story, task=TASK, client_id=uuid.uuid4(),
                sequence=1, content={},
            )  # fmt: skip

    def test_it_takes_more_where_the_project_allows_them(self) -> None:
        cast = make_cast(sole=False)
        story = proverb(cast)
        narrate(cast, story)
        assert narrate(cast, story).is_sole is False

    def test_it_is_no_rule_of_other_tasks(self) -> None:
        cast = make_project()
        story = make_story(cast)
        assert [submit_item(cast, story=story).is_sole for _each in range(2)] == [False, False]

    def test_a_withdrawn_or_rejected_narrative_may_be_replaced(self) -> None:
        cast = make_cast()
        story = proverb(cast)
        withdraw_item(actor=cast.writer, item=narrate(cast, story))
        rejected = narrate(cast, story)
        move(cast, rejected, State.REJECTED, Cause.ALL_REJECT)
        narrate(cast, story)
        with pytest.raises(Conflict, match="already written"):
            contest_rejection(actor=cast.writer, item=rejected, reason="It is apt.")

    def test_it_owes_one_narrative_and_does_not_offer_what_is_written(self) -> None:
        cast = make_cast(items_per_writer=4, most_items_per_person=2)
        first, second = proverb(cast), make_story(cast, text=OTHER)
        narrate(cast, first)  # without an assignment
        taken = take_next_story(actor=cast.writer, project=cast.project)
        assert taken is not None
        assert taken.story == second
        assert (progress_of(cast.writer, cast.project).owed, limits_of(cast.writer, cast.project).owed) == (
            1,
            1,
        )
        assert writing_in(cast.writer, [cast.project])[cast.project.pk].left == 1
        narrate(cast, second)
        assert progress_of(cast.writer, cast.project).left == 0
        assert not free_places(cast.project, cast.writer).exists()
        assert not writing_in(cast.writer, [cast.project])[cast.project.pk].may_take
        assert why_no_story(cast.writer, cast.project).theirs == 2
        assert free_places(cast.project, cast.writer2).count() == 2
        assert limits_of(cast.writer, cast.project).reached, "the cap per person stays"

    def test_it_is_offered_where_other_items_are_owed_too(self) -> None:
        cast = make_project(tasks=["commonsense", TASK])
        narrate(cast, story := proverb(cast))
        assert cast.project.owed_per_writer == 4
        assert free_places(cast.project, cast.writer).get().story == story

    def test_nobody_takes_or_is_named_for_a_proverb_that_they_have_told(self) -> None:
        cast = make_cast()
        narrate(cast, story := proverb(cast))
        with pytest.raises(Conflict, match="already written"):
            take_story(actor=cast.writer, story=story)
        with pytest.raises(Unusable, match="already written"):
            name_writers(actor=cast.manager, story=story, writers=[cast.writer2, cast.writer])
        assert not WritingAssignment.objects.exists()

    def test_work_that_is_passed_on_gives_nobody_a_second_narrative(self) -> None:
        cast = make_cast()
        story = proverb(cast)
        narrate(cast, story, cast.writer2)
        item = narrate(cast, story)
        move(cast, item, State.RETURNED, Cause.ALL_RETURN)
        with pytest.raises(Conflict, match="already written"):
            assign_item(actor=cast.manager, item=item, writer=cast.writer2)
        hand_over_work(actor=cast.manager, project=cast.project, departing=cast.writer, receiver=cast.writer2)
        item.refresh_from_db()
        assert (item.writer, item.offered_at is None) == (cast.writer, False), "offered to all others"

    def test_the_form_does_not_open_for_a_second_narrative(self, seen_by: SeenBy) -> None:
        cast = make_cast()
        narrate(cast, story := proverb(cast))
        desk = f"/p/{cast.project.slug}/write"
        client = seen_by(cast.writer)
        answer = client.get(f"{desk}/story/{story.pk}?task={TASK}&new=1")
        assert (answer.status_code, answer["Location"]) == (302, desk)
        assert "has already written a narrative for this proverb" in client.get(desk).content.decode()
        assert seen_by(cast.writer2).get(f"{desk}/story/{story.pk}?task={TASK}").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_of_two_narratives_sent_at_once_one_is_refused() -> None:
    cast = make_cast()
    story, refused = proverb(cast), []

    def send(person: User) -> None:
        try:
            narrate(cast, story, person)
        except Conflict as error:
            refused.append(error)

    at_once([cast.writer] * 4, send)
    assert (len(refused), Item.objects.count()) == (3, 1)


@pytest.mark.django_db
def test_the_database_refuses_a_second_narrative() -> None:
    cast = make_cast()
    first, other = narrate(cast, story := proverb(cast)), narrate(cast, story, cast.writer2)
    with pytest.raises(IntegrityError, match="annotation_one_item_per_writer"), transaction.atomic():
        Item.objects.filter(pk=other.pk).update(writer=first.writer)


@pytest.mark.django_db
class TestImports:
    def bring(self, cast: Cast, *rows: dict[str, Any], dry_run: bool = False) -> ImportResult:
        own = WORDS.own
        lines = [
            json.dumps({"id": f"n{number}", "task": TASK, "story": PROVERB, "own": own} | row)
            for number, row in enumerate(rows, start=1)
        ]
        reading = read_items("\n".join(lines).encode(), name="narratives.jsonl", format="parable", types={})
        return import_items_as(
            actor=cast.manager, project=cast.project, readings=[reading], state="verified",
            writer_name="Import", dry_run=dry_run,
        )  # fmt: skip

    def test_each_narrative_is_of_the_writer_that_its_row_names(self) -> None:
        cast = make_cast()
        result = self.bring(cast, {"writer": "Ann Lee"}, {"writer": "Bo Li"}, {})
        assert result.issues == []
        found = Item.objects.order_by("ref")
        assert [item.writer.name for item in found] == ["Ann Lee", "Bo Li", "Import"]
        assert [wording(item).author.name for item in found] == ["Ann Lee", "Bo Li", "Import"]
        assert [item.is_sole for item in found] == [True, True, False]

    def test_it_names_each_row_whose_writer_has_one_already(self) -> None:
        cast = make_cast()
        self.bring(cast, {"writer": "Ann Lee"})
        rows = [
            {"id": "a", "writer": "Bo Li"},
            {"id": "b", "writer": " Bo  Li"},
            {"id": "c", "writer": "Ann Lee"},
            {"id": "d", "writer": "Bo Li", "story": OTHER},
            {"id": "e"},
            {"id": "f"},
        ]
        for dry_run in (True, False):
            result = self.bring(cast, *rows, dry_run=dry_run)
            assert [(one.row, one.field) for one in result.issues] == [(2, "writer"), (3, "writer")]
            assert "narratives.jsonl, row 1 is a narrative by" in result.issues[0].message
            assert "Ann Lee has already written a narrative for this proverb" in result.issues[1].message
        assert Item.objects.count() == 1, "all or nothing"

    def test_the_same_file_again_changes_nothing(self) -> None:
        cast = make_cast()
        rows = ({"writer": "Ann Lee"}, {"writer": "Bo Li"})
        self.bring(cast, *rows)
        assert self.bring(cast, *rows).counts()["unchanged"] == 2

    def test_a_project_without_the_rule_takes_both(self) -> None:
        cast = make_cast(sole=False)
        assert self.bring(cast, {"writer": "Ann Lee"}, {"writer": "Ann Lee"}).issues == []

    def test_no_file_that_is_written_names_writers(self) -> None:
        line = json.dumps(
            {"id": "x", "task": TASK, "story": PROVERB, "own": dict(WORDS.own), "writer": "Ann"}
        )
        reading = read_items(line.encode(), name="n.jsonl", format="parable", types={})
        assert FORMAT.writer is not None
        assert reading.records[0].writer == "Ann"
        assert b"Ann" not in b"".join(FORMAT.writer.parts(reading.records))
