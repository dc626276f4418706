"""The small language model that `make demo-llm` serves beside the site, on this machine alone.

It is in an environment of its own, which adds nothing to the site's lock and to `make demo`. This module runs
before the settings are read, as the settings must allow exactly its address.
"""

from __future__ import annotations

import os
from pathlib import Path

from config.local.errors import LocalServerError

DEFAULT_PORT = 8010
HOST = "127.0.0.1"


def port() -> int:
    """Return the model's port; raises LocalServerError where PARABLE_MODEL_PORT is none."""
    text = os.environ.get("PARABLE_MODEL_PORT") or str(DEFAULT_PORT)
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65535:
        raise LocalServerError(f"PARABLE_MODEL_PORT must be a number from 1 to 65535, not {text!r}.")
    return int(text)


def base_url() -> str:
    """Return the base URL under which any OpenAI-compatible client finds the model."""
    return f"http://{HOST}:{port()}/v1"


def is_installed(base: Path) -> bool:
    """Return whether the model is installed; a complete installation leaves a stamp."""
    return any((base / ".venv-llm").glob("installed-demo-llm-*"))


def require_installed(base: Path) -> None:
    """Raise LocalServerError where the model has not been installed."""
    if not is_installed(base):
        raise LocalServerError("The small language model is not installed here; `make demo-llm` does that.")


def command_line(base: Path) -> list[str]:
    """Return how the model is served: in its own environment, by a script of ours."""
    python = base / ".venv-llm" / "bin" / "python"
    return [str(python), str(base / "scripts" / "demo_model.py"), str(port())]


def allow_address() -> None:
    """Let endpoints of the site that starts now reach the model: this host and port, nothing else inside."""
    others = os.environ.get("PARABLE_LLM_ALLOW_PRIVATE", "")
    os.environ["PARABLE_LLM_ALLOW_PRIVATE"] = ",".join(filter(None, (others, f"{HOST}:{port()}")))
