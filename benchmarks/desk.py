"""The writing page at 100 and at 10,000 stories with 20 items each: server time and queries of each step.

Steps: open the list of stories, open the form, save a draft, have it checked, submit it; then a manager opens
the overview of writers. They go through Django's test client, so that routing, middleware and templates count
and the network does not. Sizes are measured in turns, five windows, in two projects of one database; printed
is the median of the windows.
"""

import random
import time
import uuid
from collections.abc import Callable, Iterator
from statistics import median, quantiles
from typing import Any, NamedTuple

from benchmarks import site
from benchmarks.lines import Line, line

BENCH = "desk"
SIZES = (100, 10_000)
ITEMS_PER_STORY = 20
WINDOWS, ROUNDS = 5, 20
MOST_SLOWER = 1.5
SYLLABLES = [first + second for first in "bcdfghjklmnpqrstvwxz" for second in "aeiouy"]
STEPS = ("open", "sheet", "autosave", "check", "submit", "progress")
STRIDE = 1_000_000
"""The difference between the ids of one copy of a story and those of the next copy."""

COPIED = {
    "corpus_story": "id = {seed}",
    "corpus_storyrevision": "story_id = {seed}",
    "annotation_writingplaces": "story_id = {seed}",
    "annotation_writingassignment": "story_id = {seed}",
    "annotation_item": "story_id = {seed}",
    "annotation_revision": "item_id IN (SELECT id FROM annotation_item WHERE story_id = {seed})",
    "annotation_revisionauthor": "revision_id IN (SELECT id FROM annotation_revision WHERE item_id IN"
    " (SELECT id FROM annotation_item WHERE story_id = {seed}))",
    "annotation_option": "revision_id IN (SELECT id FROM annotation_revision WHERE item_id IN"
    " (SELECT id FROM annotation_item WHERE story_id = {seed}))",
    "annotation_revisiontype": "revision_id IN (SELECT id FROM annotation_revision WHERE item_id IN"
    " (SELECT id FROM annotation_item WHERE story_id = {seed}))",
    "annotation_transition": "item_id IN (SELECT id FROM annotation_item WHERE story_id = {seed})",
}
MOVED = {"id", "story_id", "current_id", "story_revision_id", "item_id", "revision_id", "based_on_id"}
RENAMED = {"ref": "ref || '-' || copy", "text_hash": "md5(text_hash || copy) || md5(copy || text_hash)"}


class Sample(NamedTuple):
    """The measurement of one step of one round."""

    milliseconds: float
    queries: int


class Desk:
    """A project of one size, with a writer."""

    def __init__(self, stories: int) -> None:
        from django.test import Client

        from accounts.services import create_user, system_account
        from projects.models import Role
        from projects.services import create_project, set_roles

        self.actor = system_account()
        self.writer = create_user(
            actor=self.actor,
            username=f"writer-{stories}",
            name="Wen Writer",
            password="a password of no use here",
        )
        slug = f"fables-{stories}"
        self.project = create_project(actor=self.actor, slug=slug, name=slug, language="en", settings={})
        set_roles(actor=self.actor, project=self.project, user=self.writer, roles=[Role.WRITER])
        manager = create_user(
            actor=self.actor,
            username=f"manager-{stories}",
            name="Mo Manager",
            password="a password of no use here",
        )
        set_roles(actor=self.actor, project=self.project, user=manager, roles=[Role.MANAGER])
        self.stories = self._fill(stories)
        self.client, self.manager = Client(SERVER_NAME="localhost"), Client(SERVER_NAME="localhost")
        self.client.force_login(self.writer)
        self.manager.force_login(manager)

    def _fill(self, stories: int) -> list[int]:
        """Create a few stories by the services, the rest as copies; return the ids of stories to write on."""
        from accounts.services import get_or_create_placeholder
        from annotation.models import WritingAssignment
        from annotation.services import import_items, take_story
        from corpus.models import Story
        from parable.formats.records import Reading, Row

        earlier = get_or_create_placeholder(actor=self.actor, name=f"Earlier {stories}")
        mine = range(WINDOWS + 2)
        records = [_record(story, item) for story in mine for item in range(ITEMS_PER_STORY)]
        rows = tuple(Row(number, record) for number, record in enumerate(records, start=1))
        import_items(
            actor=self.actor,
            project=self.project,
            readings=[Reading("made", "parable", rows, ())],
            state="verified",
            writer=earlier,
        )
        found = list(Story.objects.filter(project=self.project).order_by("pk"))
        WritingAssignment.objects.create(story=found[0], writer=earlier)  # no place for placeholders
        copy_story(found[0].pk, stories - len(found), salt=stories)
        for story in found[1:]:
            take_story(actor=self.writer, story=story)
        return [story.pk for story in found[1:]]

    def round(self, window: int) -> dict[str, Sample]:
        """Return the measurement of each step, for a new item."""
        story, client_id = self.stories[window], uuid.uuid4()
        words = _words(client_id.hex[:8])
        draft = f"/api/v1/drafts/{client_id}/"
        body = {
            "project": self.project.slug,
            "story": story,
            "task": "commonsense",
            "sequence": 1,
            "content": words,
        }
        sheet = _sheet(story, words)
        page = f"/p/{self.project.slug}/write"

        def put() -> Any:
            return self.client.put(draft, body, content_type="application/json")

        return {
            "open": _time(lambda: self.client.get(page), 200),
            "sheet": _time(lambda: self.client.get(f"{page}/story/{story}"), 200, 302),
            "autosave": _time(put, 201, 200),
            "check": _time(lambda: self.client.post(f"{draft}check/"), 200),
            "submit": _time(lambda: self.client.post(f"{page}/draft/{client_id}", sheet), 302),
            "progress": _time(lambda: self.manager.get(f"/p/{self.project.slug}/assignments"), 200),
        }


