"""Errors that the pure modules of annotation raise. Services turn them into messages."""


class NoSuchMove(Exception):
    """Raised if an item cannot move from one state to another."""

    def __init__(self, from_state: str, to_state: str) -> None:
        super().__init__(f"no move from {from_state!r} to {to_state!r}")
        self.from_state, self.to_state = from_state, to_state
