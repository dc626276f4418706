"""Who may stand in for a place that nobody else can or shall take; the law binds them as anybody."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent, User
from annotation.models import Item, State
from core.errors import Conflict, Forbidden, Hidden, Unusable
from projects.models import Membership, Role
from review.models import Answer, Disposition, RequestState, Review, ReviewRequest, Stage
from review.queries import blocked_requests
from review.services import claim_next, send_ruling, send_verdict, solve
from review.services.substitute import name_substitute, take_as_substitute
from tests.factories import Cast, submit_item

pytestmark = pytest.mark.django_db


def check(cast: Cast, who: User, stage: str, *, right: bool = True) -> Review:
    request = claim_next(actor=who, project=cast.project, stage=stage)
    assert request is not None
    key = request.drawn_order.index(request.revision.options.get(is_key=True).position)
    position = key if right else (key + 1) % 4
    review = solve(actor=who, request=request, answer=Answer.OPTION, position=position)
    return send_verdict(actor=who, review=review, disposition=Disposition.PASS, rating=2)


@pytest.fixture
def disputed(cast: Cast) -> Item:
    """An item in adjudication."""
    item = submit_item(cast)
    check(cast, cast.reviewer, Stage.CROSS_CHECK, right=False)
    return item


def place_of(item: Item, stage: str) -> ReviewRequest:
    return ReviewRequest.objects.get(item=item, stage=stage)


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_it_lets_an_adjudicator_name_a_deputy_who_then_rules(cast: Cast, disputed: Item) -> None:
    request = claim_next(actor=cast.verifier, project=cast.project, stage=Stage.ADJUDICATION)
    assert request is not None
    with pytest.raises(Hidden):
        take_as_substitute(actor=cast.reviewer2, request=request)
    name_substitute(actor=cast.verifier, request=request, person=cast.reviewer2)
    request.refresh_from_db()
    assert (request.state, request.claimed_by) == (RequestState.OPEN, None), "who names somebody gives it up"
    taken = take_as_substitute(actor=cast.reviewer2, request=request)
    assert taken.claimed_by == cast.reviewer2
    assert take_as_substitute(actor=cast.reviewer2, request=request) == taken
    send_ruling(
        actor=cast.reviewer2, request=taken, disposition=Disposition.PASS, comment="The story says so."
    )
    disputed.refresh_from_db()
    assert disputed.state == State.VERIFIED
    assert disputed.transitions.order_by("-pk")[0].reason == "The story says so."
    event = AuditEvent.objects.get(verb="name_deputy")
    assert (event.actor, event.detail) == (cast.verifier, {"person": cast.reviewer2.pk})


def test_a_ruling_sent_twice_is_one(cast: Cast, disputed: Item) -> None:
    request = claim_next(actor=cast.verifier, project=cast.project, stage=Stage.ADJUDICATION)
    assert request is not None
    first = send_ruling(
        actor=cast.verifier, request=request, disposition=Disposition.PASS, comment="It stands."
    )
    again = send_ruling(
        actor=cast.verifier, request=request, disposition=Disposition.REJECT, comment="Or not."
    )
    assert first.blind is False
    assert again == first
    assert again.disposition == Disposition.PASS


def test_it_binds_deputies_by_the_law(cast: Cast, disputed: Item) -> None:
    place = place_of(disputed, Stage.ADJUDICATION)
    for excluded in (cast.writer, cast.reviewer):
        with pytest.raises(Unusable, match="has written, reviewed or skipped"):
            name_substitute(actor=cast.manager, request=place, person=excluded)
    with pytest.raises(Unusable, match="Member not found"):
        name_substitute(actor=cast.manager, request=place, person=cast.outsider)


def test_it_lets_nobody_else_name_one(cast: Cast, disputed: Item) -> None:
    place = place_of(disputed, Stage.ADJUDICATION)
    for stranger in (cast.writer, cast.reviewer2, cast.verifier, cast.outsider):
        with pytest.raises(Forbidden):
            name_substitute(actor=stranger, request=place, person=cast.writer2)
    claim_next(actor=cast.verifier, project=cast.project, stage=Stage.ADJUDICATION)
    with pytest.raises(Conflict, match="is reviewing this item"):
        name_substitute(actor=cast.manager, request=place, person=cast.writer2)


def test_it_takes_nothing_from_somebody_else(cast: Cast, disputed: Item) -> None:
    place = place_of(disputed, Stage.ADJUDICATION)
    name_substitute(actor=cast.manager, request=place, person=cast.writer2)
    claim_next(actor=cast.verifier, project=cast.project, stage=Stage.ADJUDICATION)
    with pytest.raises(Conflict):
        take_as_substitute(actor=cast.writer2, request=place)


@pytest.mark.parametrize(
    ("minutes", "sent", "free"), [(1, False, False), (-1, False, True), (-1, True, False)]
)
def test_it_takes_a_place_whose_time_is_up_unless_a_verdict_was_sent(
    cast: Cast, disputed: Item, minutes: int, sent: bool, free: bool
) -> None:
    name_substitute(actor=cast.manager, request=place_of(disputed, Stage.ADJUDICATION), person=cast.writer2)
    request = claim_next(actor=cast.verifier, project=cast.project, stage=Stage.ADJUDICATION)
    assert request is not None
    ends = timezone.now() + timedelta(minutes=minutes)
    ReviewRequest.objects.filter(pk=request.pk).update(lease_expires_at=ends)
    if sent:
        Review.objects.create(
            request=request, item=request.item, revision=request.revision, stage=request.stage,
            reviewer=cast.verifier,
            answer=Answer.OPTION, drawn_order=[0, 1, 2, 3], chosen_position=0, blind=False,
            sent_at=timezone.now(),
        )  # fmt: skip
    if free:
        assert take_as_substitute(actor=cast.writer2, request=request).claimed_by == cast.writer2
    else:
        with pytest.raises(Conflict, match="Someone is reviewing this item"):
            take_as_substitute(actor=cast.writer2, request=request)


def test_it_keeps_out_a_deputy_who_has_come_to_be_excluded(cast: Cast, disputed: Item) -> None:
    place = place_of(disputed, Stage.ADJUDICATION)
    name_substitute(actor=cast.manager, request=place, person=cast.writer2)
    ReviewRequest.objects.filter(pk=place.pk).update(excluded=[cast.writer2.pk])
    with pytest.raises(Conflict, match="have written, reviewed or skipped"):
        take_as_substitute(actor=cast.writer2, request=place)


def test_it_keeps_out_a_deputy_who_left_the_project(cast: Cast, disputed: Item) -> None:
    place = place_of(disputed, Stage.ADJUDICATION)
    name_substitute(actor=cast.manager, request=place, person=cast.writer2)
    Membership.objects.filter(user=cast.writer2).delete()
    with pytest.raises(Hidden):
        take_as_substitute(actor=cast.writer2, request=place)


def test_it_says_why_a_place_is_blocked_until_somebody_is_named(cast: Cast) -> None:
    item = submit_item(cast)
    check(cast, cast.reviewer, Stage.CROSS_CHECK)
    Membership.objects.filter(project=cast.project, role=Role.VERIFIER).delete()
    blocked = blocked_requests(cast.project)
    assert [(one.request.item, one.nobody_has_role) for one in blocked] == [(item, True)]
    assert set(blocked[0].possible_substitutes) == {cast.manager, cast.writer2, cast.reviewer2}
    overview = browser(cast.manager).get(reverse("dashboard:overview", args=[cast.project.slug]))
    assert "no member has this role" in overview.content.decode()

    name_substitute(actor=cast.manager, request=blocked[0].request, person=cast.reviewer2)
    assert blocked_requests(cast.project) == []


def test_it_goes_by_its_pages_from_naming_to_the_verdict(cast: Cast) -> None:
    item = submit_item(cast)
    check(cast, cast.reviewer, Stage.CROSS_CHECK)
    place, slug = place_of(item, Stage.VERIFICATION), cast.project.slug
    named = browser(cast.manager).post(
        reverse("review:name_deputy", args=[slug, place.public_id]),
        {"person": cast.writer2.pk, "back": f"/p/{slug}/overview/details?by=type"},
    )
    assert named.headers["Location"] == f"/p/{slug}/overview/details?by=type"
    client = browser(cast.writer2)
    assert "No one else in the project can review them." in client.get(f"/p/{slug}").content.decode()
    assert (
        reverse("review:take_as_deputy", args=[slug, place.public_id])
        in client.get(reverse("review:deputy", args=[slug])).content.decode()
    )
    page = client.post(reverse("review:take_as_deputy", args=[slug, place.public_id])).headers["Location"]
    place.refresh_from_db()
    key = place.drawn_order.index(place.revision.options.get(is_key=True).position)
    assert client.get(page).status_code == 200
    client.post(f"{page}/answer", {"position": key})
    done = client.post(f"{page}/verdict", {"disposition": "pass"}, follow=True)
    assert done.redirect_chain[-1][0] == reverse("review:deputy", args=[slug])
    item.refresh_from_db()
    assert item.state == State.VERIFIED


@pytest.mark.parametrize("back", ["//elsewhere.example/x", "https://elsewhere.example/", "nothing", ""])
def test_it_sends_nobody_to_another_site(cast: Cast, disputed: Item, back: str) -> None:
    place, slug = place_of(disputed, Stage.ADJUDICATION), cast.project.slug
    answer = browser(cast.manager).post(
        reverse("review:name_deputy", args=[slug, place.public_id]), {"person": "x", "back": back}
    )
    assert answer.headers["Location"] == f"/p/{slug}"


def test_it_offers_people_on_the_page_of_a_ruling(cast: Cast, disputed: Item) -> None:
    client = browser(cast.manager)
    page = client.post(reverse("review:claim_adjudicate", args=[cast.project.slug])).headers["Location"]
    response = client.get(page).content.decode()
    assert f'<option value="{cast.reviewer2.pk}">' in response
    assert f'<option value="{cast.reviewer.pk}">' not in response, "who has judged it"
    assert f'<option value="{cast.manager.pk}">' not in response, "oneself"
