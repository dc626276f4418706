"""The keyed commonsense items of the published set, worked dry by a small team, through the services."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest
from django.db.models import Exists, OuterRef

from accounts.models import User
from accounts.services import system_account
from annotation.content import ItemContent, OptionContent
from annotation.models import Item, State
from annotation.queries.item import revision_content
from annotation.services import create_item, revise_item
from corpus.models import Story
from dashboard.queries.overview import (
    REVIEWER,
    STORY,
    TYPE,
    WRITER,
    funnel,
    funnel_by,
    oldest_waiting,
    submitted_items,
)
from projects.models import Project, Role
from projects.services import create_project, set_roles
from review.models import Answer, Disposition, Flaw, RequestState, Review, ReviewRequest, Stage
from review.queries import blocked_requests
from review.services import claim_next, send_ruling, send_verdict, solve
from review.services.substitute import name_substitute, take_as_substitute
from tests.corpus.commands import run
from tests.factories import make_user

pytestmark = [pytest.mark.drill, pytest.mark.django_db]

KEYED: Final = 305
MOST_ROUNDS: Final = 12
ENDS: Final = {State.VERIFIED, State.REJECTED, State.RETURNED}


@dataclass(slots=True)
class Team:
    """Three writers, four reviewers, two verifiers, and chance that always falls the same way."""

    project: Project
    writers: list[User]
    reviewers: list[User]
    verifiers: list[User]
    chance: random.Random

    def likely(self, share: float) -> bool:
        return self.chance.random() < share


@pytest.fixture
def published(shared_data: Path) -> Path:
    path = shared_data / "crmus" / "published_format" / "dev_CRMUS_CR.json"
    if not path.is_file():
        pytest.skip("the keyed commonsense items (dev_CRMUS_CR.json) are not among the shared data")
    return path


@pytest.fixture
def team(published: Path) -> Team:
    project = create_project(actor=system_account(), slug="crmus", name="CRMUS", language="zh")
    team = Team(project, [], [], [], random.Random(20240725))  # noqa: S311 - a script, no secret
    for people, role, number in (
        (team.writers, Role.WRITER, 3),
        (team.reviewers, Role.REVIEWER, 4),
        (team.verifiers, Role.VERIFIER, 2),
    ):
        for count in range(number):
            person = make_user(f"{role} {count}")
            set_roles(actor=system_account(), project=project, user=person, roles=[role])
            people.append(person)
    said = run("import_items", published, "--project", "crmus", "--state", "in_review")
    assert (said.code, said.data["created"], said.data["drafts"]) == (0, KEYED, 0)
    return team


# --- what each of them does with the next item; True while there was one ---


def answers(team: Team, request: ReviewRequest, who: User) -> Review:
    """Nine in ten choose the key; the others another option, or none, or two."""
    key = request.drawn_order.index(request.revision.options.get(is_key=True).position)
    luck = team.chance.random()
    if luck < 0.9:
        return solve(actor=who, request=request, answer=Answer.OPTION, position=key)
    if luck < 0.96:
        return solve(
            actor=who, request=request, answer=Answer.OPTION, position=(key + 1) % request.option_count
        )
    if luck < 0.98:
        return solve(actor=who, request=request, answer=Answer.NONE_FITS)
    return solve(actor=who, request=request, answer=Answer.SEVERAL_FIT, several=[0, 1])


def reviews(team: Team, who: User) -> bool:
    request = claim_next(actor=who, project=team.project, stage=Stage.CROSS_CHECK)
    if request is None:
        return False
    review = answers(team, request, who)
    luck = team.chance.random()
    if luck < 0.82:
        send_verdict(actor=who, review=review, disposition=Disposition.PASS, rating=1 + int(luck < 0.5))
    elif luck < 0.88:
        before = revision_content(request.revision)
        edit = replace(before, stem=f"{before.stem}（改）", explanation="故事里这样说。")
        send_verdict(actor=who, review=review, disposition=Disposition.EDIT, rating=1, edit=edit)
    else:
        away = Disposition.RETURN if luck < 0.95 else Disposition.REJECT
        send_verdict(actor=who, review=review, disposition=away, rating=0, flaws=[Flaw.UNCLEAR_STEM])
    return True


def verifies(team: Team, who: User) -> bool:
    request = claim_next(actor=who, project=team.project, stage=Stage.VERIFICATION)
    if request is not None:
        verifies_this(team, who, request)
    return request is not None


def verifies_this(team: Team, who: User, request: ReviewRequest) -> None:
    review = answers(team, request, who)
    luck = team.chance.random()
    if luck < 0.94:
        send_verdict(actor=who, review=review, disposition=Disposition.PASS)
    else:
        away = Disposition.RETURN if luck < 0.97 else Disposition.REJECT
        send_verdict(actor=who, review=review, disposition=away, flaws=[Flaw.TRIVIAL_DISTRACTOR])


def rules(team: Team, who: User) -> bool:
    request = claim_next(actor=who, project=team.project, stage=Stage.ADJUDICATION)
    if request is not None:
        rules_on_this(team, who, request)
    return request is not None


def rules_on_this(team: Team, who: User, request: ReviewRequest) -> None:
    ruling = team.chance.choice(
        [Disposition.PASS, Disposition.PASS, Disposition.SEND_ON, Disposition.RETURN, Disposition.REJECT]
    )
    send_ruling(
        actor=who, request=request, disposition=ruling, comment="两种读法都说得通，以故事第二句为准。"
    )


def names_substitutes(team: Team) -> int:
    """For each blocked place a member who has not touched the item, who takes it at once; how many."""
    blocked = blocked_requests(team.project)
    for one in blocked:
        person = one.possible_substitutes[0]
        name_substitute(actor=system_account(), request=one.request, person=person)
        request = take_as_substitute(actor=person, request=one.request)
        act = verifies_this if one.stage == Stage.VERIFICATION else rules_on_this
        act(team, person, request)
    return len(blocked)


def writes_two(team: Team, who: User) -> None:
    """Two new items of their own, so that the law has something to bite on."""
    for story in team.chance.sample(list(Story.objects.filter(project=team.project).order_by("pk")), 2):
        words = ItemContent(
            stem=f"{who.name} 问：故事里最先发生的是什么事？",
            options=tuple(OptionContent(f"{text}发生了", text == "甲") for text in "甲乙丙丁"),
            types=("temporal",),
            explanation="看第一句。",
        )
        create_item(actor=who, project=team.project, story=story, task="commonsense", content=words)


def revises(team: Team, who: User) -> None:
    """Their own returned items, reworded, once each; what others imported stays returned."""
    for item in Item.objects.filter(project=team.project, writer=who, state=State.RETURNED):
        if item.revisions.count() > 1:
            continue
        assert item.current is not None
        before = revision_content(item.current)
        revise_item(actor=who, item=item, content=replace(before, stem=f"{before.stem}（请想一想）"))


def work_dry(team: Team) -> int:
    """Rounds in which everybody takes turns, until nobody finds anything; how many there were."""
    turns: list[tuple[list[User], Callable[[Team, User], bool]]] = [
        (team.reviewers, reviews),
        (team.verifiers, verifies),
        (team.verifiers, rules),
    ]
    for number in range(MOST_ROUNDS):
        for writer in team.writers:
            revises(team, writer)
        worked = 0
        for people, act in turns:
            busy = list(people)
            while busy:
                busy = [who for who in busy if act(team, who)]
                worked += len(busy)
        worked += names_substitutes(team)
        if not worked:
            return number
    raise AssertionError("the queue never ran dry")


# --- what must be true at the end ---


def test_it_works_the_published_items_dry_and_the_funnel_adds_up(team: Team) -> None:
    for writer in team.writers:
        writes_two(team, writer)
    twice = ReviewRequest.objects.filter(number=2).count()
    assert twice > 20, "some items are drawn for a second reviewer"

    rounds = work_dry(team)

    items = Item.objects.filter(project=team.project)
    ends = Counter(items.values_list("state", flat=True))
    held = {blocked.request.item_id for blocked in blocked_requests(team.project)}
    summary = (
        f"{rounds} rounds, {dict(ends)}, {Review.objects.count()} reviews, {twice} drawn, {len(held)} blocked"
    )
    print(summary)
    unfinished = items.exclude(state__in=ENDS)
    assert not unfinished.exists(), summary
    assert items.count() == KEYED + 6
    assert ends[State.VERIFIED] > KEYED / 2
    assert not ReviewRequest.objects.filter(state__in=[RequestState.OPEN, RequestState.CLAIMED]).exists()
    _nobody_judged_what_they_wrote()
    _the_funnel_adds_up(team, ends)


def _nobody_judged_what_they_wrote() -> None:
    for review in Review.objects.prefetch_related("item__revisions"):
        earlier = [one for one in review.item.revisions.all() if one.created_at < review.created_at]
        assert review.reviewer_id not in {one.author_id for one in earlier}
    verified = Review.objects.filter(stage=Stage.VERIFICATION)
    # who has stood in at a verification may cross-check a later revision, but not the other way round
    crossed = Review.objects.filter(stage=Stage.CROSS_CHECK, item=OuterRef("item"), pk__lt=OuterRef("pk"))
    assert not verified.filter(Exists(crossed.filter(reviewer=OuterRef("reviewer")))).exists()


def _the_funnel_adds_up(team: Team, ends: Counter[str]) -> None:
    counted = funnel(submitted_items(team.project))
    states = {name: number for name, number in counted.items() if name != "all" and number}
    assert counted["all"] == sum(states.values()) == KEYED + 6
    assert states == ends
    assert all(one.waiting == 0 for one in oldest_waiting(team.project))
    for group in (STORY, WRITER):
        rows = list(funnel_by(submitted_items(team.project), group))
        assert sum(row["all"] for row in rows) == counted["all"], group
        assert {state: sum(row[state] for row in rows) for state in states} == states
    for group in (TYPE, REVIEWER):  # an item of two types, or with two reviewers, counts in both
        rows = list(funnel_by(submitted_items(team.project), group))
        assert sum(row["all"] for row in rows) >= counted["all"] - ends[State.RETURNED], group
        assert all(sum(row[state] for state in states) == row["all"] for row in rows)
