"""Job that fills a sample project, from a pilot to an erratum, while the site is in use.

Every step checks what exists, so that an interrupted job continues where it stopped.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.utils import translation

from accounts.models import User
from annotation.models import Item, Pilot, State
from annotation.services import (
    create_item,
    end_pilot,
    note_on_pilot,
    retire_item,
    start_pilot,
    withdraw_item,
)
from core.invariants import present
from corpus.models import Story
from dashboard.queries.sample import COLLEAGUES, FIRST, KINDS_SLUG, MENDED, SampleStep, sample_people
from dashboard.services.kinds_fill import fill_kinds
from dashboard.services.sample import join
from dashboard.services.sample_answers import analyse_items, bring_answers, count_tables, released_items
from dashboard.services.sample_files import JUDGED, PART_WAY, WHOLE_WAY, Sample, content_of, read_sample
from dashboard.services.sample_jobs import finish_jobs
from dashboard.services.sample_reviews import beside_others, bring_in, cross_check, ending, verify, waiting
from generation.models import Candidate, Purpose
from generation.services import create_template, paste_answer, submit_machine_item
from jobs.job_types import Report, quiet
from jobs.models import EndpointKind
from jobs.services import create_endpoint
from projects.models import Project
from projects.queries import current_guideline
from projects.services import acknowledge_guideline, publish_guideline, update_project
from release.models import Erratum, ErrorKind, ErrorReport, Release, ReleaseState, Remedy
from release.queries.release import live_release
from release.services import answer_report, build_release, read_recipe, report_error
from review.models import PracticeItem, Priority, Stage
from review.practice import plant
from review.queries.practice import closed_item, closed_items
from review.queries.statistics import STATISTICS
from review.services import make_practice_item, order_statistics, set_priority

SEED: Final = "7"
DEV_SHARE: Final = "0.2"
WRONG_KEY: Final = "crow-and-pitcher-c5"
"""The item whose wrong key becomes the erratum. The wrong key of `tortoise-and-hare-c5` remains, for users to
find.
"""


@dataclass(frozen=True, slots=True)
class _Filling:
    project: Project
    people: dict[str, User]
    sample: Sample
    report: Report

    @property
    def manager(self) -> User:
        return self.people["manager"]

    @property
    def first(self) -> Release:
        return present(live_release(self.project, FIRST), "the step before has built it")

    def items_ending(self, states: Collection[str]) -> list[int]:
        """Return the ids of the items whose journeys end in one of these states, without drafts."""
        names = {one.id for one in self.sample.ending(states)}
        items = Item.objects.filter(project=self.project, current__isnull=False)
        rows = items.select_related("story", "current").prefetch_related("current__options")
        return [item.pk for item in rows if self.sample.name_of(item) in names]


def fill_sample(*, project_id: int, report: Report = quiet) -> None:
    """Fill a sample project, with texts in the project's language. Steps that are done are skipped."""
    project = Project.objects.get(pk=project_id)
    if project.slug == KINDS_SLUG:
        fill_kinds(project=project, report=report)
        return
    sample = read_sample(project.language)
    people = sample_people(project)
    with translation.override(project.lang.lower()):
        for part in COLLEAGUES:
            people[part] = people.get(part) or join(project, people["manager"], sample, part)
        filling = _Filling(project, people, sample, report)
        for step, work in _STEPS.items():
            report(step)
            work(filling)


@transaction.atomic
def _write_pilot(filling: _Filling) -> None:
    """Run a pilot with two writers, and add its result to the guideline."""
    project, manager, words = filling.project, filling.manager, filling.sample.words["pilot"]
    if Pilot.objects.filter(project=project).exists():
        return
    writers = [filling.people["writer"], filling.people["second_writer"]]
    _read_guideline(project, writers)
    stories = list(Story.objects.filter(project=project, ref__in=words["stories"]).order_by("pk"))
    pilot = start_pilot(actor=manager, project=project, name=words["name"], stories=stories, writers=writers)
    by_name = {story.ref: story for story in stories}
    for number, record in enumerate(filling.sample.pilot_items()):
        create_item(
            actor=writers[number % 2],
            project=project,
            story=by_name[record.story_id or ""],
            task=record.task,
            content=content_of(record),
        )
    for link in pilot.links.select_related("story", "pilot__project"):
        note_on_pilot(actor=manager, link=link, text=words["stories"][link.story.ref])
    end_pilot(actor=manager, pilot=pilot)
    before = current_guideline(project)
    text = f"{before.text if before else ''}\n\n{words['learnt']}"
    publish_guideline(actor=manager, project=project, text=text)


