"""Reviews by a program beside reviews on the pages: claims, answers and verdicts of the same items.

All take turns, cycle by cycle, by Django's test client, each with a user and a project of its own with equal
items, so that none closes the rounds of another. Compared is the processor time of Python and of its
PostgreSQL connection, which depends less on other load than the clock.

- `steps`: the pages as a reviewer with script has them, in two requests: the answer, and the verdict, which
  brings the next item. `next`: the same by a program.
- `plain`: the pages without script, each form followed by its page: claim, answer, verdict. `claim`: a
  program that claims, answers and judges in three requests.
"""

import json
import re
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks import seeding, site
from benchmarks.lines import Line, line

BENCH = "review_api"
ITEMS = 500
CYCLES, WARM = 100, 5
LEAST_TIMES_FASTER = 1.0
RIGHT = "To raise the water"
KEY = re.compile(r'name="position" value="(\d)"(?:(?!name="position").)*?To raise the water', re.DOTALL)
PASS = {"rating": 2, "disposition": "pass"}
BESIDE = {"next": "steps", "claim": "plain"}
"""The ways of a program, and the ways of the pages with which they are compared."""


class Cycle(NamedTuple):
    """One review: its processor time and its statements."""

    seconds: float
    queries: int


def measure() -> Iterator[Line]:
    """Yield the figures of all ways, measured in turns."""
    site.start()
    from django.conf import settings

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # nobody types one here
    settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"].update(token="1000000/min")
    ways = {
        "steps": _by_steps(*_make("steps")),
        "plain": _by_pages(*_make("plain")),
        "next": _by_program(*_make("next"), claims=False),
        "claim": _by_program(*_make("claim"), claims=True),
    }
    _rest()
    found: dict[str, list[Cycle]] = {way: [] for way in ways}
    for turn in range(WARM + CYCLES):
        for way, review in ways.items():
            done = _measured(review)
            if turn >= WARM:
                found[way].append(done)
    for way, beside in BESIDE.items():
        own, theirs = (median(one.seconds for one in found[name]) for name in (way, beside))
        yield line(BENCH, way, "processor_time", round(own * 1000, 1), "ms", beside=round(theirs * 1000, 1))
        yield line(BENCH, way, "times_faster", round(theirs / own, 2), "times", least=LEAST_TIMES_FASTER)
        queries, most = (median(one.queries for one in found[name]) for name in (way, beside))
        yield line(BENCH, way, "queries", queries, "queries", beside=most, most=most)


def _measured(review: Callable[[], None]) -> Cycle:
    from django.db import connection

    sent = [0]

    def count(execute: Any, sql: str, values: Any, many: bool, context: Any) -> Any:  # noqa: FBT001 - so Django calls it
        sent[0] += 1
        return execute(sql, values, many, context)

    begun = site.worked()
    with connection.execute_wrapper(count):
        review()
    return Cycle(site.worked() - begun, sent[0])


def _make(slug: str) -> tuple[str, Any]:
    """Return the slug of a new project with a queue, and one of its reviewers."""
    from accounts.services import create_user, system_account
    from projects.models import Role
    from projects.services import create_project, set_roles

    actor = system_account()
    settings = {"reviews_per_item": seeding.REVIEWS}
    project = create_project(actor=actor, slug=slug, name=slug, language="en", settings=settings)

    def person(name: str) -> Any:
        user = create_user(
            actor=actor, username=f"{slug}-{name}", name=name, password="a password of no use here"
        )
        set_roles(actor=actor, project=project, user=user, roles=[Role.REVIEWER])
        return user

    writers = [person(f"writer{number}").pk for number in range(20)]
    seeded = seeding.Seeded(project, writers, person("oldest").pk, person("most").pk, oldest=0)
    seeding.fill(seeded, 0, ITEMS, actor.pk)
    return slug, person("reviewer")


def _rest() -> None:
    from django.db import connection

    seeding.number_what_follows()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def _browser(user: Any, **headers: str) -> Any:
    from django.test import Client

    client = Client(SERVER_NAME="localhost", headers=headers)
    client.force_login(user)
    return client


def _by_steps(slug: str, user: Any) -> Callable[[], None]:
    browser, at, page = _browser(user, **{"HX-Request": "true"}), [""], [""]

    def review() -> None:
        if not at[0]:
            at[0] = browser.post(f"/p/{slug}/review/next")["Location"]
            page[0] = browser.get(at[0]).content.decode()
        browser.post(f"{at[0]}/answer", {"position": _right(page[0])})
        done = browser.post(f"{at[0]}/verdict", PASS)
        at[0], page[0] = urlsplit(done["HX-Push-Url"]).path, done.content.decode()

    return review


def _by_pages(slug: str, user: Any) -> Callable[[], None]:
    browser = _browser(user)

    def review() -> None:
        at = browser.post(f"/p/{slug}/review/next")["Location"]
        position = _right(browser.get(at).content.decode())
        browser.get(browser.post(f"{at}/answer", {"position": position})["Location"])
        browser.get(browser.post(f"{at}/verdict", PASS | {"stay": 1})["Location"])

    return review


def _right(page: str) -> str:
    found = KEY.search(page)
    assert found, page[-3000:]
    return found[1]


def _by_program(slug: str, user: Any, *, claims: bool) -> Callable[[], None]:
    from django.test import Client

    from accounts.models import Scope
    from projects.services import create_token

    token = create_token(actor=user, name="bench", scopes=[Scope.REVIEW], days=1).text
    client = Client(SERVER_NAME="localhost", headers={"Authorization": f"Bearer {token}"})
    item: list[Any] = [None]

    def post(path: str, body: dict[str, Any]) -> Any:
        answer = client.post(f"/api/v1/projects/{slug}/{path}/", body, content_type="application/json")
        assert answer.status_code == 200, answer.content[:3000]
        return json.loads(answer.content)

    def review() -> None:
        if claims or item[0] is None:
            item[0] = post("queue/cross_check/claim", {})
        options, here = item[0]["item"]["options"], f"requests/{item[0]['id']}"
        position = next(index for index, text in enumerate(options) if text.startswith(RIGHT))
        post(f"{here}/answer", {"answer": "option", "position": position})
        item[0] = post(f"{here}/verdict", PASS | {"undoable": True, "next": not claims})["next"]

    return review
