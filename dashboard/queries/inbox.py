"""Queries of a user's inbox over several projects. Reads only.

Each kind of card is read by one statement for all projects, so that the number of queries does not depend on
the number of projects.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Final

from django.db.models import Count, Exists, OuterRef, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, time_format
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from accounts.models import User
from annotation.models import Cause, Item, Transition
from annotation.queries.inbox import Writing, returned_counts, returned_in, writing_in
from corpus.models import Story
from dashboard.queries.news import JOBS_STAY, News, total
from events.queries import given_up_in
from jobs.errors import sentence
from jobs.models import Job
from jobs.queries import address_of, ended_in, running_in
from parable.kinds import kind_of
from projects.models import Invitation, Membership, Project, Role
from projects.permissions import Permission, permissions_for, roles_in, roles_with
from projects.queries import projects_of
from release.queries.inbox import unanswered_in
from review.models import Review, Stage
from review.permissions import TO_JUDGE
from review.queries.blocked import blocked_in
from review.queries.inbox import Queued, Reason, named_in, queued
from review.queries.verdict import verdicts_by_item

MOST_PROJECTS: Final = 200
MOST_RETURNED: Final = 30
MOST_OF_A_PROJECT: Final = 5
MOST_CARDS: Final = 40
MOST_QUIET: Final = 12
MOST_JOBS: Final = 10
SHOWS_AGE: Final = timedelta(hours=1)
"""A card displays the age of its oldest request if the request is at least this old."""


@dataclass(frozen=True, slots=True)
class Mine:
    """A project with the roles of one user in it."""

    project: Project
    roles: frozenset[str]

    @property
    def permissions(self) -> Permission:
        """Return the user's permissions in the project."""
        return permissions_for(self.roles)

    @property
    def manages(self) -> bool:
        """Return whether the user is a manager of the project."""
        return Permission.MANAGE in self.permissions

    @property
    def role_names(self) -> str:
        """Return the names of the user's roles, separated by commas, in the order of `Role`."""
        return _(", ").join(str(role.label) for role in Role if role in self.roles)


def my_projects(user: User) -> list[Mine]:
    """Return the projects of the user's inbox, ordered by name. Administrators get all projects."""
    found = list(projects_of(user).filter(archived_at=None).order_by("name", "pk")[:MOST_PROJECTS])
    roles = roles_in(user, found)
    return [Mine(project, roles[project.pk]) for project in found]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a card: a text with a time or number beside it, and a link (`url`)."""

    text: str
    aside: str = ""
    url: str = ""
    new: bool = False
    tone: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """A comment on a returned item, with the stage of the review and the names of the flaws."""

    text: str
    said_by: str


@dataclass(frozen=True, slots=True)
class Returned:
    """A returned item. `words` is its stem, or its key if all items of its task have the same stem."""

    item: Item
    words: str
    is_key: bool
    at: datetime | None
    quotes: tuple[Quote, ...]
    new: bool


@dataclass(frozen=True, slots=True)
class Card:
    """One kind of work in one project, displayed as a number, a sentence and a button.

    `page` is the name of the button's route, whose arguments are the project's slug and `argument`. `post` is
    True if the button claims a request and so must send a POST. `do` is the label if the button is the page's
    primary action.
    """

    kind: str
    icon: str
    label: str
    mine: Mine
    big: str = ""
    text: str = ""
    strong: str = ""
    action: str = ""
    do: str = ""
    page: str = ""
    argument: int | None = None
    post: bool = False
    waits: bool = False
    new: int = 0
    count: int = 0
    rows: tuple[Row, ...] = ()
    returned: tuple[Returned, ...] = ()

    @property
    def url(self) -> str:
        """The address to which the card's button leads, or "" if it has none."""
        rest = [] if self.argument is None else [self.argument]
        return reverse(self.page, args=[self.mine.project.slug, *rest]) if self.page else ""


ORDER: Final = (
    "cross_check", "verification", "adjudication", "deputy", "returned", "write", "start", "report",
    "blocked", "webhook", "joined",
)  # fmt: skip
"""The order of cards; the first card with something to do has the primary action."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A job that is running or has ended, with its project."""

    work: Job
    mine: Mine
    url: str
    reason: str
    new: bool


