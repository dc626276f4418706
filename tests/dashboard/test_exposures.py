"""Who is shown a key is recorded as exposed, wherever it stands: every address that answers is asked.

A response that holds the words of a key shows it, but for the few that mark no option as the key.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib import admin
from django.db import connection, transaction
from django.http.response import HttpResponseBase
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.converters import IntConverter, UUIDConverter

from accounts.models import User
from annotation.content import to_json
from annotation.models import Item, KeyExposure, Option
from annotation.queries.exposure import SEEN
from annotation.services import record_key_exposures, save_draft, start_pilot
from evaluation import services as evaluation
from parable.llm.stub import StubServer
from projects.models import Role
from projects.services import set_roles
from release.models import ErrorKind, ErrorReport, ReleaseItem
from release.services import check_draft, create_draft, report_error
from review.models import Answer, Disposition, Review, Stage
from review.services import claim_next, send_verdict, solve
from tests.evaluation.measuring import make_bench
from tests.evaluation.test_items import answering
from tests.factories import Cast, content, make_project, make_story, make_user, submit_item
from tests.release.made import built

NEWER_KEY: Final = "The key of what is being typed anew"
APPS: Final = frozenset(settings.STREET)


def _forget_exposures() -> None:
    """Delete what the database keeps for ever, past its triggers."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("DELETE FROM annotation_keyexposure")
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")


@dataclass(frozen=True)
class World:
    """A project in which every address has something to show."""

    cast: Cast
    admin: User
    named: Mapping[str, Any]
    keys: list[tuple[Item, str]]
    """Every item with the words of its key, and of the one that is being typed."""


@pytest.fixture
def world(db: None, stub: StubServer) -> World:
    bench = make_bench(stub)
    cast = bench.cast
    administrator = make_user("Ada Administrator", administrator=True)
    both = [Role.MANAGER, Role.WRITER]
    set_roles(actor=cast.manager, project=cast.project, user=cast.manager, roles=both)
    runs = answering(bench, 3)
    found = evaluation.order_calibration(actor=cast.manager, release=bench.release, runs=runs, model="2pl")
    evaluation.run_calibration(calibration_id=found.pk)
    results = evaluation.order_results(actor=cast.manager, release=bench.release, runs=runs)
    evaluation.count_results(results_id=results.pk)
    newer = built(cast, version="1.1.0")
    released = ReleaseItem.objects.filter(release=bench.release).order_by("number")[0]
    report_error(actor=None, item_id=released.public_id, fault=ErrorKind.values[0], text="View again.")
    story = make_story(cast)
    pilot = start_pilot(
        actor=cast.manager,
        project=cast.project,
        name="First",
        stories=[story],
        writers=[cast.writer, cast.writer2],
        due_on=None,
    )
    words = content("What was the pilot about?", "one", "The key of a pilot", "three", "four")
    submit_item(cast, story=story, writer=cast.writer2, words=words)
    mine, _disputed = (_looked_at(cast, name, verdict) for name, verdict in LOOKS.items())
    held_request = claim_next(actor=cast.verifier, project=cast.project, stage=Stage.ADJUDICATION)
    assert held_request is not None
    draft = save_draft(
        actor=cast.writer,
        project=cast.project,
        story=mine.story,
        task=mine.task,
        client_id=uuid4(),
        sequence=1,
        content=to_json(content("Why, then?", NEWER_KEY, "two", "three", "four", key=0)),
        item=mine,
    )
    prepared = create_draft(
        actor=cast.manager,
        project=cast.project,
        data={"version": "9.0.0", "dev_share": "0.2", "split": "story", "seed": "7"},
    )
    check_draft(draft_id=prepared.pk)
    named = {
        "slug": cast.project.slug,
        "version": bench.release.version,
        "before": bench.release.version,
        "after": newer.version,
        "client_id": draft.client_id,
        "draft": draft.client_id,
        "story": story.pk,
        "item": mine.pk,
        "place": held_request.public_id,
        "name": released.public_id,
        "kind": "csv",
        "table": "main",
        "ending": "csv",
        "plot": "wright",
        "pilot": pilot.pk,
        "calibration": found.pk,
        "run": runs[0].pk,
        "results": results.pk,
        "report": ErrorReport.objects.get().pk,
        "preparing": prepared.pk,
    }
    options = Option.objects.filter(is_key=True).select_related("revision__item")
    keys = [(option.revision.item, option.text) for option in options]
    return World(cast, administrator, named, [*keys, (mine, NEWER_KEY)])


LOOKS: Final = {"returned": Disposition.RETURN, "disputed": None}


