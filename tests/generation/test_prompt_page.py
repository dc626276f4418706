"""The page of a prompt: what it would ask and cost, and a test run on one story."""

from __future__ import annotations

import pytest

from generation.models import Candidate, PromptTemplate
from generation.services import prepare_batch
from jobs.models import Call, Job
from tests.generation.bench import Bench, work_off
from tests.generation.test_pages import address, signed_in

pytestmark = pytest.mark.django_db

ODD = "{story} {title} {n} {story.__class__} {{moral}} {% now %} {0} ${HOME} 写{n}条错误的寓意 {故事}"


def sent(text: str) -> dict[str, str]:
    return {"name": "Turn it round", "purpose": "wrong_morals", "wanted": "2", "text": text}


def test_it_shows_the_cost_of_one_call_by_endpoint(bench: Bench) -> None:
    bench.add_endpoint("dear", price_in=10, price_out=1000, parameters={"max_tokens": 500})
    client, where = signed_in(bench.cast.writer), address(bench, "new_prompt")
    asked = sent("{story}") | {"preview": "1", "story": str(bench.story.pk)}
    html = client.post(where, asked).content.decode()
    dear = html.split('<th scope="row">dear</th>')[1].split("</tr>")[0]
    assert "0.50" in dear
    assert "tokens" in html
    assert not Call.objects.exists()
    assert not PromptTemplate.objects.filter(name="Turn it round").exists()


def test_it_keeps_text_in_any_language_and_shows_what_else_stands_in_braces_as_text(bench: Bench) -> None:
    client, where = signed_in(bench.cast.writer), address(bench, "new_prompt")
    asked = sent(ODD) | {"preview": "1", "story": str(bench.story.pk)}
    html = client.post(where, asked).content.decode()
    prompt = html.split('<pre class="prompt"')[1].split("</pre>")[0]
    for plain in ("{story.__class__}", "{Slow and steady wins.}", "{% now %}", "{0}", "${HOME}", "{故事}"):
        assert plain in prompt
    assert "写2条错误的寓意" in prompt


def test_it_tries_a_prompt_on_one_story_before_a_batch(bench: Bench) -> None:
    client, where = signed_in(bench.cast.writer), address(bench, "new_prompt")
    asked = sent("{story} Give {n}.") | {"test": str(bench.endpoint.pk), "story": str(bench.story.pk)}
    answer = client.post(where, asked)
    job = Job.objects.get()
    assert answer.status_code == 302
    assert str(job.pk) in answer.headers["Location"]
    work_off(prepare_batch(job_id=job.pk))
    assert Candidate.objects.filter(story=bench.story, template__name="Turn it round").exists()
    again = client.post(where, asked)
    assert again.status_code == 400
    assert "were made before" in again.content.decode()
    foreign = client.post(where, sent("{story} x") | {"test": "999999", "story": str(bench.story.pk)})
    assert foreign.status_code == 400
    assert not PromptTemplate.objects.filter(text="{story} x").exists()
