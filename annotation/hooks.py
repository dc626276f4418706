"""Hooks that call functions of higher apps when items change their state or wording.

Annotation does not import these apps. A handler runs inside the transitions' database transaction, so that
its writes commit or roll back with the change. One call gets all transitions of a step into a state, be it
one or the thousands of an import. Higher apps subscribe in their `ready()`; a test lists all handlers.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

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
    """Call the handlers of the states that items have entered, in the order of registration."""
    by_state: dict[str, list[Transition]] = {}
    for transition in transitions:
        by_state.setdefault(transition.to_state, []).append(transition)
    for state, entered in by_state.items():
        for handler in _handlers.get(state, ()):
            handler(entered)


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
