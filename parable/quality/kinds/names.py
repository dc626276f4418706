"""Names of checks by id, both of items and of other kinds of answers."""

from parable.quality.item import CHECKS
from parable.quality.kinds import CHECKS as KIND_CHECKS


def check_name(check: str) -> str:
    """Return the English name of a check, or its id if there is no such check."""
    found = CHECKS.get(check) or KIND_CHECKS.get(check)
    return check if found is None else found.name
