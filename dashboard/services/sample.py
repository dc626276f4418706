"""The sample: two small projects, one in each language, with items in every state.

Items are imported, claimed, solved and judged by the services of the site, so that a newcomer sees how the
platform works. This module creates what the first pages display; `fill_sample` creates the rest.
"""

# Names roles: the sample has a person of each role.

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.db import transaction

from accounts.models import User
from accounts.services import create_user, set_password, system_account
from annotation.models import State
from annotation.plan import Target
from annotation.services import reserve_story, set_type_targets, take_next_story
from corpus.models import Story
from corpus.services import import_stories
from dashboard.queries.sample import FILL, SIGN_IN, filling, is_filled, sample_people, username_of
from dashboard.services.sample_files import Sample, read_sample
from dashboard.services.sample_reviews import bring_in, stop_on_errors
from jobs.services import order_job
from projects.models import CommonsenseType, Project, Role
from projects.services import acknowledge_guideline, create_project, publish_guideline, set_roles

PROJECTS: Final = {"zh": ("xiaoyuyan", "小寓言集"), "en": ("small-fables", "Small Fables")}
LICENCE: Final = "CC BY 4.0"


@dataclass(frozen=True, slots=True)
class Person:
    """An account of the sample to sign in with; `password` is "" if it was set earlier."""

    project: str
    role: str
    username: str
    name: str
    password: str


def load_sample(*, languages: Iterable[str] = tuple(PROJECTS), new_passwords: bool = False) -> list[Person]:
    """Create the missing sample projects; return the accounts to sign in with, and their new passwords.

    On return only a part of each project exists; a job is ordered in which `fill_sample` creates the rest.
    """
    return [person for language in languages for person in _load(language, new_passwords=new_passwords)]


@transaction.atomic
def _load(language: str, *, new_passwords: bool) -> list[Person]:
    slug, name = PROJECTS[language]
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        project, passwords = _make(read_sample(language), slug, name)
    else:
        passwords = _renew(project) if new_passwords else {}
    people = sample_people(project)
    if "manager" in people and not is_filled(project) and filling(project) is None:
        order_job(actor=people["manager"], project=project, kind=FILL, subject=project.pk)
    return [
        Person(project.name, part, people[part].username, people[part].name, passwords.get(part, ""))
        for part in SIGN_IN
        if part in people
    ]


def _renew(project: Project) -> dict[str, str]:
    people = sample_people(project)
    passwords: dict[str, str] = {part: secrets.token_urlsafe(16) for part in SIGN_IN if part in people}
    for part, password in passwords.items():
        set_password(actor=system_account(), user=people[part], password=password)
    return passwords


def _make(sample: Sample, slug: str, name: str) -> tuple[Project, dict[str, str]]:
    passwords: dict[str, str] = {part: secrets.token_urlsafe(16) for part in SIGN_IN}
    manager = make_person(sample, "manager", passwords["manager"])
    settings = {
        "licence": LICENCE,
        "description": sample.words["description"],
        "solve_together": True,
    }
    project = create_project(actor=manager, slug=slug, name=name, language=sample.language, settings=settings)
    people = {part: join(project, manager, sample, part, passwords[part]) for part in SIGN_IN[1:]}
    writer = people["writer"]
    guideline = publish_guideline(actor=manager, project=project, text=sample.guideline)
    acknowledge_guideline(actor=writer, guideline=guideline)
    stop_on_errors(import_stories(actor=manager, project=project, readings=[sample.stories]))
    for state in (State.IN_REVIEW, State.DRAFT):  # states in which imported items stay
        records = sample.ending([state])
        bring_in(actor=manager, project=project, sample=sample, records=records, writer=writer, state=state)
    # set the targets of types, and reserve a story for one of the types
    plan = sample.words["plan"]
    targets = {code: Target(*target) for code, target in plan["targets"].items()}
    set_type_targets(actor=manager, project=project, targets=targets)
    story = Story.objects.select_related("project").get(project=project, ref=plan["reserved"]["story"])
    kind = CommonsenseType.objects.get(project=project, code=plan["reserved"]["type"])
    reserve_story(actor=manager, story=story, kind=kind)
    take_next_story(actor=writer, project=project)
    return project, passwords


def make_person(sample: Sample, part: str, password: str | None = None) -> User:
    """Create a person of the sample. Without a password, the person can sign in only by a manager's link."""
    return create_user(
        actor=system_account(),
        username=username_of(part, sample.language),
        name=sample.words["people"][part],
        password=password,
        may_create_projects=part == "manager",
    )


def join(project: Project, manager: User, sample: Sample, part: str, password: str | None = None) -> User:
    """Create a person of the sample and add them to the project.

    The last word of `part`, such as `second_writer`, is the person's role.
    """
    user = make_person(sample, part, password)
    set_roles(actor=manager, project=project, user=user, roles=[Role(part.rpartition("_")[2])])
    return user