@dataclass(frozen=True)
class Inbox:
    """The content of the inbox, with `cards` in order of urgency."""

    projects: Sequence[Mine]
    cards: Sequence[Card]
    ended: Sequence[Ended]
    running: Sequence[Ended]
    news: Sequence[News] = ()

    @cached_property
    def waiting(self) -> list[Card]:
        """The first `MOST_CARDS` cards with something to do."""
        return [card for card in self.cards if card.waits][:MOST_CARDS]

    @cached_property
    def quiet(self) -> list[Card]:
        """The first `MOST_QUIET` cards with nothing to do; each states the reason."""
        return [card for card in self.cards if not card.waits][:MOST_QUIET]

    @property
    def left_out(self) -> int:
        """The number of cards that are not displayed because the page is full."""
        return len(self.cards) - len(self.waiting) - len(self.quiet)

    @property
    def first(self) -> Card | None:
        """Return the first card with something to do, or None. Its button is the page's primary action."""
        return self.waiting[0] if self.waiting else None

    @cached_property
    def failed(self) -> list[Ended]:
        """The jobs that failed; each is displayed on a card of its own."""
        return [each for each in self.ended if each.work.has_failed]

    @cached_property
    def finished(self) -> list[Ended]:
        """The jobs that ended without failing; they share one card."""
        return [each for each in self.ended if not each.work.has_failed]

    @property
    def displayed_keys(self) -> list[int]:
        """The ids of the items whose keys the page displays. The caller records this exposure of keys."""
        return [row.item.pk for card in self.waiting for row in card.returned if row.is_key]

    @property
    def new(self) -> int:
        """The number of news in these projects, as displayed beside the bell icon."""
        return total(self.news)


def inbox_of(user: User, projects: Sequence[Mine], news: Iterable[News], *, since: datetime) -> Inbox:
    """Return the user's inbox over these projects; lines newer than `since` are marked as new."""
    by_number = _by_number(projects)
    news = [one for one in news if one.project in by_number]
    counted = {(one.project, one.kind): one.count for one in news}
    cards = [
        *_queue_cards(user, projects),
        *_returned_cards(user, projects, since),
        *_writer_cards(user, projects),
        *_substitute_cards(user, projects),
        *_manager_cards(projects, since),
    ]
    cards = [replace(card, new=counted.get((card.mine.project.pk, str(card.kind)), 0)) for card in cards]
    cards.sort(key=lambda card: (not card.waits, ORDER.index(card.kind), -card.count))
    return Inbox(projects, cards, *_jobs(user, projects, since), news)


def _by_number(projects: Iterable[Mine]) -> dict[int, Mine]:
    return {mine.project.pk: mine for mine in projects}


# --- the queues of review ---


def _queue_cards(user: User, projects: Sequence[Mine]) -> list[Card]:
    queues = [
        (mine.project.pk, stage)
        for mine in projects
        for stage, permission in TO_JUDGE.items()
        if permission in mine.permissions
    ]
    found, by_number = queued(user, queues), _by_number(projects)
    cards = [_queue_card(by_number[project], stage, found[project, stage]) for project, stage in queues]
    # adjudicators with other work see this card only if there is something to adjudicate
    return [card for card in cards if card.waits or card.kind != Stage.ADJUDICATION]


@dataclass(frozen=True, slots=True)
class _Queue:
    icon: str
    label: str
    next: str
    go_on: str
    to_do: str
    nothing: str
    claim: str
    queue: str


def _queue_of(stage: str, n: int) -> _Queue:
    return {
        Stage.CROSS_CHECK: _Queue(
            "eye", pgettext("navigation", "Review"), _("Review next"), _("Continue review"),
            ngettext("%(n)d item to review", "%(n)d items to review", n), _("No items to review"),
            "review:claim", "review:queue",
        ),
        Stage.VERIFICATION: _Queue(
            "check", pgettext("navigation", "Verify"), _("Verify next"), _("Continue verification"),
            ngettext("%(n)d item to verify", "%(n)d items to verify", n), _("No items to verify"),
            "review:claim_verify", "review:verify",
        ),
        Stage.ADJUDICATION: _Queue(
            "scales", pgettext("navigation", "Adjudicate"), _("Adjudicate next"), _("Continue adjudication"),
            ngettext("%(n)d item to adjudicate", "%(n)d items to adjudicate", n), _("No items to adjudicate"),
            "review:claim_adjudicate", "review:adjudicate",
        ),
    }[Stage(stage)]  # fmt: skip


