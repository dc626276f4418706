"""A review by a program: claimed blind, answered, judged; and nothing is shown before its time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import pytest
from django.db import connection
from django.db.models import Q
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.models import Item, KeyExposure, State
from projects.services import update_project
from review.models import Review, ReviewRequest, Stage
from review.services import claim_next
from review.services.practice import deal
from review.sql import FREE_LAPSED
from tests.factories import Cast, make_project, make_story, submit_item, wording
from tests.kinds.marked import OTHER, WRITTEN, own
from tests.kinds.samples import SAMPLES, Sample
from tests.projects.test_tokens import ask, token_of
from tests.review.morals import KEY_MARK, morals
from tests.review.practice_cast import LESSON, browser, key_of, practice_item, right_place, verified
from tests.review.test_pages import KEY, WORDS

pytestmark = pytest.mark.django_db

SECRETS: Final = ("Moral-that", "Explanation-that", "Reason-that", "biological", "human", "is_key")
PASS: Final = {"disposition": "pass", "rating": 2}
OF_A_REQUEST: Final = (
    ("get", "request"), ("post", "begun_answer"), ("put", "begun_answer"), ("post", "verdict"),
    ("post", "ruling"), ("post", "undo"), ("post", "misclick"), ("post", "skip"), ("post", "postpone"),
    ("post", "lease"), ("put", "comment"),
)  # fmt: skip
"""Every method of every address of a request."""
SENT: Final[dict[tuple[str, str], Any]] = {
    ("post", "begun_answer"): {"answer": "option", "position": 0},
    ("put", "begun_answer"): {"sequence": 1, "content": {}},
    ("post", "verdict"): PASS,
    ("post", "ruling"): {"disposition": "pass", "comment": "So it is."},
    ("post", "skip"): {"reason": "I know it."},
    ("put", "comment"): {"comment": "x"},
}


@dataclass
class Script:
    """A program of one person in a project."""

    cast: Cast
    user: User
    scopes: tuple[str, ...] = ("read", "review")

    def __post_init__(self) -> None:
        self.token = token_of(self.user, *self.scopes)

    def claim(self, stage: str = Stage.CROSS_CHECK) -> Any:
        return ask(self.token, "post", reverse("api_claim", args=[self.cast.project.slug, stage]))

    def send(self, method: str, name: str, pk: object, body: Any = None, **headers: str) -> Any:
        address = reverse(f"api_{name}", args=[self.cast.project.slug, pk])
        return ask(self.token, method, address, body, **headers)

    def answer(self, pk: object, body: Any, **headers: str) -> Any:
        return self.send("post", "begun_answer", pk, body, **headers)

    def verdict(self, pk: object, **body: Any) -> Any:
        return self.send("post", "verdict", pk, body)

    def taken(self, stage: str = Stage.CROSS_CHECK) -> dict[str, Any]:
        claimed = self.claim(stage)
        assert claimed.status_code == 200, claimed.content
        found: dict[str, Any] = claimed.json()
        return found


@pytest.fixture
def item(cast: Cast) -> Item:
    return submit_item(cast, story=make_story(cast, moral="Moral-that-nobody-may-see"), words=WORDS)


@pytest.fixture
def script(cast: Cast) -> Script:
    return Script(cast, cast.reviewer)


def found_in(answer: Any, words: tuple[str, ...]) -> list[str]:
    text = f"{dict(answer.headers)} {answer.content.decode()}"
    return [word for word in words if word in text]


def request_of(data: dict[str, Any]) -> ReviewRequest:
    return ReviewRequest.everything.get(public_id=data["id"])


def knows(user: User, request: ReviewRequest) -> bool:
    """Whether somebody is recorded as having seen the key of a request's item."""
    seen = KeyExposure.objects.filter(user=user)
    return seen.filter(Q(item=request.item) | Q(story=request.story, task=request.task)).exists()


def run_out(free: bool = True) -> None:
    late = timezone.now() - timedelta(minutes=1)
    ReviewRequest.everything.filter(state="claimed").update(lease_expires_at=late)
    if free:
        with connection.cursor() as cursor:
            cursor.execute(FREE_LAPSED, [10])


