"""What managers and substitutes do by a program: requests, practice items, statistics, reviews."""

from __future__ import annotations

from typing import Any, Final

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Scope
from annotation.models import KeyExposure
from jobs.models import Job
from jobs.services import create_endpoint
from projects.models import Membership, Role
from projects.services import set_roles
from review.models import PracticeItem, RequestState, ReviewRequest, Stage
from review.queries.statistics import STATISTICS
from review.services import claim_next, count_statistics
from tests.factories import Cast, content, make_project, submit_item
from tests.projects.test_tokens import ask, token_of
from tests.review.practice_cast import LESSON, done, first_drawn, look, practice_item, rejected, verified
from tests.review.test_requests_api import Script

pytestmark = pytest.mark.django_db

MOST_STATEMENTS: Final = 9
"""Of a page of a list: token, project and roles among them."""


class Program:
    """A program of one person with all scopes."""

    def __init__(self, cast: Cast, who: str, *scopes: str) -> None:
        self.cast, self.user = cast, getattr(cast, who)
        self.token = token_of(self.user, *(scopes or Scope.values))

    def send(
        self, method: str, name: str, *args: Any, body: Any = None, query: str = "", **headers: str
    ) -> Any:
        address = reverse(f"api_{name}", args=[self.cast.project.slug, *args])
        return ask(self.token, method, address + query, body, **headers)

    def get(self, name: str, *args: Any, query: str = "") -> Any:
        answer = self.send("get", name, *args, query=query)
        assert answer.status_code == 200, answer.content
        return answer.json()


@pytest.fixture
def manager(cast: Cast) -> Program:
    return Program(cast, "manager")


LISTS: Final = {
    "requests": {"manager"},
    "assigned_requests": {"manager", "writer", "reviewer", "verifier"},
    "reviews": {"manager", "writer", "reviewer", "verifier"},
    "practice": {"manager"},
    "practice_sources": {"manager"},
    "own_practice": {"reviewer"},
    "statistics": {"manager"},
    "raters": {"manager"},
    "model_raters": {"manager"},
    "counted_items": {"manager"},
}


@pytest.mark.parametrize("name", LISTS)
def test_each_list_is_for_its_roles(cast: Cast, name: str) -> None:
    for who in ("manager", "writer", "reviewer", "verifier", "outsider"):
        answer = Program(cast, who).send("get", name)
        status = 200 if who in LISTS[name] else 404 if who == "outsider" else 403
        assert answer.status_code == status, who
    assert Program(cast, "manager", "write").send("get", name).json()["code"] == "scope"


@pytest.mark.parametrize(
    "name", ["requests", "reviews", "practice", "practice_sources", "own_practice", "counted_items"]
)
def test_a_page_takes_as_many_statements_however_many_rows(cast: Cast, name: str) -> None:
    program = Program(cast, "reviewer2" if name == "reviews" else "manager")

    def rows() -> int:
        with CaptureQueriesContext(connection) as asked:
            found = program.get(name)["results"]
        assert len(asked) <= MOST_STATEMENTS, [one["sql"][:120] for one in asked]
        counts.append(len(asked))
        return len(found)

    if name == "own_practice":
        program = Program(cast, "reviewer")
    counts: list[int] = []
    rows()
    for _each in range(2):
        made = practice_item(cast)
        verified(cast)
        if name == "own_practice":
            done(cast, first_drawn(cast))
        assert made.pk
    assert rows() >= 2
    more = counts[-1]
    practice_item(cast)
    if name == "own_practice":
        done(cast, first_drawn(cast))
    verified(cast)
    assert rows() >= 3
    assert counts[-1] == more
    print(f"\n{name}: {more} statements a page")


def test_requests_are_listed_with_who_has_them(cast: Cast, manager: Program) -> None:
    first, second = submit_item(cast), submit_item(cast)
    claimed = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert claimed is not None
    rows = {row["item"]: row for row in manager.get("requests")["results"]}
    assert rows.keys() == {first.pk, second.pk}
    assert rows[claimed.item_id]["claimed_by"] == {"id": cast.reviewer.pk, "name": cast.reviewer.name}
    for query, found in (
        ("?state=claimed", {claimed.item_id}),
        (f"?claimed_by={cast.reviewer.pk}", {claimed.item_id}),
        (f"?item={second.pk}", {second.pk}),
        ("?stage=verification", set()),
        ("?blocked=true", set()),
        ("?blocked=false", {first.pk, second.pk}),
    ):
        assert {row["item"] for row in manager.get("requests", query=query)["results"]} == found, query
    for query, field in (("?state=lost", "state"), ("?item=x", "item"), ("?key=1", "key")):
        refused = manager.send("get", "requests", query=query)
        assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])
    assert "explanation" not in str(rows)


