"""Behaviours of the stub: names for ways to answer well or badly, and a seeded mix of them.

A behaviour is written `name` or `name(number)`; as the name of a model it may have the prefix `stub-`:

    ok            a numbered list of as many morals as the prompt asks for (JSON if a schema is sent)
    json          the same as JSON, in a code fence, with text around it
    think         a <think> block before the answer
    truncated     JSON that stops half-way, finish_reason "length"
    cut           a numbered list that stops inside its last moral, finish_reason "length"
    empty         no text at all
    letter        the letter of one of the prompt's options, always the same for the same prompt
    judge         a judgement of an item: JSON with the rules that the options "none of the above" and
                  "always" break, and a rating, always the same for the same prompt; if the prompt asks
                  about one rule, yes or no
    slow(s)       ok after s seconds (default 2)
    trickle(s)    one byte every s seconds (default 0.2), for ever
    hang(s)       nothing for s seconds (default 600), then the connection closes
    drop          the connection closes at once
    429(s)        with Retry-After: s (default 1); 503(s) likewise
    500 502 400 401 403 402 404 408      this status, with the error body that providers send
    quota         429 with the message that the quota is used up, and that a retry is possible at once
    xaisafety ... responses of real servers: see `parable/llm/stub/servers.py`
    plain         400 if a schema is sent, else ok
    garbage       200 with an HTML page instead of JSON
    notchat       200 with JSON that is no chat completion
    notjson       200 with the content type JSON and a body that is not
    refusal       finish_reason "content_filter"; filter400: the same as a 400; declined: the model declines
    redirect      302 to the stub's own /elsewhere
    huge          a body beyond any limit
    mix           a random behaviour by the server's `faults`
"""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from parable.llm.stub.servers import SERVERS

NAMES = frozenset(
    {
        "ok",
        "json",
        "think",
        "truncated",
        "cut",
        "empty",
        "letter",
        "judge",
        "slow",
        "trickle",
        "hang",
        "drop",
        "quota",
        "plain",
        "garbage",
        "notchat",
        "notjson",
        "refusal",
        "filter400",
        "declined",
        "redirect",
        "huge",
        "mix",
    }
)
STATUSES = frozenset({"400", "401", "402", "403", "404", "408", "429", "500", "502", "503"})
_USUAL_NUMBERS = {"slow": 2.0, "trickle": 0.2, "hang": 600.0, "429": 1.0}
_WRITTEN = re.compile(r"(?:stub-)?([a-z0-9]+)(?:\((\d+(?:\.\d+)?)\))?")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """A way in which the stub answers a request; `number` is in seconds if the name has one."""

    name: str
    number: float | None = None

    def __str__(self) -> str:
        return self.name if self.number is None else f"{self.name}({self.number:g})"


OK = Behaviour("ok")


def read_behaviour(text: str) -> Behaviour | None:
    """Return the behaviour for `name` or `name(number)`, with or without `stub-`; None for other models."""
    match = _WRITTEN.fullmatch(text.strip())
    if match is None or match[1] not in NAMES | STATUSES | SERVERS.keys():
        return None
    number = float(match[2]) if match[2] else _USUAL_NUMBERS.get(match[1])
    return Behaviour(match[1], number)


@dataclass
class Faults:
    """A random mix of behaviours: `rates` are shares of all requests, the rest of which gets `otherwise`.

    With the same seed, the n-th request always gets the same behaviour, whichever thread handles it.
    """

    rates: Mapping[str, float]
    seed: int = 0
    otherwise: str = "ok"
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _chance: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)  # noqa: S311 -- repeatable on purpose
        unreadable = [name for name in (*self.rates, self.otherwise) if read_behaviour(name) is None]
        if unreadable or sum(self.rates.values()) > 1 or min(self.rates.values(), default=0) < 0:
            raise ValueError(f"rates must name behaviours and add up to at most 1: {dict(self.rates)}")

    def draw(self) -> Behaviour:
        """Return a random behaviour for the next request."""
        with self._lock:
            mark = self._chance.random()
        for name, rate in self.rates.items():
            mark -= rate
            if mark < 0:
                return read_behaviour(name) or OK
        return read_behaviour(self.otherwise) or OK