def test_a_claimed_item_has_all_that_an_answer_needs_and_nothing_more(
    cast: Cast, item: Item, script: Script
) -> None:
    claimed = script.claim()
    data = claimed.json()
    assert (claimed.status_code, data["step"], data["stage"], data["task"]) == (
        200, "blind", "cross_check", "commonsense",
    )  # fmt: skip
    drawn = ReviewRequest.objects.get().drawn_order
    assert data["item"]["options"] == [WORDS.options[place].text for place in drawn]
    assert data["item"]["stem"] == WORDS.stem
    assert data["item"]["text"] == item.story.current.text  # type: ignore[union-attr]
    hidden = (*SECRETS, cast.writer.name, cast.writer.username)
    assert found_in(claimed, hidden) == []
    read = script.send("get", "request", data["id"])
    assert read.json() == data
    assert found_in(read, hidden) == []
    assert all(data[name] is None for name in ("solution", "given", "verdict", "contested", "lesson"))
    assert script.claim().json()["id"] == data["id"], "the one that is claimed"
    assert not KeyExposure.objects.filter(user=cast.reviewer).exists()
    tag = read.headers["ETag"]
    again = script.send("get", "request", data["id"], **{"If-None-Match": tag})
    assert again.status_code == 304


def test_its_key_is_shown_after_the_answer_and_a_verdict_brings_the_next(
    cast: Cast, item: Item, script: Script
) -> None:
    submit_item(cast, words=WORDS)
    data = script.taken()
    key = key_of(request_of(data))
    answered = script.answer(data["id"], {"answer": "option", "position": key})
    assert answered.status_code == 200
    seen = answered.json()["request"]
    assert (seen["step"], answered.json()["next"]) == ("solved", None)
    assert [one["text"] for one in seen["solution"]["options"] if one["is_key"]] == [KEY]
    assert [one["text"] for one in seen["solution"]["options"]] == data["item"]["options"]
    assert seen["solution"]["explanation"] == WORDS.explanation
    assert seen["solution"]["answered_warnings"] == WORDS.answered_warnings
    assert seen["solution"]["types"] == ["biological"]
    assert seen["given"] == {
        "answer": "option", "position": key, "several": [], "own": None, "is_correct": True, "score": 1.0,
        "blind": True, "misclick": False, "seconds": seen["given"]["seconds"],
    }  # fmt: skip
    assert knows(cast.reviewer, request_of(data))
    sent = {"flaws": ["language"], "comment": " A comma. ", "about": f"option-{key + 1}"}
    done = script.verdict(data["id"], **PASS, **sent, next=True)
    assert done.status_code == 200
    given = done.json()["verdict"]
    assert (given["rating"], given["disposition"], given["flaws"]) == (2, "pass", ["language"])
    assert (given["comment"], given["about"]) == ("A comma.", f"option-{key + 1}")
    assert Review.objects.get().about == "option-2", "stored in the writer's order"
    assert given["reviewed_at"]
    assert Review.objects.get().judged_at is not None
    following = done.json()["next"]
    assert following["step"] == "blind"
    assert following["id"] != data["id"]
    assert found_in(done, SECRETS) == []
    reviewed = script.send("get", "request", data["id"]).json()
    assert (reviewed["step"], reviewed["verdict"]["comment"]) == ("reviewed", "A comma.")
    item.refresh_from_db()
    assert State.IN_VERIFICATION in Item.objects.values_list("state", flat=True)


@pytest.mark.parametrize("task", SAMPLES)
@pytest.mark.parametrize("right", [True, False])
def test_every_task_is_answered_and_passed(task: str, right: bool) -> None:
    sample: Sample = SAMPLES[task]
    cast = sample.project()
    sample.submit(cast)
    script = Script(cast, cast.reviewer)
    claimed = script.claim()
    assert found_in(claimed, (*sample.secrets, "is_key")) == []
    data = claimed.json()
    assert bool(data["item"]["layers"]) == (task in {"anomaly_spans", "step_tuples", "proverb_narratives"})
    answered = script.answer(data["id"], sample.answer_to(request_of(data), right=right))
    assert answered.status_code == 200, answered.content
    given = answered.json()["request"]["given"]
    assert given["is_correct"] is right
    assert (given["own"] is not None) is not sample.has_options
    done = script.verdict(data["id"], disposition="pass", **sample.verdict)
    assert done.status_code == 200, done.content
    assert done.json()["verdict"]["ratings"] == sample.verdict.get("ratings", {})
    assert done.json()["next"] is None
    assert script.claim().status_code == 204


