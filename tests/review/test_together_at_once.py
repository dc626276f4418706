"""Two reviewers who take the moral items of one story at once, each in a connection of their own."""

import threading
from collections.abc import Callable
from functools import partial

import pytest
from django.db import connection

from accounts.models import User
from annotation.models import Item
from review.models import Answer, Disposition, RequestState, Review, ReviewRequest, Stage
from review.services import claim_next, send_verdict, solve
from tests.factories import Cast, make_project, make_story
from tests.review.morals import morals

pytestmark = [pytest.mark.django_db(transaction=True)]


def at_once(*verbs: Callable[[], object]) -> None:
    """Do all of these, each in a thread; what one of them raises is raised here."""
    ready, raised = threading.Barrier(len(verbs)), []

    def run(verb: Callable[[], object]) -> None:
        try:
            ready.wait(timeout=30)
            verb()
        except Exception as error:  # noqa: BLE001 - raised again below
            raised.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[verb]) for verb in verbs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    if raised:
        raise raised[0]


def work_dry(cast: Cast, who: User) -> None:
    """Claim, answer and judge until nothing is left, as the pages do."""
    while request := claim_next(actor=who, project=cast.project, stage=Stage.CROSS_CHECK):
        review = Review.objects.filter(request=request, reviewer=who).first()
        if review is None:
            solve(actor=who, request=request, answer=Answer.OPTION, position=0)
        else:
            send_verdict(actor=who, review=review, disposition=Disposition.PASS, rating=2)


@pytest.mark.parametrize("reviews", [1, 2])
def test_two_reviewers_of_one_story_get_each_request_once_and_answer_blind(reviews: int) -> None:
    for _attempt in range(3):
        cast = make_project(reviews_per_item=reviews)
        items = morals(cast, make_story(cast))
        people = (cast.reviewer, cast.reviewer2)
        claims = (
            partial(claim_next, actor=who, project=cast.project, stage=Stage.CROSS_CHECK) for who in people
        )
        at_once(*claims)
        requests = ReviewRequest.objects.filter(project=cast.project)
        claimed = list(requests.filter(state=RequestState.CLAIMED).values_list("item", "claimed_by"))
        assert len(claimed) == len(set(claimed)) == reviews * len(items), "all are taken, none twice"
        at_once(*(partial(work_dry, cast, who) for who in people))
        found = Review.objects.filter(request__project=cast.project, stage=Stage.CROSS_CHECK)
        assert found.count() == reviews * len(items), "as many as wanted"
        assert all(found.values_list("blind", flat=True))
        assert not requests.filter(stage=Stage.CROSS_CHECK).exclude(state=RequestState.DONE).exists()


def test_one_person_in_two_windows_waits_for_nobody_and_is_shown_the_keys_after_both() -> None:
    """Each answer holds its own request and keeps the other: neither waits for the other's."""
    for _attempt in range(5):
        cast = make_project()
        items: list[Item] = morals(cast, make_story(cast), ("human", "machine"))
        claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
        mine = list(ReviewRequest.objects.filter(project=cast.project, state=RequestState.CLAIMED))
        assert len(mine) == len(items)
        answers = (
            partial(solve, actor=cast.reviewer, request=one, answer=Answer.OPTION, position=0) for one in mine
        )
        at_once(*answers)
        reviews = Review.objects.filter(request__project=cast.project)
        assert all(reviews.values_list("blind", flat=True))
        for review in reviews:
            send_verdict(actor=cast.reviewer, review=review, disposition=Disposition.PASS, rating=2)
