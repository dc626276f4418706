"""Which moves an item may make: every pair of states. Pure."""

from __future__ import annotations

from itertools import product

import pytest

from annotation.errors import NoSuchMove
from annotation.lifecycle import MOVES, NOT_OWED, STATES, check_move, check_taking_back, may_move

FROM_TO = {
    "": {"draft", "in_review", "verified"},
    "draft": {"in_review", "withdrawn"},
    "in_review": {
        "in_review",
        "in_verification",
        "in_adjudication",
        "returned",
        "rejected",
        "withdrawn",
    },
    "in_verification": {"verified", "in_adjudication", "returned", "rejected"},
    "in_adjudication": {"in_verification", "verified", "returned", "rejected"},
    "returned": {"in_review", "withdrawn"},
    "verified": {"in_review", "retired"},
    "rejected": {"in_adjudication"},
    "withdrawn": set(),
    "retired": set(),
}
STATES_IN_ORDER = (
    "draft",
    "in_review",
    "in_verification",
    "in_adjudication",
    "returned",
    "verified",
    "rejected",
    "withdrawn",
    "retired",
)


@pytest.mark.parametrize("from_state", FROM_TO)
@pytest.mark.parametrize("to_state", ["", *STATES_IN_ORDER, "released"])
def test_it_knows_every_move_that_exists_and_no_other(from_state: str, to_state: str) -> None:
    exists = to_state in FROM_TO[from_state]
    assert may_move(from_state, to_state) is exists
    if exists:
        check_move(from_state, to_state)
        return
    with pytest.raises(NoSuchMove) as refusal:
        check_move(from_state, to_state)
    assert (refusal.value.from_state, refusal.value.to_state) == (from_state, to_state)


def test_it_takes_back_only_what_a_manager_did_to_many_at_once() -> None:
    taken_back = {("in_review", "verified"), ("retired", "verified")}
    taken_back |= {("returned", state) for state in ("in_review", "in_verification", "in_adjudication")}
    for pair in product(STATES, STATES):
        if pair in taken_back:
            check_taking_back(*pair)
        else:
            with pytest.raises(NoSuchMove) as refusal:
                check_taking_back(*pair)
            assert (refusal.value.from_state, refusal.value.to_state) == pair


def test_it_lists_the_states() -> None:
    assert STATES == STATES_IN_ORDER
    assert set(MOVES) == {"", *STATES_IN_ORDER}
    assert not may_move("released", "draft"), "a state that does not exist leads nowhere"


def test_it_owes_nothing_for_what_is_not_submitted_or_has_fallen() -> None:
    assert set(NOT_OWED) == {"draft", "withdrawn", "rejected"}
