"""How the sample's items are looked at: imported, claimed, solved and judged by the site's own services."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from annotation.models import Item, State
from annotation.services import import_items
from core.errors import Unusable
from dashboard.services.sample_files import Sample
from parable.formats.records import ItemRecord
from projects.models import Project
from review.models import Answer, Disposition, PlaceState, Postponement, ReviewRequest, Stage
from review.services import claim_next, judge, postpone_request, solve

AT_ONCE: Final = 8
"""Verdicts in one transaction: after each of them alone the disk would be waited for."""

Told = Callable[[int], object]
"""Hears how many requests are done."""

Look = Callable[[User, ReviewRequest], None]
"""What a person does with a request in hand."""


def bring_in(
    *,
    actor: User,
    project: Project,
    sample: Sample,
    records: Iterable[ItemRecord],
    writer: User,
    state: str = State.IN_REVIEW,
) -> None:
    """Import these items, as a manager would; what is there already stays as it is."""
    readings = [sample.only(records)]
    stop_on_errors(import_items(actor=actor, project=project, readings=readings, state=state, writer=writer))


def stop_on_errors(result: Any) -> None:
    """Raise `Unusable` with the first fault of an import."""
    if result.is_broken:
        raise Unusable(str(result.issues[0]))


def cross_check(
    *, project: Project, sample: Sample, reviewers: Iterable[User], items: Collection[int], told: Told
) -> None:
    """Let each reviewer take what waits of these items and judge it as the journeys tell."""

    def look(actor: User, place: ReviewRequest) -> None:
        journey = sample.journeys[sample.name_of(place.item)]
        # Whoever takes the first place says the one thing, whoever takes the second the other.
        said = journey["reviews"][min(place.place, 2) - 1]
        review = solve(actor=actor, request=place, **_answer(place, said["answer"]))
        verdict = {name: said[name] for name in ("rating", "flaws", "comment")}
        judge(actor=actor, review=review, disposition=_disposition(journey["state"]), **verdict)

    for reviewer in reviewers:
        _work_off(reviewer, project, Stage.CROSS_CHECK, items, look, told)


def verify(*, project: Project, verifier: User, items: Collection[int], told: Told) -> None:
    """Let a verifier solve and confirm what waits of these items."""

    def look(actor: User, place: ReviewRequest) -> None:
        key = place.revision.options.get(is_key=True).position
        review = solve(actor=actor, request=place, **_answer(place, key))
        marks = [position == key for position in review.drawn_order]
        judge(actor=actor, review=review, disposition=Disposition.PASS, option_marks=marks)

    _work_off(verifier, project, Stage.VERIFICATION, items, look, told)


def waiting(project: Project, stage: str, items: Collection[int]) -> QuerySet[ReviewRequest]:
    """What waits of these items at this stage."""
    return ReviewRequest.objects.filter(project=project, stage=stage, state=PlaceState.OPEN, item__in=items)


def _work_off(
    actor: User, project: Project, stage: str, items: Collection[int], look: Look, told: Told
) -> None:
    """Claim and look, some at once, until none of these items is left for this person."""
    wanted = frozenset(items)
    while True:
        with transaction.atomic():
            open_to = waiting(project, stage, wanted).exclude(barred__contains=[actor.pk])
            left = open_to.order_by().values("item").distinct()[:AT_ONCE].count()  # nobody takes one twice
            done = sum(_looked(actor, project, stage, wanted, look) for _number in range(left))
        if not done:
            return
        told(done)


def _looked(actor: User, project: Project, stage: str, wanted: frozenset[int], look: Look) -> bool:
    """Whether one of these items was claimed and judged; another one is put off, for who signs in later."""
    while place := claim_next(actor=actor, project=project, stage=stage):
        if place.item_id in wanted:
            look(actor, place)
            return True
        came_again = Postponement.objects.filter(request=place, user=actor).exists()
        postpone_request(actor=actor, request=place)
        if came_again:
            break
    return False


def _answer(place: ReviewRequest, answer: int | str) -> Mapping[str, Any]:
    """A journey's answer, an index into the writer's order, as the place drew it."""
    if answer == Answer.NONE_FITS:
        return {"answer": Answer.NONE_FITS}
    if answer == Answer.SEVERAL_FIT:
        return {"answer": Answer.SEVERAL_FIT, "several": [0, 1]}
    return {"answer": Answer.OPTION, "position": place.drawn_order.index(int(answer))}


def _disposition(state: str) -> str:
    """What a reviewer wants of an item that ends in this state."""
    ends = {
        State.RETURNED: Disposition.RETURN,
        State.WITHDRAWN: Disposition.RETURN,
        State.REJECTED: Disposition.REJECT,
    }
    return ends.get(State(state), Disposition.PASS)


def ending(project: Project, sample: Sample, state: str) -> QuerySet[Item]:
    """The project's items whose journeys end in this state."""
    names = [record.id for record in sample.ending([state])]
    return Item.objects.filter(project=project, ref__in=names).order_by("pk")
