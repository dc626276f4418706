"""The plan in a simulated project: how many stories get all five types with it, and how many without.

Ten writers, each in a thread, take stories and write until none is left, through the services, the hints of
the desk and PostgreSQL. They are inclined to social items, and write the type that the plan asks for so many
times of ten. Of what they submit as much is rejected as in the published set, once they have written their
next story; rejected items are owed again, and written by the same writer. Counted is what stays. A manager
may then hand each story that still lacks a type to one writer more, as the page of the plan lists them.
"""

import random
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final

import pytest
from django.db import connection

from accounts.models import User
from annotation.models import RevisionType, State, WritingAssignment
from annotation.plan import StoryNeed, Target, suggest
from annotation.queries.assignment import free_places
from annotation.queries.plan import hints, needs_of
from annotation.services import name_writers, set_type_targets, take_next_story
from corpus.models import Story
from corpus.services import create_stories
from parable.formats.records import StoryRecord
from projects.models import CommonsenseType
from tests.annotation.pulling import at_once, more_writers
from tests.factories import make_project

INCLINED: Final = {"social": 60, "biological": 16, "temporal": 10, "spatial": 8, "physical": 6}
"""In percent, what a writer writes unasked: more social items than the published 47, physical 8 percent."""
REJECTED: Final = 1 - 2092 / 3911
"""What reviewers rejected of the published commonsense items."""
WRITERS: Final = 10
WRITERS_PER_STORY: Final = 2
SLOW: Final = "SET lock_timeout = '1s'"
"""Whoever waited so long for a story would get an error."""


def inclined(chance: random.Random) -> str:
    """What a writer writes unasked."""
    (code,) = chance.choices(list(INCLINED), list(INCLINED.values()))
    return code


class Simulated:
    """A project whose writers write about all its stories, with a plan followed so often, or with none."""

    def __init__(self, stories: int, followed: float | None) -> None:
        self.cast = make_project(writers_per_story=WRITERS_PER_STORY)
        self.project, self.people = self.cast.project, more_writers(self.cast, WRITERS)
        wanted = [
            StoryRecord(f"s{n}", f"Fable {n}", f"A fable, number {n}.", language="en") for n in range(stories)
        ]
        self.stories = [
            story.pk for story in create_stories(actor=self.cast.manager, project=self.project, wanted=wanted)
        ]
        self.followed = followed or 0.0
        if followed is not None:
            targets = {code: Target() for code in INCLINED}
            set_type_targets(actor=self.cast.manager, project=self.project, targets=targets)
        self.kinds = {kind.code: kind.pk for kind in CommonsenseType.objects.filter(project=self.project)}
        at_once(self.people, self._work)

    def _work(self, writer: User) -> None:
        chance = random.Random(self.people.index(writer))  # noqa: S311 - no secret
        due: list[tuple[int, list[int]]] = []
        with connection.cursor() as cursor:
            cursor.execute(SLOW)
            while taken := take_next_story(actor=writer, project=self.project):
                written = self._write(taken.story_id, writer, self.project.items_per_writer, chance)
                due = [*self._judged(due, writer, chance), (taken.story_id, written)]
            while due:
                due = self._judged(due, writer, chance)
        assert not free_places(self.project, writer).exists()

    def _judged(
        self, due: list[tuple[int, list[int]]], writer: User, chance: random.Random
    ) -> list[tuple[int, list[int]]]:
        """Reject some of these items; the writer writes as many new ones, on which nobody has judged yet."""
        again = []
        for story, items in due:
            if gone := [item for item in items if chance.random() < REJECTED]:
                with connection.cursor() as cursor:
                    cursor.execute(REJECT, {"items": gone})
                again.append((story, self._write(story, writer, len(gone), chance)))
        return again

    def _write(self, story: int, writer: User, many: int, chance: random.Random) -> list[int]:
        return [self._write_one(story, writer, chance) for _number in range(many)]

    def _write_one(self, story: int, writer: User, chance: random.Random) -> int:
        hint = hints(self.project, needs_of([story], writer), writer).get(story)
        kind = hint.type.pk if hint and chance.random() < self.followed else self.kinds[inclined(chance)]
        with connection.cursor() as cursor:
            cursor.execute(SUBMIT, {"story": story, "writer": writer.pk, "types": [kind]})
            (item,) = cursor.fetchone()
        return int(item)

    def hand_on(self) -> int:
        """Hand each story that lacks a type to one writer more; how many there are."""
        lacking = [story for story, kinds in self.kept().items() if len(kinds) < len(INCLINED)]
        chance = random.Random(0)  # noqa: S311 - no secret
        for story in lacking:
            had = WritingAssignment.objects.filter(story=story).values_list("writer", flat=True)
            writer = next(person for person in self.people if person.pk not in had)
            name_writers(actor=self.cast.manager, story=Story.objects.get(pk=story), writers=[writer])
            due = [(story, self._write(story, writer, self.project.items_per_writer, chance))]
            while due:
                due = self._judged(due, writer, chance)
        return len(lacking)

    def kept(self) -> dict[int, set[int]]:
        """By story, the types of its items that were not rejected."""
        found: dict[int, set[int]] = {story: set() for story in self.stories}
        links = RevisionType.objects.filter(revision__item__project=self.project)
        links = links.exclude(revision__item__state=State.REJECTED)
        for story, kind in links.values_list("revision__item__story", "type"):
            found[story].add(kind)
        return found


