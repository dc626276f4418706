"""Queries of review requests and reviews. Reads only."""

from review.queries.blocked import BlockedRequest, blocked_requests
from review.queries.queue import QueueState, count_open, waiting
from review.queries.request import (
    STATE_OF,
    BlindItem,
    HeldRequest,
    blind_item,
    get_held_request,
    items_at,
    my_claim,
    requests_held,
)
from review.queries.verdict import late_notes, verdicts_on

__all__ = [
    "STATE_OF",
    "BlindItem",
    "BlockedRequest",
    "HeldRequest",
    "QueueState",
    "blind_item",
    "blocked_requests",
    "count_open",
    "get_held_request",
    "items_at",
    "late_notes",
    "my_claim",
    "requests_held",
    "verdicts_on",
    "waiting",
]