def _read_guideline(project: Project, people: list[User]) -> None:
    guideline = current_guideline(project)
    for person in people:
        if guideline is not None:
            acknowledge_guideline(actor=person, guideline=guideline)


@transaction.atomic
def _propose(filling: _Filling) -> None:
    """Import candidates of simulated models, and make items from some of them."""
    project, words = filling.project, filling.sample.candidates
    if Candidate.objects.filter(project=project).exists():
        return
    writer = filling.people["second_writer"]
    _read_guideline(project, [writer])
    endpoints = {
        one["model"]: create_endpoint(actor=filling.manager, project=project, kind=EndpointKind.MANUAL, **one)
        for one in words["endpoints"]
    }
    template = create_template(actor=writer, project=project, wanted=4, **words["prompt"])
    create_template(
        actor=writer, project=project, wanted=3, purpose=Purpose.WRONG_OPTIONS, **words["stem_prompt"]
    )
    records = {record.id: record for record in filling.sample.adopted_items()}
    for ref, answer in {**words["adopted"], **words["answers"]}.items():
        story = Story.objects.get(project=project, ref=ref)
        proposed = paste_answer(
            actor=writer,
            story=story,
            template=template,
            endpoint=endpoints[answer["model"]],
            model=answer["model"],
            answer=answer["answer"],
        )
        if record := records.get(answer.get("item", "")):
            wrong = [text for index, text in enumerate(record.choices) if index != record.answer]
            grown = {text: candidate.pk for text, candidate in zip(wrong, proposed, strict=False)}
            submit_machine_item(actor=writer, story=story, content=content_of(record, grown))


def _review(filling: _Filling) -> None:
    """Have two reviewers review all items, except those that stay in review or stay drafts."""
    project, sample, manager = filling.project, filling.sample, filling.manager
    typed = {one.id for one in [*sample.pilot_items(), *sample.adopted_items()]}
    rest = [one for one in sample.ending(JUDGED) if one.id not in typed]
    writers = filling.people["writer"], filling.people["second_writer"]
    with transaction.atomic():
        for index, writer in enumerate(writers):  # whole stories, alternating so that both get about half
            theirs = [one for one in rest if len(one.story_id or "") % 2 == index]
            bring_in(actor=manager, project=project, sample=sample, records=theirs, writer=writer)
    items = filling.items_ending(JUDGED)
    reviewers = [filling.people["second_reviewer"], filling.people["third_reviewer"]]
    report = _counted(filling, SampleStep.REVIEWS, waiting(project, Stage.CROSS_CHECK, items).count())
    # first the items whose siblings must stay in the queue; then the moral items of each other story together
    for chosen, is_together in ((beside_others(project, Stage.CROSS_CHECK, items), False), (items, True)):
        _put(filling, chosen, Priority.FIRST)
        cross_check(
            project=project,
            sample=sample,
            reviewers=reviewers,
            items=chosen,
            report=report,
            is_together=is_together,
        )
    for item in ending(project, sample, State.WITHDRAWN).filter(state=State.RETURNED):
        withdraw_item(actor=item.writer, item=item)


def _put(filling: _Filling, items: Collection[int], priority: Priority) -> None:
    chosen = Item.objects.filter(pk__in=items)
    set_priority(actor=filling.manager, project=filling.project, items=chosen, priority=priority)


