"""The list of items: what it can show, which rows an address asks for, and the saved views. Reads only."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Final

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.kinds import task_choices
from annotation.models import Item, State, Style
from annotation.queries.assignment import WITH_WRITER
from annotation.queries.item import item_writers, items_seen_by, typed
from annotation.queries.search import KEY, OPTIONS, STEM, holding, is_key_known
from core.errors import Hidden
from dashboard.models import BulkAction, SavedView, Verb
from projects.models import CommonsenseType, Project
from review.queries import STATE_OF
from web.listing import Asked, Column, Filter, Listing

ITEMS: Final = "items"
BULK: Final = "bulk"
SHOWS_UNDO: Final = timedelta(hours=1)
"""So long the list of items offers to undo what was done last."""

AGES: Final = {"1": -1, "7": -7, "30": -30, "older7": 7, "older30": 30}
"""Days since the last change: at most so many, or more than so many."""


def items_listing(project: Project, *, manages: bool, kinds: Iterable[CommonsenseType]) -> Listing:
    """The columns and filters of the list of items, for managers or for who sees their own."""
    language = get_language() or ""
    writer = Column("writer", _("Writer"), ("writer__name", "-pk"))
    blind = Column("blind", _("Blind answers"))
    people = [(str(person.pk), str(person)) for person in item_writers(project)] if manages else []
    return Listing(
        ITEMS,
        columns=(
            Column("item", _("Item"), ("pk",), always=True),
            Column("story", _("Story"), ("story__current__title", "pk")),
            Column("task", _("Task"), ("task", "pk")),
            *((writer,) if manages else ()),
            Column("state", _("State"), ("state", "pk")),
            *((blind,) if manages else ()),
            Column("changed", _("Updated"), ("changed_at", "pk"), number=True),
            Column("number", _("ID"), ("pk",), shown=False, number=True),
            Column("revision", _("Revision"), shown=False, number=True),
            *((Column("key", _("All keys"), shown=False),) if manages else ()),
        ),
        filters=(
            Filter("state", _("State"), tuple(State.choices)),
            Filter("task", _("Task"), tuple(task_choices())),
            Filter("style", _("Style"), tuple(Style.choices)),
            Filter("kind", _("Type"), tuple((kind.code, kind.name_in(language)) for kind in kinds)),
            *((Filter("writer", _("Writer"), tuple(people)),) if people else ()),
            Filter("changed", _("Updated"), (
                ("1", _("last 24 hours")), ("7", _("last 7 days")), ("30", _("last 30 days")),
                ("older7", _("more than 7 days ago")), ("older30", _("more than 30 days ago")),
            ), several=False),
            Filter("story", _("Story"), several=False),
        ),
        sort="-changed",
        scopes=(
            (STEM, _("Stem")),
            (OPTIONS, _("Options")),
            *(((KEY, _("Correct option (keys you know)")),) if manages else ()),
        ),
    )  # fmt: skip


def items_asked(user: User, project: Project, asked: Asked) -> QuerySet[Item]:
    """The items that an address asks for, as far as this person may see them.

    Keys are searched where this person knows them already: neither a hit nor its lack tells them another.
    """
    found = items_seen_by(user, project)
    for name, path in (("state", "state"), ("task", "task"), ("style", "style"), ("writer", "writer")):
        if values := asked.values.get(name):
            found = found.filter(**{f"{path}__in": values})
    if kinds := asked.values.get("kind"):
        found = found.filter(current__in=typed(project, kinds))
    if story := asked.one("story"):
        found = found.filter(Q(story__ref=story) | Q(story__current__title__icontains=story))
    if days := AGES.get(asked.one("changed")):
        since = timezone.now() - timedelta(days=abs(days))
        found = found.filter(Q(changed_at__gte=since) if days < 0 else Q(changed_at__lt=since))
    if asked.q and asked.scope == KEY:
        found = found.filter(is_key_known(user))
    return found.filter(holding(asked.terms, asked.scope)) if asked.q else found


def shows_keys(asked: Asked) -> bool:
    """Whether the list shows the key of every row."""
    return "key" in asked.columns


_IN_QUEUE: Final = tuple(state.value for state in STATE_OF.values())
STATES: Final[dict[str, tuple[str, ...]]] = {
    Verb.RETURN: (State.VERIFIED,),
    Verb.FIRST: _IN_QUEUE,
    Verb.NORMAL: _IN_QUEUE,
    Verb.ASSIGN: WITH_WRITER,
    Verb.RETIRE: (State.VERIFIED,),
}
"""In which states an item has to be for each of the things that are done to many at once."""


def views_of(user: User, project: Project, listing: str) -> QuerySet[SavedView]:
    """The saved views of a list: one's own, and those shared with the project."""
    mine = SavedView.objects.filter(project=project, listing=listing)
    return mine.filter(Q(owner=user) | Q(shared=True)).order_by("name", "pk")


def last_bulk(user: User, project: Project) -> BulkAction | None:
    """What this person did last to many items of the project, within the hour."""
    lately = BulkAction.objects.filter(
        project=project, actor=user, created_at__gt=timezone.now() - SHOWS_UNDO
    )
    return lately.defer("items").select_related("undone_by", "undoes", "receiver").order_by("-pk").first()


def get_bulk(*, project: Project, pk: int) -> BulkAction:
    """One thing done to many items of the project; else `Hidden`."""
    found = BulkAction.objects.filter(project=project, pk=pk).first()
    if found is None:
        raise Hidden(str(_("Action not found.")))
    return found


def asked_context(
    asked: Asked, views: Iterable[SavedView], built_in: Iterable[tuple[Any, str]]
) -> dict[str, Any]:
    """The tabs above a list: views that come with it, and saved ones."""
    tabs = [{"label": label, "query": query, "current": asked.query == query} for label, query in built_in]
    saved = [{"view": view, "current": asked.query == view.query} for view in views]
    return {"tabs": tabs, "views": saved, "is_saved": any(tab["current"] for tab in [*tabs, *saved])}
