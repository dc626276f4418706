"""What a manager wants reviewed first is handed out first; nobody else can say so."""

import pytest
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from annotation.models import Item
from core.errors import Forbidden, Unusable
from review.models import Disposition, Priority, ReviewRequest, Stage
from review.services import claim_next, send_verdict, set_priority, solve
from tests.factories import Cast, make_project, make_story, submit_item


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def only(item: Item) -> QuerySet[Item]:
    return Item.objects.filter(pk=item.pk)


def test_it_hands_out_what_the_manager_wants_first_and_then_the_oldest(cast: Cast) -> None:
    old, urgent = submit_item(cast), submit_item(cast)
    assert (
        set_priority(actor=cast.manager, project=cast.project, items=only(urgent), priority=Priority.FIRST)
        == 1
    )
    first = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    second = claim_next(actor=cast.reviewer2, project=cast.project, stage=Stage.CROSS_CHECK)
    assert first is not None
    assert second is not None
    assert [first.item, second.item] == [urgent, old]


def test_it_takes_the_wish_back_and_writes_both_down(cast: Cast) -> None:
    old, urgent = submit_item(cast), submit_item(cast)
    for priority in (Priority.FIRST, Priority.NORMAL):
        set_priority(
            actor=cast.manager,
            project=cast.project,
            items=only(urgent),
            priority=priority,
            chosen_by={"story": urgent.story_id},
        )
    first = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert first is not None
    assert first.item == old
    said = [event.detail for event in AuditEvent.objects.filter(verb="set_priority").order_by("pk")]
    chosen_by = {"story": urgent.story_id}
    assert said == [{"priority": wish, "items": 1, "chosen_by": chosen_by} for wish in (1, 0)]


def test_it_keeps_the_wish_at_the_next_stage(cast: Cast) -> None:
    cast.project.reviews_per_item, cast.project.plan_overlap = 1, False
    cast.project.save()
    item = submit_item(cast)
    set_priority(actor=cast.manager, project=cast.project, items=only(item), priority=Priority.FIRST)
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    key = request.revision.options.get(is_key=True).position
    review = solve(
        actor=cast.reviewer, request=request, answer="option", position=request.drawn_order.index(key)
    )
    send_verdict(actor=cast.reviewer, review=review, disposition=Disposition.PASS, rating=2)
    following = ReviewRequest.objects.get(item=item, stage=Stage.VERIFICATION)
    assert following.priority == Priority.FIRST


def test_it_refuses_others_unknown_wishes_and_items_of_another_project(cast: Cast) -> None:
    item, elsewhere = submit_item(cast), make_project()
    with pytest.raises(Forbidden):
        set_priority(actor=cast.reviewer, project=cast.project, items=only(item), priority=1)
    with pytest.raises(Unusable):
        set_priority(actor=cast.manager, project=cast.project, items=only(item), priority=7)
    assert set_priority(actor=elsewhere.manager, project=elsewhere.project, items=only(item), priority=1) == 0
    assert set(ReviewRequest.objects.values_list("priority", flat=True)) == {0}


def test_a_manager_chooses_by_the_filter_of_the_overview_and_nobody_else_can(cast: Cast) -> None:
    chosen, other = submit_item(cast), submit_item(cast, story=make_story(cast))
    address = reverse("dashboard:set_priority", args=[cast.project.slug]) + f"?story={chosen.story_id}"
    assert browser(cast.reviewer).post(address, {"priority": "1"}).status_code == 403
    assert browser(cast.outsider).post(address, {"priority": "1"}).status_code == 404
    assert browser(cast.manager).post(address, {"priority": "soon"}).status_code == 400
    answer = browser(cast.manager).post(address, {"priority": "1"}, follow=True)
    assert "1 item in the queue will be reviewed first." in answer.content.decode()
    assert "1 has priority." in answer.content.decode()
    wanted = dict(ReviewRequest.objects.values_list("item", "priority").distinct())
    assert wanted == {chosen.pk: 1, other.pk: 0}
