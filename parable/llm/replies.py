"""Parses servers' responses into answers or errors."""

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

from parable.llm.errors import (
    BadRequest,
    BrokenOff,
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
from parable.llm.tokens import NO_TOKENS, Tokens

if TYPE_CHECKING:
    import httpx2
    import openai

# How providers say that a filter stopped the prompt or the answer, mostly with a 400, xAI and OpenRouter with
# a 403. Codes: OpenAI and Azure, Qwen, GLM (1301), MiniMax, Spark, Ark (`...SensitiveContentDetected`),
# StepFun.
_FILTER_CODES = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "responsibleaipolicyviolation",
        "data_inspection_failed",
        "datainspectionfailed",
        "sensitive",
        "sensitivecontentdetected",
        "inputtextsensitivecontentdetected",
        "outputtextsensitivecontentdetected",
        "censorship_blocked",
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
    r"|sensitive ?content|content violates|safety_check_type|flagged by (?:\w+ )?moderation"
    r"|requires moderation|(?:input|prompt|content) (?:was|is) flagged"
)
# Finish reasons that mean a filter, in lower case: OpenAI, GLM, Gemini and Anthropic behind their bridges.
_FILTER_FINISHES = frozenset(
    {
        "content_filter",
        "sensitive",
        "safety",
        "recitation",
        "prohibited_content",
        "blocklist",
        "spii",
        "refusal",
    }
)
# Finish reasons for faults of the server: DeepSeek, GLM, sglang, OpenRouter.
_BROKEN_FINISHES = frozenset(
    {
        "insufficient_system_resource",
        "network_error",
        "model_context_window_exceeded",
        "abort",
        "aborted",
        "cancelled",
        "error",
        "timeout",
        "malformed_function_call",
    }
)
# How providers say that the account is empty. Codes: Qwen, GLM (1113), SiliconFlow (30001), Ark, Moonshot.
_CREDIT_CODES = frozenset(
    {
        "arrearage",
        "1113",
        "30001",
        "billing_hard_limit_reached",
        "allocationquota.freetieronly",
        "accountoverdueerror",
        "exceeded_current_quota_error",
        "insufficient_balance",
        "insufficient_user_quota",
    }
)
_CREDIT_WORDS = re.compile(
    r"insufficient balance|balance is insufficient|free allocated quota exceeded|account is suspended"
    r"|account.{0,40}overdue|insufficient credits|余额不足|欠费"
)
# OpenAI uses it for an empty account, DashScope for the tokens of one minute; only waiting shows which.
_QUOTA_CODES = frozenset({"insufficient_quota"})
_QUOTA_WORDS = re.compile(r"exceeded your current quota")
QUOTA_WAIT = 15.0
"""Seconds to wait before a retry after a quota error that gives no wait."""
# How providers say, some with a 400, that they have no such model. Codes: OpenAI, ERNIE, GLM (1211).
_MODEL_CODES = frozenset({"model_not_found", "invalid_model", "1211"})
_MODEL_WORDS = re.compile(
    r"model[^.]{0,80} (does )?not (exist|found)|no such model|unknown model|invalid model name"
    r"|server is pinned to|模型不存在"
)
# MiniMax reports every error in `base_resp` of a 200.
_MINIMAX_STATUS = {
    1000: 500,
    1001: 500,
    1002: 429,
    1004: 401,
    1008: 402,
    1013: 500,
    1026: 400,
    1027: 400,
    1039: 429,
}
_BY_STATUS: Mapping[int, type[LlmError]] = {
    HTTPStatus.UNAUTHORIZED: KeyRefused,
    HTTPStatus.FORBIDDEN: KeyRefused,
    HTTPStatus.REQUEST_TIMEOUT: TimedOut,
    HTTPStatus.TOO_MANY_REQUESTS: RateLimited,
}
_MOST_TOKENS = 10**9
_LONGEST_NAME = 200
_LONGEST_PLAIN = 500
_MOST_ROWS = 5
_DEEPEST = 4
_THINKING = ("reasoning", "reasoning_content")
"""Fields in which servers put a model's reasoning, which is not an answer by itself."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer; token counts are None if the server reported none.

    `completion_tokens` are the tokens to be paid for, including reasoning (`reasoning_tokens`), which some
    servers count only in the total. `latency_seconds` is the duration of the successful attempt, without
    earlier attempts and waits. `text` may be empty if the model used all its tokens for reasoning
    (`only_thought`). `lost_tokens` are those of earlier attempts whose answers broke off.
    """

    text: str
    model: str
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_seconds: float
    finish_reason: str
    attempts: int
    structured: bool = False
    reasoning_tokens: int | None = None
    only_thought: bool = False
    lost_tokens: Tokens = NO_TOKENS

    @property
    def served(self) -> dict[str, object]:
        """The details of the response to be stored: finish reason, model, and reasoning tokens."""
        known: dict[str, object] = {
            "finish_reason": self.finish_reason,
            "answered_by": self.model,
            "reasoning_tokens": self.reasoning_tokens,
            "only_thought": self.only_thought,
        }
        return {name: value for name, value in known.items() if value not in ("", None, False)}


