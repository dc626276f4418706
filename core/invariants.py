"""What the tables or the code around it promise, where a type cannot say it."""

from typing import TypeVar

T = TypeVar("T")


def present(value: T | None, why: str) -> T:
    """The value, which is never None for the reason given; RuntimeError with that reason where it is.

    Unlike an assertion it also holds under `python -O`.
    """
    if value is None:
        raise RuntimeError(f"a value is missing although {why}")
    return value
