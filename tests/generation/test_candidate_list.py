"""The list of candidates: what is found, who may read it, and what an export exposes to."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.db import connection
from django.http.response import HttpResponseBase
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from annotation.models import Item, KeyExposure
from annotation.queries.exposure import has_seen_moral
from annotation.services import record_exposure
from corpus.models import Story
from dashboard.models import SavedView
from generation.models import Candidate, CandidateText, Purpose
from generation.queries.candidate import holding
from generation.services import create_template, paste_answer
from jobs.models import EndpointKind
from jobs.services import create_endpoint
from projects.models import Role
from projects.services import set_roles
from tests.factories import make_story
from tests.generation.bench import Bench, work_off
from tests.generation.test_pages import drafted
from tests.generation.test_provenance import machine_item
from tests.generation.test_stems import ask, stem_template
from tests.projects.pages import answers, browser

__all__ = ["drafted"]
pytestmark = pytest.mark.django_db


def url(bench: Bench) -> str:
    return reverse("dashboard:candidates", args=[bench.cast.project.slug])


def page(bench: Bench, who: User, query: str = "") -> str:
    answer = browser(who).get(f"{url(bench)}?{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def found(bench: Bench, who: User, query: str = "") -> list[int]:
    return list(browser(who).get(f"{url(bench)}?{query}").context["page"].pks)


def pasted(bench: Bench, *texts: str, story: Story | None = None, **prompt: Any) -> list[Candidate]:
    """Candidates that a model called by hand gave, in both languages where the texts are."""
    cast = bench.cast
    number = uuid.uuid4().hex[:6]
    endpoint = create_endpoint(
        actor=cast.manager, project=cast.project, kind=EndpointKind.MANUAL, name=f"By hand {number}",
        model="hand-model",
    )  # fmt: skip
    text = "{story} Give {n} morals."
    wanted = {"name": f"Prompt {number}", "text": text, "purpose": Purpose.FREE, "wanted": len(texts)}
    template = create_template(actor=cast.writer, project=cast.project, **{**wanted, **prompt})
    answer = "\n".join(f"{place}. {one}" for place, one in enumerate(texts, 1))
    return paste_answer(
        actor=cast.writer, story=story or bench.story, template=template, endpoint=endpoint,
        model="hand-model", answer=answer,
    )  # fmt: skip


def test_it_finds_texts_in_both_languages_by_any_part(bench: Bench) -> None:
    fox, hare = pasted(bench, "狐狸骗走了乌鸦的肉。", "A hare ＲＥＳＴＳ under oaks.")
    for terms, hits in (
        (["乌鸦"], [fox]),
        (["鸦乌"], []),
        (["狐狸", "肉"], [fox]),
        (["rests"], [hare]),
        (["OAK"], [hare]),
        (["oak", "肉"], []),
        (["%"], []),
    ):
        assert list(Candidate.objects.filter(holding(terms)).order_by("pk")) == hits, terms
    Candidate.objects.filter(pk=hare.pk).update(text="A tortoise.")
    assert not Candidate.objects.filter(holding(["oak"])).exists()
    assert Candidate.objects.get(holding(["tortoise"])) == hare
    assert CandidateText.objects.count() == 2


def test_it_narrows_and_orders(drafted: Bench) -> None:
    cast = drafted.cast
    first = list(Candidate.objects.order_by("pk"))
    item = machine_item(drafted)
    other = make_story(cast, title="The Crow")
    [late] = pasted(drafted, "Look first.", story=other, purpose=Purpose.MORAL_WORDINGS)
    every = [late.pk, *(one.pk for one in reversed(first))]
    for query, pks in (
        ("", every),
        ("sort=added", every[::-1]),
        ("used=yes", every[1:]),
        ("used=no", every[:1]),
        ("story=the+crow", every[:1]),
        (f"story={other.ref}", every[:1]),
        ("purpose=moral_wordings", every[:1]),
        ("prompt=Only+the+ending", every[1:]),
        (f"model={drafted.endpoint.pk}", every[1:]),
        (f"item={item.pk}", every[1:]),
        ("item=%23999999999", []),
        ("item=nonsense", []),
        ("sort=model", every),
    ):
        assert found(drafted, cast.manager, query) == pks, query
    seen = page(drafted, cast.writer, "used=yes")
    assert reverse("dashboard:item", args=[cast.project.slug, item.pk]) in seen
    closed = page(drafted, cast.writer2, "used=yes")
    assert f"Item {item.pk}" in closed
    assert reverse("dashboard:item", args=[cast.project.slug, item.pk]) not in closed
    assert found(drafted, cast.writer2, f"item={item.pk}") == []


def test_it_hides_texts_and_hits_from_who_has_not_seen_the_moral(drafted: Bench) -> None:
    cast, [one, *_others] = drafted.cast, list(Candidate.objects.order_by("pk"))
    word = one.text.split()[0]
    assert one.text in page(drafted, cast.writer)
    assert one.pk in found(drafted, cast.writer, f"q={word}")
    blind = page(drafted, cast.manager)
    assert one.text not in blind
    assert blind.count("Hidden until you view the moral") == 3
    assert found(drafted, cast.manager, f"q={word}") == []
    assert not has_seen_moral(cast.manager, drafted.story)
    record_exposure(actor=cast.manager, story=drafted.story)
    assert one.text in page(drafted, cast.manager)
    assert one.pk in found(drafted, cast.manager, f"q={word}")


def test_it_opens_for_those_who_write_and_not_for_those_who_judge(drafted: Bench) -> None:
    codes = answers(drafted.cast, url(drafted))
    assert {who for who, code in codes.items() if code == 200} >= {"writer", "manager"}
    assert codes["reviewer"] == codes["verifier"] == 403
    cast = drafted.cast
    set_roles(
        actor=cast.manager, project=cast.project, user=cast.reviewer, roles=[Role.WRITER, Role.REVIEWER]
    )
    assert "Hidden until you view the moral" in page(drafted, cast.reviewer)


def test_it_shows_what_was_proposed_for_a_stem_to_its_asker_alone(bench: Bench) -> None:
    cast = bench.cast
    record_exposure(actor=cast.writer2, story=bench.story)
    ask(bench, stem_template(bench), uuid.uuid4())
    one = Candidate.objects.order_by("pk").first()
    assert one is not None
    assert one.text in page(bench, cast.writer)
    for other in (cast.writer2, cast.manager):
        assert found(bench, other) == []
        assert found(bench, other, f"q={one.text.split()[0]}") == []


def exported(bench: Bench, **sent: Any) -> HttpResponseBase:
    address = reverse("dashboard:bulk", args=[bench.cast.project.slug, "candidates"])
    return browser(bench.cast.manager).post(address, {"verb": "export", "kind": "csv", **sent})


def test_an_export_holds_what_was_selected_and_ends_blindness_for_its_items(drafted: Bench) -> None:
    cast = drafted.cast
    machine_item(drafted)
    other = make_story(cast, title="Other", moral="")
    [late] = pasted(drafted, "Look first.", story=other)
    text = exported(drafted, all="1", n="3", query="used=yes").getvalue().decode("utf-8-sig")
    first = Candidate.objects.order_by("pk")[0]
    assert [words in text for words in (first.text, "stub-ok", "Look first.")] == [True, True, False]
    assert str(Item.objects.get().pk) in text
    assert set(KeyExposure.objects.filter(user=cast.manager).values_list("story", flat=True)) == {
        drafted.story.pk
    }
    assert not has_seen_moral(cast.manager, other)
    exported(drafted, row=[late.pk])
    assert has_seen_moral(cast.manager, other)


def test_its_views_are_kept_and_its_pages_ask_as_often_for_many_as_for_one(drafted: Bench) -> None:
    def asked(who: User, query: str) -> int:
        client = browser(who)
        client.get(f"{url(drafted)}?{query}")
        with CaptureQueriesContext(connection) as statements:
            assert client.get(f"{url(drafted)}?{query}").status_code == 200
        return len(statements)

    cast = drafted.cast
    save = reverse("dashboard:save_view", args=[cast.project.slug, "candidates"])
    sent = {"name": "Left over", "query": "used=no&state=draft", "shared": "1"}
    assert browser(cast.manager).post(save, sent).status_code == 302
    assert SavedView.objects.get().query == "used=no"
    machine_item(drafted)
    word = Candidate.objects.order_by("pk")[0].text.split()[0]
    queries = ("", f"q={word}", "used=yes&cols=purpose&cols=items")
    before = [asked(who, query) for who in (cast.manager, cast.writer) for query in queries]
    for number in range(2):
        story = make_story(cast, title=f"Another {number}")
        work_off(drafted.start(stories=[story]).waiting)
        record_exposure(actor=cast.writer, story=story)
    assert [asked(who, query) for who in (cast.manager, cast.writer) for query in queries] == before