def covered(stories: Iterable[Collection[object]]) -> float:
    """The share of stories with an item of every type."""
    full = [len(types) == len(INCLINED) for types in stories]
    return sum(full) / len(full)


# What `create_item` writes for each of these types: 3,500 items through the service would take minutes.
SUBMIT: Final = """
    WITH wanted AS MATERIALIZED (
        SELECT type, nextval(pg_get_serial_sequence('annotation_item', 'id')) AS item_id,
            nextval(pg_get_serial_sequence('annotation_revision', 'id')) AS revision_id
        FROM unnest(%(types)s::bigint[]) AS type
    ), item AS (
        INSERT INTO annotation_item
            (id, project_id, story_id, task, style, writer_id, ref, state, generators, created_at, current_id)
        OVERRIDING SYSTEM VALUE
        SELECT item_id, project_id, id, 'commonsense', 'human', %(writer)s, '', 'in_review', '{}', now(),
            revision_id
        FROM corpus_story CROSS JOIN wanted WHERE id = %(story)s RETURNING *
    ), revision AS (
        INSERT INTO annotation_revision
            (id, item_id, number, author_id, story_revision_id, stem, explanation, answered_warnings,
            created_at)
        OVERRIDING SYSTEM VALUE
        SELECT item.current_id, item.id, 1, item.writer_id, story.current_id, 'Why?', '', '{}', now()
        FROM item JOIN corpus_story AS story ON story.id = item.story_id
    ), options AS (
        INSERT INTO annotation_option (revision_id, position, text, normalised, is_key)
        SELECT item.current_id, place, place, place, place = 1 FROM item, generate_series(1, 4) AS place
    ), types AS (
        INSERT INTO annotation_revisiontype (revision_id, type_id) SELECT revision_id, type FROM wanted
    )
    INSERT INTO annotation_transition
        (item_id, revision_id, from_state, to_state, actor_id, cause, reason, at)
    SELECT id, current_id, '', 'in_review', writer_id, 'written', '', now() FROM item RETURNING item_id
"""
REJECT: Final = """
    WITH gone AS (
        UPDATE annotation_item SET state = 'rejected' WHERE id = ANY(%(items)s) RETURNING *
    )
    INSERT INTO annotation_transition
        (item_id, revision_id, from_state, to_state, actor_id, cause, reason, at)
    SELECT id, current_id, 'in_review', 'rejected', writer_id, 'verdict', '', now() FROM gone
"""