def read_answer(content: bytes, *, secret: str) -> Answer:
    """Parse a chat completion; raise Refused, BrokenOff, Garbage, or the error reported in the body."""
    body = _as_object(content)
    if body is None:
        raise Garbage
    try:
        return _read_completion(body, secret)
    except LlmError as error:
        error.tokens = _used_tokens(body)
        raise


def _read_completion(body: Mapping[str, object], secret: str) -> Answer:
    choice = _first_choice(body)
    if body.get("error") or choice is None:
        # Some gateways wrap an error in a 200 and put the status inside.
        raise _wrapped_error(body, secret)
    message = choice.get("message")
    finish = _clean(str(choice.get("finish_reason") or ""))[:_LONGEST_NAME]
    failed = choice.get("error")
    if failed or finish.lower() in _BROKEN_FINISHES:
        raise _broken_off(finish, failed, secret)
    if finish.lower().partition(":")[0].strip() in _FILTER_FINISHES:
        raise Refused(shorten_reason(_refusal(message) or finish, secret=secret))
    if not isinstance(message, Mapping):
        raise Garbage
    text = _read_text(message.get("content"))
    if (declined := _refusal(message)) and not text:
        raise Refused(shorten_reason(declined, secret=secret), code="model_declined")
    counts = _usage(body)
    details = counts.get("completion_tokens_details")
    thinking = details.get("reasoning_tokens") if isinstance(details, Mapping) else None
    prompt_tokens = _count(counts.get("prompt_tokens"))
    return Answer(
        text=text,
        model=_clean(str(body.get("model") or ""))[:_LONGEST_NAME],
        prompt_tokens=prompt_tokens,
        completion_tokens=_paid_tokens(counts, prompt_tokens),
        latency_seconds=0.0,
        finish_reason=finish,
        attempts=1,
        reasoning_tokens=_count(counts.get("reasoning_tokens") if thinking is None else thinking),
        only_thought=not text.strip() and any(message.get(name) for name in _THINKING),
    )


def _paid_tokens(counts: Mapping[str, object], prompt_tokens: int | None) -> int | None:
    """Return the tokens of the answer as reported, or the total minus the prompt's tokens if that is more.

    Return None if neither is reported.
    """
    named, total = _count(counts.get("completion_tokens")), _count(counts.get("total_tokens"))
    beyond = None if total is None or prompt_tokens is None else max(0, total - prompt_tokens)
    known = [one for one in (named, beyond) if one is not None]
    return max(known) if known else None


def _usage(body: Mapping[str, object] | None) -> Mapping[str, object]:
    usage = (body or {}).get("usage")
    return usage if isinstance(usage, Mapping) else {}


def _used_tokens(body: Mapping[str, object] | None) -> Tokens:
    """Return the tokens reported with an error; if only a total is reported, count it as completion."""
    counts = _usage(body)
    prompt = _count(counts.get("prompt_tokens"))
    paid = _paid_tokens(counts, prompt if prompt is not None else 0)
    return Tokens(prompt or 0, paid or 0)


def _refusal(message: object) -> str:
    body = message.get("refusal") if isinstance(message, Mapping) else None
    return body if isinstance(body, str) else ""


def _broken_off(finish: str, failed: object, secret: str) -> LlmError:
    """Return the error for an answer that the server broke off: a recognised error, or else BrokenOff."""
    if isinstance(failed, Mapping | str) and failed:
        error = _wrapped_error({"error": failed}, secret)
        if not isinstance(error, Garbage):
            return error
        return BrokenOff(error.reason or finish)
    return BrokenOff(finish)


def read_status(response: httpx2.Response, *, secret: str) -> LlmError:
    """Return the error for a response with a status other than 2xx."""
    body = _as_object(response.content)
    error_body = _read_error_body(body)
    if not error_body.message and response.headers.get("content-type", "").startswith("text/plain"):
        text = response.content[:_LONGEST_PLAIN].decode("utf-8", "replace")
        if "<" not in text and "\ufffd" not in text:  # neither an HTML page nor another encoding
            error_body = _ErrorBody(text, error_body.codes)
    reason = shorten_reason(error_body.message, secret=secret)
    error = _error_for(response.status_code, error_body, reason, _read_retry_after(response.headers))
    if isinstance(error, KeyRefused) and not secret:
        error.code = "key_wanted"  # no key was sent, so none was refused
    error.tokens = _used_tokens(body)
    return error


def read_failure(error: openai.OpenAIError) -> LlmError:
    """Return the error for an exception that prevented a response."""
    import httpx2
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
class _ErrorBody:
    """The message and codes with which a server describes an error."""

    message: str
    codes: frozenset[str]