def _verify(filling: _Filling) -> None:
    """Verify items, retire some before the release, and make practice items of others."""
    project, sample = filling.project, filling.sample
    items = filling.items_ending(WHOLE_WAY)
    report = _counted(filling, SampleStep.VERIFICATION, waiting(project, Stage.VERIFICATION, items).count())
    verify(project=project, verifier=filling.people["second_verifier"], items=items, report=report)
    for item in ending(project, sample, State.RETIRED).filter(state=State.VERIFIED):
        retire_item(
            actor=filling.manager, item=item, reason=sample.journeys[item.ref]["reviews"][0]["comment"]
        )
    _put(filling, filling.items_ending(PART_WAY), Priority.NORMAL)
    _practise(filling)
    order_statistics(actor=filling.manager, project=project)
    finish_jobs(STATISTICS, project.pk)


def _counted(filling: _Filling, step: SampleStep, total: int) -> Callable[[int], None]:
    """Return a callback that reports how many items of `total` are done."""
    done = 0

    def report(more: int) -> None:
        nonlocal done
        done += more
        filling.report(step, done, total)

    return report


@transaction.atomic
def _practise(filling: _Filling) -> None:
    """Make practice items of verified items: one unchanged, two with another option as the key.

    They are dealt to people who start reviewing later, since the present reviewers know the stories.
    """
    project, manager, lessons = filling.project, filling.manager, filling.sample.lessons
    if PracticeItem.objects.filter(project=project).exists():
        return
    verified = closed_items(project).filter(state=State.VERIFIED)
    for item, kind in zip(verified, ("sound", "wrong_key", "wrong_key"), strict=False):
        known = present(closed_item(item), "two people have passed it")
        content, expected = known.content, known.expected
        if kind != "sound":
            content, expected = plant(kind, content, good=expected)
        make_practice_item(actor=manager, item=item, content=content, expected=expected, lesson=lessons[kind])
    update_project(actor=manager, project=project, changes={"gold_rate": 10})


def _build(filling: _Filling, version: str, extends: str = "") -> None:
    found = live_release(filling.project, version)
    if found is not None and found.state != ReleaseState.BUILDING:
        return
    recipe = read_recipe(dev_share=DEV_SHARE, split=filling.project.split_rule, extends=extends)
    build_release(actor=filling.manager, project=filling.project, version=version, seed=SEED, recipe=recipe)


def _mend(filling: _Filling) -> None:
    """Report a wrong key, confirm the error, and release a version without the item.

    The new result tables then display how this changes each examinee's results.
    """
    release = filling.first
    _own_to_it(filling, release)
    _build(filling, MENDED, extends=FIRST)
    count_tables(actor=filling.manager, release=release)


@transaction.atomic
def _own_to_it(filling: _Filling, release: Release) -> None:
    words, wrong = filling.sample.words["erratum"], released_items(release, filling.sample)[WRONG_KEY]
    if Erratum.objects.filter(released=wrong).exists():
        return
    report_error(
        actor=None,
        item_id=wrong.public_id,
        fault=ErrorKind.WRONG_KEY,
        text=words["text"],
        release=release.version,
        name=words["name"],
    )
    answer_report(
        actor=filling.manager,
        report=ErrorReport.objects.get(released=wrong, answered_at=None),
        answer=words["answer"],
        remedy=Remedy.RETIRE,
        note=words["note"],
    )


_STEPS: Final[dict[SampleStep, Callable[[_Filling], None]]] = {
    SampleStep.PILOT: _write_pilot,
    SampleStep.CANDIDATES: _propose,
    SampleStep.REVIEWS: _review,
    SampleStep.VERIFICATION: _verify,
    SampleStep.RELEASE: lambda of: _build(of, FIRST),
    SampleStep.ANSWERS: lambda of: bring_answers(actor=of.manager, release=of.first, sample=of.sample),
    SampleStep.RESULTS: lambda of: count_tables(actor=of.manager, release=of.first),
    SampleStep.ANALYSIS: lambda of: analyse_items(actor=of.manager, release=of.first),
    SampleStep.ERRATUM: _mend,
}
