"""The states of an item and the moves between them, in one table. Pure.

Services call `check_move`; a database trigger enforces the same table.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from annotation.errors import NoSuchMove

NOTHING: Final = ""  # before an item exists
DRAFT: Final = "draft"
IN_REVIEW: Final = "in_review"
IN_VERIFICATION: Final = "in_verification"
IN_ADJUDICATION: Final = "in_adjudication"
RETURNED: Final = "returned"
VERIFIED: Final = "verified"
REJECTED: Final = "rejected"
WITHDRAWN: Final = "withdrawn"
RETIRED: Final = "retired"

STATES: Final = (
    DRAFT,
    IN_REVIEW,
    IN_VERIFICATION,
    IN_ADJUDICATION,
    RETURNED,
    VERIFIED,
    REJECTED,
    WITHDRAWN,
    RETIRED,
)

NOT_OWED: Final = (DRAFT, WITHDRAWN, REJECTED)
"""The states in which an item does not count towards the items that its writer owes."""

MOVES: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        # written in the form, or imported
        NOTHING: frozenset({DRAFT, IN_REVIEW, VERIFIED}),
        DRAFT: frozenset({IN_REVIEW, WITHDRAWN}),
        # from in_review to in_review: an adopted edit changed the key, so the item must be solved again
        IN_REVIEW: frozenset({IN_VERIFICATION, IN_ADJUDICATION, RETURNED, REJECTED, WITHDRAWN, IN_REVIEW}),
        RETURNED: frozenset({IN_REVIEW, WITHDRAWN}),
        IN_VERIFICATION: frozenset({VERIFIED, IN_ADJUDICATION, RETURNED, REJECTED}),
        IN_ADJUDICATION: frozenset({IN_VERIFICATION, VERIFIED, RETURNED, REJECTED}),
        # contested by its writer
        REJECTED: frozenset({IN_ADJUDICATION}),
        # another review, or excluded from the next release
        VERIFIED: frozenset({IN_REVIEW, RETIRED}),
        WITHDRAWN: frozenset(),
        RETIRED: frozenset(),
    }
)

TAKEN_BACK: Final = frozenset(
    {
        (IN_REVIEW, VERIFIED),
        (RETIRED, VERIFIED),
        (RETURNED, IN_REVIEW),
        (RETURNED, IN_VERIFICATION),
        (RETURNED, IN_ADJUDICATION),
    }
)
"""The moves that only undo a manager's last move."""


def may_move(from_state: str, to_state: str) -> bool:
    """Return whether an item may move from one state to the other."""
    return to_state in MOVES.get(from_state, frozenset())


def check_move(from_state: str, to_state: str) -> None:
    """Raise `NoSuchMove` unless an item may move from one state to the other."""
    if not may_move(from_state, to_state):
        raise NoSuchMove(from_state, to_state)


def check_taking_back(from_state: str, to_state: str) -> None:
    """Raise `NoSuchMove` unless this move can undo a manager's move."""
    if (from_state, to_state) not in TAKEN_BACK:
        raise NoSuchMove(from_state, to_state)
