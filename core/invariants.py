"""A check for values that cannot be None at run time, although their type allows it."""

from typing import TypeVar

T = TypeVar("T")


def present(value: T | None, why: str) -> T:
    """Return `value`. Raise RuntimeError if it is None; `why` says why it cannot be.

    Unlike an assertion, this also works under `python -O`.
    """
    if value is None:
        raise RuntimeError(f"a value is missing although {why}")
    return value
