"""What is known of places and reviews. Reads only."""

from review.queries.places import (
    STATE_OF,
    BlindItem,
    Stuck,
    blind_item,
    get_request,
    get_review,
    items_at,
    late_notes,
    my_claim,
    places_held,
    stuck_places,
    verdicts_on,
)
from review.queries.waiting import MOST_COUNTED, Waiting, count_open, waiting

__all__ = [
    "MOST_COUNTED",
    "STATE_OF",
    "BlindItem",
    "Stuck",
    "Waiting",
    "blind_item",
    "count_open",
    "get_request",
    "get_review",
    "items_at",
    "late_notes",
    "my_claim",
    "places_held",
    "stuck_places",
    "verdicts_on",
    "waiting",
]
