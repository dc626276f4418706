"""What is known of places and reviews. Reads only."""

from review.queries.in_hand import InHand, get_in_hand
from review.queries.places import (
    STATE_OF,
    BlindItem,
    Stuck,
    blind_item,
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
    "InHand",
    "Stuck",
    "Waiting",
    "blind_item",
    "count_open",
    "get_in_hand",
    "items_at",
    "late_notes",
    "my_claim",
    "places_held",
    "stuck_places",
    "verdicts_on",
    "waiting",
]