def _queue_card(mine: Mine, stage: str, queue: Queued) -> Card:
    means = _queue_of(stage, queue.open)
    if queue.is_empty:
        return Card(
            stage, means.icon, means.label, mine,
            big=means.nothing, text=_why_nothing(queue), action=_("View queue"), page=means.queue,
        )  # fmt: skip
    text = ""
    if queue.mine:
        text = _("You have begun one; it is reserved for you.")
    elif queue.held:
        text = ngettext(
            "%(n)d more is with another reviewer.", "%(n)d more are with other reviewers.", queue.held
        ) % {"n": queue.held}
    waits = ngettext("%(n)d waiting", "%(n)d waiting", queue.open) % {"n": queue.open}
    do = means.go_on if queue.mine else _("%(action)s, %(count)s") % {"action": means.next, "count": waits}
    return Card(
        stage, means.icon, means.label, mine,
        big=means.to_do % {"n": queue.open} if queue.open else _("1 item in progress"),
        strong=_waiting_since(mine.project, queue), text=text,
        action=means.go_on if queue.mine else means.next, do=do, page=means.claim,
        post=True, waits=True, count=queue.open,
        rows=tuple(_reason_row(mine, reason) for reason in queue.reasons),
    )  # fmt: skip


def _reason_row(mine: Mine, reason: Reason) -> Row:
    """Return a line for an item in adjudication, with the reason.

    It links to the item or, if the reader may not see all items, to the story.
    """
    page, pk = "corpus:story", reason.story
    if Permission.SEE_ITEMS in mine.permissions:
        page, pk = "dashboard:item", reason.item
    named = _("%(number)d, %(story)s") % {"number": reason.item, "story": reason.title}
    url = reverse(page, args=[mine.project.slug, pk])
    recent = timezone.now() - reason.since < timedelta(minutes=1)
    ago = _("just now") if recent else timesince(reason.since, depth=1)
    return Row(reason.label, ago, url, detail=named)


def _waiting_since(project: Project, queue: Queued) -> str:
    """Return a sentence: when the oldest item is due, or how long it has waited.

    Return "" if neither applies.
    """
    if queue.since is None:
        return ""
    if project.days_to_review:
        due = timezone.localdate(queue.since) + timedelta(days=project.days_to_review)
        overdue = due < timezone.localdate()
        return (_("The oldest was due %(day)s.") if overdue else _("Next due %(day)s.")) % {"day": day(due)}
    if timezone.now() - queue.since < SHOWS_AGE:
        return ""
    return _("The oldest has waited for %(time)s.") % {"time": timesince(queue.since, depth=1)}


def _why_nothing(queue: Queued) -> str:
    reasons = []
    if queue.held and queue.held_until:
        until = time_format(timezone.localtime(queue.held_until), "TIME_FORMAT")
        words = ngettext(
            "%(n)d is with another reviewer until %(until)s.",
            "%(n)d are with other reviewers; the first is free again at %(until)s.",
            queue.held,
        )
        reasons.append(words % {"n": queue.held, "until": until})
    if queue.excluded:
        words = ngettext(
            "%(n)d is not shown to you: you wrote, answered or skipped it.",
            "%(n)d are not shown to you: you wrote, answered or skipped them.",
            queue.excluded,
        )
        reasons.append(words % {"n": queue.excluded})
    return " ".join(reasons) or _("Submitted items appear here.")


def _substitute_cards(user: User, projects: Sequence[Mine]) -> list[Card]:
    by_number = _by_number(projects)
    return [
        Card(
            "deputy", "person", _("Assigned to you"), by_number[project],
            big=ngettext("%(n)d item only you can review", "%(n)d items only you can review", n) % {"n": n},
            text=_("No one else in the project can review them."), action=_("View items"),
            do=_("View items assigned to you"), page="review:deputy", waits=True, count=n,
        )
        for project, n in named_in(user, by_number).items()
    ]  # fmt: skip


# --- writing ---


def _returned_cards(user: User, projects: Sequence[Mine], since: datetime) -> list[Card]:
    by_number = _by_number(projects)
    counts = returned_counts(user, [mine.project for mine in projects])
    if not counts:
        return []
    among = [by_number[project].project for project in counts]
    items = list(returned_in(user, among, most=MOST_RETURNED))
    said = verdicts_by_item(items)
    returned: dict[int, list[Returned]] = defaultdict(list)
    for item in items:
        returned[item.project_id].append(_returned(item, said.get(item.pk, []), since))
    cards = []
    for project, n in counts.items():
        rows = returned[project]
        count = ngettext("%(n)d returned", "%(n)d returned", n) % {"n": n}
        cards.append(Card(
            "returned", "back", _("Returned with comments"), by_number[project],
            action=_("View all returned items") if n > MOST_OF_A_PROJECT else "",
            do=_("Revise next, %(count)s") % {"count": count},
            page="annotation:revise" if rows else "annotation:desk",
            argument=rows[0].item.pk if rows else None,
            waits=True, count=n, returned=tuple(rows[:MOST_OF_A_PROJECT]),
        ))  # fmt: skip
    return cards


