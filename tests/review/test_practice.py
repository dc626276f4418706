"""Practice is counted, exported and listed nowhere: every page, file and figure is the same with and without.

But where practice is what a page is about, and in the statement of work, which pays for it.
"""

import ast
import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Final

import pytest
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from accounts.models import User
from annotation.models import Item
from dashboard.queries.inbox import Mine
from dashboard.queries.item import life_of
from dashboard.queries.overview import (
    REVIEWER,
    STORY,
    TYPE,
    WRITER,
    causes_of_rejection,
    funnel,
    funnel_by,
    oldest_waiting,
    submitted_items,
    waiting_items,
)
from dashboard.queries.week import week_of
from jobs.models import Job
from projects.models import Role
from projects.permissions import Permission
from projects.services import set_roles, update_project
from release.queries.choice import _rated_at_least
from review.models import PracticeItem, Review, ReviewRequest, ReviewStatistics, Stage
from review.queries import blocked_requests, late_notes, requests_held, waiting
from review.queries.verdict import verdicts_by_item
from review.resources import RatingResource, ReviewResource
from review.services import claim_next, count_statistics, postpone_request
from review.services.practice import deal
from tests.access.routes import routes
from tests.access.world import World, make_world
from tests.architecture import BASE, STREET, sources
from tests.factories import make_user
from tests.review.practice_cast import browser, done
from tests.shared_rows import shared_rows

SHOWS_PRACTICE: Final = {
    "review:practice",  # how reviewers do on each
    "dashboard:work_report",  # it is work, and paid as such
    "dashboard:export_work_report",
}
READS_PRACTICE: Final = {
    "review/queries/practice.py",
    "review/queries/request.py",
    "review/queries/sibling.py",
    "review/queries/verdict.py",
    "review/services/answer.py",
    "review/services/claim.py",
    "review/services/lease.py",
    "review/services/practice.py",
    "review/services/request.py",  # frees all that somebody holds, whose account closes
    "dashboard/queries/account.py",  # what the site holds of a person, for that person
    "dashboard/queries/report.py",
    "release/queries/provenance.py",
}
"""Who hands out, shows, scores or pays practice, and so reads more than the real requests and reviews."""


APPS: Final = {"review", "dashboard", "release", "annotation", "api_queue"}
"""Apps that read reviews or requests at all."""
CHANGE_BY_LOOKING: Final = {
    *("annotation:write", "release:downloads", "release:export_downloads"),
    "dashboard:project_activity",
}
"""Pages that begin a draft of a number of its own, or say who has taken files."""

Seen = dict[str, dict[str, str]]


def _mixed() -> World:
    world = make_world("mixed")
    update_project(actor=world.cast.manager, project=world.cast.project, changes={"gold_rate": 50})
    third = make_user("Third Reviewer")
    set_roles(actor=world.cast.manager, project=world.cast.project, user=third, roles=[Role.REVIEWER])
    claim_next(actor=world.cast.reviewer2, project=world.cast.project, stage=Stage.CROSS_CHECK)
    count_statistics(project_id=world.cast.project.pk)
    return world


@pytest.fixture(scope="module")
def _world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    with shared_rows(django_db_blocker, _mixed) as made:
        yield made


@pytest.fixture
def world(_world: World, db: None) -> World:
    return deepcopy(_world)


def practise(world: World) -> None:
    """One practice item judged, another in hand, a third put off: by three reviewers, none of them new."""
    cast = world.cast
    practice_item = PracticeItem.objects.get()
    done(cast, deal(cast.reviewer, practice_item))
    deal(cast.reviewer2, practice_item)
    third = User.objects.get(name="Third Reviewer")
    postpone_request(actor=third, request=deal(third, practice_item))


# --- pages, files and the API ---


def plain(response: HttpResponseBase) -> str:
    """What a response says, without tokens and clocks."""
    body = response.getvalue()
    text = f"{response.status_code} {body.decode('utf-8', 'replace')}"
    text = re.sub(r'(csrfmiddlewaretoken" value="|X-CSRFToken": "|csrf_token=)[^"&]*', r"\1", text)
    text = re.sub(r'(nonce=|name="timestamp" value=)"[^"]*"', r"\1", text)
    text = re.sub(r"oldest: [^<]*", "oldest", text)  # so long ago
    return re.sub(r"\d+:\d\d(:\d\d(\.\d+)?)?|value=\"\d+\" max|\"seconds_left\":\d+", "CLOCK", text)


