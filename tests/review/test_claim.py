"""A claim: its order in the queue, its lease, coming late, postponing, undoing."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.active_time import active_seconds
from annotation.models import State
from annotation.services import hand_over_work, record_exposure, revise_item, withdraw_item
from core.errors import Conflict, Forbidden, Hidden
from projects.models import Project, Role
from projects.services import set_roles
from review.models import Answer, Disposition, RequestState, Review, ReviewRequest, Stage
from review.queries import count_open, waiting
from review.queries.inbox import queued
from review.services import claim as claims_of_review
from review.services import (
    claim_next,
    mark_misclick,
    postpone_request,
    renew_lease,
    send_verdict,
    skip_request,
    solve,
    undo_verdict,
)
from review.services.substitute import name_substitute
from review.tasks import sweep_verdicts
from tests.factories import Cast, content, make_project, make_story, make_user, submit_item

pytestmark = pytest.mark.django_db


def take(cast: Cast, who: User) -> ReviewRequest:
    request = claim_next(actor=who, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    return request


def none_for(cast: Cast, who: User) -> bool:
    return claim_next(actor=who, project=cast.project, stage=Stage.CROSS_CHECK) is None


def right(request: ReviewRequest) -> int:
    return request.drawn_order.index(request.revision.options.get(is_key=True).position)


def solved(who: User, request: ReviewRequest) -> Review:
    return solve(actor=who, request=request, answer=Answer.OPTION, position=right(request))


def passed(who: User, review: Review, *, final: bool = True) -> Review:
    return send_verdict(actor=who, review=review, disposition=Disposition.PASS, rating=2, final=final)


def run_out(request: ReviewRequest) -> None:
    """The person's screen was locked until long after the lease."""
    ReviewRequest.objects.filter(pk=request.pk).update(lease_expires_at=timezone.now() - timedelta(minutes=1))


def wanting(project: Project, reviews: int) -> None:
    project.reviews_per_item = reviews
    project.save()


# --- what has been judged, and what has moved on ---


def test_it_closes_what_somebody_holds_when_its_item_is_withdrawn(cast: Cast) -> None:
    item = submit_item(cast)
    place = take(cast, cast.reviewer)
    withdraw_item(actor=cast.writer, item=item)
    place.refresh_from_db()
    assert (place.state, place.claimed_by, place.lease_expires_at) == (RequestState.CLOSED, None, None)


def test_it_says_that_what_one_has_judged_is_judged(cast: Cast) -> None:
    submit_item(cast)
    place = take(cast, cast.reviewer)
    passed(cast.reviewer, solved(cast.reviewer, place))
    for go_on in (
        lambda: renew_lease(actor=cast.reviewer, request=place),
        lambda: skip_request(actor=cast.reviewer, request=place, reason="No time."),
        lambda: postpone_request(actor=cast.reviewer, request=place),
    ):
        with pytest.raises(Conflict, match="was already reviewed"):
            go_on()


# --- order ---


def test_it_offers_the_more_urgent_place_first_and_then_the_oldest(cast: Cast) -> None:
    first, second, urgent = (submit_item(cast) for _ in range(3))
    ReviewRequest.objects.filter(item=urgent).update(priority=5)
    assert take(cast, cast.reviewer).item == urgent
    assert take(cast, cast.reviewer2).item == first
    assert first.pk < second.pk


@pytest.mark.parametrize("priority", [0, 5])
def test_it_goes_on_with_the_story_just_read_unless_something_is_more_urgent(
    cast: Cast, priority: int
) -> None:
    story = make_story(cast)
    read, older, sibling = submit_item(cast, story=story), submit_item(cast), submit_item(cast, story=story)
    place = take(cast, cast.reviewer)
    assert place.item == read
    passed(cast.reviewer, solved(cast.reviewer, place))
    ReviewRequest.objects.filter(item=older).update(priority=priority)
    assert take(cast, cast.reviewer).item == (older if priority else sibling)


def test_it_goes_on_with_the_story_read_last_and_not_with_the_one_before(cast: Cast) -> None:
    before, last = make_story(cast), make_story(cast)
    for story in (before, last):
        submit_item(cast, story=story)
        submit_item(cast, story=story)
    for story, priority in ((before, 0), (last, 5)):
        ReviewRequest.objects.filter(story=story).update(priority=priority)
        place = take(cast, cast.reviewer)
        assert place.story == story
        passed(cast.reviewer, solved(cast.reviewer, place))
    ReviewRequest.objects.update(priority=0)
    assert take(cast, cast.reviewer).story == last


