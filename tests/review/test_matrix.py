"""Every role at every address of the queue: what is not theirs does not exist, and the key stays hidden.

A new route without a line in the tables below fails here.
"""

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Final

import pytest
from django.db import transaction
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse

from accounts.models import User
from annotation.content import ItemContent, OptionContent
from annotation.models import Item
from review import api_urls, urls
from review.models import Answer, Disposition, Review, ReviewRequest, Stage
from review.services import claim_next, judge, solve
from tests.factories import Cast, make_project, make_story, make_user, submit_item

pytestmark = pytest.mark.django_db

KEY: Final = "It felt sure of winning the day"
MORAL: Final = "Moral-that-nobody-may-see"
WORDS: Final = ItemContent(
    stem="Why did the hare fall asleep?",
    options=(
        OptionContent("It was raining hard"),
        OptionContent(KEY, is_key=True),
        OptionContent("It was night already"),
        OptionContent("It was ill that day"),
    ),
    types=("biological",),
    explanation="Explanation-that-tells-the-key",
    answered_warnings={"longest": "Reason-that-tells-the-key"},
)

ROLES: Final = (
    "writer",  # of the item
    "writer2",
    "reviewer",  # who claims what is claimed in cross-check
    "reviewer2",
    "verifier",
    "manager",
    "administrator",
    "outsider",
    "anonymous",
)

# Addresses of a project's queue as a whole: what each role is answered. Nobody named: 403.
# An outsider is told that there is no such project (404), who is not signed in is sent to do so.
OF_THE_PROJECT: Final[dict[str, tuple[str, dict[str, int]]]] = {
    "review:queue": ("GET", {"reviewer": 200, "reviewer2": 200}),
    "review:verify": ("GET", {"verifier": 200}),
    "review:adjudicate": ("GET", {"verifier": 200, "manager": 200, "administrator": 200}),
    "review:claim": ("POST", {"reviewer": 302, "reviewer2": 302}),
    "review:claim_verify": ("POST", {"verifier": 302}),
    "review:claim_adjudicate": ("POST", {"verifier": 302, "manager": 302, "administrator": 302}),
    "review:statistics": ("GET", {"manager": 200, "administrator": 200}),
    "review:count_statistics": ("POST", {"manager": 302, "administrator": 302}),
    "review:export_statistics": ("GET", {"manager": 200, "administrator": 200}),
    "api_queue": (
        "GET",
        {"reviewer": 200, "reviewer2": 200, "verifier": 200, "manager": 200, "administrator": 200},
    ),
}

# What reviewers said about an item: for its writer and the managers, to nobody else does it exist.
OF_AN_ITEM: Final[dict[str, tuple[str, dict[str, int]]]] = {
    "review:words": ("GET", {"writer": 200, "manager": 200, "administrator": 200}),
}

