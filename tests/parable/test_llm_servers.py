"""What model servers say in their own ways means the same to everybody who asks: a table, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx2
import pytest

from parable.llm import errors
from parable.llm.client import ONCE, EndpointSpec, Message, Retries, ask
from parable.llm.errors import LlmError, ends_all
from parable.llm.replies import QUOTA_WAIT, Answer, read_answer, read_status
from parable.llm.stub import StubServer
from parable.llm.stub.servers import SERVERS
from parable.llm.tokens import NO_TOKENS, Tokens

PROMPT = [Message("user", "Which one?\n\nA. a pebble\nB. a leaf")]

FAILURES = [
    # one question is refused, and the others go on
    ("xaisafety", errors.Refused, "content_filter", "Content violates usage guidelines"),
    ("routerflagged", errors.Refused, "content_filter", "your input was flagged"),
    ("geminisafety", errors.Refused, "content_filter", "SAFETY"),
    ("geminirecitation", errors.Refused, "content_filter", "RECITATION"),
    ("geminiprohibited", errors.Refused, "content_filter", "PROHIBITED_CONTENT"),
    ("filternamed", errors.Refused, "content_filter", "content_filter: PROHIBITED_CONTENT"),
    ("stoprefusal", errors.Refused, "content_filter", "refusal"),
    ("arksensitive", errors.Refused, "content_filter", "It may hold sensitive information."),
    ("stepcensored", errors.Refused, "content_filter", "The content was blocked."),
    # tokens of a minute: waiting heals
    ("dashscopequota", errors.OutOfCredit, "quota_exceeded", "You exceeded your current quota"),
    # no money: nothing heals
    ("dashscopefree", errors.OutOfCredit, "out_of_credit", "Free allocated quota exceeded."),
    ("dashscopearrears", errors.OutOfCredit, "out_of_credit", "Access denied"),
    ("siliconbalance", errors.OutOfCredit, "out_of_credit", "your account balance is insufficient"),
    ("arkoverdue", errors.OutOfCredit, "out_of_credit", "overdue balance"),
    ("moonshotquota", errors.OutOfCredit, "out_of_credit", "Your account is suspended"),
    ("minimaxbalance", errors.OutOfCredit, "out_of_credit", "insufficient balance"),
    # broken off: asked again, never an answer
    ("deepseekbusy", errors.BrokenOff, "broken_off", "insufficient_system_resource"),
    ("glmnetwork", errors.BrokenOff, "broken_off", "network_error"),
    ("glmwindow", errors.BrokenOff, "broken_off", "model_context_window_exceeded"),
    ("sglangabort", errors.BrokenOff, "broken_off", "abort"),
    ("routererror", errors.BrokenOff, "broken_off", "The provider hung up."),
    # the server's own words
    ("vllmlong", errors.BadRequest, "bad_request", "maximum context length is 4096 tokens"),
    ("llamalong", errors.BadRequest, "bad_request", "exceeds the available context size"),
    ("geminiarray", errors.BadRequest, "bad_request", "Request contains an invalid argument."),
    ("fastapidetail", errors.BadRequest, "bad_request", "body.top_k: Input should be an integer"),
    ("mistraldetail", errors.BadRequest, "bad_request", "body.n: Extra input"),
    ("modelscopeerrors", errors.BadRequest, "bad_request", "The parameter is not supported."),
    ("sparkcode", errors.Garbage, "error_in_answer", "the licence has no calls left"),
    ("transformerspinned", errors.ModelUnknown, "model_unknown", "Server is pinned to"),
    ("litellmmodel", errors.ModelUnknown, "model_unknown", "Invalid model name passed in"),
]
HEALING = {"quota_exceeded", "broken_off", "error_in_answer"}
ENDING = {"out_of_credit", "quota_exceeded", "model_unknown"}


@pytest.fixture(scope="module")
def stub() -> Iterator[StubServer]:
    with StubServer() as server:
        yield server


def spec(server: StubServer, name: str) -> EndpointSpec:
    return EndpointSpec(server.base_url, f"stub-{name}", allow_private=True)


def answer(server: StubServer, name: str, **more: object) -> Answer:
    return ask(spec(server, name), PROMPT, timeout=10, retries=ONCE, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "kind", "code", "words"), FAILURES)
def test_it_knows_what_a_server_means_and_keeps_its_words(
    stub: StubServer, name: str, kind: type[LlmError], code: str, words: str
) -> None:
    with pytest.raises(LlmError) as caught:
        answer(stub, name)
    error = caught.value
    assert (type(error), error.code, error.heals) == (kind, code, code in HEALING), SERVERS[name].server
    assert words in error.reason
    assert ends_all(error, has_answered=True) == (code in ENDING)
    is_counted = isinstance(SERVERS[name].body, dict) and "usage" in SERVERS[name].body
    assert error.tokens == (Tokens(21, 3) if is_counted else NO_TOKENS)


@pytest.mark.parametrize(
    ("name", "text", "finish", "tokens", "thinking", "only_thought"),
    [
        ("onlythought", "", "stop", 3, None, True),
        ("onlythoughtcut", "", "length", 3, None, True),
        ("cutoff", "Let us look at A. So A is right. But the question", "length", 3, None, False),
        ("geminithinking", "B", "stop", 60, 60, False),
    ],
)
def test_it_keeps_how_an_answer_ended_and_what_was_paid(
    stub: StubServer,
    name: str,
    text: str,
    finish: str,
    tokens: int,
    thinking: int | None,
    only_thought: bool,
) -> None:
    found = answer(stub, name)
    assert (found.text, found.finish_reason, found.completion_tokens) == (text, finish, tokens)
    assert (found.reasoning_tokens, found.only_thought) == (thinking, only_thought)


def test_it_adds_up_what_replies_without_an_answer_used() -> None:
    thrice = Retries(attempts=3, first_wait=0.01)
    with StubServer(programme=("deepseekbusy", "500", "othermodel")) as server:
        found = ask(spec(server, "any"), PROMPT, timeout=10, retries=thrice)
        assert (found.prompt_tokens, found.completion_tokens) == (21, 3)
        assert found.lost_tokens == Tokens(21, 3)
    with StubServer(programme=("glmnetwork", "sglangabort", "geminisafety")) as server:
        with pytest.raises(errors.Refused) as caught:
            ask(spec(server, "any"), PROMPT, timeout=10, retries=thrice)
        assert caught.value.tokens == Tokens(63, 9)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 21, "completion_tokens": 0, "total_tokens": 81}, Tokens(21, 60)),
        ({"prompt_tokens": 21}, Tokens(21, 0)),
        ({"total_tokens": 81}, Tokens(0, 81)),
        ({"prompt_tokens": -1, "completion_tokens": "3"}, NO_TOKENS),
        (None, NO_TOKENS),
        ([1], NO_TOKENS),
    ],
)
def test_it_reads_the_tokens_of_a_refusal_as_it_reads_those_of_an_answer(
    usage: object, tokens: Tokens
) -> None:
    body = {"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}], "usage": usage}
    with pytest.raises(errors.Refused) as caught:
        read_answer(json.dumps(body).encode(), secret="")
    assert caught.value.tokens == tokens
    wrapped = httpx2.Response(400, json={"error": {"message": "x", "code": "content_filter"}, "usage": usage})
    assert read_status(wrapped, secret="").tokens == tokens


def test_it_keeps_which_model_answered(stub: StubServer) -> None:
    assert answer(stub, "othermodel").model == "models/seven.gguf"


def test_it_records_a_schema_that_a_server_takes_and_drops_as_not_enforced(stub: StubServer) -> None:
    schema = {"type": "object", "properties": {"letter": {"type": "string"}}}
    assert not answer(stub, "schemadropped", schema=schema).structured
    assert answer(stub, "ok", schema=schema).structured


def test_every_server_of_the_stub_has_its_meaning_here() -> None:
    kept = {"onlythought", "onlythoughtcut", "cutoff", "geminithinking", "othermodel", "schemadropped"}
    assert {name for name, *_meaning in FAILURES} | kept == set(SERVERS)


def test_a_quota_of_a_minute_heals_in_the_usual_tries() -> None:
    quick = Retries(attempts=3, first_wait=0.01, longest_wait=0.02)
    with StubServer(programme=("quota", "deepseekbusy", "ok")) as stub:
        assert ask(spec(stub, "any"), PROMPT, timeout=10, retries=quick).attempts == 3
    error = errors.OutOfCredit(code="quota_exceeded", heals=True, retry_after=QUOTA_WAIT)
    waits = [
        Retries(attempts=5, longest_retry_after=600).wait_after(error, tried) or 0 for tried in range(1, 5)
    ]
    assert sum(waits) >= 60
    assert Retries(attempts=5).wait_after(error, 5) is None


def test_a_key_that_was_accepted_is_forbidden_for_one_question_alone() -> None:
    forbidden, unknown = errors.KeyRefused(status=403), errors.KeyRefused(status=401)
    assert [ends_all(forbidden, has_answered=has) for has in (False, True)] == [True, False]
    assert [ends_all(unknown, has_answered=has) for has in (False, True)] == [True, True]