def test_practice_is_in_no_list_of_requests(cast: Cast, manager: Program) -> None:
    practice_item(cast)
    dealt = first_drawn(cast)
    rows = manager.get("requests")["results"]
    assert str(dealt.public_id) not in {row["id"] for row in rows}


def test_a_blocked_request_gets_a_substitute_who_takes_it(cast: Cast, manager: Program) -> None:
    item = submit_item(cast)
    look(cast, cast.reviewer, Stage.CROSS_CHECK, disposition="pass", rating=2)
    Membership.objects.filter(project=cast.project, role=Role.VERIFIER).delete()
    (row,) = manager.get("requests", query="?blocked=true")["results"]
    assert (row["item"], row["stage"]) == (item.pk, "verification")
    for person, status in ((10**9, 400), (cast.writer.pk, 400), (cast.outsider.pk, 400)):
        refused = manager.send("post", "substitutes", row["id"], body={"person": person})
        assert (refused.status_code, list(refused.json()["fields"])) == (status, ["person"])
    hidden = Program(cast, "writer2").send("post", "substitutes", row["id"], body={"person": cast.writer2.pk})
    assert hidden.status_code == 404
    named = manager.send("post", "substitutes", row["id"], body={"person": cast.writer2.pk})
    assert (named.status_code, named.json()) == (201, {"id": cast.writer2.pk, "name": cast.writer2.name})
    assert manager.get("requests", query="?blocked=true")["results"] == []
    substitute, other = Program(cast, "writer2"), Program(cast, "reviewer2")
    assert [one["id"] for one in substitute.get("assigned_requests")["results"]] == [row["id"]]
    assert other.get("assigned_requests")["results"] == []
    assert other.send("post", "take", row["id"]).status_code == 404
    taken = substitute.send("post", "take", row["id"])
    assert (taken.status_code, taken.json()["step"]) == (200, "blind")
    assert taken.json()["solution"] is None
    script = Script(cast, cast.writer2)
    assert script.answer(row["id"], {"answer": "option", "position": 0}).status_code == 200
    passed = script.verdict(row["id"], disposition="pass", next=True)
    assert (passed.status_code, passed.json()["next"]) == (200, None)


def test_managers_set_priority_and_release_leases(cast: Cast, manager: Program) -> None:
    items = [submit_item(cast) for _each in range(3)]
    foreign = submit_item(make_project())
    sent = {"items": [items[2].pk, foreign.pk], "priority": 1}
    assert manager.send("post", "priority", body=sent).json() == {"count": 1}
    assert Script(cast, cast.reviewer).taken()["id"] == str(
        ReviewRequest.objects.get(item=items[2]).public_id
    )
    assert not ReviewRequest.objects.filter(item=foreign, priority=1).exists()
    for wrong, field in (({"priority": 7}, "priority"), ({"items": ["x"]}, "items"), ({"when": 1}, "when")):
        refused = manager.send("post", "priority", body=sent | wrong)
        assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])
    assert manager.send("post", "release_requests", body={"person": cast.outsider.pk}).status_code == 404
    freed = manager.send("post", "release_requests", body={"person": cast.reviewer.pk})
    assert freed.json() == {"count": 1}
    assert not ReviewRequest.objects.filter(state=RequestState.CLAIMED).exists()
    for name in ("priority", "release_requests"):
        assert Program(cast, "reviewer").send("post", name, body={}).status_code == 403


def test_a_practice_item_is_made_of_a_reviewed_item(cast: Cast, manager: Program) -> None:
    item, flawed = verified(cast), rejected(cast)
    listed = {row["item"] for row in manager.get("practice_sources")["results"]}
    assert listed == {item.pk, flawed.pk}
    made = manager.send("post", "practice", body={"item": item.pk})
    assert made.status_code == 201, made.content
    assert manager.get("practice_item", made.json()["id"]) == made.json()
    assert "both passed it" in made.json()["lesson"]
    assert KeyExposure.objects.filter(user=cast.manager, item=item).exists()
    row = PracticeItem.objects.get()
    assert (row.expected_answer, row.expected_positions, row.dispositions) == ("option", [1], ["pass"])
    assert manager.send("post", "practice", body={"item": flawed.pk}).json()["is_flawed"] is True
    assert manager.get("practice_sources")["results"] == []
    again = manager.send("post", "retire_practice", row.pk)
    assert again.json()["retired_at"]
    assert [one["id"] for one in manager.get("practice", query="?retired=true")["results"]] == [row.pk]
    assert manager.send("post", "restore_practice", row.pk).json()["retired_at"] is None
    foreign = practice_item(make_project())
    for method, name in (("get", "practice_item"), ("post", "retire_practice"), ("post", "restore_practice")):
        there, absent = (manager.send(method, name, pk) for pk in (foreign.pk, 10**9))
        assert (there.status_code, there.json()) == (404, absent.json())


