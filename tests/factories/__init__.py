"""The fixed cast, and the things they work on: made through the services, as on the site."""

from dataclasses import dataclass
from itertools import count

from django.contrib.auth.hashers import make_password

from accounts.models import User
from accounts.services import create_user, system_account
from annotation.content import ItemContent, OptionContent
from annotation.models import Item, Revision
from annotation.services import create_item
from corpus.models import Story
from corpus.services import create_stories
from parable.formats.records import StoryRecord
from projects.models import Membership, Project, Role
from projects.services import create_project

PASSWORD = "correct horse battery staple"
MEMBERS = {
    "writer": Role.WRITER,
    "writer2": Role.WRITER,
    "reviewer": Role.REVIEWER,
    "reviewer2": Role.REVIEWER,
    "verifier": Role.VERIFIER,
}
_numbers = count(1)


def make_user(
    name: str = "Somebody", *, may_create_projects: bool = False, administrator: bool = False
) -> User:
    """Somebody who can sign in with PASSWORD."""
    return create_user(
        actor=system_account(),
        username=f"{name.lower().replace(' ', '-')}-{next(_numbers)}",
        name=name,
        password=PASSWORD,
        may_create_projects=may_create_projects,
        is_administrator=administrator,
    )


@dataclass(frozen=True, slots=True)
class Cast:
    """A project and its people; the outsider belongs to another."""

    project: Project
    manager: User
    writer: User
    writer2: User
    reviewer: User
    reviewer2: User
    verifier: User
    outsider: User


def make_project(language: str = "en", **settings: object) -> Cast:
    """A project with one person or two a role; each holds that role alone.

    No item is drawn for a second reviewer unless `plan_overlap` says so. Its people are put in directly:
    most tests begin here, and through the services seven people would take a hundred queries.
    """
    people = make_people(
        manager="Mia Manager",
        writer="Wen Writer",
        writer2="Wu Writer",
        reviewer="Rui Reviewer",
        reviewer2="Rosa Reviewer",
        verifier="Vera Verifier",
        outsider="Otto Outsider",
    )
    project = create_project(
        actor=people["manager"],
        slug=f"fables-{next(_numbers)}",
        name="Fables",
        language=language,
        settings={"plan_overlap": False} | settings,
    )
    Membership.objects.bulk_create(
        Membership(project=project, user=people[name], role=role) for name, role in MEMBERS.items()
    )
    return Cast(project=project, **people)


def make_people(**names: str) -> dict[str, User]:
    """People who can sign in with PASSWORD; the manager may create projects."""
    password = make_password(PASSWORD)
    users = [
        User(
            username=f"{name.lower().replace(' ', '-')}-{next(_numbers)}",
            name=name,
            password=password,
            may_create_projects=place == "manager",
        )
        for place, name in names.items()
    ]
    return dict(zip(names, User.objects.bulk_create(users), strict=True))


def make_story(cast: Cast, *, title: str = "", text: str = "", moral: str = "Slow and steady wins.") -> Story:
    """A story of the cast's project."""
    number = next(_numbers)
    wanted = StoryRecord(
        id=f"story-{number}",
        title=title or f"The Race {number}",
        text=text or f"A hare laughed at tortoise number {number}.\nThey agreed to run to the old mill.",
        moral=moral,
        language=cast.project.language,
        source="Aesop, retold",
        rights="CC BY 4.0",
    )
    (created,) = create_stories(actor=cast.manager, project=cast.project, wanted=[wanted])
    story = Story.objects.select_related("current").get(pk=created.pk)
    story.project = cast.project  # so that a test may change the project of both
    return story


def content(
    stem: str = "Why did the hare fall asleep?",
    *options: str,
    key: int = 1,
    types: tuple[str, ...] = ("social",),
    explanation: str = "Running fast tires even a hare.",
) -> ItemContent:
    """The words of an item; by default a whole commonsense item with four options."""
    texts = options or (
        "It was raining hard",
        "It felt sure of winning",
        "It was night already",
        "It was ill",
    )
    return ItemContent(
        stem=stem,
        options=tuple(OptionContent(text, position == key) for position, text in enumerate(texts)),
        types=types,
        explanation=explanation,
    )


def submit_item(
    cast: Cast,
    *,
    story: Story | None = None,
    task: str = "commonsense",
    writer: User | None = None,
    words: ItemContent | None = None,
    style: str = "human",
) -> Item:
    """An item in review, written by the cast's writer."""
    if words is None:
        words = content() if task == "commonsense" else content(types=(), explanation="")
    return create_item(
        actor=writer or cast.writer,
        project=cast.project,
        story=story or make_story(cast),
        task=task,
        style=style,
        content=words,
    )


def wording(item: Item) -> Revision:
    """The item's current wording, read afresh; a test that asks knows that there is one."""
    item.refresh_from_db()
    assert item.current is not None
    return item.current
