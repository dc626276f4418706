"""Asks a model many questions at once, and stores each answer as soon as it arrives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Final, Protocol, TypeVar

from parable.llm.client import EndpointSpec, Json, Message, Retries, Session
from parable.llm.errors import LlmError, Refused, ends_all
from parable.llm.replies import Answer
from parable.llm.tokens import NO_TOKENS, Tokens

MANY_IN_A_ROW: Final = 20
"""After this many failures in a row, the server is considered down, and asking stops."""
RETRIES: Final = Retries(attempts=5, first_wait=1.0, longest_wait=30.0, longest_retry_after=600.0)


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt to send, with its item, repeat, rotation and order of options."""

    item: str
    repeat: int
    rotation: int
    order: tuple[int, ...]
    prompt: str


@dataclass(slots=True)
class AskingResult:
    """The result of asking: the number of answers, of failures by code, and the error that stopped it."""

    answered: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    stopped_by: LlmError | None = None
    words: dict[str, str] = field(default_factory=dict)
    """The server's message for the first failure of each code."""
    tokens: Tokens = NO_TOKENS
    """Tokens of replies that are answers, as far as the server reports tokens."""
    lost_tokens: Tokens = NO_TOKENS
    """Tokens of broken, refused and failed replies; these are paid for, too, but not included in `tokens`."""

    def count_tokens(self, came: Answer | LlmError) -> None:
        """Add the tokens that the server reports for a question, answered or not."""
        if isinstance(came, LlmError):
            self.lost_tokens += came.tokens
            return
        self.lost_tokens += came.lost_tokens
        self.tokens += Tokens(came.prompt_tokens or 0, came.completion_tokens or 0)


class Prompted(Protocol):
    """A question with a prompt."""

    @property
    def prompt(self) -> str:
        """The prompt to send."""


Q = TypeVar("Q", bound=Prompted)


def ask_all(
    spec: EndpointSpec,
    questions: Iterable[Q],
    *,
    parallel: int,
    timeout: float,
    keep: Callable[[Q, Answer | None], None],
    schema: Json | None = None,
) -> AskingResult:
    """Ask up to `parallel` questions at a time, and pass each answer to `keep` in this thread.

    `keep` receives the question and its answer, or None if a filter or the model refused. `timeout` is in
    seconds, for each attempt. With a `schema`, structured output is requested. Stop after an error that would
    fail every question (a refused key, model or address), or after `MANY_IN_A_ROW` failures in a row. If
    other questions were answered with the same key, a 403 fails only its own question.
    """
    seen = AskingResult()
    in_a_row = 0
    with Session(spec) as session, ThreadPoolExecutor(parallel) as hands:
        # After a stop no more questions are sent; answers in progress are still kept.
        wanted = takewhile(lambda _one: seen.stopped_by is None, questions)
        for question, came in _in_turn(
            hands, wanted, parallel, lambda one: _ask(session, one.prompt, schema, timeout)
        ):
            seen.count_tokens(came)
            if isinstance(came, Refused) and came.reason:
                seen.words.setdefault(came.code, came.reason)
            if isinstance(came, Answer | Refused):
                keep(question, came if isinstance(came, Answer) else None)
                seen.answered, in_a_row = seen.answered + 1, 0
                continue
            seen.failed[came.code] += 1
            if came.reason:
                seen.words.setdefault(came.code, came.reason)
            in_a_row += 1
            is_last = ends_all(came, has_answered=seen.answered > 0) or in_a_row >= MANY_IN_A_ROW
            if seen.stopped_by is None and is_last:
                seen.stopped_by = came
    return seen


Outcome = Answer | LlmError


def _ask(session: Session, prompt: str, schema: Json | None, timeout: float) -> Outcome:
    try:
        return session.ask([Message("user", prompt)], schema=schema, timeout=timeout, retries=RETRIES)
    except LlmError as error:
        return error


def _in_turn(
    hands: ThreadPoolExecutor,
    questions: Iterable[Q],
    parallel: int,
    ask: Callable[[Q], Outcome],
) -> Iterator[tuple[Q, Outcome]]:
    """Yield questions with their outcomes in order of arrival; at most `parallel` are in progress."""
    left = iter(questions)
    out: dict[Future[Outcome], Q] = {hands.submit(ask, one): one for one in islice(left, parallel)}
    while out:
        done, _others = wait(out, return_when=FIRST_COMPLETED)
        for future in done:
            question = out.pop(future)
            yield question, future.result()
            out.update({hands.submit(ask, one): one for one in islice(left, 1)})
