"""How the apps above follow a change of state, though annotation imports none of them.

A handler runs inside the transitions' database transaction, so that its writes commit or roll back with the
change. It gets all transitions of one step into a state, whether one or the thousands of an import. Apps
above subscribe in their `ready()`; a test lists all handlers.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from annotation.content import ItemContent
    from annotation.models import Item, Revision, Transition


class Judgement(Protocol):
    """A reviewer's verdict on a revision, as shown to the writer."""

    @property
    def about(self) -> str:
        """The part that it is about, as `annotation.places` names it; empty for the whole item."""

    @property
    def comment(self) -> str:
        """The reviewer's words; may be empty."""

    @property
    def flaw_labels(self) -> list[str]:
        """The flaws in the reader's language."""


Handler: TypeAlias = Callable[[Sequence["Transition"]], None]
Follower: TypeAlias = Callable[["Revision", "ItemContent"], None]
Judgements: TypeAlias = Sequence[tuple["Revision", Sequence[Judgement]]]

_handlers: dict[str, list[Handler]] = {}
_followers: list[Follower] = []
_reviewing: list[Callable[["Item"], Judgements]] = []


def subscribe(state: str, handler: Handler) -> None:
    """Call `handler(transitions)` whenever items enter `state`; twice is once."""
    handlers = _handlers.setdefault(state, [])
    if handler not in handlers:
        handlers.append(handler)


def subscribers() -> dict[str, tuple[Handler, ...]]:
    """Return all handlers by state."""
    return {state: tuple(handlers) for state, handlers in _handlers.items()}


def announce(transitions: Sequence["Transition"]) -> None:
    """Call the handlers of the states that items have entered, in the order they subscribed."""
    by_state: dict[str, list[Transition]] = {}
    for transition in transitions:
        by_state.setdefault(transition.to_state, []).append(transition)
    for state, entered in by_state.items():
        for handler in _handlers.get(state, ()):
            handler(entered)


def follow_wordings(follower: Follower) -> None:
    """Call `follower(revision, content)` for each wording a person writes, after its options are saved.

    `content` has the options in the revision's order, with the proposals they came from. Registering twice
    has no effect.
    """
    if follower not in _followers:
        _followers.append(follower)


def followers() -> tuple[Follower, ...]:
    """Return all followers of wordings."""
    return tuple(_followers)


def notify_followers(revision: "Revision", content: "ItemContent") -> None:
    """Call the followers, in the order they came."""
    for follower in _followers:
        follower(revision, content)


def provide_judgements(source: Callable[["Item"], Judgements]) -> None:
    """Register `source(item)`, which returns reviewers' verdicts on an item by revision, newest first."""
    _reviewing[:] = [source]


def judgements_on(item: "Item") -> Judgements:
    """Return reviewers' verdicts on an item, or [] if no app provides them."""
    return _reviewing[0](item) if _reviewing else []
