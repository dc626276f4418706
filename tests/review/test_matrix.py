"""Every role at every address of the queue: what is not theirs does not exist, and the key stays hidden.

A new route that names no permission, and has no line in the tables of tests/review/matrix.py, fails here.
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from itertools import product
from typing import Final
from uuid import UUID

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import URLPattern, reverse
from pytest_django import DjangoDbBlocker

from accounts.models import User
from annotation.content import ItemContent, OptionContent
from annotation.models import Item
from review import api_urls, urls
from review.models import ReviewRequest
from tests.access.routes import Absent, routes, unsaid
from tests.factories import Cast, make_project, make_story, make_user, submit_item
from tests.review.matrix import (
    ALL_ROUTES,
    BY_MANAGERS,
    KEY,
    MORAL,
    NAMED,
    OBJECTS,
    OF_A_PLACE,
    OF_AN_ITEM,
    OF_THE_PROJECT,
    ROLES,
    SENT,
    WORDS,
    Scene,
    arrange,
    ask,
    sent_to_sign_in,
    stranger,
    take,
    undone,
)
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@dataclass(frozen=True, slots=True)
class Made:
    """Two projects with an item each, and somebody in every role but that of who has not signed in."""

    cast: Cast
    item: Item
    elsewhere: Cast
    people: dict[str, User]


def make() -> Made:
    cast, elsewhere = make_project(), make_project()
    people: dict[str, User] = {
        name: getattr(cast, name) for name in ROLES if name not in {"administrator", "anonymous"}
    }
    people["administrator"] = make_user("Ada Administrator", administrator=True)
    item = submit_item(cast, story=make_story(cast, moral=MORAL), words=WORDS)
    submit_item(elsewhere, words=WORDS)
    return Made(cast, item, elsewhere, people)


@pytest.fixture(scope="module")
def _made(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Made]:
    with shared_rows(django_db_blocker, make) as made:
        yield made


@pytest.fixture
def scene(_made: Made, db: None) -> Scene:
    made = deepcopy(_made)
    browsers = {name: Client() for name in ROLES}
    for name, user in made.people.items():
        browsers[name].force_login(user)
    return Scene(made.cast, made.item, made.elsewhere, browsers)


# --- the matrix ---


def test_it_has_a_line_for_every_route_of_the_queue() -> None:
    pages = {f"review:{pattern.name}" for pattern in urls.urlpatterns if isinstance(pattern, URLPattern)}
    api = {str(pattern.name) for pattern in api_urls.urlpatterns}
    assert len(pages) == len(urls.urlpatterns)
    # what only programs ask is tried by tests/access/test_tokens_matrix.py and by the tests of each endpoint
    shared = api & ALL_ROUTES.keys()
    assert (pages | shared) - NAMED.keys() == ALL_ROUTES.keys() - NAMED.keys()


@pytest.mark.parametrize("name", OF_THE_PROJECT | OF_AN_ITEM)
def test_it_opens_the_pages_of_a_stage_to_who_works_there(scene: Scene, name: str) -> None:
    found, wanted = {}, {}
    hidden = 404 if name in OF_AN_ITEM else 403
    rest: dict[str, object] = {"item": scene.item.pk} if name in OF_AN_ITEM else {}
    for role in ROLES:
        with undone():
            response = ask(scene.browsers[role], name, scene.cast.project.slug, **rest)
            found[role] = response.status_code
        wanted[role] = stranger(name, role) or ALL_ROUTES[name][1].get(role, hidden)
        if role == "anonymous":
            assert sent_to_sign_in(response)
    assert found == wanted


@pytest.mark.parametrize("kind", OBJECTS)
def test_it_hides_a_place_from_everybody_but_who_has_it_in_hand(scene: Scene, kind: str) -> None:
    place = arrange(scene, kind)
    found, wanted = {}, {}
    SENT["review:name_deputy"] = {"person": scene.cast.writer2.pk}
    for role, name in product(ROLES, OF_A_PLACE):
        with undone(), unsaid():
            response = ask(scene.browsers[role], name, scene.cast.project.slug, pk=place.public_id)
            found[role, name] = response.status_code
        own = 404
        if role == OBJECTS[kind]:
            own = OF_A_PLACE[name][1].get(kind, 404)
        elif role in {"manager", "administrator"}:
            own = BY_MANAGERS.get((name, kind), 404)
        wanted[role, name] = stranger(name, role) or own
    assert {cell: code for cell, code in found.items() if wanted[cell] != code} == {}


def test_it_knows_no_other_project(scene: Scene) -> None:
    """The addresses of another project, with its own place and item: nothing, but for administrators."""
    place = arrange(scene, "elsewhere")
    slug = scene.elsewhere.project.slug
    found = {}
    for role, name in product(set(ROLES) - {"administrator", "anonymous"}, ALL_ROUTES):
        rest: dict[str, object] = {"pk": place.public_id} if name in OF_A_PLACE else {}
        rest |= {"item": place.item_id} if name in OF_AN_ITEM else {}
        with undone(), unsaid():
            found[role, name] = ask(scene.browsers[role], name, slug, **rest).status_code
    assert {cell: code for cell, code in found.items() if code != 404} == {}


# --- blind means blind ---

BESIDE_THE_SITE: Final = {"api-schema", "api-docs", "account_logout"}


def addresses(scene: Scene, request: ReviewRequest) -> list[str]:
    """Every address of the site that shows anything, with the objects of this scene wherever it has one."""
    item = scene.item
    there = Absent(slug=scene.cast.project.slug, item=item.pk, story=item.story_id, claimed=request.public_id)
    shown = (route for route in routes() if route.name not in BESIDE_THE_SITE and route.takes("GET"))
    return [route.address(there, there) for route in shown]


def everything(response: HttpResponseBase) -> str:
    """Headers, cookies and body of a response, as one text."""
    body = b""
    if isinstance(response, HttpResponse):
        body = response.content
    elif isinstance(response, StreamingHttpResponse):
        body = b"".join(response)
    headers = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
    return f"{headers}\n{response.cookies}\n{body.decode('utf-8', 'replace')}"


def revealed(scene: Scene, role: str, request: ReviewRequest, secrets: list[str]) -> dict[str, list[str]]:
    """The addresses whose answers hold one of these words for this role."""
    found: dict[str, list[str]] = {}
    for address in addresses(scene, request):
        with undone():
            text = everything(scene.browsers[role].get(address))
        if hits := [secret for secret in secrets if secret in text]:
            found[address] = hits
    return found


def own_addresses(scene: Scene, request: ReviewRequest) -> list[str]:
    """Where who has a request in hand reads it: its page, and the same for programs."""
    slug = scene.cast.project.slug
    return [reverse(name, args=[slug, request.public_id]) for name in ("review:request", "api_request")]


KEY_WORDS: Final = [MORAL, "Explanation-that", "Reason-that"]


@pytest.mark.drill
def test_it_shows_the_key_to_no_reviewer_before_the_answer(scene: Scene) -> None:
    place = arrange(scene, "claimed")
    shown = {one: [KEY] for one in own_addresses(scene, place)}
    assert len(addresses(scene, place)) > 100
    assert revealed(scene, "reviewer", place, [*KEY_WORDS, KEY]) == shown, "an option among four"
    for role in ("reviewer2", "verifier"):
        assert revealed(scene, role, place, [*KEY_WORDS, KEY]) == {}


def test_it_never_shows_a_reviewer_the_moral(scene: Scene) -> None:
    place = arrange(scene, "judged")
    solved = {one: ["Explanation-that", "Reason-that"] for one in own_addresses(scene, place)}
    found = revealed(scene, "reviewer", place, KEY_WORDS)
    assert found == solved, "the key is known now, the moral never"


@pytest.mark.drill
def test_it_shows_no_key_of_a_story_before_the_last_answer_about_it(scene: Scene) -> None:
    """Every address and every answer of a form, up to the last answer of the items taken together."""
    browser = Client(headers={"HX-Request": "true"})
    browser.force_login(scene.cast.reviewer)
    answered = arrange(scene, "withheld")
    following = take(scene.cast, "reviewer")
    assert (answered.story, answered == following) == (following.story, False)
    slug, known = scene.cast.project.slug, {answered, following}
    for place in known:
        assert revealed(scene, "reviewer", place, KEY_WORDS) == {}
        for name in set(OF_A_PLACE) - {"review:request"}:
            with undone():
                said = everything(ask(browser, name, slug, pk=place.public_id))
            is_last = (name, place) == ("review:solve", following)
            assert any(word in said for word in KEY_WORDS) == is_last, name
    last = everything(ask(browser, "review:solve", slug, pk=following.public_id))
    assert "Explanation-that" in last
    for place in known:
        shown = {one: ["Explanation-that"] for one in own_addresses(scene, place)}
        assert revealed(scene, "reviewer", place, KEY_WORDS) == shown


def test_it_finds_no_story_by_its_moral_for_who_reviews(scene: Scene) -> None:
    """Otherwise the search would reveal word by word what it does not show."""
    assert scene.item.story.current is not None
    title = scene.item.story.current.title
    stories = reverse("dashboard:stories", args=[scene.cast.project.slug])
    for role in ("reviewer", "verifier"):
        assert title in scene.browsers[role].get(stories, {"q": title}).content.decode()
        assert title not in scene.browsers[role].get(stories, {"q": MORAL}).content.decode()


def test_it_shows_the_same_page_whichever_option_is_the_key(scene: Scene) -> None:
    """Two items alike but for the key, their options drawn in one order: the pages are one."""
    pages = set()
    for key in range(4):
        with undone():
            options = tuple(OptionContent(one.text, at == key) for at, one in enumerate(WORDS.options))
            words = ItemContent(stem=WORDS.stem, options=options, types=WORDS.types, explanation="Because.")
            ReviewRequest.objects.all().update(state="closed")
            submit_item(scene.cast, story=scene.item.story, words=words)
            place = take(scene.cast, "reviewer")
            ReviewRequest.objects.filter(pk=place.pk).update(drawn_order=[2, 0, 3, 1])
            address = reverse("review:request", args=[scene.cast.project.slug, place.public_id])
            pages.add(_without_tokens(scene.browsers["reviewer"].get(address), place.public_id))
    assert len(pages) == 1


def _without_tokens(response: HttpResponseBase, pk: UUID) -> str:
    assert isinstance(response, HttpResponse)
    text = response.content.decode().replace(str(pk), "PLACE")
    text = re.sub(r'(csrfmiddlewaretoken" value=|x-csrftoken": |nonce=)"\w+"', "", text, flags=re.IGNORECASE)
    return re.sub(r"\d\d:\d\d", "HH:MM", text)