WRONG_ANSWERS: Final[list[tuple[str, Any, list[str]]]] = [
    ("commonsense", {}, ["answer"]),
    ("commonsense", {"answer": "guess"}, ["answer"]),
    ("commonsense", {"answer": "option"}, ["answer"]),
    ("commonsense", {"answer": "option", "position": 4}, ["answer"]),
    ("commonsense", {"answer": "option", "position": -1}, ["position"]),
    ("commonsense", {"answer": "option", "position": 1.5}, ["position"]),
    ("commonsense", {"answer": "several_fit", "several": [1]}, ["several"]),
    ("commonsense", {"answer": "several_fit", "several": [1, 9]}, ["several"]),
    ("commonsense", {"answer": "several_fit", "several": [0] * 1000}, ["several"]),
    ("commonsense", {"answer": "own", "own": {"answer": []}}, ["answer"]),
    ("commonsense", {"answer": "order", "several": [0, 1, 2, 3]}, ["answer"]),
    ("commonsense", {"answer": "option", "position": 1, "key": 1}, ["key"]),
    ("multiple", {"answer": "several"}, ["answer"]),
    ("multiple", {"answer": "several", "several": [7]}, ["answer"]),
    ("multiple", {"answer": "option", "position": 0}, ["answer"]),
    ("ordering", {"answer": "order", "several": [0, 1, 2]}, ["answer"]),
    ("ordering", {"answer": "order", "several": [0, 1, 2, 2]}, ["answer"]),
    ("anomaly_spans", {"answer": "own"}, ["answer"]),
    ("anomaly_spans", {"answer": "own", "own": {"answer": "x"}}, ["answer"]),
    ("anomaly_spans", {"answer": "option", "position": 0, "own": own(WRITTEN)}, ["answer"]),
    ("step_tuples", {"answer": "none_fits"}, ["answer"]),
    ("scene_pairs", {"answer": "own", "own": {"same": "perhaps"}}, ["answer"]),
]


@pytest.mark.parametrize(("task", "sent", "fields"), WRONG_ANSWERS)
def test_an_answer_that_is_none_is_refused_by_the_field(task: str, sent: Any, fields: list[str]) -> None:
    cast = SAMPLES[task].project()
    SAMPLES[task].submit(cast)
    script = Script(cast, cast.reviewer)
    refused = script.answer(script.taken()["id"], sent)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, fields)
    assert not Review.objects.exists()
    assert not KeyExposure.objects.filter(user=cast.reviewer).exists()


WRONG_VERDICTS: Final[list[tuple[dict[str, Any], list[str]]]] = [
    ({}, ["disposition"]),
    ({"disposition": "pass"}, ["rating"]),
    ({"disposition": "pass", "rating": 0, "flaws": ["language"]}, ["disposition"]),
    ({"disposition": "pass", "rating": 9}, ["rating"]),
    ({"disposition": "pass", "rating": -1}, ["rating"]),
    ({"disposition": "return", "rating": 0}, ["flaws", "comment"]),
    ({"disposition": "send_on", "rating": 2}, ["disposition"]),
    ({"disposition": "pass", "rating": 2, "flaws": ["ugly"]}, ["flaws"]),
    ({"disposition": "pass", "rating": 2, "flaws": ["missing_mark"]}, ["flaws"]),
    ({"disposition": "pass", "rating": 2, "about": "option-9"}, ["about"]),
    ({"disposition": "pass", "rating": 2, "comment": "x" * 4001}, ["comment"]),
    ({"disposition": "edit", "rating": 1}, ["edit"]),
    ({"disposition": "edit", "rating": 1, "edit": {}}, ["edit"]),
    ({"disposition": "edit", "rating": 1, "edit": {"options": [{"text": "one"}]}}, ["edit"]),
    ({"disposition": "edit", "rating": 1, "edit": {"stem": " "}}, ["edit"]),
    ({"disposition": "pass", "rating": 2, "score": 2}, ["score"]),
]


@pytest.mark.parametrize(("sent", "fields"), WRONG_VERDICTS)
def test_a_verdict_that_is_none_is_refused_by_the_field(
    item: Item, script: Script, sent: dict[str, Any], fields: list[str]
) -> None:
    data = script.taken()
    assert script.verdict(data["id"], **PASS).status_code == 409, "nothing is answered"
    script.answer(data["id"], {"answer": "none_fits"})
    refused = script.verdict(data["id"], **sent)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, fields)
    assert Review.objects.get().judged_at is None


def test_criteria_are_rated_all_and_no_other() -> None:
    sample = SAMPLES["proverb_narratives"]
    cast = sample.project()
    sample.submit(cast)
    script = Script(cast, cast.reviewer)
    data = script.taken()
    script.answer(data["id"], sample.answer_to(request_of(data)))
    ratings = sample.verdict["ratings"]
    for wrong, field in (
        ({}, "rating_relatedness"),
        (ratings | {"overall": 6}, "rating_overall"),
        (ratings | {"beauty": 3}, "ratings"),
    ):
        refused = script.verdict(data["id"], disposition="pass", ratings=wrong)
        assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])


