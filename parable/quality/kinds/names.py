"""What checks are called, those of items and those of other kinds, by their ids."""

from parable.quality.item import CHECKS
from parable.quality.kinds import CHECKS as KIND_CHECKS


def check_name(check: str) -> str:
    """The name of a check, in English; its id where there is none."""
    found = CHECKS.get(check) or KIND_CHECKS.get(check)
    return check if found is None else found.name
