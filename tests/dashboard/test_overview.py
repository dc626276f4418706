"""The manager's view: it adds up, it can be narrowed and taken away, and it is the managers' alone."""

from datetime import timedelta
from functools import cache, partial

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from kombu.exceptions import OperationalError

from accounts.models import User
from annotation.services import withdraw_item
from corpus.models import Story
from dashboard.queries.overview import causes_of_rejection, funnel, funnel_by, submitted_items
from dashboard.queries.overview_counts import count_overview, forget_counts
from projects.models import CommonsenseType
from review.models import Answer, Disposition, Stage
from review.services import claim_next, send_verdict, solve
from tests.dashboard.linked import cells_on, listed
from tests.dashboard.test_item_list import move
from tests.factories import Cast, content, make_project, make_story, submit_item


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def reject(cast: Cast) -> None:
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    review = solve(actor=cast.reviewer, request=request, answer=Answer.NONE_FITS)
    send_verdict(
        actor=cast.reviewer,
        review=review,
        disposition=Disposition.REJECT,
        rating=0,
        flaws=["no_right_option", "language"],
        comment="None of them.",
    )
    claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)


def address(cast: Cast) -> str:
    return reverse("dashboard:overview", args=[cast.project.slug])


def exported(cast: Cast, kind: str) -> str:
    return reverse("dashboard:export_overview", args=[cast.project.slug, kind])


def test_the_states_add_up_to_all_items(cast: Cast) -> None:
    items = [submit_item(cast) for _ in range(3)]
    withdraw_item(actor=cast.writer, item=items[-1])
    counted = funnel(submitted_items(cast.project))
    assert counted.pop("all") == 3
    assert sum(counted.values()) == 3
    assert (counted["in_review"], counted["withdrawn"]) == (2, 1)


def test_an_item_of_two_types_counts_in_both_rows_and_once_in_all(cast: Cast) -> None:
    submit_item(cast, words=content(types=("social", "temporal")))
    submit_item(cast)
    items = submitted_items(cast.project)
    assert sorted(row["all"] for row in funnel_by(items, "type")) == [1, 2]
    assert funnel(items)["all"] == 2


def test_it_counts_by_writer_story_and_reviewer(cast: Cast) -> None:
    story = make_story(cast)
    submit_item(cast, story=story)
    submit_item(cast, story=story, writer=cast.writer2)
    reject(cast)
    items = submitted_items(cast.project)
    assert [row["all"] for row in funnel_by(items, "writer")] == [1, 1]
    assert [row["all"] for row in funnel_by(items, "story")] == [2]
    assert [(row["name"], row["all"], row["in_adjudication"]) for row in funnel_by(items, "reviewer")] == [
        ("Rui Reviewer", 1, 1)
    ]
    assert funnel(submitted_items(cast.project, writer=cast.writer2.pk))["all"] == 1
    assert funnel(submitted_items(cast.project, reviewer=cast.reviewer.pk))["all"] == 1


def test_it_says_why_items_fall(cast: Cast) -> None:
    submit_item(cast)
    reject(cast)
    assert causes_of_rejection(submitted_items(cast.project)) == [("language", 1), ("no_right_option", 1)]
    assert "no correct option" in browser(cast.manager).get(address(cast)).content.decode()


def test_it_follows_a_row_and_takes_the_filter_away_again(cast: Cast) -> None:
    submit_item(cast)
    submit_item(cast, writer=cast.writer2)
    page = browser(cast.manager).get(address(cast), {"by": "writer"}).content.decode()
    assert f"writer={cast.writer.pk}" in page
    narrowed = browser(cast.manager).get(address(cast), {"writer": cast.writer.pk}).content.decode()
    assert "1 item submitted" in narrowed
    assert "remove this filter" in narrowed