def test_an_edit_is_in_the_order_that_was_seen_and_stored_in_the_writers(item: Item, script: Script) -> None:
    data = script.taken()
    key = key_of(request_of(data))
    script.answer(data["id"], {"answer": "option", "position": key})
    options = [{"text": text, "is_key": index == key} for index, text in enumerate(data["item"]["options"])]
    two_keys = [one | {"is_key": True} for one in options]
    assert (
        script.verdict(data["id"], disposition="edit", rating=1, edit={"options": two_keys}).status_code
        == 400
    )
    other = (key + 1) % 4
    options[other]["text"] = " Reworded here "
    edit = {"stem": "Why did the hare doze off?", "options": options}
    done = script.verdict(data["id"], disposition="edit", rating=1, edit=edit, undoable=True)
    assert done.status_code == 200, done.content
    changes = {(one["part"], one["number"]): one["after"] for one in done.json()["verdict"]["changes"]}
    assert changes[("stem", 0)] == "Why did the hare doze off?"
    assert changes[("option", other + 1)] == "Reworded here"
    undone = script.send("post", "undo", data["id"])
    assert (undone.status_code, undone.json()["step"]) == (200, "solved")
    assert script.verdict(data["id"], disposition="edit", rating=1, edit=edit).status_code == 200
    item.refresh_from_db()
    revised = wording(item)
    assert (revised.stem, revised.explanation) == ("Why did the hare doze off?", WORDS.explanation)
    drawn = ReviewRequest.objects.get(stage=Stage.CROSS_CHECK).drawn_order
    texts = [option.text for option in WORDS.options]
    texts[drawn[other]] = "Reworded here"
    assert [option.text for option in revised.options.order_by("position")] == texts
    assert [option.is_key for option in revised.options.order_by("position")] == [False, True, False, False]


@pytest.mark.parametrize(
    "task", ["ordering", "anomaly_spans", "step_tuples", "scene_pairs", "proverb_narratives"]
)
def test_an_edit_of_every_form_of_item(task: str) -> None:
    sample = SAMPLES[task]
    cast = sample.project()
    item = sample.submit(cast)
    script = Script(cast, cast.reviewer)
    data = script.taken()
    seen = script.answer(data["id"], sample.answer_to(request_of(data))).json()["request"]["solution"]
    if sample.has_options:
        options = [one | {"rank": 5 - one["rank"]} for one in seen["options"]]
        edit: dict[str, Any] = {"options": options}
    else:
        assert sample.changed is not None
        edit = {"own": dict(sample.changed.own), "explanation": sample.changed.explanation}
    verdict = {**sample.verdict, "disposition": "edit"}
    done = script.verdict(data["id"], **verdict, edit=edit)
    assert done.status_code == 200, done.content
    assert done.json()["verdict"]["changes"]
    proposed: Any = Review.objects.get().proposed_edit
    assert proposed["stem"] == item.current.stem  # type: ignore[union-attr]
    if "second" in seen["own"]:
        assert proposed["own"]["second"] == seen["own"]["second"]
        assert proposed["own"]["same"] is True


def test_an_edit_changes_no_text_of_the_writer() -> None:
    """The second text of a pair, and a narrative, are their writer's; marks that are left out stay."""
    for task, name in (("scene_pairs", "second"), ("proverb_narratives", "narrative")):
        sample = SAMPLES[task]
        cast = sample.project()
        sample.submit(cast)
        script = Script(cast, cast.reviewer)
        data = script.taken()
        script.answer(data["id"], sample.answer_to(request_of(data)))
        verdict = {**sample.verdict, "disposition": "edit"}
        refused = script.verdict(data["id"], **verdict, edit={"own": {name: "Another text."}})
        assert (refused.status_code, list(refused.json()["fields"])) == (400, ["edit"]), task


def test_a_verdict_is_undone_until_the_next_one(cast: Cast, item: Item, script: Script) -> None:
    submit_item(cast)
    submit_item(cast)
    first = script.taken()["id"]
    script.answer(first, {"answer": "none_fits"})
    done = script.verdict(first, rating=1, disposition="return", comment="Why?", undoable=True, next=True)
    assert done.json()["verdict"]["reviewed_at"] is None
    second = done.json()["next"]["id"]
    assert script.send("get", "request", first).json()["step"] == "sent"
    undone = script.send("post", "undo", first)
    assert (undone.status_code, undone.json()["step"]) == (200, "solved")
    assert script.verdict(first, **PASS, undoable=True).status_code == 200
    script.answer(second, {"answer": "none_fits"})
    script.verdict(second, **PASS, next=True)
    late = script.send("post", "undo", first)
    assert (late.status_code, late.json()["code"]) == (409, "conflict")
    assert not Review.objects.filter(judged_at=None).exists()


