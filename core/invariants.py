"""Checks guarantees that follow from tables and surrounding code, but that types cannot express."""

from typing import TypeVar

T = TypeVar("T")


def present(value: T | None, why: str) -> T:
    """Return the value, which must not be None; raise RuntimeError with the reason `why` if it is.

    Unlike an assertion, this also works under `python -O`.
    """
    if value is None:
        raise RuntimeError(f"a value is missing although {why}")
    return value
