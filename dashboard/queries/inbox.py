"""What waits for a person, what they did, and the life of an item. Reads only."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.formats import date_format, time_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from annotation.models import Item, Revision, State, Transition
from annotation.queries.assignment import free_places, limits_of, progress_of
from annotation.queries.draft import drafts_of
from annotation.queries.item import returned_to, revision_content, wording_changes
from corpus.models import Story
from jobs.models import Work
from jobs.queries import running_work
from parable.reading.differences import Part
from projects.models import Membership, Project, Role
from projects.permissions import roles_of
from release.models import ReleaseItem, ReleaseState
from review.models import Review, Stage
from review.queries import stuck_requests
from review.queries.queue import Waiting, waiting
from review.queries.request import standing_in


@dataclass(frozen=True, slots=True)
class Card:
    """What waits for one role: the answer in a few words, a sentence, and one thing to do.

    `page` is a route's name, `post` whether going there takes a place in a queue.
    """

    role: str
    label: str
    big: str
    text: str
    action: str = ""
    page: str = ""
    post: bool = False
    waits: bool = False


def cards(user: User, project: Project) -> list[Card]:
    """One card a role this person holds, what is most urgent first."""
    roles = roles_of(user, project)
    found: list[Card] = []
    if Role.REVIEWER in roles:
        found.append(_review_card(waiting(user, project, Stage.CROSS_CHECK)))
    if Role.VERIFIER in roles:
        found.append(_verify_card(waiting(user, project, Stage.VERIFICATION)))
    if Role.WRITER in roles:
        found.append(_writer_card(user, project))
    if roles & {Role.VERIFIER, Role.MANAGER}:
        found.append(_ruling_card(waiting(user, project, Stage.ADJUDICATION)))
    if Role.MANAGER in roles:
        found.append(_manager_card(project))
    if named := standing_in(user, project)[:100].count():
        found.append(_deputy_card(named))
    return sorted(found, key=lambda card: not card.waits)


def _deputy_card(named: int) -> Card:
    big = ngettext("%(n)d item waits", "%(n)d items wait", named) % {"n": named}
    text = _("You are named for what nobody else can take.")
    return Card("deputy", _("Deputy"), big, text, _("See what it is"), "review:deputy", waits=True)


def _counted(waits: Waiting) -> tuple[str, str]:
    """The answer in a few words, and the sentence below it."""
    if waits.mine:
        return _("One in hand"), _("It is kept for you; go on where you were.")
    if waits.open:
        words = ngettext("%(n)d item waits", "%(n)d items wait", waits.open) % {"n": waits.open}
        return words, _("Solve each first, then judge it.")
    return _("Nothing now"), _why_nothing(waits)


def _why_nothing(waits: Waiting) -> str:
    reasons = []
    if waits.held and waits.held_until:
        until = time_format(timezone.localtime(waits.held_until), "TIME_FORMAT")
        words = ngettext(
            "%(n)d item is with somebody else, until %(until)s at the latest.",
            "%(n)d items are with others; the first comes back at %(until)s unless it is judged.",
            waits.held,
        )
        reasons.append(words % {"n": waits.held, "until": until})
    if waits.barred:
        words = ngettext(
            "%(n)d item is not shown to you: you wrote, solved or skipped it.",
            "%(n)d items are not shown to you: you wrote, solved or skipped them.",
            waits.barred,
        )
        reasons.append(words % {"n": waits.barred})
    return " ".join(reasons) or _("Nothing has been handed in for you.")


def _review_card(waits: Waiting) -> Card:
    big, text = _counted(waits)
    if waits.is_empty:
        return Card(Role.REVIEWER, _("Review"), big, text, _("See the queue"), "review:queue")
    return Card(Role.REVIEWER, _("Review"), big, text, _("Review next"), "review:claim", True, True)


def _verify_card(waits: Waiting) -> Card:
    big, text = _counted(waits)
    if waits.is_empty:
        return Card(Role.VERIFIER, _("Verify"), big, text, _("See the queue"), "review:verify")
    return Card(Role.VERIFIER, _("Verify"), big, text, _("Verify next"), "review:claim_verify", True, True)


def _ruling_card(waits: Waiting) -> Card:
    big, text = _counted(waits)
    if waits.is_empty:
        return Card("adjudicator", _("Adjudicate"), big, text, _("See the queue"), "review:adjudicate")
    text = _("Their reviewers disagree, or a blind answer was wrong.")
    return Card(
        "adjudicator",
        _("Adjudicate"),
        big,
        text,
        _("Rule on the next"),
        "review:claim_adjudicate",
        True,
        True,
    )


def _writer_card(user: User, project: Project) -> Card:
    returned = returned_to(user, project).count()
    drafts = drafts_of(user, project).count()
    standing = progress_of(user, project)
    owed = standing.left
    free = free_places(project, user).exists() and not limits_of(user, project).reached
    if returned:
        big = ngettext("%(n)d item came back", "%(n)d items came back", returned) % {"n": returned}
    elif owed:
        big = ngettext("%(n)d item to write", "%(n)d items to write", owed) % {"n": owed}
    else:
        big = _("A story waits") if free else _("Nothing now")
    text = ngettext("%(n)d draft is kept.", "%(n)d drafts are kept.", drafts) % {"n": drafts}
    if standing.overdue:
        late = ngettext("%(n)d story is overdue.", "%(n)d stories are overdue.", standing.overdue)
        text = f"{late % {'n': standing.overdue}} {text}"
    waits = bool(returned or owed or free)
    return Card(Role.WRITER, _("Write"), big, text, _("Go to the desk"), "annotation:desk", waits=waits)


def _manager_card(project: Project) -> Card:
    return _first_steps(project) or _progress_card(project)


def _first_steps(project: Project) -> Card | None:
    """What a project needs before anything can wait in it."""
    label = _("Manage")
    if not Story.objects.filter(project=project).exists():
        text = _("A project begins with its stories: JSONL, CSV or XLSX.")
        page = "corpus:import_stories"
        return Card(Role.MANAGER, label, _("No stories yet"), text, _("Import stories"), page, waits=True)
    if not Membership.objects.filter(project=project).exclude(role=Role.MANAGER).exists():
        text = _("Paste their names and send each a link.")
        page = "projects:members"
        return Card(Role.MANAGER, label, _("Nobody to write yet"), text, _("Invite people"), page, waits=True)
    return None


def _progress_card(project: Project) -> Card:
    stuck = len(stuck_requests(project, limit=100))
    verified = Item.objects.filter(project=project, state=State.VERIFIED).count()
    big = ngettext("%(n)d item verified", "%(n)d items verified", verified) % {"n": verified}
    text = _("Nobody is stuck.")
    if stuck:
        words = ngettext(
            "%(n)d place waits for a person: nobody in the project may take it.",
            "%(n)d places wait for a person: nobody in the project may take them.",
            stuck,
        )
        text = words % {"n": stuck}
    return Card(Role.MANAGER, _("Manage"), big, text, _("Cut a release"), "release:list", waits=bool(stuck))


@dataclass(frozen=True, slots=True)
class Week:
    """What a person did in the last seven days."""

    submitted: int
    reviewed: int
    solved: int
    right: int


def week_of(user: User, project: Project) -> Week:
    """Items handed in, and items solved and judged, in the last seven days."""
    since = timezone.now() - timedelta(days=7)
    reviews = Review.objects.filter(reviewer=user, request__project=project, judged_at__gte=since).aggregate(
        reviewed=Count("pk"),
        solved=Count("pk", filter=Q(is_correct__isnull=False, slip=False)),
        right=Count("pk", filter=Q(is_correct=True, slip=False)),
    )
    submitted = Revision.objects.filter(author=user, item__project=project, created_at__gte=since).count()
    return Week(submitted=submitted, **reviews)


def running_jobs(project: Project) -> list[Work]:
    """Jobs that ask models and have not ended."""
    return list(running_work(project).filter(budget__isnull=False)[:10])


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to an item; `parts` is the diff of a rewording."""

    at: datetime
    icon: str
    title: str
    tone: str = ""
    detail: str = ""
    parts: list[Part] = field(default_factory=list)
    url: str = ""

    @property
    def when(self) -> str:
        """The date as people read it."""
        return date_format(timezone.localtime(self.at), "SHORT_DATETIME_FORMAT")

    @property
    def iso(self) -> str:
        """The date as machines read it."""
        return self.at.isoformat()


