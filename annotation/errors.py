"""Refusals of annotation that the pure modules raise; services turn them into words."""


class NoSuchMove(Exception):
    """The lifecycle has no such move."""

    def __init__(self, from_state: str, to_state: str) -> None:
        super().__init__(f"no move from {from_state!r} to {to_state!r}")
        self.from_state, self.to_state = from_state, to_state