def measure() -> Iterator[Line]:
    """Yield the figures of both sizes, measured in turns; the small size sets limits for the large one."""
    site.start()
    desks = {size: Desk(size) for size in SIZES}
    _analyze()
    for desk in desks.values():
        desk.round(WINDOWS)  # once before, so that templates are read and connections open
    windows = [{size: _window(desk, window) for size, desk in desks.items()} for window in range(WINDOWS)]
    for step in STEPS:
        small, large = ([window[size][step] for window in windows] for size in SIZES)
        for case, samples, others in (("100", small, None), ("10000", large, small)):
            times = [_p95(window) for window in samples]
            small_p95 = median(map(_p95, others)) if others else None
            name = f"{step}_{case}"
            middle = median(median(sample.milliseconds for sample in window) for window in samples)
            yield line(BENCH, name, "median", round(middle, 1), "ms")
            yield line(
                BENCH, name, "p95", round(median(times), 1), "ms", beside=small_p95 and round(small_p95, 1)
            )
            if small_p95:
                slower = round(median(times) / small_p95, 2)
                yield line(BENCH, name, "times_slower", slower, "times", most=MOST_SLOWER)
            counted = {sample.queries for window in samples for sample in window}
            known = {sample.queries for window in others or () for sample in window}
            yield line(BENCH, name, "queries", max(counted), "queries", most=max(known) if known else None)


def _window(desk: Desk, window: int) -> dict[str, list[Sample]]:
    rounds = [desk.round(window) for _round in range(ROUNDS)]
    return {step: [each[step] for each in rounds] for step in STEPS}


def _p95(samples: list[Sample]) -> float:
    return quantiles([sample.milliseconds for sample in samples], n=20)[-1]


def _time(ask: Callable[[], Any], *expected: int) -> Sample:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        start = time.perf_counter()
        answer = ask()
        milliseconds = (time.perf_counter() - start) * 1000
    assert answer.status_code in expected, (answer.status_code, answer.content[-6000:])
    return Sample(milliseconds, len(captured))


def copy_story(seed: int, copies: int, *, salt: int) -> None:
    """Copy a story with its items in a few statements, with triggers disabled, as the original is valid."""
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table, wanted in COPIED.items():
            cursor.execute(
                "SELECT column_name FROM information_schema.columns WHERE table_name = %s", [table]
            )
            names = [name for (name,) in cursor.fetchall()]
            values = [
                f"{name} + copy * {STRIDE}" if name in MOVED else RENAMED.get(name, name) for name in names
            ]
            quoted = ", ".join(f'"{name}"' for name in names)
            cursor.execute(
                f"INSERT INTO {table} ({quoted}) SELECT {', '.join(values)} FROM {table},"  # noqa: S608 - names of columns
                f" generate_series({salt + 1}::bigint, {salt + copies}::bigint) AS copy"
                f" WHERE {wanted.format(seed=seed)}"
            )


def _analyze() -> None:
    """Update the database's statistics, as autovacuum would have done in a project of this size."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def _record(story: int, item: int) -> Any:
    from parable.formats.records import ItemRecord

    kinds = ("social", "biological", "temporal", "spatial", "physical")
    return ItemRecord(
        id=f"made-{story}-{item}",
        task="commonsense",
        story_id=f"story-{story}",
        title=f"The crow and the jar {story}",
        story=f"A crow found a tall jar on day {story}. " + "She dropped in pebbles, one by one. " * 12,
        question=f"Why did the crow drop pebble {item} into the jar of day {story}?",
        choices=("To raise the water", "To hear it ring", "To hide the pebble", f"To count to {item}"),
        answer=0,
        types=(kinds[item % len(kinds)],),
        explanation="Pebbles push the water up.",
        language="en",
    )


def _words(mark: str) -> dict[str, Any]:
    """Return the content of an item unlike all others, so that no check of near-duplicates refuses it."""
    rng = random.Random(mark)  # noqa: S311 - made-up words, no secrets

    def made(count: int) -> str:
        return " ".join("".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))) for _word in range(count))

    return {
        "stem": f"Why did the {made(9)}?",
        "options": [
            {"text": f"The {made(4 if index == 2 else 6)}", "is_key": index == 2} for index in range(4)
        ],
        "types": ["physical"],
        "explanation": f"Because the {made(8)}.",
    }


def _sheet(story: int, words: dict[str, Any]) -> dict[str, Any]:
    options = {f"option-{index}": option["text"] for index, option in enumerate(words["options"])}
    return {
        "story": story,
        "task": "commonsense",
        "style": "human",
        "item": "",
        "sequence": 1,
        "key": "2",
        "do": "submit",
        **{name: words[name] for name in ("stem", "types", "explanation")},
        **options,
    }
