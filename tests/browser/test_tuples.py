"""Tuples in a real browser: built and cloned by mouse, by touch and by keys, and many of them stay quick."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.models import Item, ItemDraft
from annotation.queries.item import revision_content
from corpus.models import Story
from tests.browser.entering import sign_in
from tests.browser.looking import SIZES, broken_rules
from tests.browser.test_marking import char, marks, ready
from tests.browser.waiting import saved
from tests.factories import Cast, make_project, wording
from tests.kinds.marked import marked_story

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXT = "昨天下雨之前，乌鸦从树上飞到井边，它站在石头旁边喝水。狐狸离井很远。"
CROW = {"role": "空间实体", "text": "乌鸦", "positions": [7, 8]}
FLEW = {"role": "事件", "text": "飞", "positions": [12]}
BEFORE = {"role": "时间", "text": "下雨", "positions": [2, 3], "label": "之前"}
FROM = {"role": "起点", "text": "从树上", "positions": [9, 10, 11]}
TO = {"role": "终点", "text": "到井边", "positions": [13, 14, 15]}


@pytest.fixture
def cast() -> Cast:
    return make_project("zh", tasks=["step_tuples"])


@pytest.fixture
def story(cast: Cast) -> Story:
    return marked_story(cast, TEXT)


@pytest.fixture
def address(live_server: LiveServer, cast: Cast, story: Story) -> str:
    return f"{live_server.url}/p/{cast.project.slug}/write/story/{story.pk}?new=1"


@pytest.fixture
def at_the_desk(page: Page, address: str, cast: Cast, seen_as: Callable[[User], None]) -> Page:
    seen_as(cast.writer)
    page.goto(address)
    return ready(page)


@pytest.fixture
def on_a_phone(browser: Browser, live_server: LiveServer, address: str, cast: Cast) -> Iterator[Page]:
    context = browser.new_context(has_touch=True, is_mobile=True, viewport=SIZES["phone"])
    sign_in(context, live_server.url, cast.writer)
    page = context.new_page()
    page.goto(address)
    yield ready(page)
    context.close()


def built(page: Page) -> Any:
    """Submit, and read the tuples of the item."""
    page.locator("[data-primary]").click()
    expect(page.locator("#messages")).to_contain_text("Submitted for review.")
    return revision_content(wording(Item.objects.get())).own["answer"]


def select(page: Page, role: str, first: int, last: int, *, tap: bool = False) -> None:
    """Give a fragment a role: the role first, then its first and its last character."""
    press = "tap" if tap else "click"
    getattr(page.locator(f'[data-role="{role}"]'), press)()
    for position in (first, last):
        getattr(char(page, position), press)()


def test_a_tuple_is_built_and_cloned_by_mouse(at_the_desk: Page) -> None:
    page = at_the_desk
    select(page, "空间实体", 7, 8)
    select(page, "事件", 12, 12)
    select(page, "起点", 9, 11)
    select(page, "时间", 2, 3)
    page.get_by_label("Label of time").select_option("之前")
    assert marks(page) == [[CROW, FLEW, BEFORE, FROM]]
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Remove start: 从树上").click()
    select(page, "终点", 13, 15)
    assert marks(page) == [[CROW, FLEW, BEFORE, FROM], [CROW, FLEW, BEFORE, TO]]
    assert built(page) == [[CROW, FLEW, BEFORE, FROM], [CROW, FLEW, BEFORE, TO]]


def test_a_tuple_is_built_and_cloned_by_touch(on_a_phone: Page) -> None:
    page = on_a_phone
    select(page, "空间实体", 7, 8, tap=True)
    select(page, "起点", 9, 11, tap=True)
    page.get_by_role("button", name="Copy").tap()
    page.get_by_role("button", name="Remove start: 从树上").tap()
    select(page, "终点", 13, 15, tap=True)
    assert built(page) == [[CROW, FROM], [CROW, TO]]


def test_a_tuple_is_built_and_cloned_by_keys(at_the_desk: Page) -> None:
    page, press = at_the_desk, at_the_desk.keyboard.press

    def go(first: int, last: int) -> None:
        press("f")
        press("Control+Home")
        for _step in range(first):
            press("ArrowRight")
        press("Enter")
        for _step in range(last - first):
            press("ArrowRight")
        press("Enter")

    for key, first, last in (("1", 7, 8), ("3", 12, 12), ("5", 2, 3)):
        press(key)
        go(first, last)
    press("Shift+5")  # the fifth label of a time
    press("7")
    go(9, 11)
    assert marks(page) == [[CROW, FLEW, BEFORE, FROM]]
    press("y")
    press("8")
    go(13, 15)
    page.get_by_role("button", name="Remove start: 从树上").focus()
    press("Enter")
    press("Control+Enter")
    expect(page.locator("#messages")).to_contain_text("Submitted for review.")
    groups = revision_content(wording(Item.objects.get())).own["answer"]
    assert groups[1][-1] == TO
    assert [len(group) for group in groups] == [4, 4]


def test_mentions_of_one_entity_are_kept_beside_the_tuples(at_the_desk: Page) -> None:
    page = at_the_desk
    select(page, "空间实体", 7, 8)
    select(page, "起点", 9, 11)
    page.get_by_role("button", name="Same entity (0)", exact=True).click()
    for first, last in ((7, 8), (17, 17)):
        char(page, first).click()
        char(page, last).click()
    saved(page)
    page.reload()
    assert ready(page).evaluate("window.parableMarks.read().coreference") == [
        [{"role": "", "text": "乌鸦", "positions": [7, 8]}, {"role": "", "text": "它", "positions": [17]}]
    ]
    built(page)
    assert len(revision_content(wording(Item.objects.get())).own["coreference"][0]) == 2


@pytest.mark.drill
@pytest.mark.parametrize("size", SIZES)
def test_fifteen_roles_are_accessible(at_the_desk: Page, size: str) -> None:
    page = at_the_desk
    page.set_viewport_size(SIZES[size])
    select(page, "空间实体", 7, 8)
    select(page, "时间", 2, 3)
    assert broken_rules(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


MANY = 200
PAINT = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const times = [];
  for (let round = 0; round < 9; round += 1) {
    await frame();
    const start = performance.now();
    for (const at of [round, round + 1]) document.querySelector(`.marked-text [data-p="${at}"]`).click();
    await frame();
    times.push(performance.now() - start);
  }
  return times;
}"""


def test_two_hundred_tuples_on_a_text_stay_usable(at_the_desk: Page) -> None:
    page = at_the_desk
    tuples = [
        [
            CROW,
            FLEW,
            {**FROM, "positions": [9, 10, 11]},
            {"role": "形状", "text": TEXT[n % 30], "positions": [n % 30]},
        ]
        for n in range(MANY)
    ]
    page.evaluate("own => window.parableMarks.fill(own)", {"answer": tuples})
    expect(page.locator(".mark-card")).to_have_count(MANY)
    page.locator('[data-role="处所"]').click()
    times = page.evaluate(PAINT)
    print(f"from input to paint with {MANY} tuples: {median(times):.0f} ms of {sorted(map(round, times))}")
    assert len(marks(page)[0]) == 5
    saved(page)
    assert len(ItemDraft.objects.get().content["own"]["answer"]) == MANY