# Addresses of one place: what the one person is answered who has it in hand, or had. To everybody else,
# managers and administrators too, it does not exist: 404.
OBJECTS: Final[dict[str, str]] = {
    # the object: who has it in hand
    "open": "",
    "claimed": "reviewer",
    "solved": "reviewer",
    "judged": "reviewer",
    "to_verify": "verifier",
    "to_rule": "manager",
    "elsewhere": "",
}
OF_A_PLACE: Final[dict[str, tuple[str, dict[str, int]]]] = {
    "review:place": (
        "GET",
        {"claimed": 200, "solved": 200, "judged": 200, "to_verify": 200, "to_rule": 200},
    ),
    "review:solve": (
        "POST",
        {"claimed": 302, "solved": 302, "judged": 302, "to_verify": 302, "to_rule": 409},
    ),
    "review:judge": (
        "POST",
        {"claimed": 409, "solved": 302, "judged": 409, "to_verify": 409, "to_rule": 409},
    ),
    "review:rule": (
        "POST",
        {"claimed": 409, "solved": 409, "judged": 409, "to_verify": 409, "to_rule": 302},
    ),
    "review:slip": (
        "POST",
        {"claimed": 409, "solved": 302, "judged": 409, "to_verify": 409, "to_rule": 409},
    ),
    "review:undo": (
        "POST",
        {"claimed": 409, "solved": 409, "judged": 409, "to_verify": 409, "to_rule": 409},
    ),
    "review:resume": (
        "POST",
        {"claimed": 302, "solved": 302, "judged": 409, "to_verify": 302, "to_rule": 302},
    ),
    "review:skip": (
        "POST",
        {"claimed": 302, "solved": 302, "judged": 409, "to_verify": 302, "to_rule": 302},
    ),
    "review:postpone": (
        "POST",
        {"claimed": 302, "solved": 409, "judged": 409, "to_verify": 302, "to_rule": 302},
    ),
    "api_lease": (
        "POST",
        {"claimed": 200, "solved": 200, "judged": 409, "to_verify": 200, "to_rule": 200},
    ),
    "api_words": (
        "PUT",
        {"claimed": 409, "solved": 200, "judged": 200, "to_verify": 409, "to_rule": 409},
    ),
}
# A member is told what they are named for; naming is the managers', and of who rules on the item in hand;
# nobody in this scene is named for a place.
OF_THE_PROJECT["review:deputy"] = ("GET", dict.fromkeys(ROLES[:7], 200))
OF_THE_PROJECT["review:lessons"] = ("GET", {"reviewer": 200, "reviewer2": 200})
OF_THE_PROJECT["review:gold"] = ("GET", {"manager": 200, "administrator": 200})
# tried with their own objects in test_gold
OF_PRACTICE: Final = {"review:make_gold", "review:retire_gold", "review:restore_gold"}
OF_A_PLACE["review:name_deputy"] = ("POST", {"to_rule": 302})
OF_A_PLACE["review:stand_in"] = ("POST", {})
BY_MANAGERS: Final[dict[tuple[str, str], int]] = {
    ("review:name_deputy", "open"): 302,
    ("review:name_deputy", "claimed"): 409,
    ("review:name_deputy", "solved"): 409,
    ("review:name_deputy", "judged"): 409,
    ("review:name_deputy", "to_verify"): 409,
    ("review:name_deputy", "to_rule"): 409,
}
ALL_ROUTES: Final = OF_THE_PROJECT | OF_AN_ITEM | OF_A_PLACE


@dataclass(frozen=True, slots=True)
class Scene:
    """The cast, an administrator, a browser for each role, and another project with an item of its own."""

    cast: Cast
    item: Item
    elsewhere: Cast
    browsers: dict[str, Client]


@pytest.fixture
def scene() -> Scene:
    cast, elsewhere = make_project(), make_project()
    people: dict[str, User] = {
        name: getattr(cast, name) for name in ROLES if name not in {"administrator", "anonymous"}
    }
    people["administrator"] = make_user("Ada Administrator", administrator=True)
    browsers = {"anonymous": Client()}
    for name, user in people.items():
        browsers[name] = Client()
        browsers[name].force_login(user)
    item = submit_item(cast, story=make_story(cast, moral=MORAL), words=WORDS)
    submit_item(elsewhere, words=WORDS)
    return Scene(cast, item, elsewhere, browsers)


