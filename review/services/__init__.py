"""The only writer of places and reviews."""

from review.services.claims import claim_next, postpone_place, renew_lease, skip_place
from review.services.gold import make_gold, restore_gold, retire_gold
from review.services.judging import judge, rule, undo_verdict
from review.services.leaving import release_leases
from review.services.overdue import carry_out_overdue, score_overdue
from review.services.places import close_places, open_places
from review.services.practising import (
    hold_practice,
    judge_practice,
    next_place,
    postpone_practice,
    save_practice_words,
    score_sent_practice,
    see_lesson,
    skip_practice,
    slip_practice,
    solve_practice,
    undo_practice,
)
from review.services.solving import mark_slip, save_words, solve
from review.services.statistics import count_statistics, order_stale_statistics, order_statistics
from review.services.urgency import set_priority

__all__ = [
    "carry_out_overdue",
    "claim_next",
    "close_places",
    "count_statistics",
    "hold_practice",
    "judge",
    "judge_practice",
    "make_gold",
    "mark_slip",
    "next_place",
    "open_places",
    "order_stale_statistics",
    "order_statistics",
    "postpone_place",
    "postpone_practice",
    "release_leases",
    "renew_lease",
    "restore_gold",
    "retire_gold",
    "rule",
    "save_practice_words",
    "save_words",
    "score_overdue",
    "score_sent_practice",
    "see_lesson",
    "set_priority",
    "skip_place",
    "skip_practice",
    "slip_practice",
    "solve",
    "solve_practice",
    "undo_practice",
    "undo_verdict",
]
