"""What is known of requests and reviews. Reads only."""

from review.queries.queue import QueueState, count_open, waiting
from review.queries.request import (
    STATE_OF,
    BlindItem,
    HeldRequest,
    Stuck,
    blind_item,
    get_held_request,
    items_at,
    my_claim,
    requests_held,
    stuck_requests,
)
from review.queries.verdict import late_notes, verdicts_on

__all__ = [
    "STATE_OF",
    "BlindItem",
    "HeldRequest",
    "QueueState",
    "Stuck",
    "blind_item",
    "count_open",
    "get_held_request",
    "items_at",
    "late_notes",
    "my_claim",
    "requests_held",
    "stuck_requests",
    "verdicts_on",
    "waiting",
]
