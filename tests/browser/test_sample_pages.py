"""Every page of a finished sample project, as each person sees it, in both languages, schemes and widths."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.models import ItemDraft
from dashboard.queries.sample import FILL, sample_people
from dashboard.services import finish_jobs, load_kinds, load_sample
from dashboard.services.kinds_files import read_kinds
from dashboard.views.long_list import LISTS
from evaluation.models import ResultTables, Run
from jobs.models import Job
from projects.models import Project
from review.models import ReviewRequest, Stage
from review.services import claim_next
from tests.browser.entering import sign_in
from tests.browser.looking import LOCALES, SIZES, listened_to, look_at, turn_to
from tests.browser.waiting import arrive
from tests.dashboard.test_kinds_sample import check_ends
from tests.factories import make_user

pytestmark = [pytest.mark.browser, pytest.mark.drill, pytest.mark.django_db(transaction=True)]

TALLEST: Final = 2500
"""In pixels, at a width of 1280."""
RELEASE: Final = r"/releases/[^/]+(/card)?"
DOCUMENTS: Final = (RELEASE, r"/guideline(/\d+)?", r"/help/glossary", r"/r/.+", r"/privacy")
"""Pages that are meant to be read from top to bottom."""
KEPT: Final = r"(view|which|form|tab|by)=\w+"
"""What an address says of the part of a page that is shown; other values make no other shape."""
ORDER: Final = {"en": 1, "zh": -1}
"""From which end the links of a page are followed: of the items, say, each language opens another one."""
LINKS: Final = (
    "[...document.querySelectorAll('a[href]:not([download])')].map(link => new URL(link.href))"
    ".filter(url => url.origin === location.origin).map(url => url.pathname + url.search)"
)
FILES: Final = re.compile(
    r"\.(csv|jsonl?|md|py|svg|tex|txt|xlsx|yaml|zip)(\?|$)|^/(admin|api|static)/|/files/"
)
HEIGHT_AND_MORE: Final = """() => {
  const more = [...document.querySelectorAll(".foot .more")].some(each => each.checkVisibility());
  const within = [...document.querySelectorAll(".lesser > *")];
  const opensNothing = more && !within.some(each => getComputedStyle(each).display !== "none");
  return [document.documentElement.scrollHeight, opensNothing];
}"""
FETCHED: Final = "[hx-get][hx-trigger=revealed]"
PEOPLE: Final = ("writer", "reviewer", "verifier")
FEWEST_SHAPES: Final = 60


@dataclass(frozen=True)
class Gaze:
    """Looks at pages of one language, and keeps what is wrong by person and address."""

    browser: Browser
    server: LiveServer
    language: str
    wrong: dict[str, list[Any]] = field(default_factory=dict)

    @contextmanager
    def of(self, user: User) -> Iterator[Page]:
        """A page of this person's browser; what goes wrong in its scripts counts, too."""
        context = self.browser.new_context(locale=LOCALES[self.language], reduced_motion="reduce")
        sign_in(context, self.server.url, user)
        page, complaints = listened_to(context.new_page())
        yield page
        context.close()
        if complaints:
            self.wrong[f"scripts of {user}"] = list(complaints)

    def reached(self, page: Page, start: str, shapes: Counter[str]) -> Iterator[str]:
        """Open a page of each shape of address, such as that of an item, following the links of each."""
        seen, waiting = {start}, [start]
        while waiting:
            path = waiting.pop(0)
            shapes[shape := _shape(path)] += 1
            if shapes[shape] > 1 or FILES.search(path):
                continue
            answer = page.goto(self.server.url + path)
            assert answer is not None
            assert answer.ok, path
            yield path
            for link in page.evaluate(LINKS)[:: ORDER[self.language]]:
                if link not in seen:
                    seen.add(link)
                    waiting.append(link)

    def once(self, page: Page, name: str, screen: str) -> None:
        """Look at what is open on one screen alone."""
        if found := self._look(page, screen):
            self.wrong[f"{name} {page.url}"] = found

    def at(self, page: Page, name: str) -> None:
        """Look at what is open, once its parts have come that are fetched by themselves."""
        if page.locator(FETCHED).count():
            page.wait_for_load_state("networkidle")
        # It begins with the screen on which the page was opened: each turn lays it out and paints it anew.
        screens = sorted(SIZES, key=lambda name: SIZES[name] != page.viewport_size)
        path = urlsplit(page.url).path
        is_document = any(re.search(f"{one}$", path) for one in DOCUMENTS)
        if found := [one for screen in screens for one in self._look(page, screen, is_document=is_document)]:
            self.wrong[f"{name} {page.url}"] = found

    def _look(self, page: Page, screen: str, *, is_document: bool = False) -> list[Any]:
        found: list[Any] = [(screen, one) for one in look_at(page, "sample", self.language, screen)]
        height, opens_nothing = page.evaluate(HEIGHT_AND_MORE)
        if opens_nothing:
            found.append((screen, "there is nothing under More"))
        if screen == "wide" and height > TALLEST and not is_document:
            found.append((screen, f"{height} pixels tall"))
        return found

    def at_work(self, page: Page, name: str) -> None:
        """The same, and go on where all buttons are seen at once."""
        self.at(page, name)
        turn_to(page, "wide")


