"""The list of items: what is found, who is shown which key, what is saved."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.models import Item, KeyExposure, Option
from annotation.queries.search import all_keys_known, holding, is_key_known
from annotation.services import record_key_exposures, revise_item
from annotation.services.transition import lock_item, move_item
from dashboard.models import SavedView
from projects.models import Membership, Role
from review.models import Answer, Disposition, Stage
from review.services import claim_next, send_verdict, solve
from tests.factories import Cast, content, make_project, submit_item
from tests.projects.pages import browser
from tests.review.practice_cast import look

CROW = content("乌鸦为什么挑小石子？", "石子沉到罐底", "ＡＢＣ光", "Because", "它渴了", key=0)


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def found(*terms: str, scope: str = "") -> list[str]:
    items = Item.objects.filter(holding(terms, scope)).select_related("current").order_by("pk")
    return [item.current.stem for item in items if item.current]


def page(cast: Cast, who: User, query: str = "") -> str:
    answer = browser(who).get(f"{reverse('dashboard:items', args=[cast.project.slug])}?{query}")
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize(
    ("terms", "scope", "hits"),
    [
        (["石子"], "", True),
        (["石子", "挑小"], "", True),
        (["子石"], "", False),  # both are there, one after the other they are not
        (["罐"], "", True),
        (["abc光"], "", True),
        (["BECAUSE"], "options", True),
        (["渴了"], "stem", False),
        (["罐底"], "key", True),
        (["渴了"], "key", False),
        (["石子", "兔子"], "", False),
        (["%"], "", False),
    ],
)
def test_it_finds_items_by_any_part_of_their_words(
    cast: Cast, terms: list[str], scope: str, hits: bool
) -> None:
    item = submit_item(cast, words=CROW)
    submit_item(cast)
    assert found(*terms, scope=scope) == ([CROW.stem] if hits else [])
    assert list(Item.objects.filter(holding([f"#{item.pk}"]))) == [item]


@pytest.mark.parametrize("term", ["100%", "a_b", "b\\c", "%_\\", "\\"])
def test_it_takes_signs_of_the_database_as_they_are_typed(cast: Cast, term: str) -> None:
    submit_item(cast, words=content("Are 100 of ab bc as good?"))
    submit_item(cast, words=content("Are 100%_\\ of a_b\\c as good?"))
    assert found(term, scope="stem") == ["Are 100%_\\ of a_b\\c as good?"]


def test_it_knows_the_same_keys_of_all_items_as_of_each(cast: Cast) -> None:
    items = [submit_item(cast), submit_item(cast, writer=cast.writer2), submit_item(cast)]
    record_key_exposures(actor=cast.reviewer, items=[items[1].pk])
    KeyExposure.objects.create(user=cast.verifier, story=items[2].story, task=items[2].task)
    KeyExposure.objects.create(user=cast.manager, story=items[2].story, task="moral")
    known = {
        who: set(Item.objects.filter(all_keys_known(who)))
        for who in (cast.writer, cast.writer2, cast.reviewer, cast.verifier, cast.manager)
    }
    for who, found_by in known.items():
        assert found_by == set(Item.objects.filter(is_key_known(who)))
    assert known[cast.writer] == {items[0], items[2]}
    assert known[cast.reviewer] == {items[1]}
    assert known[cast.manager] == set()


def test_it_finds_the_present_words_alone(cast: Cast) -> None:
    item = submit_item(cast, words=CROW)
    assert move(item, "returned", cast).state == "returned"
    revise_item(actor=cast.writer, item=item, content=content("Where was the jar?"))
    assert (found("石子"), found("the jar")) == ([], ["Where was the jar?"])


def move(item: Item, to_state: str, cast: Cast) -> Item:
    with transaction.atomic():
        item = lock_item(item)
        move_item(item, to_state, actor=cast.manager, cause="all_pass")
    return item


def test_it_shows_no_key_to_who_may_still_solve_the_item_blind(cast: Cast) -> None:
    Membership.objects.create(project=cast.project, user=cast.manager, role=Role.VERIFIER)
    item = submit_item(cast, words=CROW)
    key = Option.objects.get(revision__item=item, is_key=True).text
    assert key not in page(cast, cast.manager)
    assert key not in page(cast, cast.manager, "q=乌鸦")
    assert not KeyExposure.objects.filter(user=cast.manager).exists()
    assert key in page(cast, cast.writer)


def test_it_hides_blind_answers_from_who_may_still_solve_the_item(cast: Cast) -> None:
    submit_item(cast, words=CROW)
    look(cast, cast.reviewer, Stage.CROSS_CHECK, disposition=Disposition.PASS, rating=2)
    answers = '<span class="num"><span class="dots"'
    assert answers in page(cast, cast.manager)
    Membership.objects.create(project=cast.project, user=cast.manager, role=Role.VERIFIER)
    hidden = page(cast, cast.manager)
    assert answers not in hidden
    assert '<span class="spoken">hidden</span>' in hidden


def test_it_records_whom_it_shows_keys(cast: Cast) -> None:
    item = submit_item(cast, words=CROW)
    other = submit_item(cast, words=content("石子在哪里？"))
    assert "罐底" in page(cast, cast.manager, "cols=key")
    seen = set(KeyExposure.objects.filter(user=cast.manager).values_list("item", flat=True))
    assert seen == {item.pk, other.pk}
    assert "罐底" in page(cast, cast.manager)  # by now they know it


def test_it_searches_only_keys_that_somebody_knows(cast: Cast) -> None:
    known, other = submit_item(cast, words=CROW), submit_item(cast, words=CROW)
    record_key_exposures(actor=cast.manager, items=[known.pk])
    shown = page(cast, cast.manager, "q=罐底&in=key")
    assert f"item-{known.pk}" in shown
    assert f"item-{other.pk}" not in shown
    asked = {"verb": "export", "all": "1", "query": "q=罐底&in=key"}
    answer = browser(cast.manager).post(reverse("dashboard:bulk", args=[cast.project.slug, "items"]), asked)
    assert "Export 1 item" in answer.content.decode()
    assert list(KeyExposure.objects.values_list("item", flat=True)) == [known.pk]


def test_it_lets_no_writer_search_keys_or_others_items(cast: Cast) -> None:
    submit_item(cast, words=CROW, writer=cast.writer2)
    submit_item(cast, words=content("石子在哪里？", key=0))
    shown = page(cast, cast.writer, "q=石子&in=key&cols=key")
    assert CROW.stem not in shown
    assert "石子" in shown
    assert "data-row" not in shown  # writers select nothing


def test_it_asks_as_often_for_many_items_as_for_one(cast: Cast) -> None:
    def asked(query: str) -> int:
        client = browser(cast.manager)
        client.get(f"{url}?{query}")
        with CaptureQueriesContext(connection) as statements:
            assert client.get(f"{url}?{query}").status_code == 200
        return len(statements)

    url = reverse("dashboard:items", args=[cast.project.slug])
    submit_item(cast)
    once = [asked(query) for query in ("", "q=hare", "cols=key&kind=social")]
    for number in range(4):
        item = submit_item(cast, words=content(f"Why did hare {number} sleep?"))
        SavedView.objects.create(
            project=cast.project, owner=cast.manager, listing="items", name=f"View {number}"
        )
        if number % 2:
            move(item, "returned", cast)
    assert [asked(query) for query in ("", "q=hare", "cols=key&kind=social")] == once


def test_it_narrows_and_orders(cast: Cast) -> None:
    first = submit_item(cast, words=content("First question?"))
    submit_item(cast, words=content("Second question?"), writer=cast.writer2)
    move(first, "returned", cast)
    assert "Second question?" not in page(cast, cast.manager, "state=returned")
    assert "First question?" not in page(cast, cast.manager, f"writer={cast.writer2.pk}")
    assert "question?" not in page(cast, cast.manager, "changed=older7")
    assert "question?" not in page(cast, cast.manager, "story=no+such+story")
    newest = page(cast, cast.manager)
    assert newest.index("First question?") < newest.index("Second question?")
    oldest = page(cast, cast.manager, "sort=changed")
    assert oldest.index("Second question?") < oldest.index("First question?")


LINKED = (
    ("done=submitted&by={writer}", True),
    ("done=submitted&by={reviewer}", False),
    ("done=submitted&since={today}&until={today}", True),
    ("done=submitted&since={tomorrow}", False),
    ("done=submitted&until={yesterday}", False),
    ("done=submitted&since=soon&until=30.2.", True),
    ("done=verified", False),
    ("done=reviewed&by={reviewer}", True),
    ("done=cross_check&by={reviewer}", True),
    ("done=verification", False),
    ("done=nothing&by={reviewer}", True),
    ("reviewer={reviewer}", True),
    ("reviewer={writer}", False),
    ("reviewer=x", False),
    ("flaw=unclear_stem", True),
    ("flaw=language", False),
    ("of={story}", True),
    ("of=0", False),
)


def test_links_of_figures_narrow_it(cast: Cast) -> None:
    item = submit_item(cast, words=content("First question?"))
    send_back(cast)
    today = timezone.localdate()
    named = {
        "today": today, "tomorrow": today + timedelta(days=1), "yesterday": today - timedelta(days=1),
        "writer": cast.writer.pk, "reviewer": cast.reviewer.pk, "story": item.story_id,
    }  # fmt: skip
    for query, is_there in LINKED:
        asked = query.format(**named)
        shown = page(cast, cast.manager, asked)
        assert ("First question?" in shown) == is_there, query
        name, _equals, value = asked.partition("&")[0].partition("=")
        kept = f'<input type="hidden" name="{name}" value="{value}">'
        assert (kept in shown) == (value != "nothing"), query
    assert "First question?" in page(cast, cast.writer, "done=verified&of=0"), "for managers alone"


def send_back(cast: Cast) -> None:
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    review = solve(actor=cast.reviewer, request=request, answer=Answer.NONE_FITS)
    send_verdict(
        actor=cast.reviewer, review=review, rating=0, flaws=["unclear_stem"], comment="Which jar?",
        disposition=Disposition.RETURN,
    )  # fmt: skip
    claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)


def test_it_tells_no_flaw_of_an_item_that_the_reader_may_still_solve(cast: Cast) -> None:
    submit_item(cast, words=content("First question?"))
    send_back(cast)
    Membership.objects.create(project=cast.project, user=cast.manager, role=Role.REVIEWER)
    assert "First question?" in page(cast, cast.manager, "done=reviewed")
    assert "First question?" not in page(cast, cast.manager, "flaw=unclear_stem")


def address(cast: Cast, route: str, *args: object) -> str:
    return reverse(route, args=[cast.project.slug, *args])


def save(cast: Cast, who: User, **sent: Any) -> int:
    return browser(who).post(address(cast, "dashboard:save_view", "items"), sent).status_code


def test_it_keeps_views_for_oneself_or_for_the_project(cast: Cast) -> None:
    assert save(cast, cast.writer, name="Back", query="state=returned&page=2&x=1") == 302
    assert save(cast, cast.manager, name="To <b>rule</b>", query="state=in_adjudication", shared="1") == 302
    assert save(cast, cast.manager, name="Mine", query="q=hare") == 302
    assert save(cast, cast.writer, name="Shared", query="", shared="1") == 403
    assert save(cast, cast.reviewer, name="No", query="") == 403
    assert save(cast, cast.writer, name=" ", query="q=a") == 302
    kept = dict(SavedView.objects.values_list("name", "query"))
    assert kept == {"Back": "state=returned", "To <b>rule</b>": "state=in_adjudication", "Mine": "q=hare"}
    seen = page(cast, cast.writer)
    assert [name in seen for name in ("Back", "To &lt;b&gt;rule", "Mine")] == [True, True, False]


def test_it_deletes_views_of_ones_own_and_shared_ones_for_managers(cast: Cast) -> None:
    save(cast, cast.writer, name="Back", query="state=returned")
    save(cast, cast.manager, name="Shared", query="", shared="1")
    own, shared = (SavedView.objects.get(name=name) for name in ("Back", "Shared"))
    assert (
        browser(cast.manager).post(address(cast, "dashboard:delete_view", "items", own.pk)).status_code == 404
    )
    assert (
        browser(cast.writer).post(address(cast, "dashboard:delete_view", "items", shared.pk)).status_code
        == 403
    )
    assert (
        browser(cast.writer).post(address(cast, "dashboard:delete_view", "items", own.pk)).status_code == 302
    )
    assert (
        browser(cast.manager).post(address(cast, "dashboard:delete_view", "items", shared.pk)).status_code
        == 302
    )
    assert not SavedView.objects.exists()