TONES = {
    State.VERIFIED: ("check", "good"),
    State.REJECTED: ("wrong", "wrong"),
    State.RETURNED: ("careful", "careful"),
    State.RETIRED: ("careful", "careful"),
    State.IN_ADJUDICATION: ("careful", "careful"),
}


def life_of(item: Item) -> list[Event]:
    """The whole life of an item, oldest first: written, judged, moved, released."""
    events = [*_moves(item), *_judgements(item), *_rewordings(item), *_releases(item)]
    return sorted(events, key=lambda event: event.at)


def _moves(item: Item) -> list[Event]:
    return [_move(move) for move in item.transitions.select_related("actor")]


def _move(move: Transition) -> Event:
    icon, tone = TONES.get(State(move.to_state), ("arrow", ""))
    title = _("%(state)s — %(cause)s") % {
        "state": move.get_to_state_display(),
        "cause": move.get_cause_display(),
    }
    return Event(move.at, icon, title, tone, " · ".join(filter(None, [str(move.actor), move.reason])))


def _judgements(item: Item) -> list[Event]:
    reviews = item.reviews.filter(judged_at__isnull=False).select_related("reviewer", "revision")
    return [_judgement(review) for review in reviews]


def _judgement(review: Review) -> Event:
    words = [review.verdict]
    if review.rating is not None:
        words.append(_("score %(rating)d") % {"rating": review.rating})
    if review.answer and not review.slip:
        words.append(_("solved rightly") if review.is_correct else _("solved otherwise than the key"))
    if not review.blind and review.answer:
        words.append(_("not blind"))
    words += review.flaw_labels + ([f"“{review.comment}”"] if review.comment else [])
    title = _("%(stage)s: %(person)s") % {"stage": review.get_stage_display(), "person": review.reviewer}
    assert review.judged_at is not None  # noqa: S101 - only judged reviews come here
    return Event(review.judged_at, "eye", title, detail=" · ".join(words))


