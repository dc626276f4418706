"""Items to fix: as tags and a filter of the list, on the item's page, and one after another."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import unquote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from annotation.models import Item, KeyExposure
from annotation.services import revise_item
from parable.formats.records import ItemRecord
from projects.models import Role
from projects.services import set_roles
from release.check_tally import finding_name
from release.models import ItemFinding
from release.services import run_gate_check
from review.models import Stage
from review.services import claim_next
from tests.dashboard.linked import listed
from tests.dashboard.test_item_list import move
from tests.factories import Cast, content, make_project, make_user, submit_item, wording
from tests.projects.pages import browser
from tests.release.made import bring, built, records

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return make_project()


def find(item: Item, code: str = "longest_key", severity: str = "warning", **more: object) -> Item:
    """The item, in which the last check has found something."""
    ItemFinding.objects.create(
        project=item.project, item=item, revision=wording(item), code=code, severity=severity, **more
    )
    return item


def placeholder(number: int) -> ItemRecord:
    """An item whose one fault is an option without words."""
    return ItemRecord(
        id=f"crow-{number}",
        task="commonsense",
        story_id="crow",
        title="The Crow and the Pitcher",
        story="A thirsty crow dropped pebbles into a pitcher until the water came near.",
        question=f"Why did the crow drop pebble {number} into the pitcher?",
        choices=("It wanted to drink", "xxx", "It was very tired", "It feared the rain"),
        answer=0,
        types=("physical",),
        explanation="The water rises with each pebble.",
        language="en",
    )


def address(cast: Cast, name: str = "items", *about: object) -> str:
    return reverse(f"dashboard:{name}", args=[cast.project.slug, *about])


def shown(cast: Cast, who: User, url: str) -> str:
    answer = browser(who).get(url, HTTP_ACCEPT_LANGUAGE="en")
    assert answer.status_code == 200, url
    main = answer.content.decode().split("<main")[-1].split("</main")[0]
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", main).split()))


def fixed(cast: Cast, who: User, after: int = 0, query: str = "") -> str:
    """The address of the next item to fix."""
    answer = browser(who).get(f"{address(cast, 'fix')}?after={after}{query}")
    assert answer.status_code == 302
    return answer.headers["Location"]


def test_the_list_tags_items_with_what_was_found(cast: Cast) -> None:
    find(find(submit_item(cast)), "placeholder_option", "error", place="option-2")
    submit_item(cast)
    text = shown(cast, cast.manager, address(cast))
    assert finding_name("longest_key") in text
    assert finding_name("placeholder_option") in text
    page = browser(cast.manager).get(address(cast)).content.decode()
    tags = re.findall(r'<td class="tags".*?</td>', page, re.DOTALL)
    assert sorted(tag.count('class="chip') for tag in tags) == [0, 2]
    assert sum('chip wrong"' in tag for tag in tags) == 1


@pytest.mark.parametrize(
    ("query", "hits"),
    [
        ("finding=any", 2), ("finding=error", 1), ("check=longest_key", 2), ("check=placeholder_option", 1),
        ("finding=error&check=longest_key", 0), ("check=nothing", 0), ("finding=bad", 3),
    ],
)  # fmt: skip
def test_the_list_is_filtered_by_findings(cast: Cast, query: str, hits: int) -> None:
    find(find(submit_item(cast)), "placeholder_option", "error")
    find(submit_item(cast))
    submit_item(cast)
    assert listed(browser(cast.manager), f"{address(cast)}?{query}") == hits


def test_each_tab_says_how_many_rows_its_list_has(cast: Cast) -> None:
    bring(cast, records(1))
    built(cast)
    find(submit_item(cast))
    move(submit_item(cast), "in_adjudication", cast)
    move(submit_item(cast), "returned", cast)
    client = browser(cast.manager)
    page = client.get(address(cast), HTTP_ACCEPT_LANGUAGE="en").content.decode()
    nav = page.split('aria-label="Saved views"')[1].split("</nav>")[0]
    tabs = re.findall(r'href="(\?[^"]*)"[^>]*>\s*([^<]+?)\s*<span class="count">(\d+)</span>', nav)
    assert [name for _query, name, _n in tabs] == [
        "All", "To fix", "Waiting", "Disputed", "Returned", "Verified", "Released",
    ]  # fmt: skip
    for query, name, n in tabs:
        assert listed(client, f"{address(cast)}{unescape(query)}") == int(n), name
    assert {name: int(n) for _query, name, n in tabs} == {
        "All": 10, "To fix": 1, "Waiting": 1, "Disputed": 1, "Returned": 1, "Verified": 7, "Released": 7,
    }  # fmt: skip


def test_writers_have_their_own_items_without_counts_and_findings(cast: Cast) -> None:
    find(submit_item(cast))
    page = browser(cast.writer).get(f"{address(cast)}?finding=any").content.decode()
    assert 'class="count"' not in page.split("</nav>")[-2]
    assert 'class="tags"' not in page
    assert listed(browser(cast.writer), f"{address(cast)}?finding=error") == 1, "no filter of theirs"


def test_a_manager_who_may_still_answer_an_item_learns_nothing_of_its_key(cast: Cast) -> None:
    set_roles(
        actor=cast.manager, project=cast.project, user=cast.reviewer, roles=[Role.REVIEWER, Role.MANAGER]
    )
    find(submit_item(cast))
    assert listed(browser(cast.reviewer), f"{address(cast)}?finding=any") == 0
    page = browser(cast.reviewer).get(address(cast)).content.decode()
    assert 'class="tags"' in page
    assert not re.search(r'<td class="tags"[^>]*><span class="chip', page)
    assert fixed(cast, cast.reviewer).endswith(address(cast)), "and is not led to it"
    assert listed(browser(cast.manager), f"{address(cast)}?finding=any") == 1


def test_the_page_of_an_item_opens_with_what_why_and_how(cast: Cast) -> None:
    item = find(submit_item(cast), "placeholder_option", "error", place="option-2", params={"found": "xxx"})
    find(item, "length_artefact", "error", params={"figure": 0.412, "threshold": 0.355})
    for _ in range(3):
        find(submit_item(cast))
    text = shown(cast, cast.manager, address(cast, "item", item.pk))
    assert "2 findings of the last check" in text
    assert "41.2 %, limit 35.5 %" in text
    assert "How to fix it:" in text
    page = (
        browser(cast.manager).get(address(cast, "item", item.pk), HTTP_ACCEPT_LANGUAGE="en").content.decode()
    )
    assert "Next finding (3 left)" in page
    assert page.index("findings-title") < page.index('class="stem')


def test_a_writer_sees_no_findings_of_the_set(cast: Cast) -> None:
    item = find(submit_item(cast))
    assert "findings-title" not in browser(cast.writer).get(address(cast, "item", item.pk)).content.decode()
    for who in (cast.writer, cast.reviewer, cast.verifier):
        assert browser(who).get(address(cast, "fix")).status_code == 403
    assert browser(cast.outsider).get(address(cast, "fix")).status_code == 404


def test_the_next_item_follows_in_the_order_of_the_list_and_begins_again(cast: Cast) -> None:
    items = [find(submit_item(cast)) for _ in range(3)]
    submit_item(cast)
    find(items[1], "placeholder_option", "error")
    after = [fixed(cast, cast.manager, item.pk) for item in items]
    expected = [address(cast, "item", items[number].pk) for number in (1, 2, 0)]
    assert [found.split("?")[0] for found in after] == expected
    assert fixed(cast, cast.manager, items[0].pk, "&finding=error").startswith(expected[0])
    assert fixed(cast, cast.manager, items[1].pk, "&check=placeholder_option").endswith(address(cast))
    beside = fixed(cast, cast.manager, items[0].pk, "&in=list")
    assert beside == f"{address(cast)}?finding=any&sort=number&item={items[1].pk}"
    order = browser(cast.manager).get(f"{address(cast)}?finding=any&sort=number").context["page"].pks
    assert order == [item.pk for item in items]


def test_an_edit_leads_to_the_next_finding(cast: Cast) -> None:
    items = [find(submit_item(cast)) for _ in range(2)]
    page = browser(cast.manager).get(address(cast, "item", items[0].pk)).content.decode()
    link = re.search(r'href="([^"]*/write/item/[^"]*)"[^>]*data-key="e"', page)
    assert link
    following = unquote(unescape(link[1]).split("next=")[1])
    assert following.startswith(address(cast, "fix"))
    revise_item(actor=cast.manager, item=items[0], content=content("Which hare was it?"))
    led = browser(cast.manager).get(following).headers["Location"]
    assert led.startswith(address(cast, "item", items[1].pk))
    assert "This item has no open findings." in shown(
        cast, cast.manager, f"{address(cast, 'item', items[0].pk)}?finding=any"
    )


def test_an_item_under_review_offers_no_edit(cast: Cast) -> None:
    item = find(submit_item(cast))
    claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    page = browser(cast.manager).get(address(cast, "item", item.pk)).content.decode()
    assert "/write/item/" not in page
    observer = make_user("Olga Observer")
    set_roles(actor=cast.manager, project=cast.project, user=observer, roles=[Role.OBSERVER])
    page = browser(observer).get(address(cast, "item", item.pk)).content.decode()
    assert "findings-title" in page
    assert "/write/item/" not in page


def test_beside_the_list_an_item_is_a_part_without_a_page(cast: Cast) -> None:
    item = find(submit_item(cast))
    other = browser(cast.verifier)
    assert other.get(f"{address(cast, 'item', item.pk)}?beside=1").status_code == 404
    part = browser(cast.manager).get(f"{address(cast, 'item', item.pk)}?beside=1").content.decode()
    assert "<html" not in part
    assert part.index("data-leave") < part.index("findings-title") < part.index('class="stem')
    assert 'data-key="r"' in part, "it can be returned"
    assert KeyExposure.objects.filter(user=cast.manager, item=item).exists(), "opening it is recorded"


def test_the_list_shows_no_key_that_was_not_opened(cast: Cast) -> None:
    find(submit_item(cast))
    page = browser(cast.manager).get(f"{address(cast)}?finding=any").content.decode()
    assert "It felt sure of winning" not in page
    assert not KeyExposure.objects.filter(user=cast.manager).exists()


def test_a_failing_gate_leads_to_its_items(cast: Cast) -> None:
    bring(cast, [placeholder(number) for number in range(2)], state="in_review")
    run_gate_check(project_id=cast.project.pk)
    client = browser(cast.manager)
    page = client.get(reverse("release:gates", args=[cast.project.slug])).content.decode()
    leads = [unescape(link) for link in re.findall(r'href="([^"]*/items/fix[^"]*)"', page)]
    assert f"{address(cast, 'fix')}?finding=error" in leads, "of the gate that fails"
    first = Item.objects.order_by("pk")[0]
    for link in leads:
        assert client.get(link).headers["Location"].startswith(address(cast, "item", first.pk)), link
    counted = re.findall(r'href="([^"]*/items\?check=[^"]*)">(\d+)<', page)
    assert counted
    for link, n in counted:
        assert listed(client, unescape(link)) == int(n), link


def test_it_asks_as_much_for_many_findings_as_for_few(cast: Cast) -> None:
    client = browser(cast.manager)

    def asked(url: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(url).status_code == 200
        return len(queries)

    first = find(submit_item(cast))
    pages = [address(cast), f"{address(cast)}?finding=any", f"{address(cast, 'item', first.pk)}?beside=1"]
    for _ in range(2):
        find(submit_item(cast))
    few = [[asked(page), asked(page)][1] for page in pages]
    for _ in range(6):
        find(find(submit_item(cast)), "placeholder_option", "error")
    assert [asked(page) for page in pages] == few