def asked(world: World, administrator: User) -> dict[str, tuple[Client, dict[str, str]]]:
    """Who looks, and at which addresses: all pages that know no token, and the lists of the admin."""
    known = world.objects
    everywhere = {
        route.name: route.address(known, known)
        for route in routes()
        if route.takes("GET")
        and set(route.objects.values()) <= known.keys()
        and route.name not in SHOWS_PRACTICE
        and route.name.partition(":")[0] in APPS
    }
    lists = {model: reverse(f"admin:review_{model}_changelist") for model in ("review", "reviewrequest")}
    cast = world.cast
    return {
        "manager": (browser(cast.manager), everywhere),
        "verifier": (browser(cast.verifier), everywhere),
        "administrator": (browser(administrator), lists),
    }


def seen(client: Client, addresses: dict[str, str]) -> dict[str, str]:
    pages = {name: plain(client.get(address)) for name, address in addresses.items()}
    tables = {name: address for name, address in addresses.items() if name == "dashboard:export"}
    return pages | {name: plain(client.post(address)) for name, address in tables.items()}


@pytest.mark.drill
def test_every_page_file_and_answer_is_the_same_with_and_without(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Job, "is_silent", False)  # no worker runs here, which a page says after a while
    looking = asked(world, make_user("Ada Administrator", administrator=True))
    for client, addresses in looking.values():
        seen(client, addresses)  # keys shown here are known from then on
    before = {who: seen(*pair) for who, pair in looking.items()}
    assert len(before["manager"]) > 60
    practise(world)
    after = {who: seen(*pair) for who, pair in looking.items()}
    assert differing(before, after) <= CHANGE_BY_LOOKING


def differing(one: Seen, other: Seen) -> set[str]:
    return {name for who, pages in one.items() for name in pages if pages[name] != other[who][name]}


# --- figures ---


def figures(world: World) -> dict[str, Any]:
    """All that is counted of reviews, requests and items, for the project and for its people."""
    project, people = world.cast.project, [world.cast.writer, world.cast.manager, world.cast.outsider]
    count_statistics(project_id=project.pk)
    items, every = submitted_items(project), list(Item.objects.order_by("pk"))
    return {
        "statistics": ReviewStatistics.objects.get(project=project).figures,
        "exports": [resource().export().csv for resource in (ReviewResource, RatingResource)],
        "funnel": funnel(items),
        "groups": [list(funnel_by(items, group)) for group in (STORY, TYPE, WRITER, REVIEWER)],
        "of a reviewer": funnel(submitted_items(project, reviewer=world.cast.reviewer.pk)),
        "oldest": oldest_waiting(project),
        "waiting": [waiting_items(items), causes_of_rejection(items)],
        "rated": _rated_at_least(items, 1).count(),
        "lives": [[str(event) for event in life_of(item, reader=Permission.MANAGE)] for item in every],
        "verdicts": verdicts_by_item(every),
        "weeks": [week_of(person, [Mine(project, frozenset())]) for person in (*people, world.cast.reviewer)],
        "late": list(late_notes(project)),
        "blocked": [str(one.request) for one in blocked_requests(project)],
        "held": [list(requests_held(project, person)) for person in (world.cast.reviewer, *people)],
        "queues": [str(waiting(person, project, stage)) for person in people for stage in Stage],
        "rows": [Review.objects.count(), ReviewRequest.objects.count()],
        "of items": [(item.reviews.count(), item.review_requests.count()) for item in every],
    }


def test_every_figure_is_the_same_with_and_without(world: World) -> None:
    before = figures(world)
    practise(world)
    after = figures(world)
    assert {name for name, found in before.items() if found != after[name]} == set()


def test_practice_is_read_where_it_is_dealt_shown_scored_or_paid_and_nowhere_else() -> None:
    found = {
        str(path.relative_to(BASE))
        for path in sources(*STREET)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in {"everything", "_base_manager"}
        and ast.unparse(node.value) in {"Review", "ReviewRequest"}
    }
    assert found == READS_PRACTICE
