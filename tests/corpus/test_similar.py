"""Stories that are nearly the same: found after an import by a worker, reported and never merged."""

import random
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from corpus.models import SimilarPair, Story
from corpus.queries import last_search
from corpus.services import order_search
from jobs.models import LOST_AFTER, Job, JobState
from jobs.services import run_job
from jobs.tasks import sweep_jobs
from parable.quality.story_groups import similar_pairs, similarity
from tests.factories import Cast, make_project, make_story, make_user
from tests.work import work_off

CROW = (
    "A crow who was thirsty found a tall jar with a little water in it. She dropped one pebble after another"
    " into the jar until the water rose, and then she drank and flew home."
)
NEARLY = CROW.replace("thirsty", "very thirsty").replace("flew home", "went home")
FOX = "A fox saw grapes that hung too high for him. He leapt and leapt, then went off and called them sour."
WUYA = "从前有一只乌鸦口渴了，它把石子一颗颗投进瓶子里，水就升上来了。"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def signed_in(cast: Cast, name: str = "manager") -> Client:
    client = Client()
    client.force_login(getattr(cast, name))
    return client


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (CROW, CROW, True),
        (CROW, NEARLY, True),
        (CROW, CROW.upper().replace(".", "!"), True),
        (CROW, FOX, False),
        (WUYA, WUYA.replace("从前有一只", "从前，有只").replace("水就", "水便"), True),
        (WUYA, "狐狸看见葡萄挂得很高，跳了又跳，走开时说葡萄是酸的。", False),
        ("a", "a", True),
        ("", "a", False),
    ],
)  # fmt: skip
def test_it_finds_what_is_nearly_the_same_and_nothing_else(one: str, other: str, alike: bool) -> None:
    assert (similarity(one, other) >= 0.5) is alike
    assert [(0, 1)] * alike == [pair[:2] for pair in similar_pairs([one, other])]


def test_it_finds_nearly_all_pairs_without_comparing_all_with_all() -> None:
    rng = random.Random(7)  # noqa: S311 - made-up fables, no secrets
    words = [f"word{number}" for number in range(400)]
    texts = [" ".join(rng.choices(words, k=80)) for _text in range(500)]
    edited = []
    for text in texts[:50]:
        parts = text.split()
        for _edit in range(6):
            parts[rng.randrange(80)] = "changed"
        edited.append(" ".join(parts))
    found = {(pair.first, pair.second) for pair in similar_pairs(texts + edited)}
    wanted = {(n, 500 + n) for n in range(50) if similarity(texts[n], edited[n]) >= 0.66}
    assert len(wanted) > 30
    assert len(wanted - found) <= len(wanted) / 10
    assert found <= {(n, 500 + n) for n in range(50)}


def test_it_stays_bounded_where_a_thousand_texts_are_alike() -> None:
    assert len(similar_pairs([f"{CROW} {n}" for n in range(1000)])) <= 1000


def test_it_reports_pairs_after_an_import_and_merges_nothing(cast: Cast) -> None:
    client = signed_in(cast)
    rows = "".join(f'{{"id": "s{n}", "text": "{text}"}}\n' for n, text in enumerate((CROW, FOX, NEARLY)))
    page = f"/p/{cast.project.slug}/stories/import"
    asked = client.post(page, {"file": SimpleUploadedFile("s.jsonl", rows.encode())})
    work_off()
    client.post(page, {"upload": asked.headers["Location"].split("upload=")[1]})
    work_off()
    pair = SimilarPair.objects.get()
    assert (pair.first.ref, pair.second.ref) == ("s0", "s2")
    assert Story.objects.filter(project=cast.project).count() == 3
    response = client.get(f"/p/{cast.project.slug}/stories/similar").content.decode()
    assert "of the text shared" in response
    assert "very" in response.partition("<ins>")[2][:10]
    assert "Suggested 1" in response


def test_it_is_one_search_at_a_time_and_safe_to_run_twice(cast: Cast) -> None:
    make_story(cast, text=CROW)
    make_story(cast, text=NEARLY)
    search = order_search(actor=cast.manager, project=cast.project)
    assert order_search(actor=cast.manager, project=cast.project) == search
    run_job(job_id=search.pk)
    run_job(job_id=search.pk)
    search.refresh_from_db()
    assert (search.state, search.attempts, search.result) == (JobState.DONE, 1, {"stories": 2})
    assert SimilarPair.objects.count() == 1
    again = order_search(actor=cast.manager, project=cast.project)
    assert again != search
    run_job(job_id=again.pk)
    assert last_search(cast.project) == again
    assert SimilarPair.objects.count() == 1


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_it_takes_up_a_search_that_a_killed_worker_left(
    cast: Cast, django_capture_on_commit_callbacks: Any
) -> None:
    search = order_search(actor=cast.manager, project=cast.project)
    ago = timezone.now() - LOST_AFTER - timedelta(1)
    Job.objects.update(state=JobState.RUNNING, created_at=ago, heartbeat_at=timezone.now())
    with django_capture_on_commit_callbacks(execute=True):
        sweep_jobs()
    search.refresh_from_db()
    assert search.state == JobState.RUNNING
    Job.objects.update(heartbeat_at=ago)
    with django_capture_on_commit_callbacks(execute=True):
        sweep_jobs()
    search.refresh_from_db()
    assert search.state == JobState.DONE


def test_it_is_ordered_and_seen_by_managers(cast: Cast) -> None:
    page = f"/p/{cast.project.slug}/stories/similar"
    assert signed_in(cast).post(page).status_code == 302
    assert "Comparing stories" in signed_in(cast).get(page).content.decode()
    for person in ("writer", "reviewer", "verifier"):
        assert signed_in(cast, person).get(page).status_code == 403
        assert signed_in(cast, person).post(page).status_code == 403
    stranger = Client()
    stranger.force_login(make_user())
    assert stranger.get(page).status_code == 404
