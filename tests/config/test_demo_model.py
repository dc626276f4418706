"""What `make demo-llm` adds to `make demo`: one more process, one more address, and nothing else."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from config import demo_model
from config.local import LocalServerError
from config.processes import require_free_port
from tests.architecture import BASE


def test_it_says_what_to_do_where_the_model_is_not_installed(tmp_path: Path) -> None:
    with pytest.raises(LocalServerError, match="make demo-llm"):
        demo_model.require_installed(tmp_path)


def test_it_allows_this_one_address_beside_those_that_were_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARABLE_MODEL_PORT", "8123")
    monkeypatch.setenv("PARABLE_LLM_ALLOW_PRIVATE", "llm.campus.example")
    demo_model.allow_address()
    assert os.environ["PARABLE_LLM_ALLOW_PRIVATE"] == "llm.campus.example,127.0.0.1:8123"
    assert demo_model.base_url() == "http://127.0.0.1:8123/v1"


@pytest.mark.parametrize("text", ["many", "0", "65536", "-1", "8010 "])
def test_it_refuses_a_port_that_is_none(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARABLE_MODEL_PORT", text)
    with pytest.raises(LocalServerError, match="PARABLE_MODEL_PORT must be"):
        demo_model.port()


def test_it_serves_on_this_machine_alone() -> None:
    source = (BASE / "scripts" / "demo_model.py").read_text(encoding="utf-8")
    assert 'params.hostnames = ["127.0.0.1"]' in source
    assert demo_model.HOST == "127.0.0.1"


def test_it_names_the_setting_where_the_models_port_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(LocalServerError, match="or set PARABLE_MODEL_PORT to another number"):
            require_free_port("127.0.0.1", taken.getsockname()[1], setting="PARABLE_MODEL_PORT")


def test_it_locks_the_model_with_hashes_and_without_addresses() -> None:
    lock = (BASE / "requirements" / "demo-llm.txt").read_text(encoding="utf-8")
    wanted = (BASE / "requirements" / "demo-llm.in").read_text(encoding="utf-8")
    assert "://" not in lock
    pins = [line for line in wanted.splitlines() if "==" in line]
    assert [pin for pin in pins if f"{pin} " in lock] == pins
    assert lock.count("--hash=sha256:") > len(pins)


def test_it_keeps_the_model_out_of_what_the_site_needs() -> None:
    for name in ("running", "development"):
        assert "xllamacpp" not in (BASE / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
