"""The only writer of places and reviews."""

from review.services.claims import claim_next, renew_lease, skip_place
from review.services.judging import judge, mark_slip, rule, save_words, solve
from review.services.leaving import release_leases
from review.services.places import close_places, open_places

__all__ = [
    "claim_next",
    "close_places",
    "judge",
    "mark_slip",
    "open_places",
    "release_leases",
    "renew_lease",
    "rule",
    "save_words",
    "skip_place",
    "solve",
]
