"""Reading what a server sent: an answer, or what its refusal means."""

from __future__ import annotations

import json
import re
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

import httpx2

from parable.llm.errors import (
    BadRequest,
    Garbage,
    KeyRefused,
    LlmError,
    ModelUnknown,
    OutOfCredit,
    RateLimited,
    Redirected,
    Refused,
    ServerFault,
    TimedOut,
    Unreachable,
    shorten_reason,
)

if TYPE_CHECKING:
    import openai

# How providers say, mostly with a 400, that a filter stopped the prompt or the answer. Codes: OpenAI and
# Azure, Qwen, GLM (1301), MiniMax, Spark. Words: DeepSeek and servers that give no code.
_FILTER_CODES = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "responsibleaipolicyviolation",
        "data_inspection_failed",
        "datainspectionfailed",
        "sensitive",
        "1301",
        "1026",
        "1027",
        "10013",
        "10014",
        "10019",
    }
)
_FILTER_WORDS = re.compile(
    r"content exists risk|inappropriate content|content[ _]filter|敏感内容|内容安全|不安全或敏感"
)
_FILTER_FINISHES = frozenset({"content_filter", "sensitive"})
# How providers say that the account is empty, some with a 429 that no waiting heals.
_CREDIT_CODES = frozenset({"insufficient_quota", "arrearage", "1113", "billing_hard_limit_reached"})
_CREDIT_WORDS = re.compile(r"insufficient balance|exceeded your current quota|余额不足|欠费")
# How providers say, some with a 400, that they have no such model. Codes: OpenAI, ERNIE, GLM (1211).
_MODEL_CODES = frozenset({"model_not_found", "invalid_model", "1211"})
_MODEL_WORDS = re.compile(r"model[^.]{0,80} (does )?not (exist|found)|no such model|unknown model|模型不存在")
_BY_STATUS: Mapping[int, type[LlmError]] = {
    HTTPStatus.UNAUTHORIZED: KeyRefused,
    HTTPStatus.FORBIDDEN: KeyRefused,
    HTTPStatus.REQUEST_TIMEOUT: TimedOut,
    HTTPStatus.TOO_MANY_REQUESTS: RateLimited,
}
_MOST_TOKENS = 10**9
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said; token counts are None where the server did not count.

    `latency_seconds` is that of the attempt that succeeded, without earlier ones and waits. `text` may be
    empty: a model can spend all its tokens on thinking (`finish_reason` "length").
    """

    text: str
    model: str
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_seconds: float
    finish_reason: str
    attempts: int
    structured: bool = False


def read_answer(content: bytes, *, secret: str) -> Answer:
    """Read the body of a chat completion; raises Refused, Garbage, or what an error inside it says."""
    body = _as_object(content)
    if body is None:
        raise Garbage
    if isinstance(body.get("error"), Mapping):
        # Some gateways wrap an error in a 200 and put the status inside.
        raise _wrapped_error(body, secret)
    choice = _first_choice(body)
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise Garbage
    finish = _clean(str(choice.get("finish_reason") or ""))[:_LONGEST_NAME]
    text = _read_text(message.get("content"))
    if finish in _FILTER_FINISHES:
        raise Refused
    declined = message.get("refusal")
    if isinstance(declined, str) and declined and not text:
        raise Refused(shorten_reason(declined, secret=secret), code="model_declined")
    usage = body.get("usage")
    counts = usage if isinstance(usage, Mapping) else {}
    return Answer(
        text=text,
        model=_clean(str(body.get("model") or ""))[:_LONGEST_NAME],
        prompt_tokens=_count(counts.get("prompt_tokens")),
        completion_tokens=_count(counts.get("completion_tokens")),
        latency_seconds=0.0,
        finish_reason=finish,
        attempts=1,
    )


def read_status(response: httpx2.Response, *, secret: str) -> LlmError:
    """Turn an answer with a status that is not 2xx into the error that it means."""
    said = _read_said(_as_object(response.content))
    reason = shorten_reason(said.message, secret=secret)
    error = _error_for(response.status_code, said, reason, _read_retry_after(response.headers))
    if isinstance(error, KeyRefused) and not secret:
        error.code = "key_wanted"  # none was sent, so none was refused
    return error


def read_failure(error: openai.OpenAIError) -> LlmError:
    """Turn a failure to get any answer into the error that it means."""
    import openai

    chain = tuple(_causes(error))
    ours = next((link for link in chain if isinstance(link, LlmError)), None)
    if ours is not None:
        return ours.with_traceback(None)
    if isinstance(error, openai.APITimeoutError):
        return TimedOut()
    if any(isinstance(link, ssl.SSLError) for link in chain):
        return Unreachable(code="tls_failed", heals=False)
    if any(isinstance(link, httpx2.DecodingError) for link in chain):
        return Garbage()
    if any(isinstance(link, httpx2.ReadError) for link in chain):
        return Unreachable(code="connection_lost")  # there was a connection, and the server reset it
    protocol = next((link for link in chain if isinstance(link, httpx2.RemoteProtocolError)), None)
    if protocol is None:
        return Unreachable()
    # httpcore has one exception for "closed the connection" and "does not speak HTTP".
    closed = re.search(r"disconnected|closed connection", str(protocol))
    return Unreachable(code="connection_lost") if closed else Garbage()


@dataclass(frozen=True, slots=True)
class _Said:
    """The fields in which servers put what is wrong."""

    message: str
    codes: frozenset[str]


def _error_for(status: int, said: _Said, reason: str, retry_after: float | None) -> LlmError:
    if status < HTTPStatus.BAD_REQUEST:
        return Redirected(status=status)
    kept_apart = (HTTPStatus.UNAUTHORIZED, HTTPStatus.TOO_MANY_REQUESTS)
    if status not in kept_apart and _says(said, _FILTER_CODES, _FILTER_WORDS):
        return Refused(reason, status=status)
    if status == HTTPStatus.PAYMENT_REQUIRED or _says(said, _CREDIT_CODES, _CREDIT_WORDS):
        return OutOfCredit(reason, status=status)
    if status in (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND) and _says(said, _MODEL_CODES, _MODEL_WORDS):
        return ModelUnknown(reason, status=status)
    if status == HTTPStatus.NOT_FOUND:
        about_model = "model" in said.message.lower() or "模型" in said.message
        return ModelUnknown(reason, status=status, code="model_unknown" if about_model else "path_unknown")
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ServerFault(reason, status=status, retry_after=retry_after)
    kind = _BY_STATUS.get(status, BadRequest)
    return kind(reason, status=status, retry_after=retry_after)


def _says(said: _Said, codes: frozenset[str], words: re.Pattern[str]) -> bool:
    return bool(said.codes & codes) or words.search(said.message.lower()) is not None


def _wrapped_error(body: Mapping[str, object], secret: str) -> LlmError:
    said = _read_said(body)
    reason = shorten_reason(said.message, secret=secret)
    status = next((int(code) for code in sorted(said.codes) if re.fullmatch(r"[45]\d\d", code)), None)
    if status is not None:
        return _error_for(status, said, reason, None)
    if _says(said, _FILTER_CODES, _FILTER_WORDS):
        return Refused(reason)
    return Garbage(reason, code="error_in_answer")


def _read_said(body: Mapping[str, object] | None) -> _Said:
    """Find message and codes; a body that is not JSON says nothing, so that no page is ever echoed."""
    outer = body or {}
    inner = outer.get("error")
    fields = inner if isinstance(inner, Mapping) else outer
    words = (fields.get("message"), fields.get("msg"), inner, outer.get("detail"), outer.get("message"))
    message = next((word for word in words if isinstance(word, str) and word), "")
    codes = (fields.get("code"), fields.get("type"), outer.get("code"), outer.get("type"))
    named = frozenset(str(code).lower() for code in codes if isinstance(code, str | int))
    return _Said(message, named)


def _as_object(content: bytes) -> Mapping[str, object] | None:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _first_choice(body: Mapping[str, object]) -> Mapping[str, object]:
    choices = body.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    raise Garbage


def _read_text(content: object) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return _clean(content)
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return _clean("".join(part for part in parts if isinstance(part, str)))
    raise Garbage


def _clean(text: str) -> str:
    """Replace what no database and no file takes: NUL and halves of characters."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\x00", "\ufffd")


def _count(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_TOKENS:
        return value
    return None


def _read_retry_after(headers: httpx2.Headers) -> float | None:
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", text):
            return float(text) * unit
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, OverflowError):
        return None
    return max(0.0, moment.timestamp() - time.time())


def _causes(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    for _ in range(10):
        if link is None:
            return
        yield link
        link = link.__cause__ or link.__context__
