"""Import of 100,000 stories by `import_stories`, compared with a bare COPY of the same rows.

They take turns in five windows: each window imports 20,000 stories from a file into one project, and copies
as many into the tables of another. Reading the file is part of the import.
"""

import json
import resource
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

from benchmarks import site
from benchmarks.lines import Line, line

BENCH = "import"
WINDOWS, STORIES = 5, 20_000
LEAST_SHARE = 0.1
MOST_MEGABYTES = 1000.0
SENTENCES = (
    "A crow who had flown all day over a dry land found a tall jar with a little water at its foot. ",
    "She put her beak into it, but she could not reach the water, however she stretched. ",
    "Then she looked about, and saw that the path was full of pebbles, small and round. ",
    "One by one she dropped them into the jar, and with each of them the water rose. ",
    "When the sun went down it stood at the brim, and the crow drank and flew home. ",
)


def measure() -> Iterator[Line]:
    """Yield the rows per second of the import and of COPY, and the time of the whole import."""
    site.start()
    imported, changed, copied, shares = [], [], [], []
    for window in range(WINDOWS):
        stories = [_story(window * STORIES + number) for number in range(STORIES)]
        copied.append(_copy_window(stories, window))
        imported.append(_import_window(stories, "created"))
        shares.append(imported[-1] / copied[-1])
        if window == 0:
            again = [{**story, "text": story["text"] + "And so it was."} for story in stories]
            changed.append(_import_window(again, "changed"))
    limit = round(median(copied))
    yield line(BENCH, "new", "rows_per_second", round(median(imported)), "rows/s", beside=limit)
    yield line(BENCH, "new", "share_of_copy", round(median(shares), 3), "share", least=LEAST_SHARE)
    yield line(BENCH, "changed", "rows_per_second", round(median(changed)), "rows/s", beside=limit)
    yield line(BENCH, "all", "stories", WINDOWS * STORIES, "rows")
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield line(BENCH, "all", "peak_memory", round(megabytes), "MB", most=MOST_MEGABYTES)


def _story(number: int) -> dict[str, str]:
    turn = number % len(SENTENCES)
    text = "".join(SENTENCES[turn:] + SENTENCES[:turn])
    return {
        "id": f"fable-{number}",
        "title": f"The crow and the jar {number}",
        "text": f"{text}It was on day {number}. ",
        "moral": "Patience finds a way.",
        "source": "made for a measurement",
        "rights": "public domain",
    }


def _actor_and_project(slug: str) -> tuple[Any, Any]:
    from accounts.services import system_account
    from projects.models import Project
    from projects.services import create_project

    actor = system_account()
    found = Project.objects.filter(slug=slug).first()
    return actor, found or create_project(actor=actor, slug=slug, name=slug, language="en", settings={})


def _import_window(stories: list[dict[str, str]], outcome: str) -> float:
    from corpus.services import import_stories
    from parable.formats import read_stories

    actor, project = _actor_and_project("imported")
    data = "".join(json.dumps(story) + "\n" for story in stories).encode()
    start = time.perf_counter()
    reading = read_stories(data, name="stories.jsonl")
    result = import_stories(actor=actor, project=project, readings=[reading])
    seconds = time.perf_counter() - start
    assert result.counts()[outcome] == len(stories), result.counts()
    return len(stories) / seconds


def _copy_window(stories: list[dict[str, str]], window: int) -> float:
    """Insert the same rows, prepared in advance, by two COPYs in one transaction; return the seconds."""
    from django.db import connection, transaction
    from django.utils import timezone

    from corpus.services import text_hash

    actor, project = _actor_and_project("copied")
    first, now = 10**9 + window * len(stories), timezone.now()
    story_rows = [
        (first + n, project.pk, s["id"], "en", s["source"], s["rights"], "", text_hash(s["text"]), first + n,
         actor.pk, now)
        for n, s in enumerate(stories)
    ]  # fmt: skip
    revision_rows = [
        (first + n, first + n, 1, s["title"], s["text"], s["moral"], "source", "imported", "", actor.pk, now)
        for n, s in enumerate(stories)
    ]
    columns = {
        "corpus_story": "id, project_id, ref, language, source, rights, rights_evidence, text_hash,"
        " current_id, created_by_id, created_at",
        "corpus_storyrevision": "id, story_id, number, title, text, moral, moral_origin, cause, reason,"
        " author_id, created_at",
    }
    start = time.perf_counter()
    with transaction.atomic(), connection.cursor() as cursor:
        for (table, names), rows in zip(columns.items(), (story_rows, revision_rows), strict=True):
            with cursor.cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
    return len(stories) / (time.perf_counter() - start)
