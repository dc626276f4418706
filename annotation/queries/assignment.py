"""Queries of stories assigned to writers, of overdue work, and of the reasons why a writer gets no story."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypedDict

from django.db import connection
from django.db.models import (
    Count,
    Exists,
    F,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.lifecycle import NOT_OWED
from annotation.models import (
    HandOver,
    Item,
    ItemDraft,
    State,
    Transition,
    WritingAssignment,
    WritingPlaces,
)
from annotation.queries.reservation import held_back_for, reserved_for_others
from core.errors import Hidden
from corpus.models import Story
from parable.kinds import codes
from projects.models import Project
from projects.permissions import Permission, may_manage, permissions_of
from web.cached_counts import COUNTED_ANEW, cached, named

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

WITH_WRITER: Final = (State.RETURNED, State.DRAFT)
LONG_AGO: Final = timedelta(days=14)


def free_places(project: Project, writer: User) -> QuerySet[WritingPlaces]:
    """Return the rows of the stories that this writer may take: fewest writers first, then oldest first.

    Stories that are held back are included only if they are reserved for this writer. A reservation for
    another writer counts as a writer of the story.
    """
    found = WritingPlaces.objects.filter(project=project)
    handed_out = found.filter(is_handed_out(held_back_for(writer, [project])))
    free = with_place(handed_out, writer, project.writers_per_story).filter(never_had_by(writer))
    return free.order_by("writers", "story")


def never_had_by(writer: User) -> Q:
    """Return a `Q` on `WritingPlaces`: the writer never had any wording of the story."""
    had = WritingAssignment.objects.filter(writer=writer)
    of_group = had.filter(story__group=OuterRef("story__group"))
    return Q(~Exists(had.filter(story=OuterRef("story"))), ~Exists(of_group))


def is_first_wording() -> Q:
    """Return a `Q` on `WritingPlaces`: the story is the first wording in its group."""
    earlier = Story.objects.filter(group=OuterRef("story__group"), pk__lt=OuterRef("story"))
    return Q(~Exists(earlier))


def writers_of_others() -> Combinable:
    """Return an expression on `WritingPlaces`: the number of writers of the story's other wordings."""
    others = WritingPlaces.objects.filter(story__group=OuterRef("story__group")).exclude(pk=OuterRef("pk"))
    counted = others.order_by().values("story__group").annotate(n=Sum("writers")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), Value(0))


def lacking_writers(places: QuerySet[WritingPlaces], most: int | OuterRef) -> QuerySet[WritingPlaces]:
    """Return the rows of stories with fewer than `most` writers.

    The writers of all wordings of a story are counted.
    """
    # the first condition uses an index, so that nothing is counted for stories with enough writers
    few = places.filter(is_first_wording(), writers__lt=most)
    return few.filter(writers__lt=most - writers_of_others())


def is_handed_out(mine: Collection[int]) -> Q:
    """Return a `Q` on `WritingPlaces`: the story is not held back, or its id is in `mine`."""
    handed_out = Q(is_held_back=False)
    return handed_out | Q(story__in=mine) if mine else handed_out


def with_place(
    places: QuerySet[WritingPlaces], writer: User, most: int | OuterRef
) -> QuerySet[WritingPlaces]:
    """Return the rows of stories with fewer than `most` writers.

    Reservations for others count as writers.
    """
    return lacking_writers(places, most).filter(
        writers__lt=most - writers_of_others() - reserved_places(writer)
    )


def reserved_places(writer: User) -> Combinable:
    """Return an expression on `WritingPlaces`: the number of other writers with a reservation."""
    reserved = reserved_for_others(writer, OuterRef("story"))
    counted = reserved.values("story").annotate(n=Count("writer", distinct=True)).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), Value(0))


class Counted(TypedDict):
    """The type of the annotation `submitted`, which `with_submitted` adds to assignments."""

    submitted: int


if TYPE_CHECKING:
    Held: TypeAlias = WithAnnotations[WritingAssignment, Counted]
else:
    Held = WritingAssignment


def with_submitted(held: QuerySet[WritingAssignment]) -> QuerySet[Held]:
    """Annotate assignments with `submitted`, the number of owed items that the writer has submitted."""
    written = (
        Item.objects.filter(story=OuterRef("story"), writer=OuterRef("writer"), task__in=codes("is_owed"))
        .exclude(state__in=NOT_OWED)
        .order_by()
        .values("writer")
        .annotate(n=Count("pk"))
        .values("n")
    )
    return held.annotate(submitted=Coalesce(Subquery(written, output_field=IntegerField()), Value(0)))