@contextmanager
def undone() -> Iterator[None]:
    """What happens inside has not happened afterwards."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


# --- objects ---


def key_place(place: ReviewRequest) -> int:
    return place.drawn_order.index(place.revision.options.get(is_key=True).position)


def take(cast: Cast, who: str, stage: str = Stage.CROSS_CHECK) -> ReviewRequest:
    place = claim_next(actor=getattr(cast, who), project=cast.project, stage=stage)
    assert place is not None
    return place


def solved(cast: Cast, who: str, *, right: bool = True) -> Review:
    place = take(cast, who)
    position = key_place(place)
    return solve(
        actor=getattr(cast, who),
        request=place,
        answer=Answer.OPTION,
        position=position if right else (position + 1) % 4,
    )


def judged(cast: Cast, who: str, *, right: bool = True) -> Review:
    review = solved(cast, who, right=right)
    return judge(actor=getattr(cast, who), review=review, disposition=Disposition.PASS, rating=2)


def arrange(scene: Scene, kind: str) -> ReviewRequest:
    """A place in the state that is wanted."""
    cast = scene.cast
    if kind == "open":
        return ReviewRequest.objects.get(item=scene.item)
    if kind == "elsewhere":
        return take(scene.elsewhere, "reviewer")
    if kind == "claimed":
        return take(cast, "reviewer")
    if kind == "solved":
        return solved(cast, "reviewer").request
    if kind == "judged":
        return judged(cast, "reviewer").request
    judged(cast, "reviewer", right=kind == "to_verify")
    who, stage = {
        "to_verify": ("verifier", Stage.VERIFICATION),
        "to_rule": ("manager", Stage.ADJUDICATION),
    }[kind]
    return take(cast, who, stage)


# --- asking ---

SENT: Final[dict[str, dict[str, object]]] = {
    "review:solve": {"position": 0},
    "review:judge": {"rating": 2, "disposition": "pass"},
    "review:rule": {"disposition": "send_on", "comment": "A slip of the eye."},
    "review:skip": {"reason": "I know the author."},
    "api_words": {"comment": "Half a sentence"},
}


def ask(browser: Client, name: str, slug: str, **rest: object) -> HttpResponseBase:
    """The answer at an address of the queue."""
    if name == "review:export_statistics":
        rest = {"kind": "csv"}
    address = reverse(name, kwargs={"slug": slug, **rest})
    how, sent = ALL_ROUTES[name][0], SENT.get(name, {})
    if how == "GET":
        return browser.get(address)
    if how == "PUT":
        return browser.put(address, sent, content_type="application/json")
    return browser.post(address, sent)


def stranger(name: str, role: str) -> int | None:
    """The answer to who does not belong here: to sign in, or that there is nothing."""
    if role == "anonymous":
        return 403 if name.startswith("api_") else 302
    return 404 if role == "outsider" else None


def sent_to_sign_in(response: HttpResponseBase) -> bool:
    return response.status_code == 403 or response.headers["Location"].startswith("/accounts/login/")


# --- the matrix ---


def test_it_has_a_line_for_every_route_of_the_queue() -> None:
    pages = {f"review:{pattern.name}" for pattern in urls.urlpatterns if isinstance(pattern, URLPattern)}
    api = {str(pattern.name) for pattern in api_urls.urlpatterns}
    assert len(pages) == len(urls.urlpatterns)
    assert pages | api == set(ALL_ROUTES) | OF_PRACTICE


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
        with undone():
            response = ask(scene.browsers[role], name, scene.cast.project.slug, pk=place.pk)
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
        rest: dict[str, object] = {"pk": place.pk} if name in OF_A_PLACE else {}
        rest |= {"item": place.item_id} if name in OF_AN_ITEM else {}
        with undone():
            found[role, name] = ask(scene.browsers[role], name, slug, **rest).status_code
    assert {cell: code for cell, code in found.items() if code != 404} == {}


# --- blind means blind ---

BESIDE_THE_SITE: Final = ("admin/", "api/v1/schema/", "api/v1/docs/", "accounts/logout/")


def addresses(scene: Scene, place: ReviewRequest) -> list[str]:
    """Every address of the site that can be made from what this scene has."""
    item = scene.item
    values: dict[str, list[object]] = {
        "slug": [scene.cast.project.slug],
        "pk": [*sorted({place.pk, item.pk, item.story_id, 1})],
        "story": [item.story_id],
        "item": [item.pk],
        "client_id": [uuid.uuid4()],
        "draft": [uuid.uuid4()],
        "version": ["1.0.0"],
        "kind": ["csv", "xlsx", "desk", "review"],
        "name": ["items.jsonl"],
        "token": ["nothing"],
        "uidb64": ["nothing"],
    }
    return sorted({address for pattern in _names(get_resolver()) for address in _filled(pattern, values)})


def _names(resolver: URLResolver, space: str = "", route: str = "") -> Iterator[tuple[str, URLPattern]]:
    for pattern in resolver.url_patterns:
        path = route + str(pattern.pattern)
        if path.startswith(BESIDE_THE_SITE):
            continue
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from _names(pattern, inner, path)
        elif pattern.name:
            yield f"{space}{pattern.name}", pattern


def _filled(named: tuple[str, URLPattern], values: dict[str, list[object]]) -> Iterator[str]:
    name, pattern = named
    wanted = list(pattern.pattern.regex.groupindex)
    missing = [one for one in wanted if one not in values]
    assert missing == [], f"{name}: what shall stand for {missing}?"
    for chosen in product(*(values[one] for one in wanted)):
        try:
            yield reverse(name, kwargs=dict(zip(wanted, chosen, strict=True)))
        except NoReverseMatch:
            continue


def everything(response: HttpResponseBase) -> str:
    """Headers, cookies and body of a response, as one text."""
    body = b""
    if isinstance(response, HttpResponse):
        body = response.content
    elif isinstance(response, StreamingHttpResponse):
        body = b"".join(response)
    headers = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
    return f"{headers}\n{response.cookies}\n{body.decode('utf-8', 'replace')}"


def told(scene: Scene, role: str, place: ReviewRequest, secrets: list[str]) -> dict[str, list[str]]:
    """The addresses whose answers hold one of these words for this role."""
    found: dict[str, list[str]] = {}
    for address in addresses(scene, place):
        with undone():
            text = everything(scene.browsers[role].get(address))
        if hits := [secret for secret in secrets if secret in text]:
            found[address] = hits
    return found


TELLS_THE_KEY: Final = [MORAL, "Explanation-that", "Reason-that"]


def test_it_tells_the_key_to_no_reviewer_before_the_answer(scene: Scene) -> None:
    place = arrange(scene, "claimed")
    page = reverse("review:place", args=[scene.cast.project.slug, place.pk])
    assert len(addresses(scene, place)) > 100
    assert told(scene, "reviewer", place, [*TELLS_THE_KEY, KEY]) == {page: [KEY]}, "an option among four"
    for role in ("reviewer2", "verifier"):
        assert told(scene, role, place, [*TELLS_THE_KEY, KEY]) == {}


def test_it_never_tells_a_reviewer_the_moral(scene: Scene) -> None:
    place = arrange(scene, "judged")
    page = reverse("review:place", args=[scene.cast.project.slug, place.pk])
    found = told(scene, "reviewer", place, TELLS_THE_KEY)
    assert found == {page: ["Explanation-that", "Reason-that"]}, "the key is known now, the moral never"


def test_it_finds_no_story_by_its_moral_for_who_reviews(scene: Scene) -> None:
    """Else the search would tell word by word what it does not show."""
    assert scene.item.story.current is not None
    title = scene.item.story.current.title
    stories = reverse("corpus:stories", args=[scene.cast.project.slug])
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
            address = reverse("review:place", args=[scene.cast.project.slug, place.pk])
            pages.add(_without_tokens(scene.browsers["reviewer"].get(address), place.pk))
    assert len(pages) == 1


def _without_tokens(response: HttpResponseBase, pk: int) -> str:
    assert isinstance(response, HttpResponse)
    text = response.content.decode().replace(str(pk), "PLACE")
    text = re.sub(r'(csrfmiddlewaretoken" value=|x-csrftoken": |nonce=)"\w+"', "", text, flags=re.IGNORECASE)
    return re.sub(r"\d\d:\d\d", "HH:MM", text)
