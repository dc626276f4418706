"""A queue for requests of which only a few may run at a time.

Client addresses take turns.
"""

import asyncio
from collections import deque


class NoTurn(Exception):
    """Raised for a request that is refused because the queue is full."""


class Turns:
    """Lets `at_once` requests run, and up to `most` requests wait; client addresses take turns.

    A client that sends sixty forms waits for its own forms, and does not delay other clients.
    """

    def __init__(self, at_once: int, *, most: int) -> None:
        self._free, self._most = at_once, most
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}
        """The waiting requests by address. The first address is the next one to get a turn."""

    async def take(self, address: str) -> None:
        """Wait for the turn of a request from this address. Raise `NoTurn` if the queue is full."""
        if self._free:
            self._free -= 1
            return
        self._make_room(address)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(address, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back()  # the turn came at the moment when the waiting request gave up
            raise
        finally:
            queue = self._queues.get(address)
            if queue is not None and turn in queue:
                queue.remove(turn)
                if not queue:
                    del self._queues[address]

    def give_back(self) -> None:
        """End a turn. The first waiting request of the next address gets it."""
        if not self._queues:
            self._free += 1
            return
        address, queue = next(iter(self._queues.items()))
        turn = queue.popleft()
        del self._queues[address]
        if queue:
            self._queues[address] = queue
        if turn.done():
            self.give_back()
        else:
            turn.set_result(None)

    def _make_room(self, address: str) -> None:
        """Refuse the newest request of the address with the most waiting requests, if the queue is full.

        Raise `NoTurn` instead if this address would have as many, including its new request.
        """
        if sum(map(len, self._queues.values())) < self._most:
            return
        queue = max(self._queues.values(), key=len)
        if len(queue) <= len(self._queues.get(address, ())) + 1:
            raise NoTurn
        newest = queue.pop()
        if not newest.done():
            newest.set_exception(NoTurn())
