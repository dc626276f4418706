"""The page of an item: who chose what, where its options came from, its figures, and its whole life."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext, override_settings
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from accounts.models import User
from annotation.models import Comment, Item, KeyExposure, State
from annotation.services import add_comment, revise_item, submit_draft
from evaluation import services as evaluation
from evaluation.models import Calibration
from evaluation.queries.calibration import one_item, reasons_of
from generation.models import Candidate
from parable.llm.stub import StubServer
from parable.psychometrics.bootstrap import correlation_interval
from release.models import Erratum, ErrorReport, ReleaseItem, Remedy
from release.services import report_error
from review.models import Answer, Disposition, Stage
from review.services import claim_next, send_ruling, send_verdict, solve
from tests.dashboard.test_item_list import move
from tests.evaluation.measuring import Bench, make_bench
from tests.evaluation.test_items import answering
from tests.factories import Cast, content, submit_item, wording
from tests.generation import bench as generating
from tests.generation.solver import ask, letter_of, posed, saved_draft, say
from tests.generation.test_yield import adopt
from tests.release.made import built
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def _measured(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Bench]:
    with (
        StubServer() as stub,
        override_settings(LLM_ALLOW_PRIVATE=frozenset({"127.0.0.1"})),
        shared_rows(django_db_blocker, lambda: _measure(stub)) as made,
    ):
        yield made


def _measure(stub: StubServer) -> Bench:
    found = make_bench(stub)
    runs = answering(found, 4)
    ordered = evaluation.order_calibration(
        actor=found.cast.manager, release=found.release, runs=runs, model="2pl"
    )
    evaluation.run_calibration(calibration_id=ordered.pk)
    return found


@pytest.fixture
def bench(_measured: Bench, db: None) -> Bench:
    """A release that four models have answered, and a calibration of their answers."""
    return replace(_measured, cast=deepcopy(_measured.cast), release=deepcopy(_measured.release))


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
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    key = request.drawn_order.index(1)
    position = key if right else (key + 1) % 4
    review = solve(actor=cast.reviewer, request=request, answer=Answer.OPTION, position=position)
    send_verdict(
        actor=cast.reviewer, review=review, rating=0, flaws=["unclear_stem"], comment="Which nap is meant?",
        disposition=Disposition.RETURN,
    )  # fmt: skip
    return item


def counts(text: str) -> list[str]:
    """The numbers beside the options, row by row."""
    table = text[text.index('class="table rows evidence"') :]
    return re.findall(r'<td class="n" data-label="[^"]*">(\d+)</td>', table[: table.index("</table>")])


def test_it_shows_who_chose_what_and_what_was_said_newest_first(cast: Cast) -> None:
    item = returned(cast, right=True)
    add_comment(actor=cast.writer, item=item, text="The long one.")
    revise_item(actor=cast.writer, item=item, content=content("Why did the hare lose the race?"))
    shown = page(cast, cast.manager, item)
    places = [shown.index(words) for words in ("Revision 2 by", "The long one.", "Which nap is meant?")]
    assert places == sorted(places)
    assert "correct blind answer" in shown
    assert "<ins>" in shown
    assert counts(shown) == ["0", "0", "0", "0"], "of the present wording"
    assert "The long one." in page(cast, cast.writer, item, show="comments")
    only = page(cast, cast.manager, item, show="comments")
    assert "The long one." in only
    assert "Which nap is meant?" not in only


def test_a_distractor_that_people_prefer_to_the_key_stands_out(cast: Cast) -> None:
    item = returned(cast)
    shown = page(cast, cast.manager, item)
    assert sorted(counts(shown)) == ["0", "0", "0", "1"]
    assert "chosen more often than the key" in shown
    assert re.search(r"Correct blind answers</dt><dd class=\"num\">0\.0 % \(0\.0 % to 79\.3 %\)", shown)


def test_it_shows_managers_what_models_answered_and_how_sure_the_figures_are(bench: Bench) -> None:
    released = ReleaseItem.objects.filter(release=bench.release).order_by("number")[1]
    Erratum.objects.create(
        released=released, remedy=Remedy.MEND, note="The stem was unclear.", created_by=bench.cast.manager
    )
    shown = page(bench.cast, bench.cast.manager, released.item_id)
    assert sum(map(int, counts(shown))) == 4
    for words in (
        "Correct, models",
        "Difficulty",
        "Discrimination",
        "n = 4",
        "model-3",
        "Evaluated on 1.0.0",
    ):
        assert words in shown
    assert "The stem was unclear." in shown
    assert f"{released.public_id} · " in shown
    assert f"?q={released.public_id}" in shown
    wrong = ReleaseItem.objects.filter(release=bench.release).order_by("number")[0]
    assert "Suspect item" in page(bench.cast, bench.cast.manager, wrong.item_id)


def test_its_options_have_the_letters_of_the_releases(bench: Bench) -> None:
    released = ReleaseItem.objects.filter(release=bench.release).order_by("number")[1]
    shown = page(bench.cast, bench.cast.manager, released.item_id)
    rows = re.findall(r'data-label="Released as">([A-D])</td>\s*<th scope="row"><span[^>]*>([^<]+)<', shown)
    assert sorted(rows) == sorted(zip("ABCD", released.record["choices"], strict=True))
    assert [text for _letter, text in rows] == [  # in the writer's order
        option.text for option in released.revision.options.order_by("position")
    ]
    assert "another wording" not in shown
    other = built(bench.cast, version="1.0.1", seed="8")
    orders = {one.item_id: one.order for one in other.items.all()}
    released = next(one for one in bench.release.items.all() if orders[one.item_id] != one.order)
    moved = sum(a != b for a, b in zip(released.order, orders[released.item_id], strict=True))
    shown = page(bench.cast, bench.cast.manager, released.item_id)
    assert shown.count("(1.0.0)</span>") == shown.count("(1.0.1)</span>") == moved > 0
    for state in (State.IN_REVIEW, State.RETURNED):
        move(released.item, state, bench.cast)
    revise_item(actor=bench.cast.manager, item=released.item, content=content("Why else?"))
    shown = page(bench.cast, bench.cast.manager, released.item_id)
    assert "Released as" not in shown
    assert shown.count("another wording") == 4


def primary(cast: Cast, who: User, item: Item | int) -> str:
    """Where the one primary action leads, or which verb it sends."""
    shown = page(cast, who, item)
    (found,) = re.findall(
        r'<(?:a href="([^"]+)"|button) class="button primary" data-primary(?: name="verb" value="(\w+)")?',
        shown,
    )
    return str(found[0] or found[1])


def at(cast: Cast, name: str, *args: object) -> str:
    return reverse(name, args=[cast.project.slug, *args])


def test_its_primary_action_fits_the_state_and_the_reader(cast: Cast) -> None:
    item, manager, writer = submit_item(cast), cast.manager, cast.writer
    everything = at(cast, "dashboard:items")
    assert primary(cast, manager, item) == primary(cast, writer, item) == everything
    disagree(cast)
    assert primary(cast, writer, item) == everything
    assert primary(cast, manager, item) == at(cast, "review:adjudicate")
    request = claim_next(actor=manager, project=cast.project, stage=Stage.ADJUDICATION)
    assert request
    assert primary(cast, manager, item) == at(cast, "review:request", request.public_id)
    send_ruling(actor=manager, request=request, disposition=Disposition.RETURN, comment="Which nap?")
    for who in (manager, writer):
        assert primary(cast, who, item) == at(cast, "annotation:revise", item.pk)


def disagree(cast: Cast) -> None:
    """Send the item in review to adjudication by a wrong blind answer."""
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    wrong = (request.drawn_order.index(1) + 1) % 4
    review = solve(actor=cast.reviewer, request=request, answer=Answer.OPTION, position=wrong)
    send_verdict(actor=cast.reviewer, review=review, rating=1, disposition=Disposition.PASS)
    claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)


def test_a_suspect_item_is_retired_or_its_report_answered_first(bench: Bench) -> None:
    manager = bench.cast.manager
    calibration, released = Calibration.objects.get(), {}
    for one in bench.release.items.all():
        released[bool(reasons_of(one_item(calibration, one.public_id) or {}))] = one
    suspect, fine = released[True], released[False]
    assert primary(bench.cast, manager, suspect.item_id) == "retire"
    assert primary(bench.cast, manager, fine.item_id) == at(bench.cast, "dashboard:items")
    report_error(actor=None, item_id=suspect.public_id, fault="other", text="Odd.")
    address = at(bench.cast, "release:answer_report", ErrorReport.objects.get().pk)
    assert primary(bench.cast, manager, suspect.item_id) == address


def test_a_writer_sees_neither_letters_nor_what_models_answered(bench: Bench) -> None:
    released = ReleaseItem.objects.filter(release=bench.release).order_by("number")[0]
    Item.objects.filter(pk=released.item_id).update(writer=bench.cast.writer)
    shown = page(bench.cast, bench.cast.writer, released.item_id)
    assert "Released in 1.0.0" in shown
    for words in (released.public_id, "model-3", "Evaluated on", "Suspect item", "Difficulty"):
        assert words not in shown


def test_it_names_the_prompt_and_the_model_behind_an_option(stub: StubServer) -> None:
    bench = generating.make_bench(stub)
    generating.work_off(bench.start().waiting)
    first, second, _third = Candidate.objects.order_by("pk")
    item = adopt(bench, [first, second], [first.text, second.text + " And more."])
    shown = page(bench.cast, bench.cast.manager, item)
    assert shown.count(f"Option from {first.generator}") == 2
    assert shown.count(reverse("generation:prompt", args=[bench.cast.project.slug, bench.template.pk])) == 2
    assert "edited</span>" in shown
    assert "<ins>" in shown


def test_it_shows_what_models_answered_while_it_was_written(
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
            shown = page(cast, cast.manager, item)
        return len(queries), shown

    asked()
    few, _shown = asked()
    now = timezone.now()
    more = [
        Comment(item=item, revision=wording(item), author=cast.writer, text=f"No. {n}") for n in range(500)
    ]
    Comment.objects.bulk_create(more)
    Comment.objects.filter(text="The first.").update(at=now)
    many, shown = asked()
    assert many == few <= 60
    assert shown.count("<blockquote") == 30
    assert "Which nap is meant?" in page(cast, cast.manager, item, page="17")


def test_the_interval_of_a_correlation_is_fishers() -> None:
    found = correlation_interval(0.5, 28)
    assert found is not None
    assert found == pytest.approx((0.156, 0.736), abs=0.001)
    assert correlation_interval(0.5, 3) is None
    assert correlation_interval(1.0, 30) is None