@pytest.mark.parametrize("language", LOCALES)
def test_nobodys_pages_are_too_wide_or_too_tall_and_axe_finds_nothing(
    live_server: LiveServer, browser: Browser, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Job, "is_silent", False)  # no worker runs here, which pages say after a minute
    load_sample(languages=[language])
    project = Project.objects.get()
    finish_jobs(FILL, project.pk)
    people = sample_people(project)
    gaze = Gaze(browser, live_server, language)
    shapes: Counter[str] = Counter()
    with gaze.of(people["manager"]) as page:
        for path in gaze.reached(page, "/", shapes):
            gaze.at(page, path)
        _look_at_bulk_actions(gaze, page, project)
    assert len(shapes) > FEWEST_SHAPES, "the links of the inbox lead to all of the site"
    for part in PEOPLE if language == "en" else ():  # other drills look at theirs in both languages
        with gaze.of(people[part]) as page:
            for path in gaze.reached(page, "/", Counter()):
                gaze.at(page, f"{part} {path}")
    with gaze.of(make_user("Ada", administrator=True)) as page:
        for path in gaze.reached(page, "/people", shapes):
            gaze.at(page, f"administrator {path}")
    _look_at_reviews(gaze, people, project)
    assert gaze.wrong == {}


def _shape(path: str) -> str:
    """What an address has in common with others of the same template and state."""
    place, _mark, query = path.partition("?")
    kept = sorted(match.group() for match in re.finditer(KEPT, query))
    return re.sub(r"[0-9a-f-]{36}|\d+", "0", place) + ("?" + "&".join(kept) if query else "")


def _look_at_bulk_actions(gaze: Gaze, page: Page, project: Project) -> None:
    """The page on which each action of a list is confirmed."""
    for shown in LISTS.values():
        for action in (one for one in shown.actions if not one.at_once):
            turn_to(page, "wide")
            page.goto(f"{gaze.server.url}{reverse(shown.route, args=[project.slug])}")
            page.locator("[data-rows]").check()
            button = page.locator(f"button[name=verb][value={action.verb}]")
            if button.is_enabled():
                button.click()
                page.wait_for_url("**/bulk")
                gaze.at(page, f"{shown.name} {action.verb}")


def _look_at_reviews(gaze: Gaze, people: Mapping[str, User], project: Project) -> None:
    """An item before and after its answer, after its verdict, and when its time is over, at each stage."""
    start = f"{gaze.server.url}/p/{project.slug}"
    for stage, part in (("review", "reviewer"), ("verify", "verifier"), ("adjudicate", "verifier")):
        with gaze.of(people[part]) as page:
            page.goto(f"{start}/{stage}")
            page.locator("[data-primary]").first.click()
            page.wait_for_url(re.compile(r"/review/[0-9a-f-]{36}$"))
            gaze.at_work(page, f"{stage} begun")
            if stage == "adjudicate":
                continue
            if stage == "review":
                _look_at_what_lapsed(gaze, page, project, people["second_verifier"])
            page.locator("label.answer").first.click()
            page.locator("[data-primary]:visible").last.click()
            arrive(page, "#verdict")
            gaze.at_work(page, f"{stage} revealed")
            page.locator("label:has([name=disposition][value=reject])").click()
            for mark in page.locator("label:has([name=rating][value='0']), label:has([name=flaws])").all()[
                :2
            ]:
                mark.click()
            page.locator("#comment").fill("?")
            page.locator("button[name=stay]").click()
            expect(page.locator("#verdict")).to_have_count(0)
            gaze.at_work(page, f"{stage} judged")


def _look_at_what_lapsed(gaze: Gaze, page: Page, project: Project, other: User) -> None:
    """The page of an item whose time is over, from which it is taken up again; `other` claims meanwhile."""
    held = ReviewRequest.objects.filter(public_id=urlsplit(page.url).path.rpartition("/")[2])
    held.update(lease_expires_at=timezone.now() - timedelta(hours=1))
    claim_next(actor=other, project=project, stage=Stage.VERIFICATION)
    page.reload()
    gaze.at_work(page, "lapsed")
    page.locator("[data-primary]:visible").last.click()
    arrive(page, "#answer")


def test_the_pages_of_other_kinds_open_and_axe_finds_nothing(
    live_server: LiveServer, browser: Browser
) -> None:
    project = load_kinds()
    finish_jobs(FILL, project.pk)
    check_ends(read_kinds())
    gaze = Gaze(browser, live_server, "zh")
    start = f"/p/{project.slug}"
    refs = dict(project.items.values_list("ref", "pk"))
    items = [f"/items/{refs[name]}" for name in ("bookshop-t", "summit-a", "shirt-s", "cooks-n1", "crow-o1")]
    run, results = Run.objects.earliest("pk"), ResultTables.objects.get().pk
    pages = [
        *("", "/items", *items, "/overview", "/review/statistics", "/releases/1.0.0", "/evaluation/new"),
        f"/evaluation/runs/{run.pk}/responses",
        *(f"/evaluation/results/{results}?view={view}" for view in ("accuracy", "measures", "figures")),
    ]
    with gaze.of(sample_people(project)["manager"]) as page:
        for number, path in enumerate(pages):
            answer = page.goto(f"{live_server.url}{start}{path}")
            assert answer is not None
            assert answer.ok, path
            gaze.once(page, path, [*SIZES][number % 2])
    with gaze.of(sample_people(project)["writer"]) as page:
        for draft in ItemDraft.objects.filter(writer__username="writer-zh").order_by("pk"):
            page.goto(f"{live_server.url}{start}/write/draft/{draft.client_id}")
            gaze.once(page, draft.task, "wide")
    assert gaze.wrong == {}
