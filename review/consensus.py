"""Pure functions that decide the outcome of a review round from the verdicts of its reviewers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

PASS: Final = "pass"  # noqa: S105 - a verdict, no password
EDIT: Final = "edit"
RETURN: Final = "return"
REJECT: Final = "reject"
SEND_ON: Final = "send_on"

IN_REVIEW: Final = "in_review"
IN_VERIFICATION: Final = "in_verification"
IN_ADJUDICATION: Final = "in_adjudication"
VERIFIED: Final = "verified"
RETURNED: Final = "returned"
REJECTED: Final = "rejected"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One reviewer's verdict: disposition, rating, and whether the blind answer was correct.

    `is_correct`: None for an adjudicator, who does not answer, and for a misclick. `disputes_key`: whether a
    verifier marked the key as wrong, or another option as right.
    """

    disposition: str
    is_correct: bool | None = None
    rating: int | None = None
    edit_changes_key: bool = False
    disputes_key: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The item's next state, the code of the reason, and the index of the verdict whose edit is adopted."""

    to_state: str
    code: str
    adopted: int | None = None


ADOPTION_REFUSED: Final = Outcome(IN_ADJUDICATION, "split")
"""The outcome if all reviewers agree to an edit, but the edit can no longer become a revision."""


def cross_check(verdicts: Sequence[Verdict], *, pass_rating: int) -> Outcome:
    """Return the outcome of a round of cross-check verdicts.

    A wrong blind answer or a split of opinions leads to adjudication. An edit is adopted if all other
    reviewers pass the item; if the edit changes the key, the item is reviewed again.
    """
    if any(verdict.is_correct is False for verdict in verdicts):
        return Outcome(IN_ADJUDICATION, "wrong_blind_answer")
    wanted = {verdict.disposition for verdict in verdicts}
    if wanted == {REJECT}:
        return Outcome(REJECTED, "all_reject")
    if wanted == {RETURN}:
        return Outcome(RETURNED, "all_return")
    if wanted == {PASS}:
        if all(verdict.rating is not None and verdict.rating >= pass_rating for verdict in verdicts):
            return Outcome(IN_VERIFICATION, "all_pass")
        return Outcome(IN_ADJUDICATION, "below_pass_rating")
    edits = [index for index, verdict in enumerate(verdicts) if verdict.disposition == EDIT]
    if len(edits) == 1 and wanted <= {PASS, EDIT}:
        to_state = IN_REVIEW if verdicts[edits[0]].edit_changes_key else IN_VERIFICATION
        return Outcome(to_state, "edit_adopted", edits[0])
    return Outcome(IN_ADJUDICATION, "split")


def verification(verdicts: Sequence[Verdict]) -> Outcome:
    """Return the outcome of a verification: verified, rejected, returned, or sent to adjudication."""
    if any(verdict.is_correct is False for verdict in verdicts):
        return Outcome(IN_ADJUDICATION, "wrong_blind_answer")
    if any(verdict.disputes_key for verdict in verdicts):
        return Outcome(IN_ADJUDICATION, "split")
    states = {PASS: VERIFIED, REJECT: REJECTED, RETURN: RETURNED}
    wanted = {verdict.disposition for verdict in verdicts}
    if len(wanted) == 1 and (disposition := wanted.pop()) in states:
        return Outcome(states[disposition], f"verifier_{disposition}")
    return Outcome(IN_ADJUDICATION, "split")


def adjudication(verdict: Verdict) -> Outcome:
    """Return the outcome of an adjudicator's ruling; a merged answer becomes a revision to be verified."""
    if verdict.disposition == EDIT:
        return Outcome(IN_VERIFICATION, "ruled_merge", 0)
    states = {PASS: VERIFIED, SEND_ON: IN_VERIFICATION, RETURN: RETURNED, REJECT: REJECTED}
    return Outcome(states[verdict.disposition], f"ruled_{verdict.disposition}")
