"""The sample that `make demo` loads: a first look at once, and the rest by a worker up to an erratum."""

import re
from collections import Counter
from html import unescape
from typing import Any
from urllib.parse import urljoin

import numpy as np
import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse

from accounts.models import User
from annotation.models import Item, Pilot, Reservation, State, Style, TypeTarget
from corpus.models import Story
from dashboard.forecast import IN_PROGRESS
from dashboard.queries.navigation import pages_for
from dashboard.queries.sample import COLLEAGUES, FILL, SIGN_IN, is_filled
from dashboard.services import Person, finish_jobs, load_sample, sample_fill
from dashboard.services.sample_files import read_answers, read_sample
from dashboard.services.sample_fill import WRONG_KEY
from evaluation.models import Calibration, ResultTables
from generation.models import Candidate
from jobs.models import Job, JobState
from jobs.queries import unfinished_jobs
from parable.psychometrics.items.analysis import Answered, analyse
from parable.psychometrics.responses import ResponseMatrix
from projects.models import CommonsenseType, Project, Role
from projects.permissions import PERMISSIONS
from release.models import Release
from release.queries.provenance import people_figures
from release.services.gate import run_gate_check
from release.services.order import order_release
from review.models import PracticeItem, RequestState, Review, ReviewRequest, Stage
from review.services.statistics import count_statistics
from tests.dashboard.linked import cells_on, figures_on, listed

HAN = re.compile("[\u4e00-\u9fff]")
LEFT = "tortoise-and-hare-c5"
"""The item with a wrong key that is left to be found."""
SIMULATED = {"zh": "模拟", "en": "Simulated"}


def enter(person: Person) -> Client:
    client = Client(HTTP_ACCEPT_LANGUAGE="en")
    assert client.login(username=person.username, password=person.password), person
    return client


def shown(client: Client, page: str, *about: object) -> str:
    """What a page shows, in one line and without its tags."""
    answer = client.get(reverse(page, args=about), follow=True)
    assert answer.status_code == 200, page
    text = re.sub(r"<script.*?</script>|<[^>]+>", " ", answer.content.decode(), flags=re.DOTALL)
    return unescape(" ".join(text.split()))


def items_of(story: Story, kind: CommonsenseType) -> QuerySet[Item]:
    return Item.objects.filter(story=story, current__types=kind)


@pytest.mark.django_db
def test_a_first_look_is_there_at_once_and_the_rest_is_ordered(capsys: pytest.CaptureFixture[str]) -> None:
    people = load_sample()
    assert [person.role for person in people] == [*SIGN_IN] * 2
    for person in people:
        assert authenticate(username=person.username, password=person.password), person
    for project in Project.objects.all():
        assert Story.objects.filter(project=project).count() == 26
        states = Item.objects.filter(project=project).values_list("state", flat=True)
        assert set(states) == {State.IN_REVIEW, State.DRAFT}
        assert unfinished_jobs(FILL, project.pk).count() == 1
        assert TypeTarget.objects.filter(type__project=project, share__gt=0).count() == 5
        reserved = Reservation.objects.get(story__project=project)
        assert reserved.type
        assert not items_of(reserved.story, reserved.type).exists()
    manager, _writer, reviewer, _verifier = people[4:]
    home = shown(enter(reviewer), "dashboard:project", "small-fables")
    assert "The sample is being filled" in home
    assert "21 items to review" in home
    before = Item.objects.count(), Job.objects.count(), User.objects.count()
    call_command("load_sample", "--in-background")
    assert (Item.objects.count(), Job.objects.count(), User.objects.count()) == before, "twice is once"
    assert "shown when it was made" in capsys.readouterr().out
    [again, *_others] = load_sample(languages=["en"], new_passwords=True)
    assert authenticate(username=manager.username, password=again.password)
    assert not authenticate(username=manager.username, password=manager.password)


