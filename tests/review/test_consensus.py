"""What a round of verdicts comes to: the whole table, row by row. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest

from review import consensus
from review.consensus import Outcome, Verdict, adjudication, cross_check, verification

PASS, EDIT, RETURN, REJECT, SEND_ON = "pass", "edit", "return", "reject", "send_on"


def right(disposition: str = PASS, rating: int | None = 2, **more: bool) -> Verdict:
    return Verdict(disposition, is_correct=True, rating=rating, **more)


def wrong(disposition: str = PASS, rating: int | None = 2) -> Verdict:
    return Verdict(disposition, is_correct=False, rating=rating)


def unsolved(disposition: str = PASS, rating: int | None = 2) -> Verdict:
    """An answer that was a misclick."""
    return Verdict(disposition, is_correct=None, rating=rating)


NEW_KEY = right(EDIT, edit_changes_key=True)

CROSS_CHECK: list[tuple[str, Sequence[Verdict], str, str]] = [
    # solved wrongly by whom, and what they want; the state; the reason code
    ("one, alone", [wrong()], "in_adjudication", "wrong_blind_answer"),
    ("one of two", [wrong(), right()], "in_adjudication", "wrong_blind_answer"),
    ("one of three", [wrong(), right(), right()], "in_adjudication", "wrong_blind_answer"),
    ("two of three", [wrong(), wrong(), right()], "in_adjudication", "wrong_blind_answer"),
    ("all", [wrong(), wrong()], "in_adjudication", "wrong_blind_answer"),
    ("one of two who reject", [wrong(REJECT), right(REJECT)], "in_adjudication", "wrong_blind_answer"),
    ("one of two who return", [wrong(RETURN), right(RETURN)], "in_adjudication", "wrong_blind_answer"),
    ("who edits", [wrong(EDIT)], "in_adjudication", "wrong_blind_answer"),
    ("nobody", [right()], "in_verification", "all_pass"),
    ("a misclick", [unsolved()], "in_verification", "all_pass"),
    ("a misclick of two", [unsolved(), right()], "in_verification", "all_pass"),
    # what is wanted
    ("rejected by one", [right(REJECT)], "rejected", "all_reject"),
    ("rejected by all", [right(REJECT), right(REJECT, 0)], "rejected", "all_reject"),
    ("returned by one", [right(RETURN)], "returned", "all_return"),
    ("returned by all", [right(RETURN), right(RETURN, 0)], "returned", "all_return"),
    ("passed and rejected", [right(), right(REJECT)], "in_adjudication", "split"),
    ("passed and returned", [right(), right(RETURN)], "in_adjudication", "split"),
    ("returned and rejected", [right(RETURN), right(REJECT)], "in_adjudication", "split"),
    ("edited and rejected", [right(EDIT), right(REJECT)], "in_adjudication", "split"),
    ("edited and returned", [right(EDIT), right(RETURN)], "in_adjudication", "split"),
    ("edited, passed and returned", [right(EDIT), right(), right(RETURN)], "in_adjudication", "split"),
    ("edited twice", [right(EDIT), right(EDIT)], "in_adjudication", "split"),
    ("edited twice and passed", [right(EDIT), right(EDIT), right()], "in_adjudication", "split"),
    # edits
    ("edited", [right(EDIT)], "in_verification", "edit_adopted"),
    ("edited, rated 0", [right(EDIT, 0)], "in_verification", "edit_adopted"),
    ("edited and passed", [right(EDIT), right()], "in_verification", "edit_adopted"),
    ("key edited", [NEW_KEY], "in_review", "edit_adopted"),
    ("key edited and passed", [NEW_KEY, right(), right()], "in_review", "edit_adopted"),
    ("edited, key of a pass", [right(EDIT), right(edit_changes_key=True)], "in_verification", "edit_adopted"),
]


@pytest.mark.parametrize(("verdicts", "state", "code"), [row[1:] for row in CROSS_CHECK],
                         ids=[row[0] for row in CROSS_CHECK])  # fmt: skip
def test_it_settles_a_cross_check(verdicts: Sequence[Verdict], state: str, code: str) -> None:
    for given in permutations(verdicts):
        found = cross_check(given, pass_rating=1)
        assert (found.to_state, found.code) == (state, code)
        edits = [index for index, verdict in enumerate(given) if verdict.disposition == EDIT]
        assert found.adopted == (edits[0] if code == "edit_adopted" else None)


@pytest.mark.parametrize(
    ("pass_rating", "ratings", "passes"),
    [
        (0, [0], True),
        (1, [0], False),
        (1, [1], True),  # the mark itself passes
        (1, [2], True),
        (2, [1], False),
        (2, [2], True),
        (2, [2, 2], True),
        (2, [2, 1], False),  # each of them, not their mean
        (1, [2, 0], False),
        (1, [1, 1, 1], True),
        (3, [3], True),
        (3, [2], False),
        (1, [None], False),  # not rated is not passed
        (0, [None], False),
        (1, [2, None], False),
    ],
)
def test_it_passes_at_the_pass_rating_and_not_below(
    pass_rating: int, ratings: Sequence[int | None], passes: bool
) -> None:
    for given in permutations(ratings):
        found = cross_check([right(rating=rating) for rating in given], pass_rating=pass_rating)
        wanted = ("in_verification", "all_pass") if passes else ("in_adjudication", "below_pass_rating")
        assert (found.to_state, found.code, found.adopted) == (*wanted, None)


DISPUTED = right(disputes_key=True)

VERIFICATION: list[tuple[str, Sequence[Verdict], str, str]] = [
    ("confirmed", [right()], "verified", "verifier_pass"),
    ("confirmed by all", [right(), right(rating=None)], "verified", "verifier_pass"),
    ("confirmed, a misclick", [unsolved()], "verified", "verifier_pass"),
    ("rejected", [right(REJECT)], "rejected", "verifier_reject"),
    ("returned", [right(RETURN)], "returned", "verifier_return"),
    ("solved wrongly", [wrong()], "in_adjudication", "wrong_blind_answer"),
    ("solved wrongly by one", [wrong(), right()], "in_adjudication", "wrong_blind_answer"),
    ("solved wrongly and rejected", [wrong(REJECT)], "in_adjudication", "wrong_blind_answer"),
    ("solved wrongly, key disputed", [wrong(), DISPUTED], "in_adjudication", "wrong_blind_answer"),
    ("key disputed", [DISPUTED], "in_adjudication", "split"),
    ("key disputed by one", [DISPUTED, right()], "in_adjudication", "split"),
    ("key disputed and rejected", [right(REJECT, disputes_key=True)], "in_adjudication", "split"),
    ("split", [right(), right(REJECT)], "in_adjudication", "split"),
    ("split between two that send it away", [right(RETURN), right(REJECT)], "in_adjudication", "split"),
    ("edited, which nobody may here", [right(EDIT)], "in_adjudication", "split"),
    ("nothing", [], "in_adjudication", "split"),
]


@pytest.mark.parametrize(("verdicts", "state", "code"), [row[1:] for row in VERIFICATION],
                         ids=[row[0] for row in VERIFICATION])  # fmt: skip
def test_it_settles_a_verification(verdicts: Sequence[Verdict], state: str, code: str) -> None:
    for given in permutations(verdicts):
        assert verification(given) == Outcome(state, code)


@pytest.mark.parametrize(
    ("disposition", "state"),
    [(PASS, "verified"), (SEND_ON, "in_verification"), (RETURN, "returned"), (REJECT, "rejected")],
)
def test_it_carries_out_a_ruling(disposition: str, state: str) -> None:
    assert adjudication(Verdict(disposition)) == Outcome(state, f"ruled_{disposition}")


def test_a_merged_answer_is_verified_and_comes_from_the_ruling() -> None:
    assert adjudication(Verdict(EDIT)) == Outcome("in_verification", "ruled_merge", 0)


def test_an_edit_that_cannot_be_adopted_is_ruled_on() -> None:
    assert Outcome("in_adjudication", "split") == consensus.ADOPTION_REFUSED


def test_a_verdict_has_empty_fields_by_default() -> None:
    """A ruling is given with its disposition alone: it is not solved, not rated and disputes nothing."""
    bare = Verdict(PASS)
    assert (bare.is_correct, bare.rating, bare.edit_changes_key, bare.disputes_key) == (
        None,
        None,
        False,
        False,
    )