def verdicts_by_item(items: Iterable[Item]) -> dict[int | None, list[Review]]:
    """By item, what reviewers found in its present wording, in the order they judged."""
    found = Review.objects.filter(
        revision__in=[item.current_id for item in items if item.current_id], judged_at__isnull=False
    )
    by_item: dict[int | None, list[Review]] = {}
    for review in found.order_by("judged_at"):
        by_item.setdefault(review.item_id, []).append(review)
    return by_item


def _rewordings(item: Item) -> list[Event]:
    revisions = list(
        item.revisions.select_related("author").prefetch_related("options", "types").order_by("number")
    )
    events = []
    for before, after in pairwise(revisions):
        changed = wording_changes(revision_content(before), revision_content(after))
        parts = [part for change in changed for part in (*change.parts, Part("equal", " "))]
        title = _("Revision %(number)d by %(author)s") % {"number": after.number, "author": after.author}
        events.append(Event(after.created_at, "pencil", title, parts=parts))
    return events


def _releases(item: Item) -> list[Event]:
    released = ReleaseItem.objects.filter(item=item, release__state=ReleaseState.READY).select_related(
        "release"
    )
    return [
        Event(
            row.release.ready_at or row.release.created_at,
            "box",
            _("Released in %(version)s") % {"version": row.release.version},
            "good",
        )
        for row in released
    ]
