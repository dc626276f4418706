"""Targets and reservations steer `Next story`: who gets which, who is refused, and who waits for nobody."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEvent, User
from annotation.models import Cause, Item, Reservation, State, TypeTarget
from annotation.plan import Reason, Target
from annotation.queries.assignment import free_places, stories_to_name, why_no_story
from annotation.queries.inbox import writing_in
from annotation.queries.item import type_counts
from annotation.queries.plan import STORIES_COMPARED, hints, needs_in, needs_of, next_places, types_needed
from annotation.services import (
    apply_verdict,
    end_reservation,
    give_back_story,
    hold_back_stories,
    name_writers,
    reserve_story,
    retire_item,
    set_type_targets,
    start_pilot,
    take_next_story,
    take_story,
)
from core.errors import Conflict, Forbidden, Unusable
from corpus.models import Story
from corpus.services import confirm_group
from projects.models import CommonsenseType, Project, Role
from projects.services import set_roles
from tests.annotation.pulling import is_found_by, more_writers, pull_all
from tests.annotation.test_pulling import LOCK, another_session
from tests.factories import Cast, content, make_project, make_story, submit_item, wording

EACH = {code: Target() for code in ("social", "biological", "temporal", "spatial", "physical")}


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def plan(cast: Cast, targets: dict[str, Target] | None = None) -> None:
    set_type_targets(actor=cast.manager, project=cast.project, targets=EACH if targets is None else targets)


def kind(cast: Cast, code: str) -> CommonsenseType:
    return CommonsenseType.objects.get(project=cast.project, code=code)


def write(cast: Cast, story: Story, *types: str, writer: User | None = None) -> list[Item]:
    return [submit_item(cast, story=story, writer=writer, words=content(types=(code,))) for code in types]


def taken_by(writer: User, project: Project) -> int | None:
    taken = take_next_story(actor=writer, project=project)
    return taken.story_id if taken else None


def half_written(cast: Cast) -> tuple[Story, Story, Story]:
    """Three stories of another writer: the first lacks social, the second temporal, the third nothing."""
    stories = (make_story(cast), make_story(cast), make_story(cast))
    for story, lacking in zip(stories, ("social", "temporal", ""), strict=True):
        name_writers(actor=cast.manager, story=story, writers=[cast.writer2])
        write(cast, story, *(code for code in EACH if code != lacking), writer=cast.writer2)
    return stories


def test_it_prefers_the_story_whose_missing_types_the_writer_has_written_least(cast: Cast) -> None:
    lacks_social, lacks_temporal, covered = half_written(cast)
    write(cast, covered, "social", "social", "physical")
    plan(cast)
    taken = [taken_by(cast.writer, cast.project) for _number in range(3)]
    assert taken == [lacks_temporal.pk, lacks_social.pk, covered.pk]


def test_it_keeps_the_old_order_without_a_plan(cast: Cast) -> None:
    stories = half_written(cast)
    write(cast, stories[2], "social", "social", "physical")
    taken = [taken_by(cast.writer, cast.project) for _number in range(3)]
    assert taken == [story.pk for story in stories]


def test_it_still_gives_the_story_that_lacks_most_writers_first(cast: Cast) -> None:
    half_written(cast)
    untouched = make_story(cast)
    write(cast, untouched, *EACH, writer=cast.writer2)
    plan(cast)
    assert taken_by(cast.writer, cast.project) == untouched.pk


@pytest.mark.parametrize("moves", [[State.REJECTED], [State.IN_VERIFICATION, State.VERIFIED, State.RETIRED]])
def test_it_counts_no_item_that_is_gone(cast: Cast, moves: list[State]) -> None:
    story = make_story(cast)
    item = write(cast, story, "temporal")[0]
    plan(cast, {"temporal": Target(), "spatial": Target()})
    assert hint_of(cast.writer, story) == ("spatial", Reason.ONLY_MISSING)
    for state in moves:
        if state == State.RETIRED:
            retire_item(actor=cast.manager, item=item, reason="Two keys.")
        else:
            apply_verdict(
                actor=cast.reviewer,
                item=item,
                revision_id=wording(item).pk,
                to_state=state,
                cause=Cause.ALL_PASS,
            )
    assert hint_of(cast.writer, story) == ("temporal", Reason.MISSING)


def test_it_gives_a_reserved_story_to_its_writer_first_and_keeps_a_place(cast: Cast) -> None:
    cast.project.writers_per_story = 1
    cast.project.save()
    first, kept = make_story(cast), make_story(cast)
    reserve_story(actor=cast.manager, story=kept, writer=cast.writer)
    assert taken_by(cast.writer2, cast.project) == first.pk
    assert taken_by(cast.writer2, cast.project) is None
    assert why_no_story(cast.writer2, cast.project).kept == 1
    with pytest.raises(Conflict, match="reserved for Wen Writer"):
        take_story(actor=cast.writer2, story=kept)
    make_story(cast)
    assert taken_by(cast.writer, cast.project) == kept.pk


def test_it_keeps_one_place_of_several(cast: Cast) -> None:
    story = make_story(cast)
    for code in ("social", "spatial"):  # both are one place of one writer
        reserve_story(actor=cast.manager, story=story, kind=kind(cast, code), writer=cast.writer)
    assert taken_by(cast.writer2, cast.project) == story.pk
    third = more_writers(cast, 3)[2]
    assert taken_by(third, cast.project) is None
    assert take_story(actor=cast.writer, story=story).story == story


def test_it_keeps_the_first_of_more_reservations_than_places(cast: Cast) -> None:
    story, third = make_story(cast), more_writers(cast, 3)[2]
    people = [cast.writer, cast.writer2]
    for person in people:
        reserve_story(actor=cast.manager, story=story, writer=person)
    with pytest.raises(Unusable, match="All places") as refused:
        reserve_story(actor=cast.manager, story=story, writer=third)
    assert set(refused.value.fields) == {"writer"}
    cast.project.writers_per_story = 1
    cast.project.save()
    assert why_no_story(cast.writer2, cast.project).kept == 1
    for person in (cast.writer2, third):
        assert taken_by(person, cast.project) is None
        with pytest.raises(Conflict, match=r"reserved for Wen Writer\.$"):
            take_story(actor=person, story=story)
    taken = take_story(actor=cast.writer, story=story)
    give_back_story(actor=cast.writer, assignment=taken)
    assert taken_by(cast.writer2, cast.project) == story.pk


def test_it_reserves_no_place_that_somebody_has(cast: Cast) -> None:
    cast.project.writers_per_story = 1
    cast.project.save()
    story = take_story(actor=cast.writer, story=make_story(cast)).story
    with pytest.raises(Unusable, match="All places"):
        reserve_story(actor=cast.manager, story=story, writer=cast.writer2)
    # whoever has the story needs no other place
    reserve_story(actor=cast.manager, story=story, kind=kind(cast, "social"), writer=cast.writer)


def test_it_gives_a_story_that_is_held_back_to_whom_it_is_reserved_for(cast: Cast) -> None:
    story = make_story(cast)
    hold_back_stories(actor=cast.manager, project=cast.project, stories=[story.pk], is_held_back=True)
    reserve_story(actor=cast.manager, story=story, writer=cast.writer)
    for person in (cast.writer, cast.writer2):
        may_take = writing_in(person, [cast.project])[cast.project.pk].may_take
        assert may_take == (person == cast.writer)
    assert taken_by(cast.writer2, cast.project) is None
    with pytest.raises(Conflict, match="held back"):
        take_story(actor=cast.writer2, story=story)
    with transaction.atomic():
        assert take_story(actor=cast.writer, story=story).story == story
        transaction.set_rollback(True)
    assert taken_by(cast.writer, cast.project) == story.pk


def test_it_counts_no_full_story_as_reserved(cast: Cast) -> None:
    story = make_story(cast)
    name_writers(actor=cast.manager, story=story, writers=more_writers(cast, 4)[2:])
    assert why_no_story(cast.writer, cast.project).kept == 0


def test_it_offers_nobody_again_what_is_kept_for_another(cast: Cast) -> None:
    cast.project.writers_per_story = 1
    cast.project.save()
    story = make_story(cast)
    give_back_story(actor=cast.writer, assignment=take_story(actor=cast.writer, story=story))
    assert why_no_story(cast.writer, cast.project).given_back == 1
    reserve_story(actor=cast.manager, story=story, writer=cast.writer2)
    why = why_no_story(cast.writer, cast.project)
    assert (why.given_back, why.kept) == (0, 1)
    with pytest.raises(Conflict):
        take_story(actor=cast.writer, story=story)


def test_the_inbox_offers_no_place_that_is_kept_for_another(cast: Cast) -> None:
    cast.project.writers_per_story = 1
    cast.project.save()
    reserve_story(actor=cast.manager, story=make_story(cast), writer=cast.writer)
    offered = [
        writing_in(who, [cast.project])[cast.project.pk].may_take for who in (cast.writer, cast.writer2)
    ]
    assert offered == [True, False]


def test_it_frees_a_place_when_its_writer_leaves_or_the_manager_says_so(cast: Cast) -> None:
    cast.project.writers_per_story = 1
    cast.project.save()
    story, other = make_story(cast), make_story(cast)
    reserve_story(actor=cast.manager, story=story, writer=cast.writer)
    kept = reserve_story(actor=cast.manager, story=other, writer=cast.manager)
    assert not free_places(cast.project, cast.writer2).exists()
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=[Role.REVIEWER])
    assert [place.story for place in free_places(cast.project, cast.writer2)] == [story]
    end_reservation(actor=cast.manager, reservation=kept)
    assert free_places(cast.project, cast.writer2).count() == 2


def test_it_asks_first_for_the_type_that_a_story_is_reserved_for(cast: Cast) -> None:
    story = make_story(cast)
    reserve_story(actor=cast.manager, story=story, kind=kind(cast, "physical"))
    reserve_story(actor=cast.manager, story=story, kind=kind(cast, "spatial"), writer=cast.writer2)
    assert hint_of(cast.writer, story) == ("physical", Reason.RESERVED)
    assert hint_of(cast.writer2, story) == ("spatial", Reason.RESERVED_FOR_WRITER)
    assert set(needed_by(cast.writer2, story)) - set(needed_by(cast.writer, story)) == {"spatial"}
    write(cast, story, "physical", "spatial")  # by the first writer: the second's own is still open
    assert hint_of(cast.writer, story) is None
    assert hint_of(cast.writer2, story) == ("spatial", Reason.RESERVED_FOR_WRITER)
    write(cast, story, "spatial", writer=cast.writer2)
    assert hint_of(cast.writer2, story) is None


def hint_of(writer: User, story: Story) -> tuple[str, Reason] | None:
    hint = hints(story.project, needs_of([story.pk], writer), writer).get(story.pk)
    return (hint.type.code, hint.suggestion.reason) if hint else None


def needed_by(writer: User, story: Story) -> list[str]:
    return [
        kind.code
        for kind in types_needed(story.project, needs_in(story.project, [story.pk], writer))[story.pk]
    ]


def test_it_hides_the_items_of_others_while_a_pilot_runs(cast: Cast) -> None:
    story = make_story(cast)
    writers = [cast.writer, cast.writer2]
    start_pilot(actor=cast.manager, project=cast.project, name="First", stories=[story], writers=writers)
    write(cast, story, "social", "biological", writer=cast.writer2)
    plan(cast)
    assert hint_of(cast.writer, story) == ("social", Reason.MISSING)
    assert hint_of(cast.writer2, story) == ("temporal", Reason.MISSING)
    assert needed_by(cast.writer2, story) == ["temporal", "spatial", "physical"]


def test_it_asks_for_a_share_where_the_story_lacks_nothing(cast: Cast) -> None:
    story = make_story(cast)
    write(cast, story, "social", "social", "social", "temporal")
    plan(cast, {"social": Target(1, 50), "temporal": Target(1, 30)})
    assert hint_of(cast.writer, story) == ("temporal", Reason.BELOW_SHARE)
    assert needed_by(cast.writer, story) == []
    assert (
        hints(cast.project, needs_of([story.pk], cast.writer), cast.writer)[story.pk].suggestion.share == 25
    )


def test_it_counts_a_large_project_once_a_minute_less_what_a_pilot_hides(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    story, piloted = make_story(cast), make_story(cast)
    write(cast, story, "social", "social", "temporal")
    plan(cast, {"social": Target(1, 50), "temporal": Target(1, 50)})

    def share_of(writer: User) -> int:
        return hints(cast.project, needs_of([story.pk], writer), writer)[story.pk].suggestion.share

    monkeypatch.setattr("annotation.queries.plan.COUNTED_ANEW", 3)
    assert share_of(cast.writer) == 33
    write(cast, piloted, "social", writer=cast.writer2)
    assert share_of(cast.writer) == 25, "three are not many"
    writers = [cast.writer, cast.writer2]
    start_pilot(actor=cast.manager, project=cast.project, name="First", stories=[piloted], writers=writers)
    write(cast, make_story(cast), "temporal", "temporal")
    assert share_of(cast.writer2) == 25, "four are: as a minute ago"
    assert share_of(cast.writer) == 33, "without the item of the other"


def test_it_looks_at_a_writers_newest_items(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    write(cast, make_story(cast), "social", "social", "temporal", "spatial", "spatial")
    plan(cast, {"social": Target(), "temporal": Target(), "spatial": Target()})
    story = make_story(cast)
    assert hint_of(cast.writer, story) == ("temporal", Reason.LEAST_WRITTEN)
    monkeypatch.setattr("annotation.queries.plan.ITEMS_COMPARED", 3)
    assert hint_of(cast.writer, story) == ("social", Reason.LEAST_WRITTEN)


def test_it_forgets_a_type_that_was_retired(cast: Cast) -> None:
    story = make_story(cast)
    plan(cast, {"social": Target()})
    reserve_story(actor=cast.manager, story=story, kind=kind(cast, "spatial"))
    CommonsenseType.objects.filter(project=cast.project).update(retired_at=story.created_at)
    assert hint_of(cast.writer, story) is None


def test_only_managers_plan(cast: Cast) -> None:
    story = make_story(cast)
    reservation = reserve_story(actor=cast.manager, story=story, writer=cast.writer)
    for person in (cast.writer, cast.reviewer, cast.outsider):
        with pytest.raises(Forbidden if person != cast.outsider else Exception):
            set_type_targets(actor=person, project=cast.project, targets=EACH)
        with pytest.raises(Forbidden if person != cast.outsider else Exception):
            reserve_story(actor=person, story=story, writer=cast.writer2)
        with pytest.raises(Forbidden if person != cast.outsider else Exception):
            end_reservation(actor=person, reservation=reservation)
    assert (TypeTarget.objects.count(), Reservation.objects.count()) == (0, 1)


@pytest.mark.parametrize(
    ("targets", "field"),
    [
        ({"musical": Target()}, "musical"),
        ({"social": Target(4)}, "social"),
        ({"social": Target(-1)}, "social"),
        ({"social": Target(1, 101)}, "social"),
        ({"social": Target(1, 60), "spatial": Target(1, 41)}, "share"),
    ],
)
def test_it_refuses_targets_that_cannot_be_met(cast: Cast, targets: dict[str, Target], field: str) -> None:
    plan(cast, {"social": Target(3, 60), "spatial": Target(0, 40)})
    with pytest.raises(Unusable) as refused:
        plan(cast, targets)
    assert field in refused.value.fields
    assert TypeTarget.objects.count() == 2


def test_it_refuses_a_reservation_for_nothing_or_nobody_here(cast: Cast) -> None:
    story, other = make_story(cast), make_project()
    wrong: list[dict[str, Any]] = [{}, {"writer": cast.reviewer}, {"kind": kind(other, "social")}]
    for asked in wrong:
        with pytest.raises(Unusable):
            reserve_story(actor=cast.manager, story=story, **asked)
    assert not Reservation.objects.exists()


def test_it_notes_who_planned(cast: Cast) -> None:
    plan(cast, {"social": Target(2, 40)})
    story = make_story(cast)
    first = reserve_story(actor=cast.manager, story=story, writer=cast.writer)
    assert reserve_story(actor=cast.manager, story=story, writer=cast.writer) == first
    end_reservation(actor=cast.manager, reservation=first)
    verbs = ["set_type_targets", "reserve_story", "end_reservation"]
    assert [AuditEvent.objects.filter(verb=verb, actor=cast.manager).count() for verb in verbs] == [1, 1, 1]


def test_it_takes_no_longer_for_more_stories(cast: Cast) -> None:
    plan(cast)
    counts = []
    for more in (2, STORIES_COMPARED + 20):
        _stories(cast, more)
        with CaptureQueriesContext(connection) as captured:
            assert taken_by(cast.writer, cast.project) is not None
        counts.append(len(captured))
    assert counts[0] == counts[1]
    assert is_found_by("annotation_fewest_writers", free_places(cast.project, cast.writer))
    assert next_places(cast.project, cast.writer).count() == STORIES_COMPARED


def _stories(cast: Cast, count: int) -> None:
    Story.objects.bulk_create(
        Story(
            project=cast.project, ref=f"many-{number}-{count}", language="en",
            text_hash=f"{count}-{number:050d}", created_by=cast.manager,
        )
        for number in range(count)
    )  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_no_writer_waits_for_a_story_that_another_is_taking() -> None:
    cast = make_project()
    lacks_social, lacks_temporal, covered = half_written(cast)
    write(cast, covered, "social", "social")
    plan(cast)
    with another_session() as holder:
        holder.execute(LOCK, [lacks_temporal.pk])  # what the writer would be given
        with ThreadPoolExecutor(1) as pool:
            taken = pool.submit(_impatient, cast).result(timeout=60)
        holder.rollback()
    assert taken == lacks_social.pk


def _impatient(cast: Cast) -> int | None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '1ms'")  # raises where it waits at all
        return taken_by(cast.writer, cast.project)
    finally:
        connection.close()


@pytest.mark.drill
@pytest.mark.django_db(transaction=True)
def test_it_gives_each_story_exactly_its_writers_when_sixteen_pull_by_the_plan() -> None:
    cast = make_project(writers_per_story=2)
    for number in range(20):
        story = make_story(cast)
        write(cast, story, list(EACH)[number % 5], writer=cast.writer2)
    plan(cast)
    people = more_writers(cast, 16)
    reserve_story(actor=cast.manager, story=story, writer=people[15])
    got = pull_all(people, cast.project)
    assert sum(map(len, got.values())) == 40
    assert got[people[15].pk][0] == story.pk
    assert all(len(mine) == len(set(mine)) for mine in got.values())


def test_a_confirmed_group_is_one_story_to_write_for(cast: Cast) -> None:
    first, second = (make_story(cast, title="The Crow", text=text) for text in ("A crow.", "The crow."))
    alone = make_story(cast, text="A fox.")
    early, late, last = more_writers(cast, 3)
    take_story(actor=early, story=second)
    submit_item(cast, story=second, writer=early, words=content(types=("social",)))
    confirm_group(actor=cast.manager, project=cast.project, stories=[first.pk, second.pk])
    stories = [first.pk, second.pk, alone.pk]
    assert {(one.story, one.n) for one in type_counts(stories, cast.manager)} == {
        (first.pk, 1),
        (second.pk, 1),
    }

    def free(writer: User) -> set[int]:
        return {place.story_id for place in free_places(cast.project, writer)}

    assert free(late) == {first.pk, alone.pk}  # one wording is offered
    assert free(early) == {alone.pk}  # who had the other one has had the story
    with pytest.raises(Conflict, match="another wording"):
        take_story(actor=late, story=second)
    take_story(actor=late, story=first)
    with pytest.raises(Conflict, match="enough writers"):
        take_story(actor=last, story=first)
    assert free(last) == {alone.pk}
    named = stories_to_name(cast.project)
    assert [place.story_id for place in named] == [alone.pk]
    take_story(actor=last, story=alone)
    found = why_no_story(last, cast.project)
    assert (found.free, found.theirs, found.kept) == (False, 1, 0)
    assert writing_in(last, [cast.project])[cast.project.pk].may_take is False