def test_what_somebody_else_reads_leads_nobody_to_its_story(cast: Cast) -> None:
    story = make_story(cast)
    read, older, _sibling = submit_item(cast, story=story), submit_item(cast), submit_item(cast, story=story)
    place = take(cast, cast.reviewer)
    assert place.item == read
    passed(cast.reviewer, solved(cast.reviewer, place))
    assert take(cast, cast.reviewer2).item == older


def test_nobody_judges_what_somebody_else_has_solved(cast: Cast) -> None:
    submit_item(cast)
    review = solved(cast.reviewer, take(cast, cast.reviewer))
    with pytest.raises(Hidden):
        passed(cast.reviewer2, review)
    review.refresh_from_db()
    assert (review.judged_at, review.sent_at, review.disposition) == (None, None, "")


def test_it_finds_the_one_place_behind_all_that_somebody_is_excluded_from(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By groups: more places than are looked at one by one are excluded."""
    monkeypatch.setattr(claims_of_review, "LOOKED_AT_FIRST", 3)
    for _ in range(6):
        submit_item(cast)
    ReviewRequest.objects.update(excluded=[cast.writer.pk, cast.reviewer.pk])
    last = submit_item(cast)
    assert take(cast, cast.reviewer).item == last
    assert none_for(cast, cast.reviewer) is False, "the one in hand"
    assert take(cast, cast.reviewer2).item != last


def test_it_offers_what_somebody_is_exposed_to_after_all_else(cast: Cast) -> None:
    shown = make_story(cast)
    moral = submit_item(cast, story=shown, task="moral")
    other = submit_item(cast, task="commonsense")
    record_exposure(actor=cast.reviewer, story=shown)
    first = take(cast, cast.reviewer)
    assert first.item == other
    passed(cast.reviewer, solved(cast.reviewer, first))
    place = take(cast, cast.reviewer)
    assert place.item == moral, "never empty while something waits"
    assert solved(cast.reviewer, place).blind is False


def test_it_never_offers_two_places_of_one_wording(cast: Cast) -> None:
    wanting(cast.project, 3)
    submit_item(cast)
    place = take(cast, cast.reviewer)
    skip_request(actor=cast.reviewer, request=place, reason="I know it.")
    assert none_for(cast, cast.reviewer), "skipped is skipped, at its other places too"
    passed(cast.reviewer2, solved(cast.reviewer2, take(cast, cast.reviewer2)))
    assert none_for(cast, cast.reviewer2)


# --- the lease ---


def test_it_goes_on_after_a_locked_screen_where_nobody_took_the_place(cast: Cast) -> None:
    submit_item(cast)
    place = take(cast, cast.reviewer)
    order = place.drawn_order
    run_out(place)
    skip_request(actor=cast.reviewer2, request=take(cast, cast.reviewer2), reason="Gives it back.")
    place.refresh_from_db()
    assert (place.state, place.claimed_by) == (RequestState.OPEN, None), "the clock has given it back"
    again = renew_lease(actor=cast.reviewer, request=place)
    assert again.claimed_by == cast.reviewer
    assert again.drawn_order == order
    assert passed(cast.reviewer, solved(cast.reviewer, again)).judged_at


@pytest.mark.parametrize("answered", [False, True])
def test_it_says_so_to_who_comes_late_and_has_revised_the_item_since(cast: Cast, answered: bool) -> None:
    """Their place was lost, the item came to them as a writer, and then they send what they had begun."""
    item, place = submit_item(cast), take(cast, cast.reviewer)
    review = solved(cast.reviewer, place) if answered else None
    run_out(place)
    second = solved(cast.reviewer2, take(cast, cast.reviewer2))
    send_verdict(
        actor=cast.reviewer2, review=second, disposition=Disposition.RETURN, rating=1, comment="Mend it."
    )
    both = [Role.WRITER, Role.REVIEWER]
    set_roles(actor=cast.manager, project=cast.project, user=cast.reviewer, roles=both)
    hand_over_work(actor=cast.manager, project=cast.project, departing=cast.writer, receiver=cast.reviewer)
    item.refresh_from_db()
    revise_item(actor=cast.reviewer, item=item, content=content("Why did the hare lie down?"))
    place.refresh_from_db()
    with pytest.raises(Forbidden, match="No one reviews their own items"):
        passed(cast.reviewer, review) if review else solved(cast.reviewer, place)


def test_it_says_so_where_somebody_else_has_it_and_keeps_the_late_answer_as_a_note(cast: Cast) -> None:
    item = submit_item(cast)
    place = take(cast, cast.reviewer)
    position = right(place)
    run_out(place)
    assert take(cast, cast.reviewer2).pk == place.pk
    with pytest.raises(Conflict, match="went to someone else"):
        renew_lease(actor=cast.reviewer, request=place)
    late = solve(actor=cast.reviewer, request=place, answer=Answer.OPTION, position=position)
    assert late.is_correct, "read in the order that was drawn for the one who is late"
    assert late.late_at
    assert passed(cast.reviewer, late).judged_at is None
    mine = take(cast, cast.reviewer2)
    passed(cast.reviewer2, solved(cast.reviewer2, mine))
    item.refresh_from_db()
    assert item.state == State.IN_VERIFICATION
    assert Review.objects.filter(judged_at__isnull=False).count() == 1, "never more than wanted"
    with pytest.raises(Hidden):
        renew_lease(actor=cast.verifier, request=place)


def test_it_measures_seconds_from_the_claim_by_its_own_clock(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit_item(cast)
    place, begun = take(cast, cast.reviewer), timezone.now()
    ReviewRequest.objects.update(claimed_at=begun)
    monkeypatch.setattr(timezone, "now", lambda: begun + timedelta(seconds=90))
    assert solved(cast.reviewer, place).seconds == 90


def test_it_brings_a_postponed_place_back_after_all_others(cast: Cast) -> None:
    first, second = submit_item(cast), submit_item(cast)
    place = take(cast, cast.reviewer)
    assert place.item == first
    postpone_request(actor=cast.reviewer, request=place)
    following = take(cast, cast.reviewer)
    assert following.item == second
    passed(cast.reviewer, solved(cast.reviewer, following))
    assert take(cast, cast.reviewer).item == first
    with pytest.raises(Hidden):
        postpone_request(actor=cast.reviewer2, request=place)


def test_what_is_put_off_again_and_again_comes_in_turn(cast: Cast) -> None:
    items = [submit_item(cast) for _ in range(3)]
    seen = []
    for _ in range(7):
        place = take(cast, cast.reviewer)
        seen.append(place.item)
        postpone_request(actor=cast.reviewer, request=place)
    assert seen == [*items, *items, items[0]]


@pytest.mark.parametrize(
    ("silence", "counted"), [(-1, 0), (0, 0), (119, 119), (120, 120), (121, 120), (150, 120), (3000, 120)]
)
def test_a_silence_counts_up_to_two_minutes(silence: int, counted: int) -> None:
    since = timezone.now()
    assert active_seconds(since, since + timedelta(seconds=silence)) == counted


def test_reading_for_long_before_the_answer_is_work(cast: Cast) -> None:
    submit_item(cast)
    place = take(cast, cast.reviewer)
    begun = timezone.now() - timedelta(seconds=150)
    until = begun + timedelta(minutes=cast.project.lease_minutes)
    ReviewRequest.objects.filter(pk=place.pk).update(claimed_at=begun, lease_expires_at=until)
    place.refresh_from_db()
    review = passed(cast.reviewer, solved(cast.reviewer, place))
    review.refresh_from_db()
    assert review.active_seconds == 120


# --- undoing ---


def test_it_undoes_a_verdict_until_the_next_claim(cast: Cast) -> None:
    item = submit_item(cast)
    submit_item(cast)
    place = take(cast, cast.reviewer)
    review = passed(cast.reviewer, solved(cast.reviewer, place), final=False)
    item.refresh_from_db()
    assert (item.state, review.judged_at) == (State.IN_REVIEW, None)
    review = undo_verdict(actor=cast.reviewer, review=review)
    assert review.sent_at is None
    review = send_verdict(
        actor=cast.reviewer,
        review=review,
        disposition=Disposition.REJECT,
        rating=0,
        flaws=["unclear_stem"],
        final=False,
    )
    take(cast, cast.reviewer)
    item.refresh_from_db()
    assert item.state == State.REJECTED
    with pytest.raises(Conflict):
        undo_verdict(actor=cast.reviewer, review=review)


def test_it_carries_a_verdict_out_when_nobody_undoes_it(cast: Cast) -> None:
    item = submit_item(cast)
    place = take(cast, cast.reviewer)
    passed(cast.reviewer, solved(cast.reviewer, place), final=False)
    run_out(place)
    assert none_for(cast, cast.reviewer2), "it is carried out, not handed to somebody else"
    item.refresh_from_db()
    assert item.state == State.IN_VERIFICATION


def test_it_carries_a_verdict_out_though_nobody_claims_anything(cast: Cast) -> None:
    item = submit_item(cast)
    place = take(cast, cast.reviewer)
    review = passed(cast.reviewer, solved(cast.reviewer, place), final=False)
    sweep_verdicts()
    item.refresh_from_db()
    assert item.state == State.IN_REVIEW, "it can still be undone"
    run_out(place)
    for _twice in range(2):
        sweep_verdicts()
    item.refresh_from_db()
    assert item.state == State.IN_VERIFICATION
    with pytest.raises(Conflict):
        undo_verdict(actor=cast.reviewer, review=review)


def test_it_leaves_a_slip_out_of_what_the_verdicts_come_to(cast: Cast) -> None:
    item = submit_item(cast)
    place = take(cast, cast.reviewer)
    wrong = (right(place) + 1) % place.option_count
    review = solve(actor=cast.reviewer, request=place, answer=Answer.OPTION, position=wrong)
    passed(cast.reviewer, mark_misclick(actor=cast.reviewer, review=review))
    item.refresh_from_db()
    assert item.state == State.IN_VERIFICATION


# --- how much waits ---


@pytest.mark.parametrize(("most", "found"), [(5, 2), (2, 2), (1, 1)])
def test_an_item_that_needs_two_reviews_waits_once_for_a_person(most: int, found: int) -> None:
    cast = make_project(reviews_per_item=2)
    for question in ("Why did the hare sleep?", "Why did the tortoise win?"):
        submit_item(cast, words=content(question))
    assert count_open(cast.reviewer, cast.project, Stage.CROSS_CHECK, most=most) == found
    assert queued(cast.reviewer, [(cast.project.pk, Stage.CROSS_CHECK)]).popitem()[1].open == 2


# --- why it is empty ---


def test_it_says_that_only_ones_own_items_or_blocked_ones_are_left(cast: Cast) -> None:
    assert waiting(cast.reviewer, cast.project, Stage.CROSS_CHECK).standing is False
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=[Role.WRITER, Role.REVIEWER])
    submit_item(cast)
    found = waiting(cast.writer, cast.project, Stage.CROSS_CHECK)
    assert (found.open, found.excluded, found.own, found.blocked) == (0, 1, 1, 0)
    for person in (cast.reviewer, cast.reviewer2):
        skip_request(actor=person, request=take(cast, person), reason="I know it.")
    found = waiting(cast.reviewer, cast.project, Stage.CROSS_CHECK)
    assert (found.open, found.excluded, found.own, found.blocked) == (0, 1, 0, 1)


@pytest.mark.parametrize(
    ("done", "says"),
    [
        ("nothing", "No items at this stage yet."),
        ("all", "All submitted items have been reviewed."),
        ("none is left but mine", "1 item is hidden"),
    ],
)
def test_it_distinguishes_who_has_reviewed_all_from_who_has_nothing_yet(
    cast: Cast, done: str, says: str
) -> None:
    if done != "nothing":
        wanting(cast.project, 1 if done == "all" else 2)
        submit_item(cast)
        passed(cast.reviewer, solved(cast.reviewer, take(cast, cast.reviewer)))
    client = Client()
    client.force_login(cast.reviewer)
    page = client.get(reverse("review:queue", args=[cast.project.slug])).content.decode()
    sentences = (
        "No items at this stage yet.",
        "All submitted items have been reviewed.",
        "1 item is hidden",
    )
    assert [sentence for sentence in sentences if sentence in page] == [says]


def test_it_offers_a_manager_what_can_be_done_about_blocked_items(cast: Cast) -> None:
    set_roles(
        actor=cast.manager, project=cast.project, user=cast.manager, roles=[Role.REVIEWER, Role.MANAGER]
    )
    submit_item(cast)
    for person in (cast.reviewer, cast.reviewer2, cast.manager):
        skip_request(actor=person, request=take(cast, person), reason="I know it.")
    page = reverse("review:queue", args=[cast.project.slug])
    pages, client = {}, Client()
    for who in ("reviewer", "manager"):
        client.force_login(getattr(cast, who))
        pages[who] = client.get(page).content.decode()
    assert "The manager can invite someone or appoint a deputy." in pages["reviewer"]
    overview = reverse("dashboard:overview", args=[cast.project.slug])
    assert f'href="{overview}#blocked"' in pages["manager"]
    assert f'href="{overview}#blocked"' not in pages["reviewer"]


def test_every_page_counts_the_same_blocked_items(cast: Cast) -> None:
    wanting(cast.project, 2)
    items = [submit_item(cast, words=content(f"Question {number}?")) for number in range(22)]
    everybody = [cast.writer.pk, cast.reviewer.pk, cast.reviewer2.pk]
    ReviewRequest.objects.update(excluded=everybody, excluded_key=",".join(map(str, everybody)))
    client = Client()

    def said_to(who: User, address: str) -> str:
        client.force_login(who)
        return " ".join(client.get(address).content.decode().split())

    queue = reverse("review:queue", args=[cast.project.slug])
    overview = reverse("dashboard:overview", args=[cast.project.slug])
    assert "22 items are blocked" in said_to(cast.reviewer, queue)
    assert "No one can review 22 items" in said_to(cast.manager, "/")
    page = said_to(cast.manager, overview)
    assert "No one can review 22 items." in page
    assert "and 19 more" in page, "5 requests of 3 items are listed"
    for request in ReviewRequest.objects.filter(item=items[0]):
        name_substitute(actor=cast.manager, request=request, person=cast.writer2)
    assert "21 items are blocked" in said_to(cast.reviewer, queue)
    assert "No one can review 21 items." in said_to(cast.manager, overview)


# --- the pages of all this ---


def test_it_resumes_postpones_and_undoes_by_its_pages(cast: Cast) -> None:
    submit_item(cast)
    client = Client()
    client.force_login(cast.reviewer)
    page = client.post(f"/p/{cast.project.slug}/review/next").headers["Location"]
    request = ReviewRequest.objects.get()
    ReviewRequest.objects.update(
        state="open",
        claimed_by=None,
        claimed_at=None,
        lease_expires_at=None,
        freed_from=cast.reviewer,
        freed_order=request.drawn_order,
    )
    lapsed = client.get(page).content.decode()
    assert "Your time for this item has expired" in lapsed
    assert "It felt sure of winning" not in lapsed
    client.post(f"{page}/resume")
    assert "It felt sure of winning" in client.get(page).content.decode()
    assert client.post(f"{page}/postpone").headers["Location"] == page, "there is no other"
    request.refresh_from_db()
    client.post(f"{page}/answer", {"position": right(request)})
    assert client.post(f"{page}/postpone").status_code == 409
    sent = client.post(f"{page}/verdict", {"rating": 2, "disposition": "pass", "stay": "1"}, follow=True)
    assert "Undo verdict" in sent.content.decode()
    assert 'id="verdict"' in client.post(f"{page}/undo", follow=True).content.decode()
    client.post(f"{page}/verdict", {"rating": 2, "disposition": "pass"})
    assert client.post(f"{page}/undo").status_code == 409
    stranger = Client()
    stranger.force_login(cast.reviewer2)
    for verb in ("resume", "postpone", "undo"):
        assert stranger.post(f"{page}/{verb}").status_code == 404


def test_it_refuses_a_stranger_every_verb(cast: Cast) -> None:
    submit_item(cast, words=content())
    place = take(cast, cast.reviewer)
    review = passed(cast.reviewer, solved(cast.reviewer, place), final=False)
    with pytest.raises(Hidden):
        undo_verdict(actor=make_user("Nosy Neighbour"), review=review)
