"""Guarantees that hold because of tables and surrounding code, and that types cannot express."""

from typing import TypeVar

T = TypeVar("T")


def present(value: T | None, why: str) -> T:
    """Return the value, which must not be None.

    Raise RuntimeError with the reason `why` if it is None.

    Unlike an assertion it also works under `python -O`.
    """
    if value is None:
        raise RuntimeError(f"a value is missing although {why}")
    return value
