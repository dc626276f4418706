"""“Try it” says in plain words what is wrong, and repeats of the server's own words only a little."""

from __future__ import annotations

import pytest
from django.urls import reverse
from pytest_django import Settings

from jobs.models import Endpoint
from jobs.services import try_endpoint
from parable.llm.errors import REASON_LENGTH
from parable.llm.stub import StubServer
from tests.generation.bench import Bench, bind_variable
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db

BEHAVIOURS = {
    "stub-401": "The server requires an API key, but none is set.",
    "stub-403": "The server requires an API key, but none is set.",
    "stub-402": "The account of the API key has no credit or quota left.",
    "stub-quota": "The quota is used up",
    "stub-404": "The server does not have this model.",
    "stub-400": "The server rejected the request. Check the parameters.",
    "stub-429(3)": "The server limits the rate.",
    "stub-500": "The server failed.",
    "stub-hang(9)": "The answer did not arrive in time.",
    "stub-trickle(0.05)": "The answer did not arrive in time.",
    "stub-drop": "The connection was lost before the answer was complete.",
    "stub-redirect": "The server redirects, which is not followed. Check the base URL.",
    "stub-garbage": "The response has an unexpected format. Check the base URL.",
    "stub-notchat": "The response has an unexpected format. Check the base URL.",
    "stub-notjson": "The response has an unexpected format. Check the base URL.",
    "stub-huge": "The answer is too large.",
    "stub-refusal": "A content filter blocked the question or the answer.",
    "stub-ok": "It answered in",
}


@pytest.mark.parametrize(("model", "words"), BEHAVIOURS.items(), ids=BEHAVIOURS)
def test_it_says_what_the_server_does_wrong(bench: Bench, model: str, words: str) -> None:
    seconds = 1 if words.endswith("in time.") else 60  # a busy machine may need more than a second
    endpoint = bench.add_endpoint("tried", model, timeout_seconds=seconds)
    tried = try_endpoint(actor=bench.cast.manager, endpoint=endpoint)
    assert tried.sentence.startswith(words)
    assert tried.is_well == (model == "stub-ok")


def elsewhere(bench: Bench, base_url: str, **details: object) -> Endpoint:
    return bench.add_endpoint("elsewhere", "stub-ok", base_url=base_url, timeout_seconds=3, **details)


@pytest.fixture
def gone() -> str:
    """Where a server was a moment ago."""
    with StubServer() as server:
        return server.base_url


def test_it_says_what_is_wrong_with_the_way_there(bench: Bench, gone: str, settings: Settings) -> None:
    where = {
        "http://no-such-host.invalid/v1": "Server not found.",
        gone: "Cannot connect to the server.",
        bench.stub.base_url.replace("http:", "https:"): "The server's certificate is not trusted.",
        bench.stub.base_url + "/elsewhere": "Path not found on the server. Many base URLs end in /v1.",
    }
    for number, (base_url, words) in enumerate(where.items()):
        endpoint = bench.add_endpoint(f"way {number}", base_url=base_url, timeout_seconds=3)
        assert try_endpoint(actor=bench.cast.manager, endpoint=endpoint).sentence == words
    settings.LLM_ALLOW_PRIVATE = frozenset()
    inside = try_endpoint(actor=bench.cast.manager, endpoint=bench.endpoint)
    assert inside.sentence.startswith("The base URL is inside the network.")


def test_it_distinguishes_a_missing_key_from_a_refused_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bind_variable(bench.stub)
    keyed = bench.add_endpoint("keyed", "stub-401", key_variable="PARABLE_LLM_KEY_TEST")
    monkeypatch.delenv("PARABLE_LLM_KEY_TEST", raising=False)
    missing = try_endpoint(actor=bench.cast.manager, endpoint=keyed)
    assert missing.sentence.startswith("The environment variable for the API key is not set")
    assert bench.stub.log == ()
    for key, words in {
        "sk-not-the-right-one": "The server rejected the API key.",
        "sk-two\nlines": "The API key has invalid characters.",
    }.items():
        monkeypatch.setenv("PARABLE_LLM_KEY_TEST", key)
        assert try_endpoint(actor=bench.cast.manager, endpoint=keyed).sentence.startswith(words)


def test_it_says_when_its_own_limit_is_used_up(bench: Bench) -> None:
    endpoint = bench.add_endpoint("slow", requests_per_minute=1)
    assert try_endpoint(actor=bench.cast.manager, endpoint=endpoint).is_well
    again = try_endpoint(actor=bench.cast.manager, endpoint=endpoint)
    assert "requests per minute are used up" in again.sentence


def test_it_shows_a_servers_words_short_and_escaped(bench: Bench) -> None:
    """The stub repeats the model's name in its refusal, as real servers do."""
    markup = "<script>alert(1)</script>" + "x" * 90
    with StubServer(default="404") as server:
        endpoint = bench.add_endpoint("markup", markup, base_url=server.base_url)
        url = reverse("generation:test", args=[bench.cast.project.slug, endpoint.pk])
        answers = [
            browser(bench.cast.manager).post(url, headers={"hx-request": "true"}).content.decode(),
            browser(bench.cast.manager).post(url, follow=True).content.decode(),
        ]
        tried = try_endpoint(actor=bench.cast.manager, endpoint=endpoint)
    for answer in answers:
        assert "&lt;script&gt;" in answer
        assert "<script>alert" not in answer
    assert len(tried.server_says) <= REASON_LENGTH