def test_a_misclick_is_marked_before_the_verdict_only(item: Item, script: Script) -> None:
    data = script.taken()
    assert script.send("post", "misclick", data["id"]).status_code == 409
    script.answer(data["id"], {"answer": "none_fits"})
    assert script.send("post", "misclick", data["id"]).json()["given"]["misclick"] is True
    script.verdict(data["id"], **PASS)
    assert script.send("post", "misclick", data["id"]).status_code == 409


def test_a_request_is_skipped_or_postponed(cast: Cast, item: Item, script: Script) -> None:
    other = submit_item(cast)
    first = script.taken()
    assert script.send("post", "postpone", first["id"]).status_code == 204
    second = script.taken()
    assert second["id"] != first["id"]
    assert script.send("post", "skip", second["id"], {"reason": ""}).json()["fields"].keys() == {"reason"}
    assert script.send("post", "skip", second["id"], {"reason": "I know it."}).status_code == 204
    assert script.taken()["id"] == first["id"], "the postponed one, and never the skipped one"
    assert {request_of(first).item, request_of(second).item} == {item, other}


def test_comment_draft_and_lease_are_saved_by_a_program(script: Script, item: Item) -> None:
    data = script.taken()
    assert script.send("put", "comment", data["id"], {"comment": "x"}).status_code == 409
    script.answer(data["id"], {"answer": "none_fits"})
    assert script.send("put", "comment", data["id"], {"comment": "x"}).json() == {"comment": "x"}
    renewed = script.send("post", "lease", data["id"]).json()
    assert renewed["seconds_left"] > 60
    sample = SAMPLES["anomaly_spans"]
    cast = sample.project()
    sample.submit(cast)
    marker = Script(cast, cast.reviewer)
    marked = marker.taken()
    saved = marker.send("put", "begun_answer", marked["id"], {"sequence": 3, "content": own(OTHER)})
    assert saved.json() == {"sequence": 3, "sent": False}
    assert marker.taken()["begun"] == {"sequence": 3, "content": own(OTHER)}


@pytest.mark.parametrize("who", ["writer", "reviewer2", "verifier", "manager", "outsider"])
def test_a_request_of_someone_else_is_as_if_it_were_not_there(
    cast: Cast, item: Item, script: Script, who: str
) -> None:
    pk = script.taken()["id"]
    stranger = Script(cast, getattr(cast, who))
    nowhere = "00000000-0000-4000-8000-000000000000"
    for method, name in OF_A_REQUEST:
        body = SENT.get((method, name))
        there, absent = (stranger.send(method, name, one, body) for one in (pk, nowhere))
        assert (there.status_code, there.json()) == (404, absent.json()), name
        assert absent.status_code == 404
    assert not Review.objects.exists()


def test_each_scope_opens_what_it_names(cast: Cast, item: Item, script: Script) -> None:
    pk = script.taken()["id"]
    reader, other = Script(cast, cast.reviewer, ("read",)), Script(cast, cast.reviewer, ("write", "manage"))
    assert reader.claim().json()["code"] == "scope"
    for method, name in OF_A_REQUEST:
        body = SENT.get((method, name))
        assert other.send(method, name, pk, body).status_code == 403, name
        if method != "get":
            assert reader.send(method, name, pk, body).json()["code"] == "scope", name
    assert reader.send("get", "request", pk).status_code == 200
    assert not Review.objects.exists()
    queue = reverse("api_queue", args=[cast.project.slug])
    assert ask(script.token, "get", queue).json()[0]["own_request"] == pk
    bound = token_of(cast.reviewer, "review", project=cast.project)
    assert (
        ask(bound, "post", reverse("api_claim", args=[cast.project.slug, "cross_check"])).status_code == 200
    )
    assert (
        ask(
            bound, "post", reverse("api_claim", args=[make_project().project.slug, "cross_check"])
        ).status_code
        == 404
    )


def test_nobody_claims_an_item_of_their_own(cast: Cast, script: Script) -> None:
    submit_item(cast, writer=cast.reviewer)
    assert script.claim().status_code == 204
    assert (
        ask(script.token, "post", reverse("api_claim", args=[cast.project.slug, "no-stage"])).status_code
        == 404
    )
    assert script.claim(Stage.VERIFICATION).status_code == 403
    assert Script(cast, cast.writer).claim().status_code == 403


