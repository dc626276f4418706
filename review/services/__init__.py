"""The only writer of places and reviews."""

from review.services.claims import claim_next, postpone_place, renew_lease, skip_place
from review.services.judging import judge, rule, undo_verdict
from review.services.leaving import release_leases
from review.services.places import close_places, open_places
from review.services.solving import mark_slip, save_words, solve
from review.services.statistics import count_statistics, order_statistics

__all__ = [
    "claim_next",
    "close_places",
    "count_statistics",
    "judge",
    "mark_slip",
    "open_places",
    "order_statistics",
    "postpone_place",
    "release_leases",
    "renew_lease",
    "rule",
    "save_words",
    "skip_place",
    "solve",
    "undo_verdict",
]
