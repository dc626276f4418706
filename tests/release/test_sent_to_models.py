"""A card says what models were sent before the build, by every prompt: stories, morals, whole items."""

from __future__ import annotations

import pytest

from annotation.models import Item
from corpus.models import Story
from corpus.services import confirm_group, set_moral
from generation.models import Purpose
from generation.services import create_template
from parable.llm.stub import StubServer
from release.models import Release, ReleaseItem
from release.queries.file import stored_at
from release.queries.provenance import sent_to_models
from release.queries.release import frozen, models_that_saw
from release.services.rebuild import rebuild_release
from tests.evaluation.measuring import Bench, add_model, make_bench
from tests.generation.bench import start_batch, work_off
from tests.release.made import built

NOTHING = {
    "en": "No story, moral or item of this release was sent to a language model",
    "zh": "没有把本版的任何故事、寓意或题目发给语言模型",
}


def prompt(bench: Bench, text: str, purpose: str, stories: list[Story]) -> None:
    """Ask the model `stub-ok` about these stories."""
    cast = bench.cast
    template = create_template(
        actor=cast.manager, project=cast.project, name=text, text=text, purpose=purpose
    )
    endpoint = cast.project.endpoints.filter(model="stub-ok").first() or add_model(
        cast, bench.stub, "stub-ok"
    )
    started = start_batch(
        actor=cast.manager, project=cast.project, stories=stories, templates=[template], endpoints=[endpoint]
    )
    work_off(started.waiting)


def card_of(release: Release) -> str:
    artifact = release.artifacts.get(name="README.md")
    return stored_at(artifact.sha256).read_text(encoding="utf-8")


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_counts_what_each_model_was_sent_by_prompts_and_measurements(
    stub: StubServer, language: str
) -> None:
    bench = make_bench(stub, language)
    assert NOTHING[language] in card_of(bench.release)
    first, second, third = Story.objects.filter(project=bench.cast.project).order_by("pk")
    moral = "A moral that only one prompt says."
    set_moral(actor=bench.cast.manager, story=first, moral=moral, origin="written", reason="It had none.")
    first.refresh_from_db()
    prompt(bench, "{story}\nMoral: {moral}\nGive {n} wrong ones.", Purpose.WRONG_MORALS, [first])
    prompt(bench, "{story}\nGive {n} morals.", Purpose.FREE, [first, second])
    prompt(bench, "{title}\nGive {n} titles.", Purpose.FREE, [second])
    bench.ran()
    release = built(bench.cast, version="1.1.0")
    assert frozen(release).facts.sent == (
        ("stub-letter", "127.0.0.1", 3, 0, 21),
        ("stub-ok", "127.0.0.1", 2, 1, 0),
    )
    card = card_of(release)
    assert "| stub-ok | 127.0.0.1 | 2 | 1 | 0 |" in card
    assert NOTHING[language] not in card
    assert rebuild_release(release=release).differing == ()
    assert rebuild_release(release=bench.release).differing == (), "what was frozen before stays"

    saw = models_that_saw(release)
    keys = ReleaseItem.objects.filter(release=release, item__task="moral", item__story=first)
    assert {pk for pk, models in saw.items() if "stub-ok" in models} == set(keys.values_list("pk", flat=True))

    cast = bench.cast
    confirm_group(actor=cast.manager, project=cast.project, stories=[first.pk, second.pk])
    sent = sent_to_models(cast.project, Item.objects.filter(story__in=[second, third]))
    assert [row[2:4] for row in sent] == [(2, 0), (1, 1)]  # two wordings are one story, whichever was sent