def test_what_is_sent_again_with_its_key_is_done_once(item: Item, script: Script) -> None:
    pk = script.taken()["id"]
    for name, body in (("begun_answer", {"answer": "none_fits"}), ("verdict", PASS)):
        key = {"Idempotency-Key": f"one-{name}"}
        first, again = (script.send("post", name, pk, body, **key) for _each in range(2))
        assert (first.status_code, first.json()) == (again.status_code, again.json()) == (200, first.json())
        assert again.headers["Idempotent-Replayed"] == "true"
    assert script.verdict(pk, **PASS).status_code == 409
    assert Review.objects.count() == 1


def test_siblings_are_answered_before_any_of_their_keys_is_shown(cast: Cast, script: Script) -> None:
    morals(cast, make_story(cast, moral="Moral-that-nobody-may-see"))
    data: Any = script.taken()
    assert data["together"] == {"size": 3, "left": 3}
    seen = []
    while data is not None:
        assert (data["step"], data["solution"]) == ("blind", None)
        seen.append(data["id"])
        answered = script.answer(data["id"], {"answer": "option", "position": 0})
        last = answered.json()["request"]
        if answered.json()["next"] is not None:
            assert (last["step"], last["answer_first"]) == ("withheld", answered.json()["next"]["id"])
            assert last["given"]["is_correct"] is None
            assert last["given"]["score"] is None
            assert found_in(answered, (KEY_MARK, "is_key", "Moral-that")) == []
            read = script.send("get", "request", data["id"])
            assert read.json()["step"] == "withheld"
            assert found_in(read, (KEY_MARK, "is_key", "Moral-that")) == []
            assert script.verdict(data["id"], **PASS).status_code == 409
            assert not knows(cast.reviewer, request_of(data))
        data = answered.json()["next"]
    assert len(set(seen)) == 3
    assert last["step"] == "solved"
    first = script.send("get", "request", seen[0])
    assert (first.json()["step"], first.json()["solution"]["explanation"][:11]) == ("solved", KEY_MARK[:11])
    assert knows(cast.reviewer, request_of(first.json()))
    following = script.verdict(seen[0], **PASS, next=True).json()["next"]
    assert following["id"] in seen[1:]
    assert following["step"] == "solved"


def shape(value: Any) -> Any:
    """What there is in a JSON value, whatever it says."""
    if isinstance(value, dict):
        return {name: shape(one) for name, one in value.items()}
    return [shape(value[0])] if isinstance(value, list) and value else type(value).__name__


def test_practice_looks_like_an_item_until_the_verdict_and_teaches_then() -> None:
    cast = make_project(gold_rate=5)
    made = practice_item(cast, verified(cast, words=WORDS))
    submit_item(cast, words=WORDS)
    real, other = Script(cast, cast.reviewer2), Script(cast, cast.reviewer)
    practice = deal(cast.reviewer, made)
    data, plain = other.send("get", "request", practice.public_id).json(), real.taken()
    assert shape(data) == shape(plain)
    assert data["step"] == "blind"
    answers = [
        script.answer(one["id"], {"answer": "option", "position": place})
        for script, one, place in (
            (other, data, right_place(practice)), (real, plain, key_of(request_of(plain))),
        )
    ]  # fmt: skip
    assert shape(answers[0].json()) == shape(answers[1].json())
    assert found_in(answers[0], (LESSON, "gold", "practice")) == []
    done = other.verdict(data["id"], **PASS, undoable=True)
    lesson = done.json()["lesson"]
    assert (lesson["lesson"], lesson["is_right"]) == (LESSON, True)
    assert lesson["findings"] == {"answer": True, "rating": True, "flaws": True, "disposition": True}
    assert lesson["expected"]["positions"] == [right_place(practice)]
    assert Review.everything.get(request=practice).result.lesson_seen_at is not None
    again = other.send("get", "request", data["id"]).json()
    assert (again["step"], again["lesson"]) == ("reviewed", lesson)
    assert other.send("post", "undo", data["id"]).status_code == 409
    assert real.verdict(plain["id"], **PASS).json()["lesson"] is None


