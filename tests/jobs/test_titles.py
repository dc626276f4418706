"""A job's title is in the language of who reads it, not of who started it."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import translation

from jobs.models import Job
from tests.factories import make_story
from tests.generation.bench import Bench
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db


def test_it_says_what_a_job_is_in_the_readers_language(bench: Bench) -> None:
    with translation.override("zh-hans"):
        started = bench.start(stories=[bench.story, make_story(bench.cast)])
    job = Job.objects.get(pk=started.batch.job_id)
    assert (job.title_code, job.title_about) == ("candidates", {"n": 2})
    assert job.title == "Candidates for 2 stories"
    with translation.override("zh-hans"):
        in_chinese = job.title
    assert in_chinese == "为 2 个故事生成候选"
    client, slug = browser(bench.cast.manager), bench.cast.project.slug
    pages = (
        reverse("jobs:job", args=[slug, job.pk]),
        reverse("generation:candidates", args=[slug]),
        f"/api/v1/jobs/{job.pk}/",
    )
    with translation.override("en"):  # what a page switches to stays on in this thread
        for url in pages:
            assert (
                "Candidates for 2 stories"
                in client.get(url, headers={"accept-language": "en"}).content.decode()
            )
            chinese = client.get(url, headers={"accept-language": "zh-hans"}).content.decode()
            assert in_chinese in chinese
            assert "Candidates for 2 stories" not in chinese


def test_it_still_reads_titles_that_were_kept_as_words(bench: Bench) -> None:
    started = bench.start()
    Job.objects.filter(pk=started.batch.job_id).update(title_code="2 个故事的备选", title_about={})
    assert Job.objects.get(pk=started.batch.job_id).title == "2 个故事的备选"
