"""The tables of who may do what at which address of the queue, and the scene where it is tried."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse

from annotation.content import ItemContent, OptionContent
from annotation.models import Item
from corpus.models import Story
from projects.permissions import roles_with
from review.models import Answer, Disposition, Review, ReviewRequest, Stage
from review.services import claim_next, send_verdict, solve
from tests.access.routes import Route, routes
from tests.factories import Cast, make_story, submit_item

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

# Addresses of a project's queue as a whole: what each role is answered. Nobody named: 403. A page that names
# its permission needs no line; where there is one, it says beside the permission whom that means.
# An outsider gets 404, as for a project that does not exist; who is not signed in is sent to do so.
OF_THE_PROJECT: Final[dict[str, tuple[str, dict[str, int]]]] = {
    "review:queue": ("GET", {"reviewer": 200, "reviewer2": 200}),
    "review:verify": ("GET", {"verifier": 200}),
    "review:adjudicate": ("GET", {"verifier": 200, "manager": 200, "administrator": 200}),
    "review:claim": ("POST", {"reviewer": 302, "reviewer2": 302}),
    "review:claim_verify": ("POST", {"verifier": 302}),
    "review:claim_adjudicate": ("POST", {"verifier": 302, "manager": 302, "administrator": 302}),
    "review:statistics": ("GET", {"manager": 200, "administrator": 200}),
    "review:counted_items": ("GET", {"manager": 200, "administrator": 200}),
    "review:count_statistics": ("POST", {"manager": 302, "administrator": 302}),
    "review:export_statistics": ("GET", {"manager": 200, "administrator": 200}),
    "review:raters": ("GET", {"manager": 200, "administrator": 200}),
    "review:model_raters": ("GET", {"manager": 200, "administrator": 200}),
    "api_queue": (
        "GET",
        {"reviewer": 200, "reviewer2": 200, "verifier": 200, "manager": 200, "administrator": 200},
    ),
}

# What reviewers said about an item: for its writer and the managers, to nobody else does it exist.
OF_AN_ITEM: Final[dict[str, tuple[str, dict[str, int]]]] = {
    "review:comments": ("GET", {"writer": 200, "manager": 200, "administrator": 200}),
}

# Addresses of one place: what the one person is answered who has it in hand, or had. To everybody else,
# managers and administrators too, it does not exist: 404.
OBJECTS: Final[dict[str, str]] = {
    # the object: who has it in hand
    "open": "",
    "claimed": "reviewer",
    "solved": "reviewer",
    "withheld": "reviewer",  # solved, but a sibling is to be answered before its key is shown
    "judged": "reviewer",
    "to_verify": "verifier",
    "to_rule": "manager",
    "elsewhere": "",
}
OF_A_PLACE: Final[dict[str, tuple[str, dict[str, int]]]] = {
    "review:request": (
        "GET",
        {"claimed": 200, "solved": 200, "withheld": 302, "judged": 200, "to_verify": 200, "to_rule": 200},
    ),
    "review:solve": (
        "POST",
        {"claimed": 302, "solved": 302, "withheld": 302, "judged": 302, "to_verify": 302, "to_rule": 409},
    ),
    "review:verdict": (
        "POST",
        {"claimed": 409, "solved": 302, "withheld": 409, "judged": 409, "to_verify": 409, "to_rule": 409},
    ),
    "review:ruling": (
        "POST",
        {"claimed": 409, "solved": 409, "withheld": 409, "judged": 409, "to_verify": 409, "to_rule": 302},
    ),
    "review:misclick": (
        "POST",
        {"claimed": 409, "solved": 302, "withheld": 302, "judged": 409, "to_verify": 409, "to_rule": 409},
    ),
    "review:undo": (
        "POST",
        {"claimed": 409, "solved": 409, "withheld": 409, "judged": 409, "to_verify": 409, "to_rule": 409},
    ),
    "review:resume": (
        "POST",
        {"claimed": 302, "solved": 302, "withheld": 302, "judged": 409, "to_verify": 302, "to_rule": 302},
    ),
    "review:skip": (
        "POST",
        {"claimed": 302, "solved": 302, "withheld": 302, "judged": 409, "to_verify": 302, "to_rule": 302},
    ),
    "review:postpone": (
        "POST",
        {"claimed": 302, "solved": 409, "withheld": 409, "judged": 409, "to_verify": 302, "to_rule": 302},
    ),
    "api_lease": (
        "POST",
        {"claimed": 200, "solved": 200, "withheld": 200, "judged": 409, "to_verify": 200, "to_rule": 200},
    ),
    "api_comment": (
        "PUT",
        {"claimed": 409, "solved": 200, "withheld": 200, "judged": 200, "to_verify": 409, "to_rule": 409},
    ),
    # these items are answered by options
    "api_begun_answer": (
        "PUT",
        {"claimed": 409, "solved": 409, "withheld": 409, "judged": 409, "to_verify": 409, "to_rule": 409},
    ),
}
# A member sees what they are named for; naming is the managers', and of who rules on the item in hand;
# nobody in this scene is named for a place.
OF_THE_PROJECT["review:deputy"] = ("GET", dict.fromkeys(ROLES[:7], 200))
OF_THE_PROJECT["review:practice_results"] = ("GET", {"reviewer": 200, "reviewer2": 200})
OF_THE_PROJECT["review:practice"] = ("GET", {"manager": 200, "administrator": 200})
OF_A_PLACE["review:name_deputy"] = ("POST", {"to_rule": 302})
OF_A_PLACE["review:take_as_deputy"] = ("POST", {})
BY_MANAGERS: Final[dict[tuple[str, str], int]] = {
    ("review:name_deputy", "open"): 302,
    ("review:name_deputy", "claimed"): 409,
    ("review:name_deputy", "solved"): 409,
    ("review:name_deputy", "withheld"): 409,
    ("review:name_deputy", "judged"): 409,
    ("review:name_deputy", "to_verify"): 409,
    ("review:name_deputy", "to_rule"): 409,
}
NAMED: Final = {
    route.name: route for route in routes() if route.name.startswith("review:") and route.permissions
}
"""Routes that name a permission: who is let in follows from it, and tests/access tries those with objects."""


def _by_permission(route: Route) -> tuple[str, dict[str, int]]:
    how = "GET" if route.takes("GET") else "POST"
    may = {*roles_with(route.permissions[how]), "administrator"}
    return how, {role: 200 if how == "GET" else 302 for role in ROLES if role.rstrip("2") in may}


for _name, _route in NAMED.items():
    if not _route.names_objects:
        OF_THE_PROJECT.setdefault(_name, _by_permission(_route))
ALL_ROUTES: Final = OF_THE_PROJECT | OF_AN_ITEM | OF_A_PLACE


@dataclass(frozen=True, slots=True)
class Scene:
    """The cast, an administrator, a browser for each role, and another project with an item of its own."""

    cast: Cast
    item: Item
    elsewhere: Cast
    browsers: dict[str, Client]


@contextmanager
def undone() -> Iterator[None]:
    """What happens inside has not happened afterwards."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


