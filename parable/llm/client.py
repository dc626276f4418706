"""Client for language models: each question gets one typed answer or one typed error."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from secrets import SystemRandom
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from parable.extras import require
from parable.llm import replies
from parable.llm.addresses import keeps_keys_private, resolve
from parable.llm.errors import BadRequest, KeyRefused, LlmError, SchemaRefused
from parable.llm.replies import Answer
from parable.llm.tokens import NO_TOKENS

if TYPE_CHECKING:
    import openai

Json = Mapping[str, object]
Role = Literal["system", "user", "assistant"]

# Set by this module; an endpoint may set all other parameters (temperature, max_tokens, ...).
RESERVED_PARAMETERS = frozenset({"model", "messages", "stream", "response_format", "n"})


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the conversation that is sent to the model."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class EndpointSpec:
    """An endpoint's address, model, key and parameters; the parameters are sent unchanged."""

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    parameters: Json = field(default_factory=dict)
    allow_private: bool = False
    allowed_hosts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Retries:
    """The number of attempts, including the first, and the waits between them in seconds.

    If `plain_too` is False, a question that was refused because of its JSON schema is not repeated without
    the schema, but raises SchemaRefused: for callers that count every request.
    """

    attempts: int = 3
    first_wait: float = 0.5
    longest_wait: float = 8.0
    longest_retry_after: float = 60.0
    plain_too: bool = True

    def wait_after(self, error: LlmError, attempt: int) -> float | None:
        """Return the seconds to wait before the next attempt, or None to give up.

        The wait is never shorter than the server requests. If it requests more than `longest_retry_after`,
        give up: the caller can try later without occupying a worker.
        """
        if not error.heals or attempt >= self.attempts:
            return None
        # Jitter, so that workers that failed at the same time do not retry at the same time.
        doubling = min(self.longest_wait, self.first_wait * 2.0 ** min(attempt - 1, 30))
        wait = doubling * SystemRandom().uniform(0.5, 1.0)
        if error.retry_after is None:
            return wait
        return None if error.retry_after > self.longest_retry_after else error.retry_after + wait / 4


ONCE = Retries(attempts=1)
DEFAULT_RETRIES = Retries()


def is_json(text: str) -> bool:
    """Return whether a text begins like a JSON object or list, even if it is cut off."""
    return text.lstrip().startswith(("{", "["))


def ask(
    endpoint: EndpointSpec,
    messages: Sequence[Message],
    *,
    schema: Json | None = None,
    timeout: float = 60.0,
    retries: Retries = DEFAULT_RETRIES,
) -> Answer:
    """Ask one question over a new session; see `Session.ask`."""
    with Session(endpoint) as session:
        return session.ask(messages, schema=schema, timeout=timeout, retries=retries)


class Session:
    """A session with one endpoint that keeps connections open for many calls from many threads.

    The host is resolved and checked at the first call, and its addresses are then fixed; open a new session
    to resolve it again. Raises PackageMissingError if the extra `models` is not installed.
    """

    def __init__(self, endpoint: EndpointSpec) -> None:
        require("models")
        self._endpoint = endpoint
        self._key = endpoint.api_key.strip()
        self._takes_schema = True
        self._opening = threading.Lock()
        self._client: openai.OpenAI | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections of the session."""
        if self._client is not None:
            self._client.close()

    def ask(
        self,
        messages: Sequence[Message],
        *,
        schema: Json | None = None,
        timeout: float = 60.0,
        retries: Retries = DEFAULT_RETRIES,
    ) -> Answer:
        """Ask a question and return the answer; raise an LlmError if there is none.

        `timeout` is the limit of each attempt in seconds. With a `schema`, structured output is requested. If
        the server refuses this with 400 or 422, the question is repeated without the schema, and
        `Answer.structured` is False (or SchemaRefused is raised, see `Retries`). It is also False if the
        server accepts the schema but the answer is not JSON.
        """
        structured = schema is not None and self._takes_schema
        failed, lost = 0, NO_TOKENS
        for attempt in count(1):
            body = self._body(schema if structured else None)
            outcome = self._try_once(messages, body, timeout)
            if isinstance(outcome, Answer):
                if schema is not None and not structured:
                    # The server refused the schema, so later calls are sent without it.
                    self._takes_schema = False
                is_object = structured and is_json(outcome.text)
                return replace(outcome, attempts=attempt, structured=is_object, lost_tokens=lost)
            lost += outcome.tokens
            outcome.attempts, outcome.tokens = attempt, lost
            if structured and isinstance(outcome, BadRequest) and outcome.status in (400, 422):
                if not retries.plain_too:
                    raise SchemaRefused(outcome.reason, status=outcome.status)
                structured = False
                continue
            failed += 1
            wait = retries.wait_after(outcome, failed)
            if wait is None:
                raise outcome
            time.sleep(wait)
        raise AssertionError("count() does not end")

    def _try_once(
        self, messages: Sequence[Message], body: dict[str, object], timeout: float
    ) -> Answer | LlmError:
        # Errors are returned: if raised here, their context would hold the vendor's objects, and the
        # frames that hold the key.
        import httpx2
        import openai

        from parable.llm.transport import deadline_after

        started = time.perf_counter()
        try:
            with deadline_after(timeout):
                # The vendor's `chat.completions.create` checks every field of a request by its type, which
                # takes as long as the rest of a call; this sends the same request.
                turns = [{"role": message.role, "content": message.content} for message in messages]
                response = self._open(timeout).post(
                    "/chat/completions",
                    cast_to=httpx2.Response,
                    body={"messages": turns, "model": self._endpoint.model, **body},
                    options={"timeout": timeout},
                )
            answer = replies.read_answer(response.content, secret=self._key)
        except openai.APIStatusError as error:
            return replies.read_status(error.response, secret=self._key)
        except openai.OpenAIError as error:
            return replies.read_failure(error)
        except LlmError as error:
            return error.with_traceback(None)
        return replace(answer, latency_seconds=time.perf_counter() - started)

    def _body(self, schema: Json | None) -> dict[str, object]:
        given = self._endpoint.parameters
        clash = sorted(RESERVED_PARAMETERS & given.keys())
        if clash:
            raise BadRequest(code="parameter_reserved", reason=", ".join(clash))
        body: dict[str, object] = dict(given)
        if schema is not None:
            wrapped = {"name": "answer", "strict": True, "schema": dict(schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": wrapped}
        return body

    def _open(self, timeout: float) -> openai.OpenAI:
        with self._opening:
            if self._client is None:
                self._client = _open_client(self._endpoint, self._key, timeout)
            return self._client


def _open_client(endpoint: EndpointSpec, key: str, timeout: float) -> openai.OpenAI:
    import httpx2
    import openai

    from parable.llm.transport import PinnedTransport

    if not key.isascii() or not key.isprintable() or " " in key:
        raise KeyRefused(code="key_malformed")
    target = resolve(
        endpoint.base_url,
        allow_private=endpoint.allow_private,
        allowed_hosts=endpoint.allowed_hosts,
        timeout=min(timeout, 10.0),
    )
    if key and not keeps_keys_private(target):
        raise KeyRefused(code="key_in_the_clear")
    wire = httpx2.Client(
        transport=PinnedTransport(target, api_key=key), follow_redirects=False, trust_env=False
    )
    return openai.OpenAI(
        base_url=str(target.url),
        api_key="put on by the transport",
        admin_api_key="",
        organization="",
        project="",
        webhook_secret="",
        max_retries=0,
        http_client=wire,
    )
