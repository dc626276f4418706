"""What is known of stories. Reads only."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.errors import Hidden
from accounts.models import User
from corpus.models import Story
from projects.models import Project
from projects.queries import roles_of


def stories(project: Project) -> QuerySet[Story]:
    """All stories of the project with their current wording, oldest first."""
    return Story.objects.filter(project=project).select_related("current").order_by("pk")


def get_story(*, user: User, project: Project, pk: int) -> Story:
    """One story as far as it exists for this person; else `Hidden`."""
    story = stories(project).filter(pk=pk).first() if roles_of(user, project) else None
    if story is None:
        raise Hidden(_("There is no such story here."))
    return story