def _looked_at(cast: Cast, name: str, verdict: str | None) -> Item:
    """An item that its reviewer sent back, or answered otherwise than its key."""
    words = content(f"Why was it {name}?", "one", f"The key of the {name}", "three", "four")
    item = submit_item(cast, words=words, story=make_story(cast))
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    while request is not None and request.item_id != item.pk:
        _judge(cast, request, right=True, verdict=Disposition.PASS)
        request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    _judge(cast, request, right=verdict is not None, verdict=verdict or Disposition.PASS)
    item.refresh_from_db()
    return item


def _judge(cast: Cast, place: Any, *, right: bool, verdict: str) -> Review:
    key = place.drawn_order.index(place.revision.options.get(is_key=True).position)
    position = key if right else (key + 1) % 4
    review = solve(actor=cast.reviewer, request=place, answer=Answer.OPTION, position=position)
    return send_verdict(
        actor=cast.reviewer, review=review, disposition=verdict, rating=1, comment="So it is."
    )


# --- every address ---


def patterns(resolver: URLResolver, space: str = "") -> Iterator[tuple[str, URLPattern]]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            yield from patterns(entry, entry.namespace or space)
        elif entry.name:
            yield f"{space}:{entry.name}" if space else entry.name, entry


ROUTES: Final = [
    (name, pattern)
    for name, pattern in patterns(get_resolver())
    if name.partition(":")[0] in APPS or name.startswith("api_")
]
OF_THE_PK: Final = {
    "release:answer_report": "report",
    **{f"release:draft_{name}": "preparing" for name in ("contents", "gates", "settings", "build", "items")},
    "dashboard:pilot": "pilot",
    "annotation:end_pilot": "pilot",
    "annotation:note_on_pilot": "pilot",
    "evaluation:run": "run",
    "evaluation:responses": "run",
    "evaluation:download": "run",
    "evaluation:result_records": "results",
    **{
        f"evaluation:{name}": "calibration"
        for name in ("calibration", "calibrated_items", "calibrated_item", "calibration_plot", "item_curve")
    },
}
"""What the number in an address is of, where it is not of the item that was returned to its writer."""
BY_POST: Final[Mapping[str, Mapping[str, str]]] = {
    "annotation:changes": {"stem": "Otherwise?"},
    "annotation:moral": {},
    "dashboard:export": {},
}
"""Addresses that answer a POST with something to look at, and what is sent there."""


NAMED_BY: Final = {
    "dashboard:export": {"name": "items"},
    "release:file": {"name": "dev/commonsense.jsonl"},
}
"""What an address names where another has something else of that name."""


def address(world: World, name: str, pattern: URLPattern) -> str:
    wanted = {**world.named, **NAMED_BY.get(name, {})}
    names = list(pattern.pattern.converters)
    number = wanted[OF_THE_PK.get(name, "item")]
    if isinstance(pattern.pattern.converters.get("pk"), UUIDConverter):
        number = wanted["place"]
    if name in {"corpus:story", "corpus:edit", "corpus:rights", "annotation:moral", "annotation:story_items"}:
        number = wanted["story"]
    kinds = pattern.pattern.converters
    of_kind = {IntConverter: number, UUIDConverter: wanted["place"]}
    values = {one: wanted.get(one, of_kind.get(type(kinds[one]), "x")) for one in names}
    return reverse(name, kwargs=values)


def text_of(response: HttpResponseBase) -> str:
    body = response.getvalue()
    if body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            body = b"\n".join(archive.read(name) for name in archive.namelist())
    return body.decode("utf-8", "replace")


IS_EXPOSED: Final = f"SELECT {SEEN.format(item='%(item)s', story='%(story)s', task='%(task)s')}"


def is_exposed(person: User, item: Item) -> bool:
    values: dict[str, Any] = {"user": person.pk, "item": item.pk, "story": item.story_id, "task": item.task}
    with connection.cursor() as cursor:
        cursor.execute(IS_EXPOSED, values)
        return bool(cursor.fetchone()[0])


def ask(world: World, person: User, browser: Client, name: str, where: str) -> tuple[bool, set[int]]:
    """Whether a key is shown at an address, and the items of which that is not remembered."""
    _forget_exposures()
    response = browser.post(where, BY_POST[name]) if name in BY_POST else browser.get(where)
    if response.status_code != 200:
        return False, set()
    text = text_of(response)
    visible = [item for item, key in world.keys if key in text]
    return bool(visible), {item.pk for item in visible if not is_exposed(person, item)}


def browser_of(person: User) -> Client:
    browser = Client(raise_request_exception=False)
    browser.force_login(person)
    return browser