def test_an_adjudicator_sees_the_verdicts_and_decides(cast: Cast, item: Item, script: Script) -> None:
    data = script.taken()
    script.answer(data["id"], {"answer": "none_fits"})
    said = {"comment": "Odd.", "about": "stem"}
    script.verdict(data["id"], **PASS, **said)
    manager, verifier = Script(cast, cast.manager), Script(cast, cast.verifier)
    asked = manager.claim(Stage.ADJUDICATION)
    ruling = asked.json()
    assert ruling["step"] == "ruling"
    assert knows(cast.manager, request_of(ruling))
    assert sum(one["is_key"] for one in ruling["solution"]["options"]) == 1
    (verdict,) = ruling["contested"]["verdicts"]
    assert (verdict["reviewer"], verdict["answer"], verdict["comment"]) == (
        cast.reviewer.name, "none_fits", "Odd.",
    )  # fmt: skip
    assert ruling["contested"]["cause"]
    assert manager.answer(ruling["id"], {"answer": "none_fits"}).status_code == 409
    body: dict[str, Any] = {"disposition": "send_on", "comment": ""}
    assert manager.send("post", "ruling", ruling["id"], body).json()["fields"].keys() == {"comment"}
    body = {"disposition": "send_on", "comment": "The key is right.", "next": True}
    done = manager.send("post", "ruling", ruling["id"], body)
    assert (done.status_code, done.json()["verdict"]["disposition"]) == (200, "send_on")
    assert done.json()["next"] is None
    checked = verifier.taken(Stage.VERIFICATION)
    key = key_of(request_of(checked))
    verifier.answer(checked["id"], {"answer": "option", "position": key})
    assert verifier.verdict(checked["id"], disposition="pass").status_code == 200
    item.refresh_from_db()
    assert item.state == State.VERIFIED


def test_a_verifier_marks_each_option_in_the_order_that_was_seen() -> None:
    cast = make_project()
    (item,) = morals(cast, make_story(cast), styles=("human",))
    script, verifier = Script(cast, cast.reviewer), Script(cast, cast.verifier)
    for one, stage in ((script, Stage.CROSS_CHECK), (verifier, Stage.VERIFICATION)):
        data = one.taken(stage)
        key = key_of(request_of(data))
        one.answer(data["id"], {"answer": "option", "position": key})
        if stage == Stage.CROSS_CHECK:
            one.verdict(data["id"], **PASS)
    for marks in ([], [True, False], [None] * 4):
        refused = verifier.verdict(data["id"], disposition="pass", option_marks=marks)
        assert (refused.status_code, list(refused.json()["fields"])) == (400, ["option_marks"])
    marks = [place == key for place in range(4)]
    passed = verifier.verdict(data["id"], disposition="pass", option_marks=marks)
    assert passed.json()["verdict"]["option_marks"] == marks
    assert Review.objects.get(stage=Stage.VERIFICATION).option_marks == [True, False, False, False]
    item.refresh_from_db()
    assert item.state == State.VERIFIED


def test_a_ruling_merges_answers_by_their_groups() -> None:
    sample = SAMPLES["anomaly_spans"]
    cast = sample.project()
    item = sample.submit(cast)
    script, manager = Script(cast, cast.reviewer), Script(cast, cast.manager)
    data = script.taken()
    script.answer(data["id"], {"answer": "own", "own": own(OTHER)})
    script.verdict(data["id"], **PASS)
    ruling = manager.taken(Stage.ADJUDICATION)
    answers = ruling["contested"]["answers"]
    assert [one["author"] for one in answers] == [cast.writer.name, cast.reviewer.name]
    assert answers[1]["own"] == own(OTHER)
    body: dict[str, Any] = {"disposition": "edit", "comment": "Both see it."}
    for picks in ([], [{"answer": 7, "group": 0}], [{"answer": 0, "group": 0}]):
        refused = manager.send("post", "ruling", ruling["id"], body | {"picks": picks})
        assert (refused.status_code, list(refused.json()["fields"])) == (400, ["picks"])
    picks = [{"answer": 0, "group": 0}, {"answer": 1, "group": 0}]
    done = manager.send("post", "ruling", ruling["id"], body | {"picks": picks})
    assert done.status_code == 200, done.content
    item.refresh_from_db()
    assert wording(item).author == cast.manager


def test_a_lease_that_ran_out_is_said_and_renewed(cast: Cast, item: Item, script: Script) -> None:
    data = script.taken()
    run_out()
    lapsed = script.send("get", "request", data["id"]).json()
    assert (lapsed["step"], lapsed["is_free"], lapsed["item"]) == ("lapsed", True, None)
    assert script.send("post", "lease", data["id"]).status_code == 200
    assert script.send("get", "request", data["id"]).json()["step"] == "blind"
    run_out()
    taken = Script(cast, cast.reviewer2).taken()
    assert taken["id"] == data["id"]
    lapsed = script.send("get", "request", data["id"]).json()
    assert (lapsed["step"], lapsed["is_free"], lapsed["item"]) == ("lapsed", False, None)
    assert script.send("post", "lease", data["id"]).status_code == 409