def _returned(item: Item, reviews: Sequence[Review], since: datetime) -> Returned:
    moves: list[Transition] = vars(item)["returns"]
    quotes = [
        Quote(review.comment, _(", ").join([str(review.get_stage_display()), *review.flaw_labels]))
        for review in reviews
        if review.comment or review.flaws
    ]
    if moves and moves[0].reason and (not quotes or moves[0].cause == Cause.SENT_BACK):
        quotes.insert(0, Quote(moves[0].reason, str(moves[0].get_cause_display())))
    key = (
        next((option.text for option in item.current.options.all() if option.is_key), "")
        if item.current
        else ""
    )
    alike = kind_of(item.task).shares_stem
    at = moves[0].at if moves else None
    return Returned(
        item=item,
        words=key if alike else (item.current.stem if item.current else ""),
        is_key=alike,
        at=at,
        quotes=tuple(quotes[:3]),
        new=at is not None and at > since,
    )


def _writer_cards(user: User, projects: Sequence[Mine]) -> list[Card]:
    writers = [mine for mine in projects if Permission.TAKE_STORIES in mine.permissions]
    if not writers:
        return []
    found = writing_in(user, [mine.project for mine in writers])
    return [_writer_card(mine, found[mine.project.pk]) for mine in writers]


def _writer_card(mine: Mine, writing: Writing) -> Card:
    drafts = ngettext("%(n)d draft is saved.", "%(n)d drafts are saved.", writing.drafts) % {
        "n": writing.drafts
    }
    takes = writing.left <= 0 and writing.may_take
    due = ""
    if writing.overdue:
        due = ngettext("%(n)d story is overdue.", "%(n)d stories are overdue.", writing.overdue) % {
            "n": writing.overdue
        }
    elif writing.due and writing.left > 0:
        due = _("Next due %(day)s.") % {"day": day(writing.due)}
    if writing.left > 0:
        big = ngettext("%(n)d item to write", "%(n)d items to write", writing.left) % {"n": writing.left}
        action = do = _("Continue writing")
    elif takes:
        big, action, do = _("A new story is available"), _("Take next story"), _("Take next story")
    elif writing.drafts:
        big, action, do = _("Drafts to finish"), _("Continue writing"), _("Continue writing")
    else:
        big, action, do = _("Nothing to write"), _("View my items"), ""
    text = drafts if writing.drafts else ""
    if not do:
        text = _("No story needs another writer, or you have reached the limit per person.")
    return Card(
        "write", "pencil", pgettext("navigation", "Write"), mine,
        big=big, strong=due, text=text, action=action, do=do,
        page="annotation:take_next" if takes else "annotation:desk", post=takes,
        waits=bool(do), count=writing.left,
    )  # fmt: skip


def day(when: date) -> str:
    """Return a date as text, with its weekday but without the year."""
    names = {"weekday": date_format(when, "l"), "day": date_format(when, "MONTH_DAY_FORMAT")}
    return _("%(weekday)s %(day)s") % names


# --- managing ---


def _manager_cards(projects: Sequence[Mine], since: datetime) -> list[Card]:
    managed = {mine.project.pk: mine for mine in projects if mine.manages}
    if not managed:
        return []
    blocked, reports, given_up = blocked_in(managed), unanswered_in(managed), given_up_in(managed)
    cards = _first_steps(managed)
    cards += [
        Card(
            "blocked", "careful", _("Blocked items"), managed[project],
            big=ngettext("No one can review %(n)d item", "No one can review %(n)d items", n) % {"n": n},
            text=_("Everyone with the role wrote, answered or skipped the item, or no one has the role."),
            action=_("Assign reviewers"), do=_("Assign reviewers"), page="dashboard:today", waits=True,
            count=n,
        )
        for project, n in blocked.items()
    ]  # fmt: skip
    cards += [
        Card(
            "report", "careful", _("Error reports"), managed[project],
            big=ngettext("%(n)d report to answer", "%(n)d reports to answer", n) % {"n": n},
            action=_("View reports"), do=_("Reply to error reports"), page="release:reports", waits=True,
            count=n,
        )
        for project, n in reports.items()
    ]  # fmt: skip
    cards += [
        Card(
            "webhook", "careful", _("Webhooks"), managed[project],
            big=ngettext("%(n)d event could not be delivered", "%(n)d events could not be delivered", n)
            % {"n": n},
            text=_("The receiver failed for two days. Check it, then send the events again."),
            action=_("View webhooks"), do=_("View webhooks"), page="events:webhooks", waits=True, count=n,
        )
        for project, n in given_up.items()
    ]  # fmt: skip
    return cards + _invitation_cards(managed, since)