@pytest.mark.django_db
def test_each_role_is_shown_where_to_begin_until_it_is_hidden() -> None:
    for person in load_sample(languages=["en"]):
        client = enter(person)
        role = {"writer": "item writer"}.get(person.role, person.role)
        assert f"Where to begin: {role}" in shown(client, "dashboard:project", "small-fables")
        hide = reverse("dashboard:hide_begin", args=["small-fables", person.role])
        answer = client.post(hide, follow=True)
        assert "Where to begin:" not in answer.content.decode()
        assert "Undo" in answer.content.decode()
        assert "Where to begin:" not in shown(client, "dashboard:project", "small-fables")
        client.post(hide, {"again": "1"})
        assert "Where to begin:" in shown(client, "dashboard:project", "small-fables")
        others = reverse("dashboard:hide_begin", args=["small-fables", "nobody"])
        assert client.post(others).status_code == 404


@pytest.mark.parametrize("language", ["zh", "en"])
def test_its_people_have_names_of_its_language(language: str) -> None:
    people = read_sample(language).words["people"]
    assert people.keys() == {*SIGN_IN, *COLLEAGUES}
    assert {bool(HAN.search(name)) for name in people.values()} == {language == "zh"}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_simulated_answers_speak_against_the_two_wrong_keys_alone(language: str) -> None:
    sample, answers = read_sample(language), read_answers()
    items = sample.ending([State.VERIFIED])
    assert answers.keys() == {item.id for item in items}
    examinees = sample.words["answers"]["examinees"]
    assert len(set(examinees)) == 12
    assert all(SIMULATED[language] in name for name in examinees)
    choices = np.array([[_choice(answers[item.id][row]) for item in items] for row in range(12)])
    keys = np.array([item.answer for item in items])
    matrix = ResponseMatrix(
        tuple(examinees), tuple(item.id for item in items), (choices == keys).astype(float)
    )
    options = [len(item.choices) for item in items]
    machine = np.array([item.style == "machine" for item in items])
    stories = [str(item.story_id) for item in items]
    found = analyse(Answered(matrix, choices, keys, options, stories, machine), "2pl", seed=7, draws=1)
    assert {one["id"] for one in found.suspects} == {WRONG_KEY, LEFT}


def _choice(digit: str) -> int:
    return -1 if digit == "-" else int(digit)


