"""Hooks that call functions of higher apps when items change their state or wording.

Annotation does not import these apps. A handler runs inside the transitions' database transaction, so that
its writes commit or roll back with the change. One call gets all transitions of a step into a state, be it
one or the thousands of an import. Higher apps subscribe in their `ready()`; a test lists all handlers.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from annotation import lifecycle
from annotation.models import Cause
from events.models import EventKind
from events.services import NewEvent, publish

if TYPE_CHECKING:
    from annotation.content import ItemContent
    from annotation.models import Item, Revision, Transition


class Judgement(Protocol):
    """A reviewer's verdict on a revision, as the item's writer sees it."""

    @property
    def about(self) -> str:
        """The code of the part that the verdict is about (see `annotation.places`); "" for the whole item."""

    @property
    def comment(self) -> str:
        """The reviewer's comment, or ""."""

    @property
    def flaw_labels(self) -> list[str]:
        """The labels of the flaws that the reviewer named, in the reader's language."""


EVENTS: Final = {
    lifecycle.IN_REVIEW: EventKind.ITEM_SUBMITTED,
    lifecycle.IN_VERIFICATION: EventKind.ITEM_TO_VERIFICATION,
    lifecycle.IN_ADJUDICATION: EventKind.ITEM_TO_ADJUDICATION,
    lifecycle.VERIFIED: EventKind.ITEM_VERIFIED,
    lifecycle.RETURNED: EventKind.ITEM_RETURNED,
    lifecycle.REJECTED: EventKind.ITEM_REJECTED,
    lifecycle.WITHDRAWN: EventKind.ITEM_WITHDRAWN,
    lifecycle.RETIRED: EventKind.ITEM_RETIRED,
}
"""The events by the state that an item enters. Drafts are their writers' own."""

Handler: TypeAlias = Callable[[Sequence["Transition"]], None]
Follower: TypeAlias = Callable[["Revision", "ItemContent"], None]
Judgements: TypeAlias = Sequence[tuple["Revision", Sequence[Judgement]]]

_handlers: dict[str, list[Handler]] = {}
_followers: list[Follower] = []
_reviewing: list[Callable[["Item"], Judgements]] = []


def subscribe(state: str, handler: Handler) -> None:
    """Register `handler`, which is called with the transitions of items that enter `state`.

    Registering it twice has no effect.
    """
    handlers = _handlers.setdefault(state, [])
    if handler not in handlers:
        handlers.append(handler)


def subscribers() -> dict[str, tuple[Handler, ...]]:
    """Return the handlers by state."""
    return {state: tuple(handlers) for state, handlers in _handlers.items()}


def announce(transitions: Sequence["Transition"]) -> None:
    """Publish that items have moved, and call the handlers of their states, in the order of registration."""
    publish(_events(transitions))
    by_state: dict[str, list[Transition]] = {}
    for transition in transitions:
        by_state.setdefault(transition.to_state, []).append(transition)
    for state, entered in by_state.items():
        for handler in _handlers.get(state, ()):
            handler(entered)


def _events(transitions: Sequence["Transition"]) -> list[NewEvent]:
    """Return an event for each move, but for items that begin their life in an import only one a state.

    An import brings thousands, whose events would slow it down, and flood those who get them.
    """
    found: list[NewEvent] = []
    imported: dict[tuple[int, str], list[int]] = {}
    for one in transitions:
        if one.to_state not in EVENTS:
            continue
        if one.cause == Cause.IMPORTED:
            imported.setdefault((one.item.project_id, one.to_state), []).append(one.item_id)
        else:
            about = {"task": one.item.task, "from": one.from_state, "to": one.to_state, "cause": one.cause}
            found.append(NewEvent(one.item.project_id, EVENTS[one.to_state], one.item_id, about))
    for (project, state), items in imported.items():
        counted = {"to": state, "count": len(items), "first": min(items), "last": max(items)}
        found.append(NewEvent(project, EventKind.ITEMS_IMPORTED, project, counted))
    return found


def follow_wordings(follower: Follower) -> None:
    """Register `follower(revision, content)`, which is called for each wording that a person saves.

    `content` has the options in the revision's order, each with the candidate it came from. Registering a
    follower twice has no effect.
    """
    if follower not in _followers:
        _followers.append(follower)


def followers() -> tuple[Follower, ...]:
    """Return the registered followers of wordings."""
    return tuple(_followers)


def notify_followers(revision: "Revision", content: "ItemContent") -> None:
    """Call the followers of wordings, in the order of their registration."""
    for follower in _followers:
        follower(revision, content)


def provide_judgements(source: Callable[["Item"], Judgements]) -> None:
    """Register `source`, which returns an item's verdicts by revision, newest revision first."""
    _reviewing[:] = [source]


def judgements_on(item: "Item") -> Judgements:
    """Return the verdicts on an item by revision, or [] if no source is registered."""
    return _reviewing[0](item) if _reviewing else []
