"""The third sample project: every kind of item that the first two lack, in every state.

The people of the first two projects, Chinese and English, work in it, so that it can be opened in both
languages.
"""

from django.db import transaction

from accounts.models import User
from corpus.services import import_stories
from dashboard.queries.sample import COLLEAGUES, FILL, KINDS_SLUG, SIGN_IN, filling, is_filled, username_of
from dashboard.services.kinds_files import LANGUAGE, read_kinds
from dashboard.services.sample import LICENCE, PROJECTS, make_person
from dashboard.services.sample_files import read_sample
from dashboard.services.sample_reviews import stop_on_errors
from jobs.services import order_job
from parable.kinds import codes, kind_of
from projects.models import Project, Role
from projects.services import create_project, publish_guideline, set_roles


@transaction.atomic
def load_kinds() -> Project:
    """Create the third sample project, and order the job that fills it.

    Loading it again has no further effect. The first two projects must exist: their people sign in to this
    project, too, with the passwords printed when they were loaded.
    """
    project = Project.objects.filter(slug=KINDS_SLUG).first()
    manager = _person("manager", LANGUAGE)
    if project is None:
        sample = read_kinds()
        settings = {
            "licence": LICENCE,
            "description": sample.words["description"],
            "tasks": [code for code in codes() if not kind_of(code).is_usual],
            "plan_overlap": False,
        }
        project = create_project(
            actor=manager, slug=KINDS_SLUG, name=sample.words["name"], language=LANGUAGE, settings=settings
        )
        for language in PROJECTS:
            for part in SIGN_IN:
                _join(project, manager, part, language)
        publish_guideline(actor=manager, project=project, text=sample.guideline)
        stop_on_errors(import_stories(actor=manager, project=project, readings=[sample.stories]))
    if not is_filled(project) and filling(project) is None:
        order_job(actor=manager, project=project, kind=FILL, subject=project.pk)
    return project


def join_colleagues(project: Project, manager: User) -> None:
    """Add the sample's colleagues to the project as members, creating their accounts if they do not exist."""
    for language in PROJECTS:
        for part in COLLEAGUES:
            _join(project, manager, part, language)


def _join(project: Project, manager: User, part: str, language: str) -> None:
    role = Role(part.rpartition("_")[2])
    set_roles(actor=manager, project=project, user=_person(part, language), roles=[role])


def _person(part: str, language: str) -> User:
    known = User.objects.filter(username=username_of(part, language)).first()
    return known or make_person(read_sample(language), part)
