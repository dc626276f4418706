"""The project of the sample that has every other kind of item, in every state."""

from __future__ import annotations

import pytest

from annotation.models import Item, ItemDraft, State
from dashboard.queries.sample import FILL, is_filled
from dashboard.services import finish_jobs, load_kinds
from dashboard.services.kinds_files import KindsSample, near, own_of, read_kinds
from evaluation.models import ExamineeKind, Run
from jobs.models import Job, JobState
from parable.formats.records import released
from parable.kinds import KINDS, kind_of
from parable.kinds.marks import LAYERS
from projects.models import Membership, Project
from release.models import Release
from review.models import Review


@pytest.fixture(scope="module")
def sample() -> KindsSample:
    return read_kinds()


def test_every_other_kind_is_there_and_ends_in_several_ways(sample: KindsSample) -> None:
    ends: dict[str, set[str]] = {}
    for line in sample.lines.values():
        ends.setdefault(line["task"], set()).add(line["state"])
    assert ends.keys() == KINDS.keys() - {"commonsense", "moral"}
    for task, states in ends.items():
        assert State.VERIFIED in states, task
        if kind_of(task).answer == "own":
            wanted = {"draft", "in_review", "returned", "in_adjudication", "in_verification", "verified"}
            assert states >= wanted, task


def test_every_word_that_is_marked_stands_in_its_text(sample: KindsSample) -> None:
    for line in sample.lines.values():
        for said in (line, *line["reviews"]):
            own = own_of(line, said, sample.text(line))
            marks = [mark for layer in LAYERS for group in own.get(layer, ()) for mark in group]
            assert all(mark["positions"] or mark.get("label") for mark in marks), line["id"]


def test_an_answer_that_is_nearly_right_is_not(sample: KindsSample) -> None:
    for line in sample.lines.values():
        if line["state"] != State.VERIFIED:
            continue
        kind, record = kind_of(line["task"]), released(sample.record(line))
        right, given = kind.question.right(record), kind.question.right(near(record))
        assert kind.question.is_answer(given, record), line["id"]
        assert given != right
        if kind.measure:
            assert kind.scorer(given, right) < 1


def check_ends(sample: KindsSample) -> None:
    """Everything is where the files say, also when it is loaded and filled again (a drill in the browser)."""
    project = Project.objects.get()
    release = Release.objects.get(project=project)
    assert release.state == "ready", release.failure_details
    assert is_filled(project)
    ends = {name: line["state"] for name, line in sample.lines.items() if line["state"] != State.DRAFT}
    assert dict(Item.objects.filter(project=project).values_list("ref", "state")) == ends
    assert ItemDraft.objects.filter(project=project).count() == len(sample.lines) - len(ends)
    assert Run.objects.filter(release=release).count() == 4
    assert Run.objects.filter(release=release, examinee__kind=ExamineeKind.PANEL).count() == 1
    counts = Item.objects.count(), Review.objects.count(), Run.objects.count(), Membership.objects.count()
    load_kinds()
    finish_jobs(FILL, project.pk)
    assert not Job.objects.filter(state=JobState.FAILED).exists()
    assert counts == (
        Item.objects.count(), Review.objects.count(), Run.objects.count(), Membership.objects.count()
    )  # fmt: skip