def test_a_flaw_is_planted_in_a_sound_item(cast: Cast, manager: Program) -> None:
    item = verified(cast)
    texts = [option.text for option in content().options]
    body: dict[str, Any] = {"item": item.pk, "plant": "two_right", "lesson": LESSON}
    refused = manager.send("post", "practice", body=body)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["stem"])
    texts[2] = "It was certain to win"
    options = [{"text": text, "is_key": place == 1} for place, text in enumerate(texts)]
    made = manager.send("post", "practice", body=body | {"options": options, "right": [1, 2]})
    assert made.status_code == 201, made.content
    row = PracticeItem.objects.get()
    assert (row.expected_answer, row.expected_positions) == ("several_fit", [1, 2])
    assert (row.lesson, row.expected_flaws) == (LESSON, ["two_right_options"])


WRONG_PRACTICE: Final[list[tuple[dict[str, Any], str]]] = [
    ({"item": "x"}, "item"),
    ({"plant": "weed"}, "plant"),
    ({"answer": "order"}, "answer"),
    ({"answer": "several_fit"}, "answer"),
    ({"right": [9]}, "answer"),
    ({"rating_low": 2, "rating_high": 1}, "rating_low"),
    ({"dispositions": []}, "dispositions"),
    ({"dispositions": ["send_on"]}, "dispositions"),
    ({"flaws": ["ugly"]}, "flaws"),
    ({"flaws": ["language"]}, "stem"),
    ({"options": [{"text": "one", "is_key": True}]}, "stem"),
    ({"lesson": ""}, "lesson"),
    ({"key": 1}, "key"),
]


@pytest.mark.parametrize(("wrong", "field"), WRONG_PRACTICE)
def test_a_practice_item_that_is_none_is_refused(
    cast: Cast, manager: Program, wrong: dict[str, Any], field: str
) -> None:
    refused = manager.send("post", "practice", body={"item": verified(cast).pk} | wrong)
    assert refused.status_code == 400, refused.content
    assert field in refused.json()["fields"]
    assert not PracticeItem.objects.exists()


def test_an_item_without_a_settled_verdict_makes_no_practice(cast: Cast, manager: Program) -> None:
    open_item, foreign = submit_item(cast), verified(make_project())
    assert manager.send("post", "practice", body={"item": open_item.pk}).status_code == 409
    there, absent = (manager.send("post", "practice", body={"item": pk}) for pk in (foreign.pk, 10**9))
    assert (there.status_code, there.json()) == (404, absent.json())
    assert Program(cast, "reviewer").send("post", "practice", body={"item": open_item.pk}).status_code == 403


def test_a_creation_sent_again_makes_one(cast: Cast, manager: Program) -> None:
    body, key = {"item": verified(cast).pk}, {"Idempotency-Key": "one"}
    first, again = (manager.send("post", "practice", body=body, **key) for _each in range(2))
    assert first.json() == again.json()
    assert PracticeItem.objects.count() == 1


def test_a_reviewer_reads_lessons_and_own_reviews(cast: Cast) -> None:
    practice_item(cast)
    review = done(cast, first_drawn(cast))
    reviewer = Program(cast, "reviewer")
    (lesson,) = reviewer.get("own_practice")["results"]
    assert (lesson["request"], lesson["lesson"]) == (str(review.request.public_id), LESSON)
    assert lesson["is_right"] is True
    assert reviewer.get("reviews")["results"] == [], "practice is no review"
    submit_item(cast)
    look(cast, cast.reviewer, Stage.CROSS_CHECK, disposition="pass", rating=2)
    (row,) = reviewer.get("reviews", query="?stage=cross_check")["results"]
    assert (row["rating"], row["disposition"], row["is_correct"]) == (2, "pass", True)
    assert reviewer.get("reviews", query="?late=true")["results"] == []
    assert Program(cast, "verifier").get("reviews", query="?stage=adjudication")["results"] == []