def _first_steps(managed: dict[int, Mine]) -> list[Card]:
    """Return a card for each project without stories or without people.

    The card has the next step of setting up.
    """
    stories = Story.objects.filter(project=OuterRef("pk"))
    people = Membership.objects.filter(project=OuterRef("pk")).exclude(
        role__in=roles_with(Permission.SEE_PROJECT)
    )
    found = Project.objects.filter(pk__in=list(managed)).order_by()
    rows = found.values_list("pk", Exists(stories), Exists(people))
    begun = {project: (has_stories, has_people) for project, has_stories, has_people in rows}
    cards = []
    for project, mine in managed.items():
        has_stories, has_people = begun.get(project, (False, False))
        if not has_stories:
            cards.append(Card(
                "start", "book", _("Set up"), mine, big=_("No stories yet"),
                text=_("A project begins with its stories: JSONL, CSV or XLSX."), action=_("Import stories"),
                do=_("Import stories"), page="corpus:import_stories", waits=True,
            ))  # fmt: skip
        elif not has_people:
            cards.append(Card(
                "start", "person", _("Set up"), mine, big=_("No writers or reviewers yet"),
                text=_("Enter their names and send each an invitation link."), action=_("Invite people"),
                do=_("Invite people"), page="projects:invite", waits=True,
            ))  # fmt: skip
    return cards


def _invitation_cards(managed: dict[int, Mine], since: datetime) -> list[Card]:
    open_or_new = Q(accepted_at=None) | Q(accepted_at__gt=since)
    found = Invitation.objects.filter(open_or_new, project__in=list(managed), revoked_at=None)
    counted = found.order_by().values("project").annotate(
        waiting=Count("pk", filter=Q(accepted_at=None, expires_at__gt=timezone.now())),
        expired=Count("pk", filter=Q(accepted_at=None, expires_at__lte=timezone.now())),
        joined=Count("pk", filter=Q(accepted_at__isnull=False)),
    )  # fmt: skip
    cards = []
    for project in counted:
        rows = []
        if project["joined"]:
            rows.append(Row(_("Accepted"), str(project["joined"]), new=True))
        if project["waiting"]:
            rows.append(Row(_("Not accepted yet"), str(project["waiting"])))
        if project["expired"]:
            rows.append(Row(_("Expired"), str(project["expired"]), tone="careful"))
        cards.append(Card(
            "joined", "person", _("Invitations"), managed[project["project"]], rows=tuple(rows),
            action=_("View invitations"), do=_("View invitations"), page="projects:invite",
            waits=bool(project["expired"]), count=project["expired"],
        ))  # fmt: skip
    return cards


# --- jobs ---


def _jobs(user: User, projects: Sequence[Mine], since: datetime) -> tuple[list[Ended], list[Ended]]:
    """Return the jobs that have ended since the user last marked them as read, and the running jobs."""
    by_number = _by_number(projects)
    # in these projects the user sees the jobs of all members
    overseen = [mine.project.pk for mine in projects if Permission.SEE_PROJECT in mine.permissions]
    read = max(filter(None, (user.inbox_read_at, timezone.now() - JOBS_STAY)))
    ended = ended_in(by_number, user=user, managed=overseen, since=read)[:MOST_JOBS]
    running = running_in(by_number, user=user, managed=overseen)[:MOST_JOBS]
    return (
        [_as_ended(work, by_number[work.own_project_id], since) for work in ended],
        [_as_ended(work, by_number[work.own_project_id], None) for work in running],
    )


def _as_ended(work: Job, mine: Mine, since: datetime | None) -> Ended:
    new = bool(since and work.finished_at and work.finished_at > since)
    return Ended(work, mine, address_of(work), sentence(work.reason) if work.reason else "", new)
