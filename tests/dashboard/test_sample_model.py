"""The real model of the English sample project: registered once, at one address, for one purpose."""

from pathlib import Path

import pytest
from pytest_django import Settings

from accounts.services import system_account
from core.errors import Unusable
from corpus.models import Story
from corpus.services import import_stories
from dashboard.services import add_sample_model
from generation.models import PromptTemplate
from generation.queries.batch import prompt_for
from generation.services import create_template
from jobs.models import Endpoint
from parable.formats import read_stories
from projects.models import Project
from projects.services import create_project

SAMPLE = Path(__file__).resolve().parents[2] / "sample"
URL = "http://127.0.0.1:8010/v1"

pytestmark = pytest.mark.django_db


@pytest.fixture
def small_fables(settings: Settings) -> Project:
    """The English sample project with its stories, on a site whose settings allow the model's address."""
    settings.LLM_ALLOW_PRIVATE = frozenset({"127.0.0.1:8010"})
    actor = system_account()
    project = create_project(actor=actor, slug="small-fables", name="Small Fables", language="en")
    for path in sorted(SAMPLE.glob("part*/stories.en.jsonl")):
        reading = read_stories(path.read_bytes(), name=path.name, format="jsonl")
        import_stories(actor=actor, project=project, readings=[reading])
    return project


def _asked_by_workers(project: Project) -> list[Endpoint]:
    return list(Endpoint.objects.filter(project=project).exclude(base_url=""))


def test_it_registers_the_model_once_for_the_english_project_only(small_fables: Project) -> None:
    first = add_sample_model(folder=SAMPLE, base_url=URL)
    again = add_sample_model(folder=SAMPLE, base_url=URL)
    assert first == again
    assert _asked_by_workers(small_fables) == [first]
    assert (first.model, first.base_url, first.key_variable) == ("smollm2-135m-instruct", URL, "")
    assert not Endpoint.objects.exclude(project=small_fables).exclude(base_url="").exists()


def test_it_brings_a_prompt_that_every_sample_fable_can_fill(small_fables: Project) -> None:
    add_sample_model(folder=SAMPLE, base_url=URL)
    template = PromptTemplate.objects.get(project=small_fables, name="Advice, for a small model")
    stories = Story.objects.filter(project=small_fables)
    assert stories.count() == 26
    for story in stories:
        prompt = prompt_for(template, story)
        assert story.current is not None
        assert story.current.title in prompt
        assert "{" not in prompt


def test_it_leaves_alone_what_people_made_of_it(small_fables: Project) -> None:
    endpoint = add_sample_model(folder=SAMPLE, base_url=URL)
    name = PromptTemplate.objects.get(project=small_fables, name__startswith="Advice").name
    create_template(actor=system_account(), project=small_fables, name=name, text="Ours: {story}")
    Endpoint.objects.filter(pk=endpoint.pk).update(parallel_calls=1)
    add_sample_model(folder=SAMPLE, base_url=URL)
    assert PromptTemplate.objects.filter(project=small_fables, name=name).count() == 2
    assert _asked_by_workers(small_fables)[0].parallel_calls == 1


def test_it_registers_another_port_beside_the_first(small_fables: Project, settings: Settings) -> None:
    settings.LLM_ALLOW_PRIVATE = frozenset({"127.0.0.1:8010", "127.0.0.1:8011"})
    first = add_sample_model(folder=SAMPLE, base_url=URL)
    other = add_sample_model(folder=SAMPLE, base_url="http://127.0.0.1:8011/v1")
    assert first.name != other.name
    assert first.base_url == URL


def test_it_is_refused_where_the_settings_do_not_allow_the_address(
    small_fables: Project, settings: Settings
) -> None:
    settings.LLM_ALLOW_PRIVATE = frozenset()
    with pytest.raises(Unusable, match="inside the network"):
        add_sample_model(folder=SAMPLE, base_url=URL)
    assert _asked_by_workers(small_fables) == []
