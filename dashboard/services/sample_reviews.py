"""Reviews of the sample's items: import, claims, answers and verdicts by the services of the site."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, Final

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.models import User
from annotation.models import Item, State
from annotation.services import import_items
from core.errors import Unusable
from dashboard.services.sample_files import Sample
from parable.formats.records import ItemRecord
from parable.kinds import kind_of
from projects.models import Project
from review.models import Answer, Disposition, Postponement, RequestState, ReviewRequest, Stage
from review.queries.sibling import together
from review.services import claim_next, postpone_request, send_verdict, solve

AT_ONCE: Final = 8
"""The number of verdicts in one transaction. Several together wait for the disk less often."""
DISPOSITIONS: Final = {
    State.RETURNED: Disposition.RETURN,
    State.WITHDRAWN: Disposition.RETURN,
    State.REJECTED: Disposition.REJECT,
}
"""A reviewer's dispositions for items that end in these states; for any other state it is `PASS`."""

Report = Callable[[int], object]
"""A function that is called with the number of requests that were done since its last call."""

Look = Callable[[User, Sequence[ReviewRequest]], None]
"""A function in which a user judges a claimed request, or all requests that must be answered together."""


def bring_in(
    *,
    actor: User,
    project: Project,
    sample: Sample,
    records: Iterable[ItemRecord],
    writer: User,
    state: str = State.IN_REVIEW,
) -> None:
    """Import these items as a manager would. Items that exist are not changed."""
    readings = [sample.only(records)]
    stop_on_errors(import_items(actor=actor, project=project, readings=readings, state=state, writer=writer))


def stop_on_errors(result: Any) -> None:
    """Raise `Unusable` with the first error of an import, if there are errors."""
    if result.is_broken:
        raise Unusable(str(result.issues[0]))


def cross_check(
    *,
    project: Project,
    sample: Sample,
    reviewers: Iterable[User],
    items: Collection[int],
    report: Report,
    is_together: bool = True,
) -> None:
    """Have each reviewer claim and judge these items, with the verdicts of their journeys.

    If the project keeps the items of a story together, they are claimed together, unless `is_together` is
    False.
    """

    def look(actor: User, requests: Sequence[ReviewRequest]) -> None:
        solved = []
        for request in requests:
            journeys: Sequence[Mapping[str, Any]] = sample.journeys[sample.name_of(request.item)]["reviews"]
            solved.append((request, journeys[min(request.number, 2) - 1]))
        reviews = [
            solve(actor=actor, request=request, **_answer(request, journey["answer"]))
            for request, journey in solved
        ]
        for review, (request, journey) in zip(reviews, solved, strict=True):
            verdict = {name: journey[name] for name in ("rating", "flaws", "comment")}
            state = State(sample.journeys[sample.name_of(request.item)]["state"])
            wanted = DISPOSITIONS.get(state, Disposition.PASS)
            send_verdict(actor=actor, review=review, disposition=wanted, **verdict)

    project = _alike(project, is_together=is_together)
    for reviewer in reviewers:
        work_off(reviewer, project, Stage.CROSS_CHECK, items, look, report)


def verify(*, project: Project, verifier: User, items: Collection[int], report: Report) -> None:
    """Have a verifier solve and confirm the items among `items` that wait for verification."""

    def look(actor: User, requests: Sequence[ReviewRequest]) -> None:
        [request] = requests
        key = request.revision.options.get(is_key=True).position
        review = solve(actor=actor, request=request, **_answer(request, key))
        marks = [position == key for position in review.drawn_order]
        send_verdict(actor=actor, review=review, disposition=Disposition.PASS, option_marks=marks)

    alone = _alike(project, is_together=False)  # a verifier confirms the key; no answer is counted
    work_off(verifier, alone, Stage.VERIFICATION, items, look, report)


def waiting(project: Project, stage: str, items: Collection[int]) -> QuerySet[ReviewRequest]:
    """Return the open requests of these items at this stage."""
    return waiting_of(project, stage).filter(item__in=items)


def waiting_of(project: Project, stage: str) -> QuerySet[ReviewRequest]:
    """Return the open requests at this stage."""
    return ReviewRequest.objects.filter(project=project, stage=stage, state=RequestState.OPEN)


def work_off(
    actor: User, project: Project, stage: str, items: Collection[int], look: Look, report: Report
) -> None:
    """Have a user claim and judge those of the given items that the user may review.

    Each transaction has some of them.
    """
    wanted = frozenset(items)
    while True:
        with transaction.atomic():
            open_to = waiting(project, stage, wanted).exclude(excluded__contains=[actor.pk])
            left = open_to.order_by().values("item").distinct()[:AT_ONCE].count()  # each item is taken once
            done = 0
            while done < left and (more := _looked(actor, project, stage, wanted, look)):
                done += more
        if not done:
            return
        report(done)


def _looked(actor: User, project: Project, stage: str, wanted: frozenset[int], look: Look) -> int:
    """Claim and judge the next of these items, and return their number.

    Requests of other items that the queue offers are postponed.
    """
    while request := claim_next(actor=actor, project=project, stage=stage):
        requests = together(actor, request).left or (request,)
        if wanted.issuperset(one.item_id for one in requests):
            look(actor, requests)
            return len(requests)
        came_again = Postponement.objects.filter(request=request, user=actor).exists()
        postpone_request(actor=actor, request=request)
        if came_again:
            break
    return 0


def _alike(project: Project, *, is_together: bool) -> Project:
    """Return a copy of the project.

    Unless `is_together`, the copy does not keep a story's items together.
    """
    project = copy(project)
    project.solve_together = project.solve_together and is_together
    return project


def beside_others(project: Project, stage: str, items: Collection[int]) -> list[int]:
    """Return the ids of the given items that wait together with other items of their story and task.

    Only tasks in which the keys of a story's items reveal each other count.
    """
    others = waiting_of(project, stage).exclude(item__in=items)
    among = Q()
    for story, task in others.order_by().values_list("story", "task").distinct():
        if kind_of(task).exposed_by_story:
            among |= Q(story=story, task=task)
    found = waiting(project, stage, items).filter(among) if among else ReviewRequest.objects.none()
    return list(found.order_by().values_list("item", flat=True).distinct())


def _answer(request: ReviewRequest, answer: int | str) -> Mapping[str, Any]:
    """Return a journey's answer as arguments of `solve`, in the request's order of options."""
    if answer == Answer.NONE_FITS:
        return {"answer": Answer.NONE_FITS}
    if answer == Answer.SEVERAL_FIT:
        return {"answer": Answer.SEVERAL_FIT, "several": [0, 1]}
    return {"answer": Answer.OPTION, "position": request.drawn_order.index(int(answer))}


def ending(project: Project, sample: Sample, state: str) -> QuerySet[Item]:
    """Return the project's items whose journeys end in this state."""
    names = [record.id for record in sample.ending([state])]
    return Item.objects.filter(project=project, ref__in=names).order_by("pk")
