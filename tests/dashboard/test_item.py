"""The page of an item: who chose what, where its options came from, its figures, and its whole life."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.models import Comment, Item, KeyExposure
from annotation.services import add_comment, revise_item, submit_draft
from evaluation import services as evaluation
from generation.models import Candidate
from parable.llm.stub import StubServer
from parable.psychometrics.bootstrap import correlation_interval
from release.models import Erratum, ReleaseItem, Remedy
from review.models import Answer, Disposition, Stage
from review.services import claim_next, judge, solve
from tests.evaluation.measuring import Bench, make_bench
from tests.evaluation.test_items import answering
from tests.factories import Cast, content, make_project, submit_item, wording
from tests.generation import bench as generating
from tests.generation.solver import ask, letter_of, posed, saved_draft, say
from tests.generation.test_yield import adopt

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return make_project()


@pytest.fixture
def bench(stub: StubServer) -> Bench:
    """A release that four models have answered, and a calibration of their answers."""
    found = make_bench(stub)
    runs = answering(found, 4)
    ordered = evaluation.order_calibration(
        actor=found.cast.manager, release=found.release, runs=runs, model="2pl"
    )
    evaluation.run_calibration(calibration_id=ordered.pk)
    return found


def page(cast: Cast, who: User, item: Item | int, **asked: str) -> str:
    client = Client()
    client.force_login(who)
    number = item if isinstance(item, int) else item.pk
    answer = client.get(reverse("dashboard:item", args=[cast.project.slug, number]), asked)
    assert answer.status_code == 200
    return answer.content.decode()


def returned(cast: Cast, *, right: bool = False) -> Item:
    """An item that a reviewer answered, and sent back with a comment."""
    item = submit_item(cast)
    place = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert place
    key = place.drawn_order.index(1)
    position = key if right else (key + 1) % 4
    review = solve(actor=cast.reviewer, request=place, answer=Answer.OPTION, position=position)
    judge(
        actor=cast.reviewer, review=review, rating=0, flaws=["unclear_stem"], comment="Which nap is meant?",
        disposition=Disposition.RETURN,
    )  # fmt: skip
    return item


def counts(text: str) -> list[str]:
    """The numbers beside the options, row by row."""
    table = text[text.index('class="table rows evidence"') :]
    return re.findall(r'<td class="n" data-label="[^"]*">(\d+)</td>', table[: table.index("</table>")])


def test_it_tells_who_chose_what_and_what_was_said_newest_first(cast: Cast) -> None:
    item = returned(cast, right=True)
    add_comment(actor=cast.writer, item=item, text="The long one.")
    revise_item(actor=cast.writer, item=item, content=content("Why did the hare lose the race?"))
    told = page(cast, cast.manager, item)
    places = [told.index(words) for words in ("Revision 2 by", "The long one.", "Which nap is meant?")]
    assert places == sorted(places)
    assert "correct blind answer" in told
    assert "<ins>" in told
    assert counts(told) == ["0", "0", "0", "0"], "of the present wording"
    assert "The long one." in page(cast, cast.writer, item, show="comments")
    only = page(cast, cast.manager, item, show="comments")
    assert "The long one." in only
    assert "Which nap is meant?" not in only


def test_a_distractor_that_people_prefer_to_the_key_stands_out(cast: Cast) -> None:
    item = returned(cast)
    told = page(cast, cast.manager, item)
    assert sorted(counts(told)) == ["0", "0", "0", "1"]
    assert "chosen more often than the key" in told
    assert re.search(r"Correct blind answers</dt><dd class=\"num\">0\.0 % \(0\.0 % to 79\.3 %\)", told)


def test_it_tells_managers_what_models_answered_and_how_sure_the_figures_are(bench: Bench) -> None:
    released = ReleaseItem.objects.filter(release=bench.release).order_by("number")[1]
    Erratum.objects.create(
        released=released, remedy=Remedy.MEND, note="The stem was unclear.", created_by=bench.cast.manager
    )
    told = page(bench.cast, bench.cast.manager, released.item_id)
    assert sum(map(int, counts(told))) == 4
    for words in (
        "Correct, models",
        "Difficulty",
        "Discrimination",
        "n = 4",
        "model-3",
        "Evaluated on 1.0.0",
    ):
        assert words in told
    assert "The stem was unclear." in told
    assert f"{released.public_id} · " in told
    assert f"?q={released.public_id}" in told
    wrong = ReleaseItem.objects.filter(release=bench.release).order_by("number")[0]
    assert "Suspect item" in page(bench.cast, bench.cast.manager, wrong.item_id)


def test_a_writer_sees_neither_letters_nor_what_models_answered(bench: Bench) -> None:
    released = ReleaseItem.objects.filter(release=bench.release).order_by("number")[0]
    Item.objects.filter(pk=released.item_id).update(writer=bench.cast.writer)
    told = page(bench.cast, bench.cast.writer, released.item_id)
    assert "Released in 1.0.0" in told
    for words in (released.public_id, "model-3", "Evaluated on", "Suspect item", "Difficulty"):
        assert words not in told


def test_it_names_the_prompt_and_the_model_behind_an_option(stub: StubServer) -> None:
    bench = generating.make_bench(stub)
    generating.work_off(bench.start().waiting)
    first, second, _third = Candidate.objects.order_by("pk")
    item = adopt(bench, [first, second], [first.text, second.text + " And more."])
    told = page(bench.cast, bench.cast.manager, item)
    assert told.count(f"Option from {first.generator}") == 2
    assert told.count(reverse("generation:template", args=[bench.cast.project.slug, bench.template.pk])) == 2
    assert "edited</span>" in told
    assert "<ins>" in told


def test_it_tells_what_models_answered_while_it_was_written(
    stub: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = generating.make_bench(stub)
    bench = replace(plain, endpoint=plain.add_endpoint("solver", "stub-plain"))
    words = content()
    draft = saved_draft(bench, words)
    say(monkeypatch, letter_of(posed(bench, words).key))
    ask(bench, words, draft=draft.client_id)
    item = submit_draft(actor=bench.cast.writer, draft=draft)
    assert "Trial on stub-plain: correct" in page(bench.cast, bench.cast.writer, item)


def test_who_may_still_solve_it_sees_nothing_of_it(cast: Cast) -> None:
    item = returned(cast)
    client = Client()
    where = reverse("dashboard:item", args=[cast.project.slug, item.pk])
    for who in (cast.writer2, cast.reviewer2, cast.verifier, cast.outsider):
        client.force_login(who)
        assert client.get(where).status_code == 404
    page(cast, cast.manager, item)
    assert KeyExposure.objects.filter(user=cast.manager, item=item).exists()


def test_a_long_life_is_paged_and_asks_the_database_as_often(cast: Cast) -> None:
    item = returned(cast, right=True)
    revise_item(actor=cast.writer, item=item, content=content("Why did the hare lose the race?"))
    add_comment(actor=cast.writer, item=item, text="The first.")

    def asked() -> tuple[int, str]:
        with CaptureQueriesContext(connection) as queries:
            told = page(cast, cast.manager, item)
        return len(queries), told

    asked()
    few, _told = asked()
    now = timezone.now()
    more = [
        Comment(item=item, revision=wording(item), author=cast.writer, text=f"No. {n}") for n in range(500)
    ]
    Comment.objects.bulk_create(more)
    Comment.objects.filter(text="The first.").update(at=now)
    many, told = asked()
    assert many == few <= 60
    assert told.count("<blockquote") == 30
    assert "Which nap is meant?" in page(cast, cast.manager, item, page="17")


def test_the_interval_of_a_correlation_is_fishers() -> None:
    found = correlation_interval(0.5, 28)
    assert found is not None
    assert found == pytest.approx((0.156, 0.736), abs=0.001)
    assert correlation_interval(0.5, 3) is None
    assert correlation_interval(1.0, 30) is None