SHOWN_TO_MANAGERS: Final = {
    "annotation:changes",
    "annotation:revise",
    "dashboard:item",
    "dashboard:pilot",
    "dashboard:export",
    "evaluation:responses",
    "evaluation:result_records",
    "evaluation:calibrated_item",
    "release:answer_report",
    "release:everything",
    "release:items",
    "review:comments",
}
"""Addresses that are known to show keys: where one of them shows none, the walk has walked past it."""
BLIND: Final = {"evaluation:dataset"}
"""Addresses that show all options alike, as those who solve an item see them; test_publication says so."""
TO_CHANGE: Final = {"annotation:changes", "annotation:revise", "release:answer_report"}
"""Those of them where one changes something."""


@pytest.mark.drill
def test_it_remembers_every_key_that_somebody_of_each_role_is_shown(world: World) -> None:
    observer, cast = make_user("Olga Observer"), world.cast
    set_roles(actor=cast.manager, project=cast.project, user=observer, roles=[Role.OBSERVER])
    people = {name: getattr(cast, name) for name in ("manager", "writer", "verifier")} | {
        "observer": observer
    }
    shown: dict[str, set[str]] = {role: set() for role in people}
    forgotten = {}
    for role, person in people.items():
        browser = browser_of(person)
        for name, pattern in ROUTES:
            where = address(world, name, pattern)
            has_key, missed = ask(world, person, browser, name, where)
            if missed and name not in BLIND:
                forgotten[role, name] = missed
            if has_key:
                shown[role].add(name)
    assert forgotten == {}
    assert shown["manager"] >= SHOWN_TO_MANAGERS
    assert shown["observer"] >= SHOWN_TO_MANAGERS - TO_CHANGE
    assert shown["writer"] >= {"dashboard:item", "annotation:draft"}
    assert "review:request" in shown["verifier"]


@pytest.mark.drill
def test_it_remembers_every_key_that_the_admin_shows(world: World) -> None:
    seen, forgotten, browser = set(), {}, browser_of(world.admin)
    for model in [model for model in admin.site._registry if model._meta.app_label in APPS]:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        numbers = model._default_manager.order_by("pk").values_list("pk", flat=True)[:3]
        places = [reverse(f"{name}_changelist"), *(reverse(f"{name}_change", args=[pk]) for pk in numbers)]
        for where in places:
            has_key, missed = ask(world, world.admin, browser, name, where)
            if missed:
                forgotten[where] = missed
            seen |= {model.__name__} if has_key else set()
    assert forgotten == {}
    assert seen >= {"Option", "ItemDraft", "ReleaseItem"}


# --- how it is written, and what it does ---


def test_it_writes_what_a_table_exposes_to_in_one_statement(world: World) -> None:
    _forget_exposures()
    project = world.cast.project
    with CaptureQueriesContext(
        connection,
    ) as asked:
        record_key_exposures(actor=world.cast.manager, items=Item.objects.filter(project=project))
    assert len(asked) == 1
    kept = KeyExposure.objects.filter(user=world.cast.manager)
    items = Item.objects.filter(project=project)
    stories = items.filter(task="moral").values("story").distinct().count()
    assert kept.filter(task="moral", item=None).count() == stories
    record_key_exposures(actor=world.cast.manager, items=items)
    alone = items.filter(task="commonsense").count()
    assert kept.count() == stories + alone, "twice is once"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def test_who_opened_an_items_page_reviews_it_but_not_blind(cast: Cast) -> None:
    roles = [Role.MANAGER, Role.REVIEWER]
    set_roles(actor=cast.manager, project=cast.project, user=cast.manager, roles=roles)
    story = make_story(cast)
    opened, sibling = (
        submit_item(cast, story=story, words=content(f"Why {number}?")) for number in ("one", "two")
    )
    browser = Client()
    browser.force_login(cast.manager)
    assert browser.get(reverse("dashboard:item", args=[cast.project.slug, opened.pk])).status_code == 200

    def review() -> Review:
        request = claim_next(actor=cast.manager, project=cast.project, stage=Stage.CROSS_CHECK)
        assert request is not None
        found = solve(actor=cast.manager, request=request, answer=Answer.NONE_FITS)
        send_verdict(
            actor=cast.manager,
            review=found,
            disposition=Disposition.REJECT,
            rating=0,
            flaws=["other"],
            comment="No.",
        )
        return found

    first, second = review(), review()
    assert (first.item, first.blind) == (sibling, True), "the queue prefers what they have not seen"
    assert (second.item, second.blind) == (opened, False), "a finished review of a sibling exposes nothing"