def held_now(project: Project) -> QuerySet[Held]:
    """Return the project's current assignments, annotated with `submitted`."""
    return with_submitted(WritingAssignment.objects.filter(story__project=project, given_back_at=None))


def unfinished(project: Project, writer: User) -> QuerySet[Held]:
    """Return this writer's current assignments that still lack items, earliest due date first."""
    found = held_now(project).filter(writer=writer, submitted__lt=project.items_per_writer)
    return found.select_related("story__current").order_by(F("due_on").asc(nulls_last=True), "pk")


@dataclass(frozen=True, slots=True)
class Limits:
    """A writer's numbers of unfinished stories and of items, and the project's limits (0: no limit)."""

    assigned: int
    most_assigned: int
    written: int
    owed: int
    per_story: int
    most_items: int

    @property
    def has_hands_full(self) -> bool:
        """Return whether the writer has as many unfinished stories as the project allows."""
        return 0 < self.most_assigned <= self.assigned

    @property
    def would_write_too_much(self) -> bool:
        """Return whether the items of another story would exceed the project's limit per person."""
        return 0 < self.most_items < self.written + self.owed + self.per_story

    @property
    def reached(self) -> bool:
        """Return whether a limit prevents the writer from taking another story now."""
        return self.has_hands_full or self.would_write_too_much


def limits_of(writer: User, project: Project) -> Limits:
    """Return this writer's numbers of stories and items, with the project's limits."""
    left = Value(project.items_per_writer) - F("submitted")
    held = unfinished(project, writer).order_by()
    open_now = held.aggregate(stories=Count("pk"), owed=Sum(left, output_field=IntegerField()))
    written = Item.objects.filter(project=project, writer=writer, task__in=codes("is_owed"))
    return Limits(
        assigned=open_now["stories"],
        most_assigned=project.most_stories_in_hand,
        written=written.exclude(state__in=NOT_OWED).count(),
        owed=open_now["owed"] or 0,
        per_story=project.items_per_writer,
        most_items=project.most_items_per_person,
    )


@dataclass(frozen=True, slots=True)
class NoStory:
    """The reasons why a writer gets no story: a limit is reached, or no story is free.

    Of the stories that need a writer, `theirs` counts those that this user has, `given_back` those that the
    user gave back, `kept` those that are reserved for others, `held_back` those that no writer may take.
    `stories`: whether the project has any story. `free`: whether there is a free story.
    """

    limits: Limits
    stories: bool
    free: bool
    theirs: int
    given_back: int
    kept: int
    held_back: int


def why_no_story(writer: User, project: Project) -> NoStory:
    """Return why the writer got no story.

    If `free` is True, a story has become free, and trying again will help.
    """
    wanting = lacking_writers(WritingPlaces.objects.filter(project=project), project.writers_per_story)
    handed_out = wanting.filter(is_handed_out(held_back_for(writer, [project])))
    takeable = with_place(handed_out, writer, project.writers_per_story)
    had = WritingAssignment.objects.filter(writer=writer, story__in=takeable.values("story"))
    theirs = had.filter(given_back_at=None).values("story").distinct().count()
    return NoStory(
        limits=limits_of(writer, project),
        stories=Story.objects.filter(project=project).exists(),
        free=free_places(project, writer).exists(),
        theirs=theirs,
        given_back=had.values("story").distinct().count() - theirs,
        kept=handed_out.filter(writers__gte=project.writers_per_story - reserved_places(writer)).count(),
        held_back=wanting.count() - handed_out.count(),
    )


@dataclass(frozen=True, slots=True)
class Progress:
    """One writer's progress; `due` is the earliest due date of the unfinished stories."""

    writer: User
    stories: int
    written: int
    owed: int
    overdue: int
    due: date | None
    returned: int = 0

    @property
    def left(self) -> int:
        """The number of items still to write."""
        return self.owed - self.written


