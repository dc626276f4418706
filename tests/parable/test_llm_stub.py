"""The stub speaks the protocol, misbehaves as asked, and reports what it saw."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

import pytest

from parable.llm.client import EndpointSpec, Message, ask
from parable.llm.errors import LlmError, TimedOut
from parable.llm.proposals import parse_candidates
from parable.llm.stub import Behaviour, Faults, StubServer, read_behaviour

ENGLISH = "Here is The Crow. Please write 5 wrong morals for this story, one a line."
CHINESE = "请读下面的寓言《乌鸦和狐狸》，写出4个错误的寓意，每行一个。"


@pytest.fixture(scope="module")
def stub() -> Iterator[StubServer]:
    with StubServer() as server:
        yield server


def say(server: StubServer, prompt: str, model: str = "stub-ok") -> str:
    spec = EndpointSpec(server.base_url, model, api_key="sk-test", allow_private=True)
    return ask(spec, [Message("user", prompt)], timeout=10).text


def test_it_answers_in_the_language_and_number_of_the_prompt(stub: StubServer) -> None:
    english = parse_candidates(say(stub, ENGLISH), wanted=5)
    chinese = parse_candidates(say(stub, CHINESE), wanted=4)
    assert (len(set(english.candidates)), english.shape) == (5, "numbered")
    assert (len(set(chinese.candidates)), chinese.shape) == (4, "numbered")
    assert all(candidate.isascii() for candidate in english.candidates)
    assert all(candidate.endswith("。") for candidate in chinese.candidates)


def test_the_same_prompt_gives_the_same_answer_and_another_model_another(stub: StubServer) -> None:
    assert say(stub, ENGLISH) == say(stub, ENGLISH)
    assert say(stub, ENGLISH, "glm-4") != say(stub, ENGLISH, "qwen-max")


@pytest.mark.parametrize(
    ("model", "shape"),
    [("stub-json", "json"), ("stub-think", "numbered"), ("stub-truncated", "json_cut"), ("any", "numbered")],
)
def test_its_shapes_are_those_of_models(stub: StubServer, model: str, shape: str) -> None:
    for prompt, wanted in ((ENGLISH, 5), (CHINESE, 4)):
        parsed = parse_candidates(say(stub, prompt, model), wanted=wanted)
        assert parsed.shape == shape
        assert len(parsed.candidates) == (wanted - 1 if model == "stub-truncated" else wanted)


def test_a_programme_comes_before_the_models_name() -> None:
    with StubServer(programme=["500", "ok"], default="json") as stub:
        assert [stub.choose("stub-404").name for _ in range(3)] == ["500", "ok", "404"]
        assert stub.choose("gpt-4o").name == "json"


@pytest.mark.parametrize(
    ("text", "behaviour"),
    [
        ("stub-slow(1.5)", Behaviour("slow", 1.5)),
        ("slow", Behaviour("slow", 2.0)),
        ("429(3)", Behaviour("429", 3.0)),
        ("stub-ok", Behaviour("ok")),
        ("gpt-4o", None),
        ("stub-unheard", None),
        ("", None),
    ],
)
def test_it_reads_behaviours(text: str, behaviour: Behaviour | None) -> None:
    assert read_behaviour(text) == behaviour


def test_faults_come_at_their_rates_and_repeat_with_the_seed() -> None:
    rates = {"429(1)": 0.05, "500": 0.03, "hang": 0.02, "garbage": 0.05}
    draws = [Faults(rates, seed=3) for _ in range(2)]
    one, two = ([faults.draw().name for _ in range(4000)] for faults in draws)
    counts = Counter(one)
    assert one == two
    assert 140 <= counts["429"] <= 260
    assert 3300 <= counts["ok"] <= 3500


@pytest.mark.parametrize("rates", [{"unheard": 0.1}, {"500": 0.7, "429": 0.7}, {"500": -0.1}])
def test_impossible_faults_are_refused(rates: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="rates"):
        Faults(rates)


def test_it_logs_and_counts_what_it_saw() -> None:
    with StubServer() as stub:
        started = time.time()
        say(stub, ENGLISH)
        with pytest.raises(LlmError):
            say(stub, CHINESE, "stub-404")
        first, second = stub.log
        assert started <= first.time <= second.time <= time.time()
        assert (first.model, first.prompt, second.behaviour) == ("stub-ok", ENGLISH, "404")
        assert stub.counts == {"ok": 1, "404": 1}


def test_it_answers_64_at_once() -> None:
    with StubServer(latency=0.5) as stub, ThreadPoolExecutor(64) as pool:
        answers = list(pool.map(lambda number: say(stub, f"{ENGLISH} {number}"), range(64)))
        assert len(set(answers)) == 64
        assert stub.most_in_flight >= 32
        assert stub.counts == {"ok": 64}


def test_it_stops_at_once_though_somebody_waits() -> None:
    with ThreadPoolExecutor(1) as pool:
        with StubServer() as stub:
            waiting = pool.submit(say, stub, ENGLISH, "stub-hang(60)")
            latest = time.perf_counter() + 10
            while not stub.log and time.perf_counter() < latest:
                time.sleep(0.01)
        with pytest.raises(LlmError) as caught:
            waiting.result(timeout=30)
        assert not isinstance(caught.value, TimedOut)  # the connection was closed before the caller gave up


def test_it_runs_as_a_process_of_its_own() -> None:
    command = [sys.executable, "-m", "parable.llm.stub", "--port", "0", "--default", "json", "--seed", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            base_url = process.stdout.readline().split()[-1]
            spec = EndpointSpec(base_url, "glm-4", allow_private=True)
            answer = ask(spec, [Message("user", CHINESE)], timeout=10)
            assert parse_candidates(answer.text, wanted=4).shape == "json"
            root = base_url.removesuffix("/v1")
            with urlopen(f"{root}/counts", timeout=5) as reply:
                assert json.load(reply) == {"json": 1}
            with urlopen(f"{root}/log", timeout=5) as reply:
                assert json.load(reply)[0]["prompt"] == CHINESE
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=10) == 0


def test_a_wrong_command_line_is_explained_in_a_sentence() -> None:
    command = [sys.executable, "-m", "parable.llm.stub", "--rate-500", "1.5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("stub: rates must")
