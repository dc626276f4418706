"""Today: one sentence, at most five things to do, the same figures as elsewhere, and nothing that grows."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from jobs.models import ProjectBudget
from projects.models import Role
from projects.services import set_roles
from release.check_tally import CheckTally, check_tally
from release.models import GateCheck
from release.services.gate import run_gate_check
from review.models import ReviewStatistics
from tests.dashboard.linked import cells_on, listed
from tests.dashboard.test_item_list import move
from tests.dashboard.test_overview import reject
from tests.factories import Cast, make_story, make_user, submit_item

pytestmark = pytest.mark.django_db


def browser(user: User) -> Client:
    client = Client(HTTP_ACCEPT_LANGUAGE="en")
    client.force_login(user)
    return client


def address(cast: Cast, page: str = "today") -> str:
    return reverse(f"dashboard:{page}", args=[cast.project.slug])


def shown(client: Client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200, url
    main = answer.content.decode().split("<main")[1].split("</main")[0]
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", main).split()))


def needs(client: Client, cast: Cast) -> dict[str, int]:
    """What needs a manager, with its number, in the order of the page."""
    text = client.get(address(cast)).content.decode()
    rows = re.findall(r'<li id="need-(\w+)".*?class="big num"><a[^>]*>(\d+)', text, re.DOTALL)
    return {kind: int(n) for kind, n in rows}


def careless(cast: Cast) -> dict[str, object]:
    """The stored statistics of a reviewer who guesses."""
    accuracy = {"value": 9 / 34, "low": 0.15, "high": 0.43, "n": 34, "reason": ""}
    row = {"reviewer": cast.reviewer.pk, "reviews": 34, "zeros": 0, "severity": None, "shared": 0}
    estimate = {"value": 0.81, "low": 0.75, "high": 0.86, "n": 212, "reason": ""}
    raw = {"value": 0.86, "low": None, "high": None, "n": 212, "reason": ""}
    agreement = {"": {"rated_twice": 212, "raw": raw, "ac2": estimate, "alpha": estimate}}
    return {"reviewers": [row | {"seconds": 1.0, "accuracy": accuracy}], "agreement": agreement}


def test_it_is_the_first_page_of_those_who_see_the_project_and_of_no_one_else(cast: Cast) -> None:
    observer = make_user("Olga Observer")
    set_roles(actor=cast.manager, project=cast.project, user=observer, roles=[Role.OBSERVER])
    home, today = address(cast, "project"), address(cast)
    for user in (cast.manager, observer):
        assert browser(user).get(f"{home}?hidden=manager").headers["Location"] == f"{today}?hidden=manager"
        assert "Your work" in shown(browser(user), address(cast, "inbox"))
    for user in (cast.writer, cast.reviewer, cast.verifier):
        assert "Your work" in shown(browser(user), home)
        assert browser(user).get(today).status_code == 403
    assert browser(cast.outsider).get(today).status_code == 404


def test_the_address_of_the_overview_leads_to_it_and_filters_to_the_tables(cast: Cast) -> None:
    former = reverse("dashboard:former_overview", args=[cast.project.slug])
    client = browser(cast.manager)
    assert client.get(former).headers["Location"] == address(cast)
    narrowed = client.get(f"{former}?by=writer&task=moral")
    assert narrowed.headers["Location"] == f"{address(cast, 'overview')}?by=writer&task=moral"
    assert address(cast, "overview") in client.get(address(cast)).content.decode()
    assert browser(cast.writer).get(former).status_code == 403


def test_an_empty_project_is_set_up_first(cast: Cast) -> None:
    assert list(needs(browser(cast.manager), cast)) == ["stories"]
    make_story(cast)
    assert list(needs(browser(cast.manager), cast)) == []
    assert "Nothing needs you now." in shown(browser(cast.manager), address(cast))


def test_it_says_how_far_the_items_are_and_they_add_up(cast: Cast) -> None:
    for state in ("verified", "verified", "returned", "in_verification"):
        item = submit_item(cast)
        if state == "returned":
            move(item, "returned", cast)
        elif state == "in_verification":
            move(item, "in_verification", cast)
        else:
            move(move(item, "in_verification", cast), "verified", cast)
    client = browser(cast.manager)
    text = shown(client, address(cast))
    found = re.match(r".*?> (\d+) of (\d+) items are verified\. No forecast yet", f"> {text}")
    assert found, text[:300]
    stages = [int(cell.text) for cell in cells_on(client.get(address(cast)).text) if cell.heading == "Items"]
    assert stages[:5] == [2, 0, 1, 0, 1]
    assert sum(stages) == int(found[2])


def test_it_lists_what_needs_a_manager_with_numbers_that_lead_to_what_they_count(cast: Cast) -> None:
    submit_item(cast)
    reject(cast)
    other = submit_item(cast, writer=cast.writer2)
    move(other, "in_verification", cast)
    set_roles(actor=cast.manager, project=cast.project, user=cast.verifier, roles=[Role.OBSERVER])
    ReviewStatistics.objects.create(project=cast.project, counted_at=timezone.now(), figures=careless(cast))
    faults = answer(
        "faulty_items", "error", detail={"checks": {"placeholder": 2}}, offenders=[{"item": other.pk}]
    )
    GateCheck.objects.create(
        project=cast.project,
        checked_at=timezone.now(),
        findings={"items": 2, "parts": [{"kind": "all", "answers": [faults]}]},
    )
    client = browser(cast.manager)
    found = needs(client, cast)
    assert list(found) == ["decide", "fix", "unblock", "look"]
    assert found == {"decide": 1, "fix": 2, "unblock": 1, "look": 1}
    text = shown(client, address(cast))
    assert "4 things need you." in text
    assert "Look at a reviewer: Rui Reviewer right as often as chance (9 of 34), 1 s an answer." in text
    assert "No member has the role for it." in text
    page = client.get(address(cast)).content.decode()
    for link in set(re.findall(rf'href="({address(cast, "items")}\?[^"]+)"[^>]*>(\d+)<', page)):
        assert listed(client, unescape(link[0])) == int(link[1]), link
    assert f"{address(cast, 'items')}?state=in_adjudication" in unescape(page)
    assert reverse("dashboard:item", args=[cast.project.slug, other.pk]) in page
    assert listed(client, f"{address(cast, 'items')}?blocked=verification") == 1
    assert listed(client, f"{address(cast, 'items')}?blocked=any") == 1
    assert listed(client, f"{address(cast, 'items')}?blocked=cross_check") == 0


def test_at_most_five_things_need_someone_and_the_rest_is_named(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit_item(cast)
    reject(cast)
    ReviewStatistics.objects.create(project=cast.project, counted_at=timezone.now(), figures=careless(cast))
    monkeypatch.setattr("dashboard.views.today.MOST_NEEDS", 1)
    text = shown(browser(cast.manager), address(cast))
    assert "1 thing needs you." in text
    assert "Later: Look at a reviewer: Rui Reviewer" in text


def test_agreement_is_a_bar_with_its_band_and_money_is_of_the_budget(cast: Cast) -> None:
    ReviewStatistics.objects.create(project=cast.project, counted_at=timezone.now(), figures=careless(cast))
    ProjectBudget.objects.create(project=cast.project, limit=500, set_by=cast.manager)
    client = browser(cast.manager)
    text = shown(client, address(cast))
    assert "Reviewers agree on 86.0 % of 212 items with two ratings. Inside the band of 0.70 to 0.95." in text
    assert "AC2 0.81 [0.75, 0.86]" in text
    assert "CNY 0.00 of 500.00" in text
    for value, said in (
        (0.69, "Below the band"),
        (0.96, "Above the band"),
        (0.70, "Inside"),
        (0.95, "Inside"),
    ):
        found = ReviewStatistics.objects.get()
        found.figures["agreement"][""]["ac2"]["value"] = value
        found.save()
        assert said in shown(client, address(cast)), value


def answer(gate: str, verdict: str, **more: object) -> dict[str, object]:
    named: dict[str, object] = {
        "id": gate,
        "task": None,
        "verdict": verdict,
        "low": None,
        "detail": {},
        "offenders": [],
    }
    return named | more


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (
            [
                answer("faulty_items", "ok", detail={"checks": {"hedged_options": 100, "placeholder": 3}}),
                answer("length_artefact", "not_applicable", low=0.1),
            ],
            "103 findings in your 60 items; too few to assess the set as a whole (100 needed)",
        ),
        ([answer("faulty_items", "ok")], "No findings in your 60 items"),
        ([answer("rights", "ok"), answer("duplicates", "not_applicable")],
         "No findings in your 60 items; the one test of the whole set passes"),
        ([answer("rights", "ok"), answer("duplicates", "warning")],
         "No findings in your 60 items; 1 of 2 tests of the whole set warns"),
        (
            [answer("rights", "error"), answer("duplicates", "ok"), answer("options_only", "not_applicable",
                                                                            low=0.1)],
            (
                "No findings in your 60 items; 1 of 2 tests of the whole set fails: Rights of the stories;"
                " too few to assess the set as a whole (100 needed)"
            ),
        ),
    ],
)  # fmt: skip
def test_checks_are_told_in_words(cast: Cast, answers: list[dict[str, object]], said: str) -> None:
    findings = {"items": 60, "parts": [{"kind": "all", "answers": answers}]}
    assert check_tally(findings).words == said


def test_the_checks_say_the_same_on_both_pages(cast: Cast) -> None:
    submit_item(cast)
    run_gate_check(project_id=cast.project.pk)
    words: CheckTally = check_tally(GateCheck.objects.get().findings)
    client = browser(cast.manager)
    for page in (address(cast), reverse("release:gates", args=[cast.project.slug])):
        assert words.words in shown(client, page), page


def test_an_observer_reads_it_without_buttons_that_are_not_theirs(cast: Cast) -> None:
    observer = make_user("Olga Observer")
    set_roles(actor=cast.manager, project=cast.project, user=observer, roles=[Role.OBSERVER])
    submit_item(cast)
    reject(cast)
    text = browser(observer).get(address(cast)).content.decode()
    assert "1 thing needs a manager." in unescape(" ".join(re.sub(r"<[^>]+>", "", text).split()))
    assert reverse("review:adjudicate", args=[cast.project.slug]) not in text
    assert "data-primary" not in text.split("<footer")[1].split("</footer")[0]


def test_it_asks_as_much_for_many_items_as_for_few(cast: Cast) -> None:
    client = browser(cast.manager)

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address(cast)).status_code == 200
        return len(queries)

    def more() -> None:
        story = make_story(cast)
        submit_item(cast, story=story)
        submit_item(cast, story=story, writer=cast.writer2)
        reject(cast)
        move(submit_item(cast), "returned", cast)

    more()
    asked()
    few = asked()
    for _ in range(4):
        more()
    assert asked() == few