# --- objects ---


def together(scene: Scene) -> Story:
    """A story with two moral items, the only ones that wait."""
    ReviewRequest.objects.update(state="closed", claimed_by=None, lease_expires_at=None)
    story = make_story(scene.cast, moral=MORAL)
    for number, style in enumerate(("human", "machine")):
        options = tuple(OptionContent(f"Moral {number}{at}", at == number) for at in range(4))
        words = ItemContent("What does it teach?", options, explanation=f"{WORDS.explanation} {number}")
        submit_item(scene.cast, story=story, task="moral", style=style, words=words)
    return story


def key_place(request: ReviewRequest) -> int:
    return request.drawn_order.index(request.revision.options.get(is_key=True).position)


def take(cast: Cast, who: str, stage: str = Stage.CROSS_CHECK) -> ReviewRequest:
    request = claim_next(actor=getattr(cast, who), project=cast.project, stage=stage)
    assert request is not None
    return request


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
    return send_verdict(actor=getattr(cast, who), review=review, disposition=Disposition.PASS, rating=2)


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
    if kind == "withheld":
        story = together(scene)
        return ReviewRequest.objects.get(pk=solved(cast, "reviewer").request_id, story=story)
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
    "review:verdict": {"rating": 2, "disposition": "pass"},
    "review:ruling": {"disposition": "send_on", "comment": "A slip of the eye."},
    "review:skip": {"reason": "I know the author."},
    "api_comment": {"comment": "Half a sentence"},
    "api_begun_answer": {"sequence": 1, "content": {}},
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
        return 401 if name.startswith("api_") else 302
    return 404 if role == "outsider" else None


def sent_to_sign_in(response: HttpResponseBase) -> bool:
    return response.status_code == 401 or response.headers["Location"].startswith("/accounts/login/")