def progress(project: Project) -> list[Progress]:
    """Return the progress of the writers who have assignments or returned items.

    Writers with most overdue stories come first, then those with the earliest due date, then those with most
    items left. Large counts are cached for a minute, or until a story is taken, assigned or given back.
    """
    owed = project.items_per_writer
    live = WritingAssignment.objects.filter(story__project=project, given_back_at=None)
    count, latest = live.aggregate(n=Count("pk"), latest=Max("pk")).values()
    rows = cached(
        named("in_hand:1", project, owed, timezone.localdate(), count, latest),
        lambda: assigned_work([project]),
        is_large=lambda found: sum(row.written for row in found.values()) > COUNTED_ANEW,
    )
    held = {writer: row for (_project, writer), row in rows.items()}
    returned = Item.objects.filter(project=project, state=State.RETURNED, offered_at=None).order_by()
    back = dict(returned.values_list("writer").annotate(n=Count("pk")))
    people = User.objects.filter(pk__in=[*held, *back]).order_by("name", "pk")
    found = [_progress(person, held.get(person.pk), back.get(person.pk, 0), owed) for person in people]
    return sorted(found, key=lambda one: (-one.overdue, one.due or date.max, -one.left, one.writer.name))


class AssignedWork(NamedTuple):
    """Counts for a writer: assigned stories, items about them, unfinished and overdue stories."""

    stories: int = 0
    written: int = 0
    unfinished: int = 0
    overdue: int = 0
    due: date | None = None


# Only items about assigned stories are read, as the project may have a hundred thousand others. They are
# counted in one pass; a subquery for each assignment would run three times.
ASSIGNED_WORK: Final = """
    SELECT story.project_id, held.writer_id, count(*), sum(least(n, owed))::bigint,
        count(*) FILTER (WHERE n < owed), count(*) FILTER (WHERE n < owed AND held.due_on < %(today)s),
        min(held.due_on) FILTER (WHERE n < owed)
    FROM annotation_writingassignment held
    JOIN corpus_story story ON story.id = held.story_id
    JOIN projects_project project ON project.id = story.project_id
    LEFT JOIN (
        SELECT story_id, writer_id, count(*) FROM annotation_item item
        WHERE project_id = ANY(%(projects)s) AND task = ANY(%(tasks)s) {of_writer}
            AND NOT state IN ('draft', 'withdrawn', 'rejected')
            AND EXISTS (SELECT FROM annotation_writingassignment assigned WHERE assigned.given_back_at IS NULL
                AND assigned.story_id = item.story_id AND assigned.writer_id = item.writer_id)
        GROUP BY story_id, writer_id
    ) written ON written.story_id = held.story_id AND written.writer_id = held.writer_id
    CROSS JOIN LATERAL (SELECT coalesce(written.count, 0) AS n, project.items_per_writer AS owed) counted
    WHERE story.project_id = ANY(%(projects)s) AND held.given_back_at IS NULL {held_by}
    GROUP BY story.project_id, held.writer_id
"""
_OF_ALL: Final = ASSIGNED_WORK.format(of_writer="", held_by="")
_OF_ONE: Final = ASSIGNED_WORK.format(
    of_writer="AND writer_id = %(writer)s", held_by="AND held.writer_id = %(writer)s"
)


def assigned_work(
    projects: Iterable[Project], writer: User | None = None
) -> dict[tuple[int, int], AssignedWork]:
    """Return the counts of assigned stories by (project id, writer id), for all writers or for one."""
    asked: dict[str, Any] = {
        "projects": [project.pk for project in projects],
        "tasks": list(codes("is_owed")),
        "today": timezone.localdate(),
    }
    with connection.cursor() as cursor:
        if writer:
            cursor.execute(_OF_ONE, asked | {"writer": writer.pk})
        else:
            cursor.execute(_OF_ALL, asked)
        return {(project, person): AssignedWork(*row) for project, person, *row in cursor.fetchall()}


def _progress(person: User, row: AssignedWork | None, returned: int, owed: int) -> Progress:
    found = row or AssignedWork()
    return Progress(
        person, found.stories, found.written, found.stories * owed, found.overdue, found.due, returned
    )


def progress_of(writer: User, project: Project) -> Progress:
    """Return this writer's progress, for the writer's desk. Returned items are not counted."""
    row = assigned_work([project], writer).get((project.pk, writer.pk))
    return _progress(writer, row, 0, project.items_per_writer)


def stories_to_name(project: Project, *, q: str = "", lacking: bool = True) -> QuerySet[WritingPlaces]:
    """Return the stories that a manager can assign: fewest writers first, stories held back last.

    `q`: a part of the title or id. `lacking`: only stories that need more writers.
    """
    found = WritingPlaces.objects.filter(project=project).select_related("story__current")
    if lacking:
        found = lacking_writers(found, project.writers_per_story)
    if q:
        found = found.filter(Q(story__current__title__icontains=q) | Q(story__ref__icontains=q))
    return found.order_by("is_held_back", "writers", "story")


