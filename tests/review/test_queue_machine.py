"""The queue's promises as invariants: whatever people do in whatever order, they hold.

Shortly with the tests, at length in the drill.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models import Count, F
from django.utils import timezone
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from accounts.models import User
from annotation.models import Item, Revision, State
from annotation.services import revise_item
from core.errors import ParableError
from projects.models import Role
from projects.services import set_roles
from review.models import Answer, Disposition, RequestState, Review, ReviewRequest, Stage
from review.queries import waiting
from review.services import (
    claim_next,
    postpone_request,
    renew_lease,
    send_verdict,
    skip_request,
    solve,
    undo_verdict,
)
from review.services import (
    send_ruling as adjudicate,
)
from tests.factories import content, make_project, submit_item

WANTED = 2
people = st.integers(0, 4)
stages = st.sampled_from([Stage.CROSS_CHECK, Stage.CROSS_CHECK, Stage.VERIFICATION, Stage.ADJUDICATION])
ACTS = ["answer", "judge", "judge", "skip", "later", "renew", "send", "undo"]
EVERYTHING = [Role.WRITER, Role.REVIEWER, Role.VERIFIER]


class Queue(RuleBasedStateMachine):
    """Five people, each of whom may write, review and verify, at one queue."""

    def __init__(self) -> None:
        super().__init__()
        self.all_of_it = transaction.atomic()
        self.all_of_it.__enter__()
        cast = make_project(reviews_per_item=WANTED)
        self.cast = cast
        self.people: list[User] = [cast.writer, cast.writer2, cast.reviewer, cast.reviewer2, cast.verifier]
        for person in self.people:
            set_roles(actor=cast.manager, project=cast.project, user=person, roles=EVERYTHING)
        self.known: list[tuple[User, ReviewRequest]] = []
        self.submit(0)

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.all_of_it.__exit__(None, None, None)

    @rule(who=people)
    def submit(self, who: int) -> None:
        submit_item(self.cast, writer=self.people[who])

    @rule(who=people, stage=stages)
    def claim(self, who: int, stage: str) -> None:
        person = self.people[who]
        request = claim_next(actor=person, project=self.cast.project, stage=stage)
        if request is not None:
            self.known.append((person, request))
            return
        assert not self._could_take(person, stage), "never empty while something waits for this person"
        assert waiting(person, self.cast.project, stage).is_empty, "the page says the same"

    def _could_take(self, person: User, stage: str) -> bool:
        """What is open and not excluded, counted one by one."""
        places = ReviewRequest.objects.filter(stage=stage, state=RequestState.OPEN)
        written = set(Revision.objects.filter(author=person).values_list("item", flat=True))
        claimed = ReviewRequest.objects.filter(stage=stage, claimed_by=person)
        known = set(claimed.values_list("revision", flat=True))
        return any(
            person.pk not in place.excluded
            and place.item_id not in written
            and place.revision_id not in known
            for place in places
        )

    @precondition(lambda self: self.known)
    @rule(which=st.integers(0, 30), right=st.booleans(), data=st.data())
    def go_on(self, which: int, right: bool, data: st.DataObject) -> None:
        """A former claimant does something with a place, in time or late."""
        person, place = self.known[-1 - which % len(self.known)]
        act = data.draw(
            st.sampled_from(["answer", "judge", "judge", "skip", "later", "renew", "send", "undo"])
        )
        with suppress(ParableError), transaction.atomic():  # refused, with a reason
            self._act(act, person, place, right=right)

    def _act(self, act: str, person: User, request: ReviewRequest, *, right: bool) -> None:
        if act == "skip":
            skip_request(actor=person, request=request, reason="Known to me.")
        elif act == "later":
            postpone_request(actor=person, request=request)
        elif act == "renew":
            renew_lease(actor=person, request=request)
        elif request.stage == Stage.ADJUDICATION:
            adjudicate(actor=person, request=request, disposition=Disposition.SEND_ON, comment="It will do.")
        elif act == "undo":
            if review := Review.objects.filter(reviewer=person).last():
                undo_verdict(actor=person, review=review)
        else:
            self._judge(act, person, request, right=right)

    def _judge(self, act: str, person: User, request: ReviewRequest, *, right: bool) -> None:
        key = request.drawn_order.index(request.revision.options.get(is_key=True).position)
        position = key if right else (key + 1) % request.option_count
        review = solve(actor=person, request=request, answer=Answer.OPTION, position=position)
        if act == "answer":
            return
        wanted = Disposition.PASS if right else Disposition.RETURN
        send_verdict(
            actor=person,
            review=review,
            rating=2,
            disposition=wanted,
            comment="View again.",
            final=act != "send",
        )

    @rule()
    def time_passes(self) -> None:
        """All leases run out, also by the database's clock, which stood still when the walks began."""
        past = timezone.now() - timedelta(days=1)
        ReviewRequest.objects.filter(state=RequestState.CLAIMED).update(lease_expires_at=past)

    @rule()
    def revise(self) -> None:
        """A writer words a returned item anew."""
        item = Item.objects.filter(state=State.RETURNED).first()
        if item is not None:
            revise_item(actor=item.writer, item=item, content=content("Why then did the hare fall asleep?"))

    @invariant()
    def nobody_judges_what_they_wrote(self) -> None:
        assert not Review.objects.filter(item__revisions__author=F("reviewer")).exists()
        held = ReviewRequest.objects.filter(state=RequestState.CLAIMED)
        assert not held.filter(item__revisions__author=F("claimed_by")).exists()

    @invariant()
    def never_more_verdicts_than_wanted(self) -> None:
        judged = Review.objects.filter(judged_at__isnull=False)
        rounds = judged.values("request__opened_by", "stage").annotate(n=Count("pk"))
        for row in rounds:
            assert row["n"] <= (WANTED if row["stage"] == Stage.CROSS_CHECK else 1)
        assert judged.values("request").distinct().count() == judged.count()

    @invariant()
    def no_place_is_lost(self) -> None:
        """An item at a stage has a place that is open or held; one that has left it has none."""
        stage_of = {State.IN_REVIEW: {"cross_check"}, State.IN_VERIFICATION: {"verification"}}
        living = ReviewRequest.objects.filter(state__in=[RequestState.OPEN, RequestState.CLAIMED])
        stages: dict[int, set[str]] = {}
        for item, stage in living.values_list("item", "stage"):
            stages.setdefault(item, set()).add(stage)
        for item, state in Item.objects.exclude(state=State.IN_ADJUDICATION).values_list("pk", "state"):
            assert stages.get(item, set()) == stage_of.get(State(state), set())

    @invariant()
    def the_database_agrees(self) -> None:
        """What its deferred rules would say at the end of the transaction."""
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def walk(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        Queue,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            phases=(Phase.generate,),  # a walk of many steps is not worth shortening by machine
            suppress_health_check=list(HealthCheck),
            database=None,
        ),
    )


@pytest.mark.django_db
def test_it_keeps_its_promises_on_a_few_walks() -> None:
    walk(examples=3, steps=20)


@pytest.mark.drill
@pytest.mark.django_db
def test_it_keeps_its_promises_on_many_long_walks() -> None:
    walk(examples=20, steps=60)
