"""Service that refuses a second item by one writer in tasks with one item per writer and story."""

from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import Item
from annotation.queries.distinct import is_sole, others_by
from core.errors import Conflict
from corpus.models import Story
from projects.models import Project


def refuse_second_item(
    *, writer: User, project: Project, story: int, task: str, besides: Item | None = None
) -> None:
    """Raise `Conflict` if the writer may have only one item of this task about a story, and has another.

    The story stays locked until the transaction ends, so that of two concurrent requests the second one finds
    the item of the first. `besides` is an item of the writer that does not count.
    """
    if not is_sole(project, task):
        return
    Story.objects.select_for_update(no_key=True).get(pk=story)
    others = others_by(writer, story, task)
    if besides is not None:
        others = others.exclude(pk=besides.pk)
    if others.exists():
        raise Conflict(second_item(writer))


def second_item(writer: User) -> str:
    """Return the sentence that explains why a writer cannot have another item about the story."""
    return _(
        "%(name)s has already written a narrative for this proverb. Each narrative of a proverb comes from"
        " another writer."
    ) % {"name": writer}