def holders(stories: Iterable[int]) -> dict[int, list[User]]:
    """Return the writers to whom a story is currently assigned, by story id."""
    held = WritingAssignment.objects.filter(story__in=list(stories), given_back_at=None)
    found: dict[int, list[User]] = {}
    for assignment in held.select_related("writer").order_by("pk"):
        found.setdefault(assignment.story_id, []).append(assignment.writer)
    return found


def waiting_for_somebody(project: Project, reader: User) -> QuerySet[Item]:
    """Return the items that another writer may take over: offered items, or items returned long ago.

    The reader's own items are excluded. The annotation `returned_at` is the time of the last return.
    """
    returned_at = (
        Transition.objects.filter(item=OuterRef("pk"), to_state=State.RETURNED)
        .order_by()
        .values("item")
        .annotate(last=Max("at"))
        .values("last")
    )
    long_ago = Q(state=State.RETURNED, returned_at__lt=timezone.now() - LONG_AGO)
    return (
        Item.objects.filter(project=project, state__in=WITH_WRITER)
        .exclude(writer=reader)
        .annotate(returned_at=Subquery(returned_at))
        .filter(Q(offered_at__isnull=False) | long_ago)
        .select_related("story__current", "writer")
        .order_by("pk")
    )


def assigned_items(project: Project, person: User) -> QuerySet[Item]:
    """Return the items that this user must revise: returned items, and incomplete imports."""
    found = Item.objects.filter(project=project, writer=person, state__in=WITH_WRITER)
    return found.select_related("story__current", "current").order_by("pk")


def assigned_drafts(project: Project, person: User) -> QuerySet[ItemDraft]:
    """Return drafts that this user has neither submitted nor discarded."""
    found = ItemDraft.objects.filter(project=project, writer=person, deleted_at=None, submitted_as=None)
    return found.select_related("story__current").order_by("pk")


def people_with_work(project: Project) -> QuerySet[User]:
    """Return the users with current assignments, drafts or returned items, including former members."""
    held = WritingAssignment.objects.filter(story__project=project, given_back_at=None).values("writer")
    drafts = ItemDraft.objects.filter(project=project, deleted_at=None, submitted_as=None).values("writer")
    items = Item.objects.filter(project=project, state__in=WITH_WRITER).values("writer")
    return User.objects.filter(Q(pk__in=held) | Q(pk__in=drafts) | Q(pk__in=items)).order_by("name", "pk")


def hand_overs(project: Project) -> QuerySet[HandOver]:
    """Return the project's handovers, newest first."""
    return HandOver.objects.filter(project=project).select_related("leaver", "receiver", "actor")


def assignments_of(user: User, project: Project) -> QuerySet[Held]:
    """Return this writer's assigned stories, annotated with `submitted`, earliest due date first.

    Only the items of the selected rows are counted.
    """
    mine = held_now(project).filter(writer=user).select_related("story__current")
    return mine.order_by(F("due_on").asc(nulls_last=True), "pk")


def assignments_seen_by(user: User, project: Project) -> QuerySet[Held]:
    """Return the project's assignments, also former ones, annotated with `submitted`.

    Without permission to see all, only the user's own.
    """
    found = WritingAssignment.objects.filter(story__project=project)
    if Permission.SEE_WRITING not in permissions_of(user, project):
        found = found.filter(writer=user)
    return with_submitted(found)


def get_assignment(*, user: User, project: Project, pk: int) -> WritingAssignment:
    """Return the assignment with this id.

    Managers get any user's assignment, others only their own. Raise `Hidden` if there is none.
    """
    found = WritingAssignment.objects.filter(story__project=project, pk=pk).select_related("story")
    if not may_manage(user, project):
        found = found.filter(writer=user)
    assignment = found.first()
    if assignment is None:
        raise Hidden(_("You have not taken this story."))
    return assignment


def is_assigned(user: User, story: Story) -> bool:
    """Return whether the story is assigned to this user now."""
    return WritingAssignment.objects.filter(story=story, writer=user, given_back_at=None).exists()


def given_back_by(user: User, project: Project) -> QuerySet[WritingAssignment]:
    """Return the assignments that this user gave back.

    Stories that were assigned to the user again are left out.
    """
    mine = WritingAssignment.objects.filter(story__project=project, writer=user)
    held = mine.filter(given_back_at=None).values("story")
    return mine.exclude(given_back_at=None).exclude(story__in=held).select_related("story__current")
