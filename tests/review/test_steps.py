"""A review in two requests: the answer brings the form of the verdict, the verdict the next item."""

import re
from collections.abc import Mapping

import pytest
from django.db import connection
from django.http import HttpResponseBase
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content import ItemContent
from projects.services import update_project
from review.models import Review, ReviewRequest, Stage
from review.queries.request import my_claim
from review.services import claim_next, send_verdict, solve
from review.services.practice import deal
from tests.factories import Cast, content, make_project, submit_item
from tests.review.practice_cast import LESSON, browser, key_of, practice_item, right_place

pytestmark = pytest.mark.django_db

EXPLAINED = "Because-it-is-so"
VERDICT = {"rating": 2, "disposition": "pass"}


def words(stem: str) -> ItemContent:
    made = content(stem)
    return ItemContent(made.stem, made.options, made.types, f"{EXPLAINED} {stem}")


@pytest.fixture
def cast() -> Cast:
    cast = make_project()
    for stem in ("Why did the hare fall asleep?", "Why did it laugh?"):
        submit_item(cast, words=words(stem))
    return cast


@pytest.fixture
def client(cast: Cast) -> Client:
    return browser(cast.reviewer, {"HX-Request": "true"})


def held(cast: Cast) -> ReviewRequest:
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    return request


def at(cast: Cast, request: ReviewRequest) -> str:
    return reverse("review:request", args=[cast.project.slug, request.public_id])


def text(response: HttpResponseBase) -> str:
    assert hasattr(response, "content")
    return str(response.content.decode())


def test_it_takes_two_requests_from_item_to_item(cast: Cast, client: Client) -> None:
    first = held(cast)
    answered = client.post(f"{at(cast, first)}/answer", {"position": key_of(first)})
    assert (answered.status_code, answered.headers.get("HX-Push-Url")) == (200, None)
    assert text(answered).startswith("<title>")
    assert 'id="verdict"' in text(answered)
    assert f"{EXPLAINED} {first.revision.stem}" in text(answered)
    judged = client.post(f"{at(cast, first)}/verdict", VERDICT)
    following = held(cast)
    assert (judged.status_code, judged.headers["HX-Push-Url"]) == (200, at(cast, following))
    assert 'id="answer"' in text(judged)
    assert following.revision.stem in text(judged)
    assert first.revision.stem not in text(judged)
    assert EXPLAINED not in text(judged), "no key before its answer"
    assert Review.objects.get().disposition == "pass"


def statements(client: Client, address: str, form: Mapping[str, object]) -> int:
    """How many statements a step asks of the database, those that begin and end a part of it left out."""
    with CaptureQueriesContext(connection) as asked:
        assert client.post(address, form).status_code == 200
    return sum("SAVEPOINT" not in query["sql"] for query in asked)


def test_it_asks_so_much_of_the_database_and_no_more() -> None:
    """Of a cycle among others: the verdict of the item before is made final, and another item follows."""
    cast = make_project(reviews_per_item=2)
    for stem in ("Why did the hare fall asleep?", "Why did it laugh?", "Why did it wake?"):
        submit_item(cast, words=words(stem))
    for who, verdict in ((cast.reviewer, 15), (cast.reviewer2, 22)):  # the second settles the round
        client = browser(who, {"HX-Request": "true"})
        request = claim_next(actor=who, project=cast.project, stage=Stage.CROSS_CHECK)
        for answered, judged in ((9, 12), (9, verdict)):
            assert request is not None
            client.get(at(cast, request))
            assert (
                statements(client, f"{at(cast, request)}/answer", {"position": key_of(request)}) == answered
            )
            assert statements(client, f"{at(cast, request)}/verdict", VERDICT) == judged
            request = my_claim(who, cast.project, Stage.CROSS_CHECK)


