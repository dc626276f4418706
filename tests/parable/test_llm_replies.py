"""What servers send is read by what it means, whichever provider words it."""

from __future__ import annotations

import contextlib
import json
from email.utils import formatdate
from time import time

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parable.llm import errors
from parable.llm.errors import LlmError
from parable.llm.replies import read_answer, read_status

KEY = "sk-abcdefghij0123456789"
NAMES = ("choices", "message", "content", "error", "usage", "code", "detail", "refusal")
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(NAMES) | st.text(), inner),
)


def status(number: int, body: object, headers: dict[str, str] | None = None) -> LlmError:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return read_status(httpx2.Response(number, content=content, headers=headers), secret=KEY)


def chat(**choice: object) -> bytes:
    return json.dumps({"model": "m", "choices": [{"finish_reason": "stop", **choice}]}).encode()


@pytest.mark.parametrize(
    ("number", "body", "kind"),
    [
        (400, {"error": {"code": "content_filter", "message": "filtered"}}, errors.Refused),
        (
            400,
            {"error": {"code": "1301", "message": "系统检测到输入或生成内容可能包含不安全或敏感内容"}},
            errors.Refused,
        ),
        (
            400,
            {"error": {"code": "data_inspection_failed", "message": "Input data may contain"}},
            errors.Refused,
        ),
        (400, {"error": {"message": "Content Exists Risk", "type": "invalid_request_error"}}, errors.Refused),
        (403, {"error": {"type": "content_filter", "message": "high risk"}}, errors.Refused),
        (400, {"error": {"message": "maximum context length is 4096"}}, errors.BadRequest),
        (
            400,
            {"object": "error", "message": "bad", "type": "BadRequestError", "code": 400},
            errors.BadRequest,
        ),
        (422, {"detail": [{"loc": ["body"], "msg": "field required"}]}, errors.BadRequest),
        (
            404,
            {"object": "error", "message": "The model `x` does not exist.", "code": 404},
            errors.ModelUnknown,
        ),
        (429, {"error": {"code": "1113", "message": "您的账户已欠费"}}, errors.OutOfCredit),
        (429, {"error": {"code": "1302", "message": "并发数过高"}}, errors.RateLimited),
        (402, {"error": {"message": "Insufficient Balance"}}, errors.OutOfCredit),
        (400, {"error": {"code": "Arrearage", "message": "Access denied"}}, errors.OutOfCredit),
        (401, {"error": {"message": "content filter is no matter of keys"}}, errors.KeyRefused),
        (500, b"<html>nginx</html>", errors.ServerFault),
        (529, {"error": {"message": "overloaded"}}, errors.ServerFault),
        (418, b"", errors.BadRequest),
        (400, {"error": {"code": {"odd": 1}, "type": ["odd"], "message": {"odd": 1}}}, errors.BadRequest),
        (400, {"error": "in a word"}, errors.BadRequest),
        (400, b"[1]", errors.BadRequest),
        (304, b"", errors.Redirected),
    ],
)
def test_it_knows_what_providers_mean(number: int, body: object, kind: type[LlmError]) -> None:
    assert type(status(number, body)) is kind


def test_the_reason_is_the_servers_own_word_and_no_page() -> None:
    assert status(400, {"error": {"message": f"no {KEY} <b>"}}).reason == f"no {'*' * len(KEY)} <b>"
    assert status(400, {"error": "in a word"}).reason == "in a word"
    assert status(422, {"detail": "odd"}).reason == "odd"
    assert status(502, b"<html>inner server 10.0.0.7</html>").reason == ""
    assert len(status(400, {"error": {"message": "x" * 9999}}).reason) == errors.REASON_LENGTH


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After": "9", "Retry-After-Ms": "1500"}, 1.5),
        ({"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-1"}, None),
        ({"Retry-After": "1e9"}, None),
        ({"Retry-After": "9" * 400}, None),
        ({}, None),
    ],
)
def test_it_reads_when_to_come_back(headers: dict[str, str], seconds: float | None) -> None:
    assert status(429, {}, headers).retry_after == seconds


def test_it_reads_when_to_come_back_as_a_date() -> None:
    error = status(503, {}, {"Retry-After": formatdate(time() + 90, usegmt=True)})
    assert 80 < (error.retry_after or 0) <= 91


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [1]}',
        b'{"choices": {"0": {}}}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": {"content": 7}}]}',
        b'\xff\xfe{"choices": []}',
        b"[" * 100_000,
        b'data: {"choices": []}\n\n',
    ],
)
def test_what_is_no_chat_completion_is_garbage(content: bytes) -> None:
    with pytest.raises(errors.Garbage):
        read_answer(content, secret=KEY)


@pytest.mark.parametrize("finish", ["content_filter", "sensitive"])
def test_a_filtered_answer_is_refused(finish: str) -> None:
    with pytest.raises(errors.Refused):
        read_answer(chat(message={"content": "half"}, finish_reason=finish), secret=KEY)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 429, "message": "slow down"}, errors.RateLimited),
        ({"code": "502", "message": "upstream"}, errors.ServerFault),
        ({"code": "1301", "message": "敏感"}, errors.Refused),
        ({"message": "odd"}, errors.Garbage),
    ],
)
def test_an_error_inside_a_200_is_found(error: object, kind: type[LlmError]) -> None:
    with pytest.raises(LlmError) as caught:
        read_answer(json.dumps({"error": error}).encode(), secret=KEY)
    assert type(caught.value) is kind


def test_it_takes_text_in_parts_and_missing_counts() -> None:
    parts = [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}, {"type": "image"}]
    answer = read_answer(chat(message={"content": parts}), secret=KEY)
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens) == ("one two", None, None)


@pytest.mark.parametrize("count", [-1, 1.5, "7", True, 10**30, None])
def test_odd_counts_are_no_counts(count: object) -> None:
    body = {"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": count}}
    assert read_answer(json.dumps(body).encode(), secret=KEY).prompt_tokens is None


def test_a_text_can_be_stored() -> None:
    answer = read_answer(
        b'{"choices": [{"message": {"content": "a\\u0000b\\ud800c\\ud83d\\ude00"}}]}', secret=KEY
    )
    assert answer.text == "a\ufffdb\ufffdc😀"
    answer.text.encode()


@settings(max_examples=60)
@given(JSON_VALUES)
def test_no_json_is_too_odd(value: object) -> None:
    content = json.dumps(value).encode()
    for number in (400, 404, 429, 500):
        assert isinstance(status(number, content), LlmError)
    with contextlib.suppress(LlmError):
        read_answer(content, secret=KEY)