def test_who_answered_and_lost_the_request_sees_it_in_the_order_of_the_answer(
    cast: Cast, item: Item, script: Script
) -> None:
    data = script.taken()
    drawn = request_of(data).drawn_order
    script.answer(data["id"], {"answer": "option", "position": 0})
    run_out()
    request = claim_next(actor=cast.reviewer2, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    ReviewRequest.objects.update(drawn_order=drawn[::-1])
    seen = script.send("get", "request", data["id"]).json()
    assert (seen["step"], seen["item"]["options"]) == ("solved", data["item"]["options"])
    assert [one["text"] for one in seen["solution"]["options"]] == data["item"]["options"]
    page = browser(cast.reviewer).get(reverse("review:request", args=[cast.project.slug, data["id"]]))
    options = page.context["options"]
    assert [one.text for one in options] == data["item"]["options"]
    assert [mark.label for mark in options[0].marks if mark.tone == ""] == ["your answer"]
    late = script.verdict(data["id"], **PASS)
    assert late.json()["verdict"]["late_at"] is not None


def statements(send: Callable[[], Any], status: int = 200) -> int:
    """How many statements a request takes, those that begin and end a part of it left out."""
    with CaptureQueriesContext(connection) as asked:
        assert send().status_code == status
    return sum("SAVEPOINT" not in query["sql"] for query in asked)


def pages_of(cast: Cast, who: User) -> list[int]:
    """The statements of a claim, an answer and two verdicts on the pages, with the step that each brings."""
    client = browser(who, {"HX-Request": "true"})
    slug = cast.project.slug

    def claim() -> Any:
        there = client.post(reverse("review:claim", args=[slug])).headers["Location"]
        return client.get(there)

    found = [statements(claim)]
    for _each in range(2):
        request = ReviewRequest.objects.filter(claimed_by=who, state="claimed").latest("claimed_at")
        at = reverse("review:request", args=[slug, request.public_id])
        found.append(statements(lambda at=at: client.post(f"{at}/answer", {"position": 1})))  # type: ignore[misc]
        found.append(statements(lambda at=at: client.post(f"{at}/verdict", PASS)))  # type: ignore[misc]
    return found


def calls_of(cast: Cast, who: User) -> list[int]:
    """The same by a program."""
    script = Script(cast, who)
    ask(script.token, "get", reverse("api_me"))  # which records that the token was used
    found = [statements(script.claim)]
    answer = {"answer": "option", "position": 1}
    for _each in range(2):
        request = ReviewRequest.objects.filter(claimed_by=who, state="claimed").latest("claimed_at")
        pk = request.public_id
        found.append(statements(lambda pk=pk: script.answer(pk, answer)))  # type: ignore[misc]
        found.append(statements(lambda pk=pk: script.verdict(pk, **PASS, undoable=True, next=True)))  # type: ignore[misc]
    return found


@pytest.mark.parametrize("siblings", [False, True])
def test_a_cycle_takes_no_more_statements_than_on_the_pages(siblings: bool) -> None:
    found: list[list[int]] = []
    for cycle in (pages_of, calls_of):
        cast = make_project(solve_together=False)
        for _each in range(3):
            if siblings:
                morals(cast, make_story(cast), styles=("human",))
            else:
                submit_item(cast, words=WORDS)
        found.append(cycle(cast, cast.reviewer))
    by_pages, by_calls = found
    print(f"\nstatements of claim, answer, verdict, answer, verdict: pages {by_pages}, programs {by_calls}")
    assert all(own <= theirs for own, theirs in zip(by_calls, by_pages, strict=True)), (by_calls, by_pages)


def test_an_archived_project_takes_no_verdict(cast: Cast, item: Item, script: Script) -> None:
    pk = script.taken()["id"]
    type(cast.project).objects.update(archived_at=timezone.now())
    assert script.claim().status_code == 403
    assert script.answer(pk, {"answer": "none_fits"}).status_code in (403, 404)
    assert not Review.objects.exists()
    assert script.send("get", "request", pk).status_code == 200


def test_a_page_takes_no_token(cast: Cast, item: Item, script: Script) -> None:
    pk = script.taken()["id"]
    page = Client(headers={"Authorization": f"Bearer {script.token}"}).get(
        reverse("review:request", args=[cast.project.slug, pk])
    )
    assert page.status_code == 302


def test_a_rate_of_the_project_is_no_secret_but_its_draw_is(cast: Cast) -> None:
    """Practice mixed in changes nothing of what a claim returns but the item."""
    update_project(actor=cast.manager, project=cast.project, changes={"gold_rate": 50})
    practice_item(cast, verified(cast, words=WORDS))
    submit_item(cast, words=WORDS)
    data = Script(cast, cast.reviewer).taken()
    assert data["step"] == "blind"
