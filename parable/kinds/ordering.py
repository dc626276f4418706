"""Items whose options, such as events of a story, must be put in the right order."""

from itertools import combinations
from typing import Any, Final

from parable.kinds.base import Kind
from parable.sentences import gettext_noop as _


def kendall_tau(given: Any, right: Any) -> float:
    """Return Kendall's tau of two orders of the same positions, from -1 to 1; 0 without an answer.

    Random orders also score 0 on average.
    """
    if given is None:
        return 0.0
    place = {one: at for at, one in enumerate(given)}
    pairs = list(combinations(right, 2))
    agreeing = sum(place[earlier] < place[later] for earlier, later in pairs)
    return 2 * agreeing / len(pairs) - 1


ORDERING: Final = Kind(
    code="ordering",
    name=_("ordering"),
    item_name=_("Ordering item"),
    items_name=_("Ordering items"),
    brief=_(
        "Write events of the story as options, in any order, and give each its place in the correct order."
    ),
    asks=False,
    answer="order",
    scorer=kendall_tau,
    measure="tau",
    fewest_options=3,
)
