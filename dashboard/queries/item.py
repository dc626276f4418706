"""Queries of the life of an item as a list of events: written, judged, released, answered. Reads only.

Each kind of event is read in one statement. Diffs are computed only for the events on display.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Final

from django.db.models import TextChoices
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.models import Comment, Item, Revision, State, Transition
from annotation.queries.item import Change, revision_content, wording_changes
from core.invariants import present
from evaluation.queries.item import ItemAnswers
from generation.models import Adoption, Trial
from generation.queries.item import trials_on
from parable.kinds import kind_of
from parable.reading.differences import Part, word_diff
from projects.permissions import Permission
from release.models import ReleaseItem, ReleaseState
from release.queries.release import STANDING
from release.queries.report import errata_on
from review.models import Answer, Review


class EventKind(TextChoices):
    """The kinds of events by which the timeline can be filtered."""

    CHANGE = "changes", gettext_lazy("Changes")
    REVIEW = "reviews", pgettext_lazy("timeline", "Reviews")
    COMMENT = "comments", gettext_lazy("Comments")
    MODEL = "models", gettext_lazy("Models")
    RELEASE = "releases", gettext_lazy("Releases")


@dataclass(frozen=True)
class Event:
    """One event in the life of an item.

    `quote` is a text that a person wrote, `parts` the diff of one text. `wordings` has the revisions before
    and after a change of wording.
    """

    at: datetime
    icon: str
    title: str
    tone: str = ""
    detail: str = ""
    quote: str = ""
    parts: list[Part] = field(default_factory=list)
    wordings: tuple[Revision, Revision] | None = None
    url: str = ""
    kind: EventKind = EventKind.CHANGE

    @property
    def when(self) -> str:
        """The date and time as text, in the reader's time zone."""
        return date_format(timezone.localtime(self.at), "SHORT_DATETIME_FORMAT")

    @property
    def iso(self) -> str:
        """The date and time in ISO format."""
        return self.at.isoformat()

    @cached_property
    def changes(self) -> list[Change]:
        """Return the changes between the two revisions of a change of wording, or [] for other events."""
        if self.wordings is None:
            return []
        before, after = self.wordings
        task = after.item.task
        return wording_changes(revision_content(before, task), revision_content(after, task), task)


TONES: Final = {
    State.VERIFIED: ("check", "good"),
    State.REJECTED: ("wrong", "wrong"),
    State.RETURNED: ("careful", "careful"),
    State.RETIRED: ("careful", "careful"),
    State.IN_ADJUDICATION: ("careful", "careful"),
}


def life_of(
    item: Item,
    *,
    reader: Permission,
    comments: Iterable[Comment] = (),
    adoptions: Sequence[Adoption] = (),
    answers: Sequence[ItemAnswers] = (),
) -> list[Event]:
    """Return the events in the life of an item, newest first, for a reader who may see its key.

    Splits, letters and errata are included only if the reader may see releases, and responses only if the
    reader may see results.
    """
    sees_releases = Permission.SEE_RELEASES in reader
    reviews = item.reviews.filter(judged_at__isnull=False).select_related("reviewer", "chosen_option")
    found = ReleaseItem.objects.filter(item=item, release__state__in=STANDING).select_related("release")
    slug = item.project.slug
    events = [
        *[_move(move) for move in item.transitions.select_related("actor")],
        *[_judgement(review) for review in reviews],
        *_rewordings(item),
        *map(_comment, comments),
        *_adoptions(item, adoptions, may_open=Permission.SEE_CANDIDATES in reader),
        *[_trial(trial) for trial in trials_on(item)],
        *[
            _release(row, slug, sees_inside=sees_releases)
            for row in found.defer("release__manifest", "release__recipe")
        ],
    ]
    if Permission.SEE_RESULTS in reader:
        events += _answered(item, answers)
    if sees_releases:
        events += [
            Event(
                erratum.created_at,
                "careful",
                _("Erratum: %(remedy)s") % {"remedy": erratum.get_remedy_display()},
                "careful",
                quote=erratum.note,
                kind=EventKind.RELEASE,
            )
            for erratum in errata_on(item)
        ]
    return sorted(events, key=lambda event: event.at, reverse=True)


def kinds_in(events: Iterable[Event]) -> list[tuple[EventKind, int]]:
    """Return each kind of event that occurs among `events`, with its number of events."""
    counted = Counter(event.kind for event in events)
    return [(kind, counted[kind]) for kind in EventKind if counted[kind]]


def _move(move: Transition) -> Event:
    icon, tone = TONES.get(State(move.to_state), ("arrow", ""))
    title = _("%(state)s — %(cause)s") % {
        "state": move.get_to_state_display(),
        "cause": move.get_cause_display(),
    }
    return Event(move.at, icon, title, tone, str(move.actor), quote=move.reason)


# --- people ---


