"""docker-compose.yml, read against the settings, and by Docker itself where it can."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from config import settings
from config.processes import command_lines
from tests.architecture import BASE
from tests.config.programs import environment

FILLED_IN = {
    "PARABLE_SECRET_KEY": "k" * 40,
    "PARABLE_ALLOWED_HOSTS": "parable.example",
    "PARABLE_OWNER_PASSWORD": "owner1",
    "PARABLE_APP_PASSWORD": "application1",
}
COMPOSE: dict[str, Any] = yaml.safe_load((BASE / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "parable"}


def _env_file() -> str:
    """Return the example with the required lines filled in, as a person would."""
    text = (BASE / ".env.example").read_text(encoding="utf-8")
    for name, value in FILLED_IN.items():
        text, count = re.subn(rf"^{name}=$", f"{name}={value}", text, flags=re.MULTILINE)
        assert count == 1, name
    return text


def _resolved(value: str) -> str:
    return re.sub(r"\$\{(\w+)[^}]*\}", lambda found: FILLED_IN[found[1]], value)


def test_it_runs_one_image_as_every_process_of_a_site() -> None:
    run = {service["command"].removeprefix("process ") for service in OURS.values()}
    assert run == set(command_lines()) | {"migrate"}
    assert set(SERVICES) - set(OURS) == {"db", "redis"}
    assert all(service["env_file"] == ".env" for service in OURS.values())


def test_it_sets_only_what_the_settings_know() -> None:
    known = settings.env.declared | {
        "PARABLE_LOCAL_SERVERS",
        "PARABLE_OWNER_PASSWORD",
        "PARABLE_APP_PASSWORD",
    }
    for name, service in OURS.items():
        assert set(service["environment"]) <= known, name
    image = re.findall(r"([A-Z_]+)=", (BASE / "Dockerfile").read_text(encoding="utf-8"))
    assert {name for name in image if name.startswith(("PARABLE_", "DATABASE_"))} <= known


def test_it_gives_the_owners_password_to_migrations_only() -> None:
    holders = [name for name in SERVICES if FILLED_IN["PARABLE_OWNER_PASSWORD"] in _handed_to(name).values()]
    addresses = [name for name in OURS if FILLED_IN["PARABLE_OWNER_PASSWORD"] in str(_handed_to(name))]
    assert (holders, addresses) == (["db"], ["migrate"])


def _handed_to(name: str) -> dict[str, str]:
    """The environment that Docker gives a container: the file's lines, and over them the service's own."""
    service = SERVICES[name]
    lines = re.findall(r"^([A-Z_]+)=(.*)$", _env_file(), re.MULTILINE) if "env_file" in service else []
    return dict(lines) | {key: _resolved(value) for key, value in service.get("environment", {}).items()}


def test_it_starts_nothing_before_the_tables_are_there() -> None:
    for name in set(OURS) - {"migrate"}:
        assert OURS[name]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"


def test_it_keeps_data_in_volumes() -> None:
    for service in SERVICES.values():
        for volume in service.get("volumes", []):
            assert volume.partition(":")[0] in COMPOSE["volumes"]


@pytest.mark.parametrize("name", OURS)
def test_it_gives_each_process_settings_that_load(name: str, tmp_path: Path) -> None:
    whole = environment(tmp_path) | _handed_to(name) | {"PARABLE_HOME": str(tmp_path)}
    answer = subprocess.run(
        [sys.executable, "-c", "from config import settings; print(settings.DATABASES['default']['USER'])"],
        env=whole, cwd=BASE, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert answer.stdout.strip() == "parable_app", answer.stderr


def _docker_composes() -> bool:
    if not shutil.which("docker"):
        return False
    return subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not _docker_composes(), reason="`docker compose` does not work on this machine")
def test_it_is_understood_by_docker_itself(tmp_path: Path) -> None:
    for name in ("docker-compose.yml", "Dockerfile"):
        shutil.copy(BASE / name, tmp_path)
    (tmp_path / ".env").write_text(_env_file(), encoding="utf-8")
    command = ["docker", "compose", "config", "--quiet"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