@pytest.mark.drill
@pytest.mark.django_db
@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_worker_brings_it_to_its_end(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    manager, writer, reviewer, verifier = load_sample(languages=[language])
    project = Project.objects.get()
    with monkeypatch.context() as killed:
        killed.setattr(sample_fill, "build_release", _order_and_die)
        with pytest.raises(SystemExit):
            sample_fill.fill_sample(project_id=project.pk)
    finish_jobs(FILL, project.pk)
    assert is_filled(project)
    assert not Job.objects.filter(state=JobState.FAILED).exists()
    _look_at_the_items(project)
    _look_at_the_answers(project)
    _look_at_the_pages(enter(manager), project)
    _look_at_the_links(enter(manager), project)
    _look_at_the_figures(enter(manager), project)
    assert "Revise next, 4 returned" in shown(enter(writer), "dashboard:project", project.slug)
    assert "21 items to review" in shown(enter(reviewer), "dashboard:project", project.slug)
    assert "11 items to verify" in shown(enter(verifier), "dashboard:project", project.slug)
    counts = Item.objects.count(), Release.objects.count(), Job.objects.count()
    load_sample(languages=[language])
    assert (Item.objects.count(), Release.objects.count(), Job.objects.count()) == counts


def _order_and_die(**wanted: Any) -> None:
    """A worker that is killed while it builds a release."""
    order_release(**wanted)
    raise SystemExit


def _look_at_the_items(project: Project) -> None:
    """Every state, task, style and type; something in every queue; practice."""
    items = Item.objects.filter(project=project)
    assert set(items.values_list("state", flat=True)) == set(State.values)
    assert set(items.values_list("task", "style")) == {
        ("commonsense", Style.HUMAN),
        ("moral", Style.HUMAN),
        ("moral", Style.MACHINE),
    }
    types = Counter(items.values_list("current__types__code", flat=True))
    assert {"social", "biological", "temporal", "spatial", "physical"} <= set(types)
    assert PracticeItem.objects.filter(project=project).count() == 3
    for stage in Stage:
        waiting = ReviewRequest.objects.filter(project=project, stage=stage, state=RequestState.OPEN)
        assert waiting.exists(), f"the {stage} queue of {project} is empty"


def _look_at_the_answers(project: Project) -> None:
    """Moral items of one story were answered before any key was shown, so that both styles are counted."""
    given = Review.objects.filter(request__project=project, stage=Stage.CROSS_CHECK, item__task="moral")
    counts = Counter(given.values_list("item__style", flat=True))
    assert counts[Style.MACHINE] >= 7
    found = people_figures(project).styles["moral"]
    assert {style: found[style]["n"] for style in Style.values} == counts
    assert project.solve_together


def _look_at_the_pages(client: Client, project: Project) -> None:
    """All that a manager finds, from the pilot to the erratum."""
    slug, simulated = project.slug, SIMULATED[project.language]
    people = read_sample(project.language).words["people"]
    pilot = shown(client, "dashboard:pilot", slug, Pilot.objects.get().pk)
    assert people["writer"] in pilot
    assert people["second_writer"] in pilot
    assert "version 2" in shown(client, "projects:guideline", slug).lower()
    agreement = shown(client, "review:statistics", slug)
    rated = re.search(r"all items (\d+) ", agreement)
    assert rated is not None
    assert int(rated[1]) > 60  # who is given what, and with it how many, depends on the numbers of rows
    assert people["second_reviewer"] in agreement
    assert people["third_reviewer"] in agreement
    assert re.search(r"machine style \d+ 100\.0 %", agreement)
    assert Candidate.objects.count() == 30
    assert len(re.findall(r"\b6 (38|43) % ", shown(client, "generation:yield", slug))) == 2
    releases = shown(client, "release:list", slug)
    assert "1.0.1 ready 88" in releases
    assert "1.0.0 ready 89" in releases
    assert shown(client, "dashboard:runs", slug).count(simulated) == 12
    assert simulated in shown(client, "evaluation:result", slug, ResultTables.objects.get().pk)
    analysis = Calibration.objects.get()
    assert analysis.parameters["analysis"]["summary"]["suspects"] == 2
    analysed = client.get(reverse("evaluation:calibration", args=[slug, analysis.pk]), {"view": "examinees"})
    assert simulated in analysed.text
    assert "erratum" in shown(client, "release:reports", slug)
    note = read_sample(project.language).words["erratum"]["note"]
    assert note in shown(client, "release:release_reports", slug, "1.0.0")
    assert note in shown(client, "release:release_reports", slug, "1.0.1")


def _look_at_the_figures(client: Client, project: Project) -> None:
    """A figure that two pages show is the same on both: by the list that it leads to, or by its name."""
    run_gate_check(project_id=project.pk)
    count_statistics(project_id=project.pk)
    menu = [page.opens for _group, page in pages_for(PERMISSIONS[Role.MANAGER])]
    by_page: dict[str, dict[str, set[str]]] = {}
    for page in menu:
        address = reverse(page, args=[project.slug])
        answer = client.get(address, follow=True)
        assert answer.status_code == 200, page
        for figure, said in figures_on(answer.text, address):
            by_page.setdefault(figure, {}).setdefault(page, set()).add(said)
    shared = {figure: pages for figure, pages in by_page.items() if len(pages) > 1}
    assert {figure: pages for figure, pages in shared.items() if len(set.union(*pages.values())) > 1} == {}
    items = reverse("dashboard:items", args=[project.slug])
    both = {"dashboard:today", "dashboard:overview"}
    for figure in ("verified", "spent", *(f"{items}?state={state}" for state in IN_PROGRESS)):
        assert both <= by_page[figure].keys(), figure
    assert {"dashboard:today", "release:gates"} <= by_page["check words"].keys()
    (total,), (verified,), (left,) = (by_page[name].popitem()[1] for name in ("total", "verified", "left"))
    assert int(total) == int(verified) + int(left)
    today = by_page_of(by_page, "dashboard:today")
    for figure in [one for one in today if one.startswith(items)]:
        assert listed(client, figure) == int(today[figure]), figure


def by_page_of(by_page: dict[str, dict[str, set[str]]], page: str) -> dict[str, str]:
    """The figures of one page."""
    return {figure: next(iter(pages[page])) for figure, pages in by_page.items() if page in pages}


NO_ITEMS_BEHIND = {
    "dashboard:overview": {
        "Planned items": "a target", "Items left": "a target less what is there", "Verified a day": "a pace",
        "Minutes per review, median of 28 days": "a time", "Median time": "a time",
        "90th percentile": "a time", "Types": "how many types", "Calls": "calls of models",
        "CNY": "money", "EUR": "money", "Total": "money",
    },
    "dashboard:coverage": {"Types": "how many types"},
    "dashboard:plan": {"Items per story": "a target", "Share, %": "a target", "Share now, %": "of the count"},
    "dashboard:work_report": {"active minutes": "a time"},
    "generation:yield": {
        "Calls": "calls of models", "Failed": "calls", "Refused": "calls", "Latency, s": "a time",
        "Cost, CNY": "money", "Cost, EUR": "money", "Model": "a name with a number",
    },
    "review:statistics": {},
    "evaluation:result": {
        "Items needed": "how many there would have to be", "Stories needed": "the same",
        "Smallest found": "a difference", "Models": "how many",
        **dict.fromkeys(
            ("Model", "Item", "Story", "Model × story", "Model × item", "Variance"), "a variance"
        ),
    },
    "evaluation:calibration": {
        "Ability": "of the examinee, whose answers are linked", "Rank by ability": "the same",
        "Rank by accuracy": "the same", "Interval": "of the difference beside it",
        "Correct": "of the item in the row", "Discrimination": "of the item", "Key lead": "of the item",
        "Key and best distractor": "of the item",
    },
    "evaluation:calibrated_items": dict.fromkeys(
        (
            *("Answered", "Correct", "With the rest", "Upper − lower"),
            *("Discrimination", "Difficulty", "Guessing", "Infit, outfit"),
        ),
        "of the item in the row",
    ),
    "evaluation:calibrated_item": {"With the rest": "of the option in the row"},
}  # fmt: skip
"""Columns and figures whose numbers count no items, each with what they are."""
VIEWS = {
    "dashboard:overview": ("by=type", "by=writer", "by=reviewer", "by=story"),
    "evaluation:calibration": ("view=suspects", "view=set", "view=examinees"),
}
ABOUT_NOBODY = {
    "Random guessing": "an expectation",
    "Reviewers, blind (people)": "counted when the release was built",
}


def _look_at_the_links(client: Client, project: Project) -> None:
    """Every number on these pages leads to what it counts, or is named above."""
    results, analysis = ResultTables.objects.get(), Calibration.objects.get()
    item = analysis.parameters["analysis"]["suspects"][0][0]["id"]
    views = VIEWS | {"evaluation:result": tuple(f"view={table['code']}" for table in results.tables)}
    about = {
        "evaluation:result": (results.pk,),
        "evaluation:calibration": (analysis.pk,),
        "evaluation:calibrated_items": (analysis.pk,),
        "evaluation:calibrated_item": (analysis.pk, item),
    }
    followed, lost = set(), []
    for page, exempt in NO_ITEMS_BEHIND.items():
        for query in views.get(page, ("",)):
            address = reverse(page, args=[project.slug, *about.get(page, ())])
            for cell in cells_on(client.get(f"{address}?{query}").text):
                if not cell.links and cell.counts and cell.row not in ABOUT_NOBODY:
                    lost += [] if cell.heading in exempt else [(page, query, cell.heading, cell.row)]
                followed |= {urljoin(address, link) for link in cell.links[:1]}
    assert not lost, sorted({one[:3] for one in lost})
    assert len(followed) > 200
    for number, link in enumerate(sorted(followed)):
        if number % 10 == 0:
            assert client.get(link).status_code == 200, link