def busy(cast: Cast) -> None:
    """Items of two writers and three stories, of one type or two, in several states, some rejected."""
    story = make_story(cast)
    submit_item(cast, story=story, words=content(types=("social", "temporal")))
    submit_item(cast, story=story, writer=cast.writer2)
    reject(cast)
    withdraw_item(actor=cast.writer, item=submit_item(cast))
    move(
        move(submit_item(cast, words=content(types=("spatial",))), "in_verification", cast), "verified", cast
    )
    move(submit_item(cast, writer=cast.writer2), "returned", cast)
    make_story(cast)


OVERVIEWS = (
    *({"by": group} for group in ("type", "writer", "reviewer", "story")),
    {"by": "story", "task": "commonsense", "writer": "writer"},
    {"by": "type", "story": "story"},
    {"by": "writer", "reviewer": "reviewer"},
    {"by": "writer", "type": "type"},
)
NAMED = {  # what counts no items, by what it says
    "Planned items": "a target",
    "Items left": "a target less what is there",
    "Verified a day": "a pace",
    "Minutes per review": "a time",
    "Median time": "a time",
    "90th percentile": "a time",
    "Types": "how many types",
}


@pytest.mark.drill
def test_each_count_leads_to_as_many_items(cast: Cast) -> None:
    busy(cast)
    numbers = {
        "writer": cast.writer.pk,
        "reviewer": cast.reviewer.pk,
        "story": Story.objects.order_by("pk")[0].pk,
        "type": CommonsenseType.objects.get(project=cast.project, code="social").pk,
    }
    client, checked = browser(cast.manager), dict[str, set[int]]()
    found = cache(partial(listed, client))
    for asked in OVERVIEWS:
        query = {name: value if name in {"by", "task"} else numbers[value] for name, value in asked.items()}
        for cell in cells_on(client.get(address(cast), query).text):
            if cell.counts and not any(cell.heading.startswith(name) for name in NAMED):
                assert cell.links, (asked, cell)
                assert found(cell.links[0]) == int(cell.text.split()[0]), (asked, cell)
                checked.setdefault(cell.heading, set()).add(found(cell.links[0]))
    assert {"Items", "Submitted", "Reviewed", "Verified", "all"} <= checked.keys()
    assert {"0 items", "1 item", "language"} <= checked.keys()
    assert any("oldest:" in heading for heading in checked), list(checked)
    assert {heading for heading, counts in checked.items() if len(counts) > 1} >= {"all", "Submitted"}


@pytest.mark.parametrize(
    "query", [{"by": "nonsense"}, {"writer": "x"}, {"story": 10**30}, {"type": -1}, {"page": "z"}]
)
def test_it_takes_what_it_cannot_use_as_not_said(cast: Cast, query: dict[str, str | int]) -> None:
    assert browser(cast.manager).get(address(cast), query).status_code == 200


def test_it_never_shows_people_and_stories_of_other_projects(cast: Cast) -> None:
    other = make_project()
    story = make_story(other, title="A Secret Tale")
    found = browser(cast.manager).get(address(cast), {"story": story.pk, "writer": other.writer2.pk})
    assert "A Secret Tale" not in found.content.decode()


def test_it_leaves_as_a_table_whose_names_run_no_formula(cast: Cast) -> None:
    submit_item(cast, story=make_story(cast, title="=HYPERLINK(1)"))
    found = browser(cast.manager).get(exported(cast, "csv"), {"by": "story"})
    assert found["Content-Type"].startswith("text/csv")
    assert "'=HYPERLINK(1),1,1" in found.content.decode("utf-8-sig")


@pytest.mark.parametrize(
    ("who", "status"), [("writer", 403), ("reviewer", 403), ("verifier", 403), ("outsider", 404)]
)
def test_it_is_for_managers(cast: Cast, who: str, status: int) -> None:
    for page in (address(cast), exported(cast, "csv")):
        assert browser(getattr(cast, who)).get(page).status_code == status


def test_it_asks_as_much_for_seven_stories_as_for_three(cast: Cast) -> None:
    def asked() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            browser(cast.manager).get(address(cast), {"by": "story"})
        return len(queries)

    for _ in range(3):
        submit_item(cast)
    asked()
    few = asked()
    for _ in range(4):
        submit_item(cast)
    assert asked() == few


