"""Queries of the list of stories, with its columns and filters."""

from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models import Item, WritingAssignment, WritingPlaces
from annotation.queries.assignment import lacking_writers
from annotation.queries.item import STOPPED
from annotation.queries.reservation import open_reservations
from corpus.models import Story
from corpus.queries import TEXT, TITLE, holding, languages_of
from dashboard.models import Verb
from parable.formats.records import FURTHER_FIELDS
from projects.models import Language, Project
from projects.permissions import Permission
from projects.queries import members
from review.models import RequestState, ReviewRequest
from web.long_list import Asked, Column, Filter, Listing

STORIES: Final = "stories"
METADATA: Final = ("rights", "evidence", *FURTHER_FIELDS)
"""The metadata that a bulk action can set for many stories at once."""
LACKING: Final = "lacking"
ENOUGH: Final = "enough"
HELD_BACK: Final = "held_back"
RESERVED: Final = "reserved"


def stories_listing(project: Project, *, sees_all: bool) -> Listing:
    """Return the columns and filters of the list of stories.

    Only with `sees_all` can the list be filtered and ordered by the number of writers: during a pilot,
    writers must not see this number.
    """
    languages = languages_of(project)
    writers = members(project, Permission.WRITE) if sees_all else ()
    of_managers = (
        Filter("writers", _("Writers"), (
            (LACKING, _("more writers needed")), (ENOUGH, _("enough writers")),
            (HELD_BACK, _("held back")), (RESERVED, _("reserved")),
        ), several=False),
        Filter("writer", _("Writer"), tuple((str(person.pk), str(person)) for person in writers)),
        Filter("items", _("Items"), (("none", _("no items yet")), ("some", _("has items"))), several=False),
    ) if sees_all else ()  # fmt: skip
    names = dict(Language.choices)
    named = tuple((code, names.get(code, code)) for code in sorted(languages))
    return Listing(
        STORIES,
        columns=(
            Column("story", _("Story"), ("current__title", "pk"), always=True, complete=True),
            Column("ref", _("ID"), ("ref", "pk")),
            Column("source", _("Source"), ("source", "pk")),
            Column("rights", _("Rights"), ("rights", "pk")),
            Column("items", _("Items"), number=True),
            Column("writers", _("Writers"), ("places__writers", "pk") if sees_all else (), number=True),
            Column("language", _("Language"), ("language", "pk"), shown=False),
            Column("revision", _("Revision"), ("current__number", "pk"), shown=False, number=True),
            Column("added", _("Added"), ("pk",), shown=False, number=True),
        ),
        filters=(
            Filter("rights", _("Rights"), (("known", _("known")), ("unknown", _("unknown"))), several=False),
            *((Filter("language", _("Language"), named),) if len(named) > 1 else ()),
            *of_managers,
        ),
        sort="added",
        scopes=((TITLE, _("Title")), (TEXT, _("Text"))),
    )


def stories_asked(_user: User, project: Project, asked: Asked) -> QuerySet[Story]:
    """Return the stories that match the query string."""
    found = Story.objects.filter(project=project)
    if rights := asked.one("rights"):
        found = found.exclude(rights="") if rights == "known" else found.filter(rights="")
    if languages := asked.values.get("language"):
        found = found.filter(language__in=languages)
    if writers := asked.one("writers"):
        found = found.filter(_with_writers(project, writers))
    if held_by := asked.values.get("writer"):
        held = WritingAssignment.objects.filter(
            story=OuterRef("pk"), given_back_at=None, writer__in=list(map(int, held_by))
        )
        found = found.filter(Exists(held))
    if items := asked.one("items"):
        written = Exists(Item.objects.filter(story=OuterRef("pk")).exclude(state__in=STOPPED))
        found = found.filter(written if items == "some" else ~written)
    return found.filter(holding(asked.terms, asked.scope)) if asked.q else found


def _with_writers(project: Project, writers: str) -> Q:
    if writers == HELD_BACK:
        return Q(places__is_held_back=True)
    if writers == RESERVED:
        return Q(Exists(open_reservations().filter(story=OuterRef("pk"))))
    lacks = Q(
        places__in=lacking_writers(WritingPlaces.objects.filter(project=project), project.writers_per_story)
    )
    return lacks if writers == LACKING else ~lacks


def stories_able(project: Project, verb: str) -> QuerySet[Story]:
    """Return the stories to which this bulk action can be applied."""
    found = Story.objects.filter(project=project)
    if verb in (Verb.HOLD_BACK, Verb.RELEASE):
        return found.filter(places__is_held_back=verb == Verb.RELEASE)
    if verb in (Verb.FIRST, Verb.NORMAL):
        return found.filter(Exists(in_queue().filter(story=OuterRef("pk"))))
    return found


def in_queue() -> QuerySet[ReviewRequest]:
    """Return the review requests that are open or claimed."""
    return ReviewRequest.objects.filter(state__in=[RequestState.OPEN, RequestState.CLAIMED])
