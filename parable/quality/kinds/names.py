"""Names of checks, by their ids: those of items and those of other kinds."""

from parable.quality.item import CHECKS
from parable.quality.kinds import CHECKS as KIND_CHECKS


def check_name(check: str) -> str:
    """Return the English name of a check; its id if it has none."""
    found = CHECKS.get(check) or KIND_CHECKS.get(check)
    return check if found is None else found.name