Due = list[tuple[int, list[int]]]
"""Stories with the types of items on which nobody has judged yet."""


class ByRule:
    """The same project by the rule alone, in memory; the plan is followed so often, or there is none."""

    def __init__(self, stories: int, followed: float | None) -> None:
        self.stories, self.followed = range(stories), followed or 0.0
        self.targets = dict.fromkeys(range(len(INCLINED)), Target()) if followed else {}
        self.of_story, self.of_writer = ([Counter[int]() for _n in range(n)] for n in (stories, WRITERS + 1))
        self.chance = random.Random(0)  # noqa: S311 - no secret
        due: dict[int, Due] = {writer: [] for writer in range(WRITERS)}
        for turn in range(WRITERS_PER_STORY * stories):
            writer, story = turn % WRITERS, (turn * 7 + turn // stories) % stories
            written = self._write(story, writer, 4)
            due[writer] = [*self._judged(due[writer], writer), (story, written)]
        for writer, left in due.items():
            self._finish(left, writer)

    def _write(self, story: int, writer: int, many: int) -> list[int]:
        return [self._write_one(story, writer) for _number in range(many)]

    def _write_one(self, story: int, writer: int) -> int:
        asked = suggest(self.targets, StoryNeed(self.of_story[story]), self.of_writer[writer], {})
        kind = list(INCLINED).index(inclined(self.chance))
        if asked and self.chance.random() < self.followed:
            kind = asked.type
        self.of_story[story][kind] += 1
        self.of_writer[writer][kind] += 1
        return kind

    def _judged(self, due: Due, writer: int) -> Due:
        again = []
        for story, kinds in due:
            gone = Counter(kind for kind in kinds if self.chance.random() < REJECTED)
            self.of_story[story] -= gone
            self.of_writer[writer] -= gone
            again.append((story, self._write(story, writer, gone.total())))
        return [(story, kinds) for story, kinds in again if kinds]

    def _finish(self, due: Due, writer: int) -> None:
        while due:
            due = self._judged(due, writer)

    def hand_on(self) -> None:
        """One writer more for each story that lacks a type."""
        for story in self.stories:
            if len(self.of_story[story]) < len(INCLINED):
                self._finish([(story, self._write(story, WRITERS, 4))], WRITERS)


@pytest.mark.parametrize(("followed", "least", "most"), [(0.8, 0.95, 1), (0.6, 0.8, 0.95), (None, 0, 0.1)])
def test_the_rule_covers_the_stories_of_the_published_set(
    followed: float | None, least: float, most: float, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ByRule(436, followed)
    share = covered(run.of_story)
    run.hand_on()
    after = covered(run.of_story)
    with capsys.disabled():
        print(f"\nthe plan followed in {followed}: all types in {share:.1%}, handed on {after:.1%}")
    assert least <= share <= most
    if followed:
        assert after >= 0.95


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("stories", "followed"),
    [(12, 1.0), *(pytest.param(60, often, marks=pytest.mark.drill) for often in (0.6, None))],
)
def test_it_covers_all_types_with_the_plan_and_lets_no_writer_wait(
    stories: int, followed: float | None, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Simulated(stories, followed)
    held = Counter(WritingAssignment.objects.values_list("story", flat=True))
    assert Counter(held.values()) == {WRITERS_PER_STORY: stories}
    share = covered(run.kept().values())
    handed = run.hand_on() if followed else 0
    after = covered(run.kept().values())
    with capsys.disabled():
        print(
            f"\n{stories} stories, the plan followed in {followed}: all types in {share:.1%};"
            f" {handed} handed on, then {after:.1%}"
        )
    # Who comes first is chance, as among people: the promised shares are held by the rule alone, above. With
    # so few stories that chance would decide, unless writers do all they are asked.
    if followed is None:
        assert share < 0.2
    else:
        assert share >= 0.6
        assert after >= (1 if followed == 1 else 0.9)