def test_verdicts_on_an_item_are_for_those_who_may_see_it(cast: Cast, manager: Program) -> None:
    item = submit_item(cast)
    look(cast, cast.reviewer, Stage.CROSS_CHECK, disposition="return", rating=1, comment="Why the mill?")
    for who, status in (
        ("writer", 200),
        ("manager", 200),
        ("reviewer", 404),
        ("writer2", 404),
        ("verifier", 404),
    ):
        answer = Program(cast, who).send("get", "item_verdicts", item.pk)
        assert answer.status_code == status, who
        if status == 200:
            (row,) = answer.json()
            assert (row["comment"], row["rating"], row["revision"]) == ("Why the mill?", 1, 1)
            assert cast.reviewer.name not in answer.content.decode()
    assert KeyExposure.objects.filter(user=cast.manager, item=item).exists()


def test_statistics_are_empty_before_a_count_and_ordered_by_a_manager(cast: Cast, manager: Program) -> None:
    for name in ("statistics", "raters", "model_raters"):
        assert manager.get(name)["counted_at"] is None
    ordered = manager.send("post", "count_statistics")
    job = Job.objects.get(kind=STATISTICS)
    assert (ordered.status_code, ordered.json()) == (202, {"job": job.pk, "url": f"/api/v1/jobs/{job.pk}/"})
    assert Program(cast, "reviewer").send("post", "count_statistics").status_code == 403


def test_statistics_are_those_of_the_page_as_numbers() -> None:
    cast = make_project(reviews_per_item=2)
    manager = Program(cast, "manager")
    items = [submit_item(cast) for _each in range(3)]
    for who, rating in ((cast.reviewer, 2), (cast.reviewer2, 1)):
        for _each in items:
            look(cast, who, Stage.CROSS_CHECK, disposition="pass", rating=rating)
    count_statistics(project_id=cast.project.pk)
    found = manager.get("statistics")
    whole = next(one for one in found["agreement"] if one["task"] == "")
    assert (whole["items"], whole["ratings"], whole["rated_twice"]) == (3, 6, 3)
    assert {one["figure"] for one in whole["figures"]} >= {"raw", "alpha"}
    assert found["overlap"]["twice"] == 3
    assert {one["name"] for one in found["reviewers"]} == {cast.reviewer.name, cast.reviewer2.name}
    pair = found["pairs"][0]
    assert {pair["first"]["id"], pair["second"]["id"]} == {cast.reviewer.pk, cast.reviewer2.pk}
    assert next(one for one in found["accuracy"] if one["task"] == "" and one["type"] is None)["value"] == 1.0
    raters = manager.get("raters")
    assert {one["id"] for one in raters["severity"]["raters"]} == {cast.reviewer.pk, cast.reviewer2.pk}
    counted = manager.get("counted_items", query="?figure=differ")["results"]
    assert [row["item"] for row in counted] == [item.pk for item in reversed(items)]
    assert [one["rating"] for one in counted[0]["reviews"]] == [2, 1]
    assert manager.get("counted_items", query=f"?reviewer={cast.reviewer.pk}&rating=1")["results"] == []
    for query, field in (("?figure=x", "figure"), ("?rating=11", "rating"), ("?task=x", "task")):
        refused = manager.send("get", "counted_items", query=query)
        assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])


def test_items_that_a_manager_may_still_review_are_left_out() -> None:
    cast = make_project(reviews_per_item=2)
    submit_item(cast)
    look(cast, cast.reviewer, Stage.CROSS_CHECK, disposition="pass", rating=2)
    manager = Program(cast, "manager")
    assert len(manager.get("counted_items")["results"]) == 1
    set_roles(
        actor=cast.manager, project=cast.project, user=cast.manager, roles=[Role.MANAGER, Role.REVIEWER]
    )
    assert manager.get("counted_items")["results"] == []
    assert Script(cast, cast.manager).taken()["step"] == "blind"


def test_a_model_assesses_items_by_order(cast: Cast, manager: Program) -> None:
    endpoint = create_endpoint(
        actor=cast.manager, project=cast.project, name="m", model="m", base_url="https://1.1.1.1/v1"
    )
    body: dict[str, Any] = {"endpoint": endpoint.pk, "items": 10, "budget": "1.50"}
    for wrong, field in (
        ({}, "items"),  # no rated item is there
        ({"endpoint": 10**9}, "endpoint"),
        ({"items": 0}, "items"),
        ({"budget": "-1"}, "budget"),
    ):
        refused = manager.send("post", "model_raters", body=body | wrong)
        assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])
    submit_item(cast)
    look(cast, cast.reviewer, Stage.CROSS_CHECK, disposition="pass", rating=2)
    ordered = manager.send("post", "model_raters", body=body)
    assert ordered.status_code == 202, ordered.content
    assert Job.objects.get(pk=ordered.json()["job"]).project == cast.project
