"""What is known of stories. Reads only."""

from itertools import zip_longest
from typing import Final, NamedTuple

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Hidden
from corpus.models import SimilarPair, Story, StoryRevision
from jobs.models import Work
from jobs.queries import work_of
from parable.reading.differences import Part, word_diff
from projects.models import Project
from projects.queries import roles_of

SEARCH: Final = "similar_stories"


def stories(project: Project) -> QuerySet[Story]:
    """All stories of the project with their current wording, oldest first."""
    return Story.objects.filter(project=project).select_related("current").order_by("pk")


def find_stories(project: Project, *, q: str = "", language: str = "", rights: str = "") -> QuerySet[Story]:
    """The project's stories whose title or id holds `q`, in a language, with rights `known` or `unknown`."""
    found = stories(project)
    if q:
        found = found.filter(Q(current__title__icontains=q) | Q(ref__icontains=q))
    if language:
        found = found.filter(language=language)
    if rights:
        found = found.exclude(rights="") if rights == "known" else found.filter(rights="")
    return found


def languages_of(project: Project) -> set[str]:
    """The languages that the project's stories are in."""
    return set(Story.objects.filter(project=project).order_by().values_list("language", flat=True).distinct())


class Wording(NamedTuple):
    """One wording of a story, and what it changed of the one before; empty where title or text stayed."""

    revision: StoryRevision
    title_changes: list[Part]
    text_changes: list[Part]

    @property
    def is_first(self) -> bool:
        """Whether there is none before it."""
        return self.revision.number == 1

    @property
    def is_about_the_moral(self) -> bool:
        """Whether it changed the moral alone: its reason, in a person's words, may quote it."""
        return not (self.is_first or self.title_changes or self.text_changes)


def wordings(story: Story) -> list[Wording]:
    """The story's wordings, newest first, without their morals: those are shown elsewhere, and noted."""
    found = list(
        StoryRevision.objects.filter(story=story).select_related("author").defer("moral").order_by("-number")
    )
    return [
        Wording(
            revision,
            word_diff(before.title, revision.title) if before and before.title != revision.title else [],
            word_diff(before.text, revision.text) if before and before.text != revision.text else [],
        )
        for revision, before in zip_longest(found, found[1:])
    ]


def get_story(*, user: User, project: Project, pk: int) -> Story:
    """One story as far as it exists for this person; else `Hidden`."""
    story = stories(project).filter(pk=pk).first() if roles_of(user, project) else None
    if story is None:
        raise Hidden(_("Story not found."))
    return story


def last_search(project: Project) -> Work | None:
    """The project's newest search for similar stories, waiting, running or over; its result has `stories`."""
    return work_of(SEARCH, project.pk)


def similar_stories(project: Project) -> QuerySet[SimilarPair]:
    """What the last search found, most alike first, with both wordings at hand."""
    found = SimilarPair.objects.filter(project=project).select_related("first__current", "second__current")
    return found.order_by("-similarity", "pk")
