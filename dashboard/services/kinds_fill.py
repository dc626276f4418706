"""Job that fills the third sample project ("kinds"): reviews, a release, model answers, and a panel.

Every step checks what exists, so that an interrupted job continues where it stopped.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.utils import translation

from accounts.models import User
from annotation.models import Item, ItemDraft, State
from annotation.queries.item import revision_content
from annotation.services import import_items, save_draft
from core.invariants import present
from corpus.models import Story
from dashboard.queries.sample import FIRST, SampleStep
from dashboard.services.kinds_answers import bring_model_answers, invite_panel
from dashboard.services.kinds_files import KindsSample, Line, own_of, read_kinds
from dashboard.services.kinds_sample import join_colleagues
from dashboard.services.sample_answers import count_tables
from dashboard.services.sample_jobs import finish_jobs
from dashboard.services.sample_reviews import stop_on_errors, waiting, work_off
from evaluation.models import Run
from jobs.job_types import Report
from parable.kinds import kind_of
from parable.kinds.comparison import Pick
from projects.models import Project
from projects.queries import current_guideline
from projects.services import acknowledge_guideline
from release.models import ReleaseState
from release.queries.release import live_release
from release.services import build_release, read_recipe
from review.models import Answer, Disposition, ReviewRequest, Stage
from review.queries.statistics import STATISTICS
from review.services import order_statistics, send_ruling, send_verdict, solve

SEED: Final = "7"
DEV_SHARE: Final = "0.4"
NAMESPACE: Final = uuid.UUID("5d0f3a52-6f0e-4f7b-9a63-0c1a7c1f2e15")
REVIEWERS: Final = ("second-reviewer-zh", "third-reviewer-zh")
VERIFIER: Final = "second-verifier-zh"
MANAGER: Final = "manager-zh"


@dataclass(frozen=True, slots=True)
class _Filling:
    project: Project
    sample: KindsSample
    people: Mapping[str, User]

    def pks(self, wanted: Callable[[Line], object]) -> list[int]:
        """Return the ids of the items whose lines satisfy the condition `wanted`."""
        names = [name for name, line in self.sample.lines.items() if wanted(line)]
        return list(Item.objects.filter(project=self.project, ref__in=names).values_list("pk", flat=True))


def fill_kinds(*, project: Project, report: Report) -> None:
    """Fill the third sample project, step by step, and report each step."""
    from_files = read_kinds()
    with translation.override(project.lang.lower()):
        manager = User.objects.get(username=MANAGER)
        join_colleagues(project, manager)
        members = User.objects.filter(memberships__project=project).distinct()
        filling = _Filling(project, from_files, {user.username: user for user in members})
        for step, work in _STEPS.items():
            report(step)
            work(filling)


# --- items, drafts, reviews ---


def _review(filling: _Filling) -> None:
    """Import and review the items that have reviews.

    Then import the unreviewed items, and save the drafts.
    """
    _bring_in(filling, lambda line: line["reviews"])
    first, second = REVIEWERS
    _look(filling, first, Stage.CROSS_CHECK, filling.pks(lambda line: line["reviews"]), _reviewed)
    graded_twice = filling.pks(lambda line: len(line["reviews"]) > 1)
    _look(filling, second, Stage.CROSS_CHECK, graded_twice, _reviewed)
    _bring_in(filling, lambda line: line["state"] == State.IN_REVIEW and not line["reviews"])
    _type(filling)


@transaction.atomic
def _bring_in(filling: _Filling, wanted: Callable[[Line], object]) -> None:
    by_writer: dict[str, list[Line]] = {}
    for line in filter(wanted, filling.sample.lines.values()):
        by_writer.setdefault(line["writer"], []).append(line)
    for name, lines in by_writer.items():
        result = import_items(
            actor=filling.people[MANAGER],
            project=filling.project,
            readings=[filling.sample.reading(lines)],
            state=State.IN_REVIEW,
            writer=filling.people[name],
        )
        stop_on_errors(result)


@transaction.atomic
def _type(filling: _Filling) -> None:
    """Save the half-written items as drafts of their writers."""
    guideline = present(current_guideline(filling.project), "it was published with the project")
    stories = {story.ref: story for story in Story.objects.filter(project=filling.project)}
    for name, line in filling.sample.lines.items():
        client_id = uuid.uuid5(NAMESPACE, f"{filling.project.pk} {name}")
        if line["state"] != State.DRAFT or ItemDraft.objects.filter(client_id=client_id).exists():
            continue
        writer, story = filling.people[line["writer"]], stories[line["story_id"]]
        acknowledge_guideline(actor=writer, guideline=guideline)
        save_draft(
            actor=writer,
            project=filling.project,
            story=story,
            task=line["task"],
            client_id=client_id,
            sequence=1,
            content={"own": own_of(line, line, filling.sample.text(line)), "explanation": ""},
        )


Judge = Callable[[_Filling, User, ReviewRequest, Line], object]


def _look(filling: _Filling, name: str, stage: str, items: Sequence[int], one: Judge) -> None:
    """Have a user claim and judge the given items that wait at this stage."""
    if not waiting(filling.project, stage, items).exists():
        return

    def look(actor: User, requests: Sequence[ReviewRequest]) -> None:
        for request in requests:
            one(filling, actor, request, filling.sample.lines[request.item.ref])

    # the items are so few that reporting progress is not worthwhile
    work_off(filling.people[name], filling.project, stage, items, look, lambda _done: None)


def _reviewed(filling: _Filling, actor: User, request: ReviewRequest, line: Line) -> None:
    review_line = line["reviews"][min(request.number, len(line["reviews"])) - 1]
    review = solve(actor=actor, request=request, **_answer(filling, request, line, review_line))
    send_verdict(
        actor=actor,
        review=review,
        disposition=review_line.get("want", Disposition.PASS),
        comment=review_line.get("comment", ""),
        rating=review_line.get("rating"),
        ratings=review_line.get("ratings", {}),
        flaws=review_line.get("flaws", ()),
    )


def _ruled(filling: _Filling, actor: User, request: ReviewRequest, line: Line) -> None:
    words = line["ruling"]
    picks = [Pick(*map(int, pick.split(":"))) for pick in words.get("picks", ())]
    wanted = words.get("disposition", Disposition.EDIT)
    send_ruling(actor=actor, request=request, disposition=wanted, comment=words["comment"], picks=picks)


def _answer(filling: _Filling, request: ReviewRequest, line: Line, review_line: Line) -> dict[str, Any]:
    """Return a review's blind answer, as arguments of `solve`. By default it is the item's own answer."""
    kind, drawn = kind_of(request.task), request.drawn_order
    if review_line.get("nothing"):
        return {"answer": Answer.NONE_FITS}
    if kind.answer in {"several", "order"}:
        places = [drawn.index(place) for place in review_line.get("answers", line["answers"])]
        return {"answer": kind.answer, "several": places if kind.answer == "order" else sorted(places)}
    if kind.answer == "own":
        return {"answer": "own", "own": _own_answer(filling, request, line, review_line)}
    return {"answer": Answer.OPTION, "position": drawn.index(review_line.get("answer", line["answer"]))}


def _own_answer(filling: _Filling, request: ReviewRequest, line: Line, review_line: Line) -> dict[str, Any]:
    own = own_of(line, review_line, filling.sample.text(line))
    revision = present(request.revision, "a request of an item has its wording")
    right = revision_content(revision, request.task).own
    if "same" in right:
        return {"same": review_line.get("same", right["same"]), "element": right["element"]}
    asked = own or right
    return {layer: asked[layer] for layer in ("answer", "alignment") if layer in asked}


def _verify(filling: _Filling) -> None:
    """Have the manager rule on items in adjudication, and a verifier confirm items to be verified."""

    def confirm(filling: _Filling, actor: User, request: ReviewRequest, line: Line) -> None:
        review = solve(actor=actor, request=request, **_answer(filling, request, line, {}))
        send_verdict(actor=actor, review=review, disposition=Disposition.PASS)

    _look(filling, MANAGER, Stage.ADJUDICATION, filling.pks(lambda line: "ruling" in line), _ruled)
    verified = filling.pks(lambda line: line["state"] == State.VERIFIED)
    _look(filling, VERIFIER, Stage.VERIFICATION, verified, confirm)
    order_statistics(actor=filling.people[MANAGER], project=filling.project)
    finish_jobs(STATISTICS, filling.project.pk)


# --- a release, and answers to it ---


def _release(filling: _Filling) -> None:
    found = live_release(filling.project, FIRST)
    if found is not None and found.state != ReleaseState.BUILDING:
        return
    recipe = read_recipe(dev_share=DEV_SHARE, split=filling.project.split_rule)
    build_release(
        actor=filling.people[MANAGER], project=filling.project, version=FIRST, seed=SEED, recipe=recipe
    )


def _answers(filling: _Filling) -> None:
    release = present(live_release(filling.project, FIRST), "the step before has built it")
    words, manager = filling.sample.words, filling.people[MANAGER]
    bring_model_answers(actor=manager, release=release, words=words["answers"])
    invite_panel(actor=manager, release=release, words=words["panel"])


def _count(filling: _Filling) -> None:
    release = present(live_release(filling.project, FIRST), "a step before has built it")
    count_tables(
        actor=filling.people[MANAGER],
        release=release,
        runs=list(Run.objects.filter(release=release).order_by("pk")),
    )


_STEPS: Final[dict[SampleStep, Callable[[_Filling], None]]] = {
    SampleStep.REVIEWS: _review,
    SampleStep.VERIFICATION: _verify,
    SampleStep.RELEASE: _release,
    SampleStep.ANSWERS: _answers,
    SampleStep.RESULTS: _count,
}
