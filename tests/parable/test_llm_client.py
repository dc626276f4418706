"""One question, one typed answer or one typed error, over real HTTP to a server that misbehaves on demand."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from parable.llm import errors
from parable.llm.client import ONCE, EndpointSpec, Message, Retries, Session, ask
from parable.llm.errors import LlmError, hide_secret, shorten_reason
from parable.llm.proposals import candidates_schema, parse_candidates
from parable.llm.stub import Faults, StubServer

PROMPT = (Message("system", "You write fables."), Message("user", "Write 3 wrong morals for The Crow."))
KEY = "sk-abcdefghij0123456789ABCDEFGHIJ"
QUICK = Retries(attempts=3, first_wait=0.01, longest_wait=0.02, longest_retry_after=2.0)


@pytest.fixture(scope="module")
def stub() -> Iterator[StubServer]:
    with StubServer() as server:
        yield server


def endpoint(server: StubServer, model: str = "stub-ok", **more: object) -> EndpointSpec:
    return EndpointSpec(server.base_url, model, api_key=KEY, allow_private=True, **more)  # type: ignore[arg-type]


def failure(server: StubServer, model: str, *, timeout: float = 5.0, retries: Retries = ONCE) -> LlmError:
    with pytest.raises(LlmError) as caught:
        ask(endpoint(server, model), PROMPT, timeout=timeout, retries=retries)
    return caught.value


def test_it_gives_a_typed_answer(stub: StubServer) -> None:
    answer = ask(endpoint(stub), PROMPT)
    assert len(parse_candidates(answer.text, wanted=3).candidates) == 3
    assert (answer.model, answer.finish_reason, answer.attempts) == ("stub-ok", "stop", 1)
    assert answer.prompt_tokens
    assert answer.completion_tokens
    assert answer.latency_seconds > 0
    assert not answer.structured


def test_the_request_holds_what_was_given_and_no_more(
    stub: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "from-the-environment")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: from-the-environment\nAuthorization: Bearer other")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere.invalid")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    ask(endpoint(stub, parameters={"temperature": 0.7, "max_tokens": 300, "top_k": 40}), PROMPT)
    seen = stub.log[-1]
    assert '"temperature":0.7' in seen.body.replace(" ", "")
    assert '"top_k":40' in seen.body.replace(" ", "")
    assert seen.prompt == "You write fables.\n\nWrite 3 wrong morals for The Crow."
    headers = dict(seen.headers)
    assert headers["authorization"] == f"Bearer {KEY}"
    assert set(headers) == {
        "host", "accept", "content-type", "content-length", "user-agent", "accept-encoding", "authorization",
    }  # fmt: skip
    assert "from-the-environment" not in str(seen)


def test_an_endpoint_without_a_key_sends_none(stub: StubServer) -> None:
    ask(EndpointSpec(stub.base_url, "stub-ok", allow_private=True), PROMPT)
    assert "authorization" not in dict(stub.log[-1].headers)


@pytest.mark.parametrize(
    ("model", "kind", "code", "heals"),
    [
        ("stub-400", errors.BadRequest, "bad_request", False),
        ("stub-401", errors.KeyRefused, "key_refused", False),
        ("stub-402", errors.OutOfCredit, "out_of_credit", False),
        ("stub-403", errors.KeyRefused, "key_refused", False),
        ("stub-404", errors.ModelUnknown, "model_unknown", False),
        ("stub-408", errors.TimedOut, "timed_out", True),
        ("stub-429", errors.RateLimited, "rate_limited", True),
        ("stub-quota", errors.OutOfCredit, "quota_exceeded", True),
        ("stub-500", errors.ServerFault, "server_fault", True),
        ("stub-502", errors.ServerFault, "server_fault", True),
        ("stub-503", errors.ServerFault, "server_fault", True),
        ("stub-garbage", errors.Garbage, "garbage", True),
        ("stub-notchat", errors.Garbage, "garbage", True),
        ("stub-notjson", errors.Garbage, "garbage", True),
        ("stub-huge", errors.Garbage, "too_large", False),
        ("stub-refusal", errors.Refused, "content_filter", False),
        ("stub-filter400", errors.Refused, "content_filter", False),
        ("stub-declined", errors.Refused, "model_declined", False),
        ("stub-redirect", errors.Redirected, "redirected", False),
        ("stub-drop", errors.Unreachable, "connection_lost", True),
        ("stub-hang(9)", errors.TimedOut, "timed_out", True),
        ("stub-trickle(0.05)", errors.TimedOut, "timed_out", True),
        ("stub-slow(9)", errors.TimedOut, "timed_out", True),
    ],
)
def test_every_failure_has_its_type(
    stub: StubServer, model: str, kind: type[LlmError], code: str, heals: bool
) -> None:
    error = failure(stub, model, timeout=0.6 if kind is errors.TimedOut else 20.0)
    assert type(error) is kind
    assert (error.code, error.heals, error.attempts) == (code, heals, 1)


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with StubServer() as gone:
        spec = endpoint(gone)
    with pytest.raises(errors.Unreachable) as caught:
        ask(spec, PROMPT, retries=QUICK)
    assert (caught.value.code, caught.value.attempts) == ("cannot_connect", 3)


def test_a_wrong_path_is_distinguished_from_a_wrong_model(stub: StubServer) -> None:
    spec = EndpointSpec(stub.base_url + "/wrong", "stub-ok", allow_private=True)
    with pytest.raises(errors.ModelUnknown) as caught:
        ask(spec, PROMPT)
    assert caught.value.code == "path_unknown"


def test_a_redirect_is_not_followed(stub: StubServer) -> None:
    before = len(stub.log)
    failure(stub, "stub-redirect")
    assert [seen.path for seen in stub.log[before:]] == ["/v1/chat/completions"]


def test_the_time_limit_is_for_the_whole_of_an_attempt(stub: StubServer) -> None:
    for model in ("stub-trickle(0.05)", "stub-hang(30)"):
        assert isinstance(failure(stub, model, timeout=0.5), errors.TimedOut)


def test_it_tries_again_what_may_heal() -> None:
    with StubServer(programme=("500", "garbage", "ok")) as stub:
        answer = ask(endpoint(stub, "any-model"), PROMPT, retries=QUICK)
    assert answer.attempts == 3
    assert answer.text


def test_it_does_not_try_for_ever() -> None:
    with StubServer(default="500") as stub:
        error = failure(stub, "any-model", retries=QUICK)
        assert (error.attempts, len(stub.log)) == (3, 3)


def test_what_cannot_heal_fails_at_once() -> None:
    for behaviour in (
        "400",
        "401",
        "402",
        "403",
        "404",
        "siliconbalance",
        "filter400",
        "refusal",
        "redirect",
    ):
        with StubServer(default=behaviour) as stub:
            assert failure(stub, "any-model", retries=QUICK).attempts == 1
            assert len(stub.log) == 1


def test_it_never_comes_back_sooner_than_the_server_asked() -> None:
    with StubServer(programme=("429(1)", "ok")) as stub:
        answer = ask(endpoint(stub, "any-model"), PROMPT, retries=QUICK)
        first, second = stub.log
    assert answer.attempts == 2
    assert 1.0 <= second.time - first.time < 2.0


def test_a_long_retry_after_goes_to_the_caller() -> None:
    with StubServer(default="429(3600)") as stub:
        error = failure(stub, "any-model", retries=QUICK)
        assert (error.retry_after, error.attempts, len(stub.log)) == (3600.0, 1, 1)


def test_waits_grow_and_differ() -> None:
    retries = Retries(attempts=9, first_wait=1.0, longest_wait=8.0)
    fault = errors.ServerFault()
    waits = [retries.wait_after(fault, attempt) or 0.0 for attempt in range(1, 9)]
    for attempt, wait in enumerate(waits):
        assert min(8.0, 2.0**attempt) / 2 <= wait <= min(8.0, 2.0**attempt)
    assert len({retries.wait_after(fault, 4) for _ in range(20)}) > 10
    assert retries.wait_after(fault, 9) is None
    assert retries.wait_after(errors.BadRequest(), 1) is None


def test_it_asks_for_structured_output_where_the_server_takes_it(stub: StubServer) -> None:
    answer = ask(endpoint(stub), PROMPT, schema=candidates_schema())
    assert answer.structured
    assert parse_candidates(answer.text, wanted=3).shape == "json"


def test_it_falls_back_to_plain_once_and_remembers(stub: StubServer) -> None:
    before = len(stub.log)
    with Session(endpoint(stub, "stub-plain")) as session:
        first = session.ask(PROMPT, schema=candidates_schema(), retries=ONCE)
        second = session.ask(PROMPT, schema=candidates_schema(), retries=ONCE)
    assert (first.structured, first.attempts) == (False, 2)
    assert (second.structured, second.attempts) == (False, 1)
    assert ["response_format" in seen.body for seen in stub.log[before:]] == [True, False, False]


def test_a_bad_request_stays_one_without_the_schema(stub: StubServer) -> None:
    with pytest.raises(errors.BadRequest) as caught:
        ask(endpoint(stub, "stub-400"), PROMPT, schema=candidates_schema(), retries=QUICK)
    assert caught.value.attempts == 2


def test_our_own_fields_cannot_be_set_as_parameters(stub: StubServer) -> None:
    before = len(stub.log)
    with pytest.raises(errors.BadRequest) as caught:
        ask(endpoint(stub, parameters={"messages": [], "stream": True}), PROMPT)
    assert (caught.value.code, caught.value.reason) == ("parameter_reserved", "messages, stream")
    assert len(stub.log) == before


def test_an_empty_answer_is_an_answer(stub: StubServer) -> None:
    answer = ask(endpoint(stub, "stub-empty"), PROMPT)
    assert (answer.text, answer.finish_reason) == ("", "length")


@pytest.mark.parametrize(
    "model", ["stub-401", "stub-404", "stub-429", "stub-drop", "stub-garbage", "stub-huge"]
)
def test_the_key_occurs_nowhere(stub: StubServer, model: str) -> None:
    error = failure(stub, model)
    trace = "".join(traceback.format_exception(error))
    for text in (
        repr(error),
        str(error),
        error.reason,
        trace,
        repr(error.__dict__),
        repr(pickle.dumps(error)),
    ):
        assert KEY not in text
        assert KEY[:12] not in text
    assert error.__context__ is None
    assert error.__cause__ is None
    spec = endpoint(stub)
    assert KEY not in repr(spec) + str(spec) + repr(Session(spec))


def test_no_frame_that_holds_the_key_is_kept(stub: StubServer) -> None:
    error = failure(stub, "stub-401")
    frames = [frame.f_locals for frame, _ in traceback.walk_tb(error.__traceback__)]
    assert not any(KEY in repr(value) for values in frames for value in values.values())


@pytest.mark.parametrize("key", ["sk-schlüssel", "sk-a\nX-Injected: 1", "sk a", "密钥", "sk-\x00"])
def test_a_key_that_no_header_can_carry_is_refused_unsent(stub: StubServer, key: str) -> None:
    before = len(stub.log)
    with pytest.raises(errors.KeyRefused) as caught:
        ask(EndpointSpec(stub.base_url, "stub-ok", api_key=key, allow_private=True), PROMPT)
    assert caught.value.code == "key_malformed"
    assert key not in repr(caught.value)
    assert len(stub.log) == before


def test_white_space_around_a_key_does_not_matter(stub: StubServer) -> None:
    ask(EndpointSpec(stub.base_url, "stub-ok", api_key=f" {KEY}\n", allow_private=True), PROMPT)
    assert dict(stub.log[-1].headers)["authorization"] == f"Bearer {KEY}"


def test_errors_survive_the_way_between_processes(stub: StubServer) -> None:
    error = failure(stub, "stub-429(7)")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 -- our own bytes
    assert type(copy) is errors.RateLimited
    assert (copy.code, copy.retry_after, copy.attempts) == ("rate_limited", 7.0, 1)


def test_a_reason_is_short_on_one_line_and_without_the_key() -> None:
    assert (
        shorten_reason(f"Bad key {KEY}.\n\x1b[31mSorry\x00", secret=KEY)
        == f"Bad key {'*' * len(KEY)}. [31mSorry"
    )
    assert len(shorten_reason("x" * 5000, secret=KEY)) == errors.REASON_LENGTH
    cut = shorten_reason("y" * (errors.REASON_LENGTH - 12) + KEY, secret=KEY)
    assert "sk-" not in cut
    assert hide_secret(f"it ends in {KEY[-10:]}", secret=KEY) == f"it ends in {'*' * 10}"
    assert hide_secret("abc is short", secret="abc") == "*** is short"
    assert hide_secret("nothing to hide", secret="") == "nothing to hide"


def test_a_page_in_place_of_an_error_is_not_echoed(stub: StubServer) -> None:
    assert failure(stub, "stub-garbage").reason == ""


def test_a_line_keeps_its_connections_for_many_calls_at_once() -> None:
    with StubServer(latency=0.2) as stub, Session(endpoint(stub)) as session, ThreadPoolExecutor(64) as pool:
        answers = list(pool.map(lambda _: session.ask(PROMPT, timeout=20), range(128)))
        assert len({answer.text for answer in answers}) == 1
        assert len(stub.log) == 128
        assert stub.most_in_flight >= 32


def test_a_mix_of_faults_ends_with_every_call_answered() -> None:
    faults = Faults({"429(0)": 0.1, "500": 0.1, "garbage": 0.1, "drop": 0.1}, seed=7)
    patient = Retries(attempts=12, first_wait=0.01, longest_wait=0.05)
    with StubServer(default="mix", faults=faults) as stub, Session(endpoint(stub, "glm-4")) as session:
        with ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda _: session.ask(PROMPT, timeout=20, retries=patient), range(64)))
        assert sum(answer.attempts for answer in answers) == len(stub.log) > 64
        assert stub.counts["ok"] == 64


@pytest.mark.parametrize(
    ("base_url", "addresses", "sends"),
    [
        ("http://llm.example:{port}/v1", ("127.0.0.1",), True),
        ("http://llm.example:{port}/v1", ("10.0.0.7",), False),
        ("http://llm.example:{port}/v1", ("127.0.0.1", "10.0.0.7"), False),
        ("http://localhost:{port}/v1", ("10.0.0.7",), False),
    ],
)
def test_a_key_never_crosses_the_network_unencrypted(
    stub: StubServer,
    monkeypatch: pytest.MonkeyPatch,
    base_url: str,
    addresses: tuple[str, ...],
    sends: bool,
) -> None:
    """Decided by what the name resolves to at that moment."""
    monkeypatch.setattr("parable.llm.addresses.look_up", lambda *_about: addresses)
    spec = EndpointSpec(base_url.format(port=stub.port), "stub-ok", api_key=KEY, allow_private=True)
    if sends:
        assert ask(spec, PROMPT).text
        return
    before = len(stub.log)
    with pytest.raises(LlmError) as caught:
        ask(spec, PROMPT, timeout=2.0, retries=ONCE)
    assert (caught.value.code, caught.value.heals) == ("key_in_the_clear", False)
    assert len(stub.log) == before