def _error_for(status: int, body: _ErrorBody, reason: str, retry_after: float | None) -> LlmError:
    if status < HTTPStatus.BAD_REQUEST:
        return Redirected(status=status)
    kept_apart = (HTTPStatus.UNAUTHORIZED, HTTPStatus.TOO_MANY_REQUESTS)
    is_filtered = status not in kept_apart and _says(body, _FILTER_CODES, _FILTER_WORDS)
    if is_filtered or status == HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS:
        return Refused(reason, status=status)
    if status == HTTPStatus.PAYMENT_REQUIRED or _says(body, _CREDIT_CODES, _CREDIT_WORDS):
        return OutOfCredit(reason, status=status)
    if _says(body, _QUOTA_CODES, _QUOTA_WORDS):
        if status != HTTPStatus.TOO_MANY_REQUESTS:
            return OutOfCredit(reason, status=status)
        wait = QUOTA_WAIT if retry_after is None else retry_after
        return OutOfCredit(reason, code="quota_exceeded", heals=True, status=status, retry_after=wait)
    if status in (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND) and _says(body, _MODEL_CODES, _MODEL_WORDS):
        return ModelUnknown(reason, status=status)
    if status == HTTPStatus.NOT_FOUND:
        about_model = "model" in body.message.lower() or "模型" in body.message
        return ModelUnknown(reason, status=status, code="model_unknown" if about_model else "path_unknown")
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ServerFault(reason, status=status, retry_after=retry_after)
    kind = _BY_STATUS.get(status, BadRequest)
    return kind(reason, status=status, retry_after=retry_after)


def _says(body: _ErrorBody, codes: frozenset[str], words: re.Pattern[str]) -> bool:
    return bool(body.codes & codes) or words.search(body.message.lower()) is not None


def _wrapped_error(body: Mapping[str, object], secret: str) -> LlmError:
    error_body = _read_error_body(body)
    reason = shorten_reason(error_body.message, secret=secret)
    status = next((int(code) for code in sorted(error_body.codes) if re.fullmatch(r"[45]\d\d", code)), None)
    base = body.get("base_resp")
    if isinstance(base, Mapping) and isinstance(base.get("status_code"), int):
        status = _MINIMAX_STATUS.get(base["status_code"], status)
    if status is not None:
        return _error_for(status, error_body, reason, None)
    if _says(error_body, _FILTER_CODES, _FILTER_WORDS):
        return Refused(reason)
    if _says(error_body, _CREDIT_CODES, _CREDIT_WORDS):
        return OutOfCredit(reason)
    return Garbage(reason, code="error_in_answer" if reason or error_body.codes else None)


_WORDS = (
    "message",
    "msg",
    "detail",
    "details",
    "error",
    "errors",
    "status_msg",
    "error_msg",
    "reason",
    "reasons",
)
_CODES = ("code", "type", "status", "status_code", "error_code")


def _read_error_body(body: Mapping[str, object] | None) -> _ErrorBody:
    """Return the message and codes of an error body.

    They are empty if the body is not JSON, so that no HTML page is quoted.
    """
    outer = body or {}
    parts = [outer]
    for name in ("error", "errors", "base_resp"):
        value = outer.get(name)
        rows = value if isinstance(value, list) else [value]
        parts += [row for row in rows[:_MOST_ROWS] if isinstance(row, Mapping)]
    named = frozenset(
        str(code).lower()
        for part in parts
        for code in map(part.get, _CODES)
        if isinstance(code, str | int) and not isinstance(code, bool) and code not in (0, "0", "")
    )
    words = next((error_body for part in reversed(parts) if (error_body := _words(part))), "")
    return _ErrorBody(
        words or next((error_body for part in parts if (error_body := _words(part))), ""), named
    )


def _words(value: object, depth: int = 0) -> str:
    """Return the text of a server's error description, which may be a string, a list or an object."""
    if isinstance(value, str) or depth > _DEEPEST:
        return value.strip() if isinstance(value, str) else ""
    if isinstance(value, list):
        found = (_words(one, depth + 1) for one in value[:_MOST_ROWS])
        return "; ".join(dict.fromkeys(one for one in found if one))
    if not isinstance(value, Mapping):
        return ""
    body = next((one for name in _WORDS if (one := _words(value.get(name), depth + 1))), "")
    if body and isinstance(place := value.get("loc"), list):
        return f"{'.'.join(str(one) for one in place[:_MOST_ROWS])}: {body}"
    return body


def _as_object(content: bytes) -> Mapping[str, object] | None:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if isinstance(body, list) and body:
        body = body[0]  # Gemini puts an error into a list
    return body if isinstance(body, dict) else None


def _first_choice(body: Mapping[str, object]) -> Mapping[str, object] | None:
    choices = body.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    return None


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
    """Return a text without characters that databases and files cannot store: NUL and lone surrogates."""
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