@pytest.mark.parametrize("steps", [{"HX-Request": "true"}, {}], ids=["with script", "without"])
def test_a_verdict_can_be_undone_while_the_next_item_is_held(cast: Cast, steps: dict[str, str]) -> None:
    submit_item(cast, words=words("Why did it wake?"))
    client, places = browser(cast.reviewer, steps), [held(cast)]
    for number in (1, 2):
        client.post(f"{at(cast, places[-1])}/answer", {"position": key_of(places[-1])})
        client.post(f"{at(cast, places[-1])}/verdict", VERDICT)
        places.append(held_request(cast))
        page = text(client.get(at(cast, places[-1])))
        assert f"{at(cast, places[-2])}/undo" in page
        assert Review.objects.filter(judged_at__isnull=False).count() == number - 1
    first, second, third = places
    assert client.post(f"{at(cast, first)}/undo").status_code == 409  # the second verdict made it final
    assert client.post(f"{at(cast, second)}/undo").status_code == 302
    assert 'id="verdict"' in text(client.get(at(cast, second)))
    assert "/undo" not in text(client.get(at(cast, third)))
    client.post(f"{at(cast, second)}/verdict", VERDICT | {"rating": 1})
    assert held_request(cast) == third
    client.post(f"{at(cast, third)}/answer", {"position": key_of(third)})
    assert f"{at(cast, second)}/undo" in text(client.get(at(cast, third))), "also once it is answered"
    client.post(f"{at(cast, third)}/verdict", VERDICT)
    assert list(Review.objects.order_by("solved_at").values_list("rating", flat=True)) == [2, 1, 2]
    assert not Review.objects.filter(judged_at=None).exists(), "the last one waits for nothing"


def held_request(cast: Cast) -> ReviewRequest:
    """What the reviewer is to work on; to ask changes nothing."""
    request = my_claim(cast.reviewer, cast.project, Stage.CROSS_CHECK)
    assert request is not None
    return request


def test_its_services_ask_so_much_and_no_more(cast: Cast) -> None:
    request = held(cast)
    right = key_of(request)
    with CaptureQueriesContext(connection) as solving:
        review = solve(actor=cast.reviewer, request=request, answer="option", position=right)
    with CaptureQueriesContext(connection) as judging:
        send_verdict(actor=cast.reviewer, review=review, disposition="pass", rating=2)
    with CaptureQueriesContext(connection) as claiming:
        held(cast)
    asked = [sum("SAVEPOINT" not in query["sql"] for query in each) for each in (solving, judging, claiming)]
    assert asked == [6, 11, 4]  # the verdict settles the round; a claim looks for the story just read first


def test_it_counts_those_that_wait_once_an_item(cast: Cast, client: Client) -> None:
    first = held(cast)
    assert "1 more in the queue" in text(client.get(at(cast, first)))
    answered = text(client.post(f"{at(cast, first)}/answer", {"position": key_of(first)}))
    assert '<span id="more" hx-preserve></span>' in answered
    assert "0 more in the queue" in text(client.post(f"{at(cast, first)}/verdict", VERDICT))


def test_it_leaves_for_the_queue_after_the_last(cast: Cast, client: Client) -> None:
    for _item in range(2):
        request = held(cast)
        client.post(f"{at(cast, request)}/answer", {"position": 0})
        judged = client.post(f"{at(cast, request)}/verdict", VERDICT)
    queue = reverse("review:queue", args=[cast.project.slug])
    assert (judged.status_code, judged.headers["HX-Redirect"]) == (200, queue)
    assert "last one for now" in text(client.get(queue))


def test_it_says_in_place_what_an_answer_or_a_verdict_lacks(cast: Cast, client: Client) -> None:
    request = held(cast)
    refused = client.post(f"{at(cast, request)}/answer", {})
    assert refused.status_code == 400
    assert text(refused).startswith("<title>")
    assert 'role="alert"' in text(refused)
    assert EXPLAINED not in text(refused)
    client.post(f"{at(cast, request)}/answer", {"position": 0})
    refused = client.post(f"{at(cast, request)}/verdict", {"rating": 0, "disposition": "reject"})
    assert refused.status_code == 400
    assert "at least one flaw" in text(refused)