@pytest.mark.parametrize(("most", "seen"), [(2, 3), (1, 2)])
def test_it_counts_a_large_project_once_a_minute(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, most: int, seen: int
) -> None:
    monkeypatch.setattr("dashboard.queries.overview_counts.COUNTED_ANEW", most)

    def waiting(**wanted: str) -> int:
        items = submitted_items(cast.project, **wanted)
        found = count_overview(cast.project, items, wanted=wanted, group="type")
        assert found.waiting == found.counted["all"]
        return found.waiting

    submit_item(cast)
    submit_item(cast)
    assert waiting() == 2
    submit_item(cast)
    assert waiting() == seen
    assert waiting(task="commonsense") == 3
    forget_counts(cast.project, {})
    assert waiting() == 3


def test_it_says_how_old_its_counts_are(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    submit_item(cast)
    client = browser(cast.manager)
    assert "counted" not in client.get(address(cast)).content.decode()
    monkeypatch.setattr("dashboard.queries.overview_counts.COUNTED_ANEW", 0)
    client.get(address(cast))
    later = timezone.now() + timedelta(seconds=20)
    monkeypatch.setattr("dashboard.queries.overview_counts.timezone.now", lambda: later)
    assert "seconds ago" in client.get(address(cast)).content.decode()
    client.post(reverse("dashboard:set_priority", args=[cast.project.slug]), {"priority": "1"})
    assert "1 has priority." in client.get(address(cast)).content.decode()


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_old_counts_are_shown_while_a_worker_counts_anew(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.queries.overview_counts.COUNTED_ANEW", 0)
    monkeypatch.setattr("web.cached_counts.CACHE_SECONDS", 0)
    client = browser(cast.manager)

    def look() -> str:
        page = client.get(address(cast), {"task": "commonsense"}).content.decode()
        return page.partition('<p class="faint">')[2].partition("</p>")[0].strip()

    submit_item(cast)
    earlier = timezone.now() - timedelta(minutes=9)
    with monkeypatch.context() as before:
        before.setattr("dashboard.queries.overview_counts.timezone.now", lambda: earlier)
        assert look() == "1 item submitted"
    submit_item(cast)
    old = "1 item submitted · updated 9\xa0minutes ago"
    with monkeypatch.context() as unreachable:
        unreachable.setattr("dashboard.tasks.recount_overview.apply_async", refuse)
        assert look() == old
    assert look() == old, "and has a worker count"
    assert look() == "2 items submitted"


def refuse(*_args: object, **_named: object) -> None:
    raise OperationalError


@pytest.mark.parametrize(
    ("tasks", "query", "said", "grouped"),
    [
        (["commonsense"], "", "No items yet.", "By type"),
        (["commonsense"], "?task=moral", "No matching items.", "By type"),
        (["cloze"], "", "No items yet.", "By writer"),
        (["cloze"], "?by=type", "No items yet.", "By writer"),
    ],
)
def test_it_groups_by_types_where_items_have_some(
    cast: Cast, tasks: list[str], query: str, said: str, grouped: str
) -> None:
    cast.project.tasks = tasks
    cast.project.save()
    page = browser(cast.manager).get(address(cast) + query).content.decode()
    assert said in page
    assert ("Items appear here after submission." in page) == (not query.startswith("?task"))
    assert f">{grouped}</h2>" in page
    plan = browser(cast.manager).get(reverse("dashboard:plan", args=[cast.project.slug])).content.decode()
    assert ("Save targets" in plan) == ("any type" in plan) == ("commonsense" in tasks)


def test_it_says_that_no_item_has_a_type_or_a_review(cast: Cast) -> None:
    submit_item(cast, task="moral", words=content(types=(), explanation=""))
    for query, said in (("", "None of these items has a type."), ("?by=reviewer", "has been reviewed.")):
        page = browser(cast.manager).get(address(cast) + query).content.decode()
        assert said in page
        assert "appear here after submission" not in page
