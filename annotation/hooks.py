"""How the apps above follow a change of state, though annotation imports none of them.

A handler is called inside the transitions' own database transaction, so that what it writes stands
or falls with the change. It gets all transitions that one step made into a state, be it one or the thousands
of an import: there is no second way for one. Upper apps subscribe in their `ready()`; one test lists all
handlers.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from annotation.content import ItemContent
    from annotation.models import Item, Revision, Transition


class Judgement(Protocol):
    """What a reviewer said about a revision."""

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
    """All handlers by state."""
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
    """Call `follower(revision, content)` for each wording a person writes, once its options stand.

    `content` is what it was written from: option by option in the revision's order, with the proposals that
    options grew from. Twice is once.
    """
    if follower not in _followers:
        _followers.append(follower)


def followers() -> tuple[Follower, ...]:
    """All that follow wordings."""
    return tuple(_followers)


def notify_followers(revision: "Revision", content: "ItemContent") -> None:
    """Call the followers, in the order they came."""
    for follower in _followers:
        follower(revision, content)


def provide_judgements(source: Callable[["Item"], Judgements]) -> None:
    """Let `source(item)` answer what reviewers said about an item, by revision, the newest first."""
    _reviewing[:] = [source]


def judgements_on(item: "Item") -> Judgements:
    """What reviewers said about an item; nothing where no app provides it."""
    return _reviewing[0](item) if _reviewing else []