@pytest.mark.parametrize("steps", [{"HX-Request": "true"}, {}], ids=["with script", "without"])
def test_it_keeps_the_choice_of_several_of_which_too_few_are_ticked(
    cast: Cast, steps: dict[str, str]
) -> None:
    request = held(cast)
    answer = {"position": "several_fit", "several": [2]}
    refused = text(browser(cast.reviewer, steps).post(f"{at(cast, request)}/answer", answer))
    assert "Tick at least two options." in refused
    kept = re.findall(r'<input[^>]* name="(\w+)" value="(\w+)"[^>]* checked', refused)
    assert kept == [("position", "several_fit"), ("several", "2")]
    assert EXPLAINED not in refused, "no key before its answer"


def test_a_second_verdict_is_refused_in_a_part_that_shows_no_more_than_why(
    cast: Cast, client: Client
) -> None:
    request = held(cast)
    client.post(f"{at(cast, request)}/answer", {"position": 0})
    client.post(f"{at(cast, request)}/verdict", VERDICT)
    refused = client.post(f"{at(cast, request)}/verdict", VERDICT | {"rating": 1, "comment": "Too late"})
    assert refused.status_code == 409
    assert text(refused).startswith("<p ")
    assert "You have already reviewed this item." in text(refused)
    assert EXPLAINED not in text(refused)
    assert Review.objects.get(request=request).rating == 2


def test_it_says_in_the_dialog_that_a_skip_needs_a_reason(cast: Cast, client: Client) -> None:
    request = held(cast)
    refused = client.post(f"{at(cast, request)}/skip", {"reason": "   "})
    assert refused.status_code == 400
    assert text(refused).startswith("<p ")
    assert held_request(cast) == request
    skipped = client.post(f"{at(cast, request)}/skip", {"reason": "I know its writer."})
    assert skipped.headers["HX-Redirect"] == at(cast, held_request(cast))
    assert held_request(cast) != request


def test_it_stays_where_that_is_wanted_and_can_be_undone(cast: Cast, client: Client) -> None:
    request = held(cast)
    client.post(f"{at(cast, request)}/answer", {"position": 0})
    stays = client.post(f"{at(cast, request)}/verdict", VERDICT | {"stay": "1"})
    assert "HX-Push-Url" not in stays.headers
    assert "Undo verdict" in text(stays)
    assert client.post(f"{at(cast, request)}/undo").headers["Location"] == at(cast, request)
    assert 'id="verdict"' in text(client.get(at(cast, request)))


def test_it_shows_whole_pages_where_they_are_asked_for(cast: Cast, client: Client) -> None:
    request, plain = held(cast), browser(cast.reviewer)
    assert text(client.get(at(cast, request))).lstrip().startswith("<!doctype html>")
    answered = plain.post(f"{at(cast, request)}/answer", {"position": 0})
    assert (answered.status_code, answered.headers["Location"]) == (302, at(cast, request))
    judged = plain.post(f"{at(cast, request)}/verdict", VERDICT)
    assert (judged.status_code, judged.headers["Location"]) == (302, at(cast, held(cast)))


def test_it_shows_the_lesson_of_a_practice_item_in_its_place(cast: Cast, client: Client) -> None:
    update_project(actor=cast.manager, project=cast.project, changes={"gold_rate": 50})
    for request in ReviewRequest.objects.all():
        ReviewRequest.objects.filter(pk=request.pk).update(state="closed")
    practice = deal(cast.reviewer, practice_item(cast))
    answered = client.post(f"{at(cast, practice)}/answer", {"position": right_place(practice)})
    assert 'id="verdict"' in text(answered)
    assert LESSON not in text(answered)
    judged = client.post(f"{at(cast, practice)}/verdict", VERDICT)
    assert LESSON in text(judged)
    assert "HX-Push-Url" not in judged.headers


@pytest.mark.parametrize(("highest", "offered"), [(1, ["0", "1"]), (2, ["0", "1", "2"])])
def test_it_offers_the_ratings_of_the_projects_scale(
    cast: Cast, client: Client, highest: int, offered: list[str]
) -> None:
    cast.project.max_rating = highest
    cast.project.save(update_fields=["max_rating"])
    first = held(cast)
    page = text(client.post(f"{at(cast, first)}/answer", {"position": key_of(first)}))
    assert re.findall(r'name="rating"[^>]*value="(\d)"', page) == offered