def _judgement(review: Review) -> Event:
    words = [review.verdict]
    if review.rating is not None:
        words.append(_("rating %(rating)d") % {"rating": review.rating})
    if review.answer and not review.misclick:
        words.append(_("correct blind answer") if review.is_correct else _("answer differs from the key"))
        words.append(_answer(review))
    if not review.blind and review.answer:
        words.append(_("not blind"))
    words += [review.about_name] if review.about else []
    words += review.flaw_labels
    title = _("%(stage)s: %(person)s") % {"stage": review.get_stage_display(), "person": review.reviewer}
    return Event(
        present(review.judged_at, "only judged reviews come here"),
        "eye",
        title,
        detail=" · ".join(filter(None, words)),
        quote=review.comment,
        kind=EventKind.REVIEW,
    )


def _answer(review: Review) -> str:
    if review.answer == Answer.OWN:  # its marks do not fit into a line
        return ""
    if review.answer != Answer.OPTION:
        return str(review.get_answer_display())
    return f"“{review.chosen_option.text}”" if review.chosen_option else ""


def _comment(comment: Comment) -> Event:
    title = _("Comment: %(person)s") % {"person": comment.author}
    about = [_("about revision %(number)s") % {"number": comment.revision.number}] if comment.revision else []
    about += [comment.about_name] if comment.about else []
    return Event(
        comment.at, "comment", title, detail=" · ".join(about), quote=comment.text, kind=EventKind.COMMENT
    )


def _rewordings(item: Item) -> list[Event]:
    found = item.revisions.select_related("author").prefetch_related("options", "types").order_by("number")
    return [
        Event(
            after.created_at,
            "pencil",
            _("Revision %(number)d by %(author)s") % {"number": after.number, "author": after.author},
            wordings=(before, after),
        )
        for before, after in pairwise(found)
    ]


# --- models ---


def _adoptions(item: Item, adoptions: Iterable[Adoption], *, may_open: bool) -> list[Event]:
    """Return an event for each adopted candidate, at its first use in the item.

    Later revisions add no event.
    """
    first: dict[int, Adoption] = {}
    for adoption in adoptions:
        first.setdefault(adoption.candidate_id, adoption)
    url = reverse("generation:story", args=[item.project.slug, item.story_id]) if may_open else ""
    events = []
    for adoption in first.values():
        original, text = adoption.original_text, adoption.option.text
        events.append(
            Event(
                adoption.at,
                "plus",
                _("Option from %(model)s") % {"model": adoption.candidate.generator},
                detail=_("Prompt %(prompt)s, adopted by %(person)s")
                % {"prompt": adoption.candidate.template, "person": adoption.adopted_by},
                quote=text if original == text else "",
                parts=[] if original == text else word_diff(original, text),
                url=url,
                kind=EventKind.MODEL,
            )
        )
    return events


def _trial(trial: Trial) -> Event:
    message = _("correct") if trial.is_correct else str(trial.get_outcome_display())
    if trial.choice is not None and not trial.is_correct:
        message = _("answer differs from the key")
    return Event(
        trial.at,
        "chart",
        _("Trial on %(model)s: %(outcome)s") % {"model": trial.call.model, "outcome": message},
        detail=str(trial.asked_by),
        quote="" if trial.choice is None else trial.options[trial.choice],
        kind=EventKind.MODEL,
    )


def _answered(item: Item, answers: Iterable[ItemAnswers]) -> list[Event]:
    """Return one event for the answers on each release, at the time of the last answer."""
    by_release: dict[str, list[ItemAnswers]] = {}
    for one in answers:
        by_release.setdefault(one.released.release.version, []).append(one)
    return [
        Event(
            max(one.last for one in found),
            "chart",
            _("Evaluated on %(version)s") % {"version": version},
            detail=_("%(right)d of %(n)d answers correct, in runs: %(runs)d")
            % {
                "right": sum(one.right for one in found),
                "n": sum(one.n for one in found),
                "runs": len(found),
            },
            url="#answers",
            kind=EventKind.MODEL,
        )
        for version, found in by_release.items()
    ]


# --- releases ---


def _release(row: ReleaseItem, slug: str, *, sees_inside: bool) -> Event:
    release = row.release
    is_withdrawn = release.state == ReleaseState.WITHDRAWN
    words = [_("withdrawn since")] if is_withdrawn else []
    if sees_inside:
        kind = kind_of(row.record["task"])
        key = [_("key %(letter)s") % {"letter": kind.question.words(row.record)}] if kind.has_options else []
        words += [row.public_id, str(row.get_split_display()), *key]
    return Event(
        release.ready_at or release.created_at,
        "box",
        _("Released in %(version)s") % {"version": release.version},
        "careful" if is_withdrawn else "good",
        " · ".join(words),
        url=reverse("release:detail", args=[slug, release.version]),
        kind=EventKind.RELEASE,
    )
