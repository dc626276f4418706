"""Services of review requests and reviews. No other code writes these tables."""

from review.services.answer import begin_answer, mark_misclick, save_words, solve
from review.services.claim import claim_next, postpone_request, renew_lease, skip_request
from review.services.model_rater import order_judging, run_call, run_claimed
from review.services.practice import (
    make_practice_item,
    restore_practice_item,
    retire_practice_item,
    see_lesson,
)
from review.services.request import (
    close_requests,
    open_requests,
    release_all_leases,
    release_leases,
    set_priority,
)
from review.services.sibling import reveal
from review.services.statistics import count_statistics, order_stale_statistics, order_statistics
from review.services.verdict import carry_out_overdue_verdict, send_ruling, send_verdict, undo_verdict

__all__ = [
    "begin_answer",
    "carry_out_overdue_verdict",
    "claim_next",
    "close_requests",
    "count_statistics",
    "make_practice_item",
    "mark_misclick",
    "open_requests",
    "order_judging",
    "order_stale_statistics",
    "order_statistics",
    "postpone_request",
    "release_all_leases",
    "release_leases",
    "renew_lease",
    "restore_practice_item",
    "retire_practice_item",
    "reveal",
    "run_call",
    "run_claimed",
    "save_words",
    "see_lesson",
    "send_ruling",
    "send_verdict",
    "set_priority",
    "skip_request",
    "solve",
    "undo_verdict",
]
