"""Marks what a log line says about a person, so that logs that are sent elsewhere can leave it out."""


class Personal(str):
    """A user name or an address, as an argument of a log line."""

    __slots__ = ()
