"""docker-compose.yml, read against the settings, and by Docker itself where it can."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from config import settings
from config.processes import command_lines
from tests.architecture import BASE
from tests.config.deployment import MODEL_KEYS, PROCESSES, ROWS, known_to
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
    return re.sub(r"\$\{(\w+)[^}]*\}", lambda found: FILLED_IN.get(found[1], ""), value)


def test_it_is_valid() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    checked = subprocess.run(
        [*command, str(BASE / "docker-compose.yml")], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout


def test_it_runs_one_image_as_every_process_of_a_site() -> None:
    run = {service["command"].removeprefix("process ") for service in OURS.values()}
    assert run == set(command_lines()) | {"migrate"} == set(PROCESSES)
    assert set(SERVICES) - set(OURS) == {"db", "redis"}


@pytest.mark.parametrize("name", OURS)
def test_it_gives_each_process_the_settings_that_it_reads_and_no_other(name: str) -> None:
    assert set(OURS[name]["environment"]) - {"PARABLE_LOCAL_SERVERS"} == known_to(name)


@pytest.mark.parametrize("name", OURS)
def test_it_passes_settings_on_under_their_own_names(name: str) -> None:
    set_here = {"DATABASE_URL", "DATABASE_OWNER_URL"}
    for key, value in OURS[name]["environment"].items():
        assert set(re.findall(r"\$\{(\w+)", value)) <= {key} or key in set_here, key


def test_the_image_sets_only_what_the_settings_know() -> None:
    image = re.findall(r"\b([A-Z_]+)=", (BASE / "Dockerfile").read_text(encoding="utf-8"))
    named = {name for name in image if name.startswith(("PARABLE_", "DATABASE_"))}
    assert named <= settings.env.declared | {"PARABLE_LOCAL_SERVERS"}


@pytest.mark.parametrize(
    ("variable", "holders"),
    [
        ("PARABLE_OWNER_PASSWORD", {"db", "migrate"}),
        ("PARABLE_APP_PASSWORD", ROWS),
        ("PARABLE_SECRET_KEY", set(OURS)),
    ],
)
def test_it_gives_a_password_to_those_only_who_use_it(variable: str, holders: set[str]) -> None:
    assert {name for name in SERVICES if FILLED_IN[variable] in str(_handed_to(name))} == holders


def test_it_gives_keys_of_models_to_those_only_who_send_them() -> None:
    files = {name: service["env_file"] for name, service in SERVICES.items() if "env_file" in service}
    assert files == {name: [{"path": ".env.models", "required": False}] for name in MODEL_KEYS}


OUTSIDE = ("web", "worker", "llm-worker")
PINNED = re.compile(r"[a-z/]+:\d+\.\d+(\.\d+)?-[a-z-]+")
RULES: dict[str, Callable[[str, dict[str, Any]], bool]] = {
    "is not root": lambda _name, one: one["user"] in ("10001:10001", "postgres", "valkey"),
    "has a read-only root": lambda _name, one: one["read_only"] is True,
    "has no capability": lambda _name, one: one["cap_drop"] == ["ALL"] and "cap_add" not in one,
    "gains no privilege": lambda _name, one: one["security_opt"] == ["no-new-privileges:true"],
    "shares nothing with the host": lambda _name, one: (
        not {"privileged", "pid", "ipc", "network_mode"} & set(one)
    ),
    "has room for temporary files": lambda _name, one: "/tmp" in str(one["tmpfs"]),  # noqa: S108
    "has a limit of processes": lambda _name, one: 0 < one["pids_limit"] <= 512,
    "rotates its log": lambda _name, one: set(one["logging"]["options"]) == {"max-size", "max-file"},
    "says whether it is well": lambda name, one: "healthcheck" in one or name == "migrate",
    "begins again": lambda name, one: one["restart"] == ("no" if name == "migrate" else "unless-stopped"),
    "publishes nothing but web": lambda name, one: ("ports" in one) == (name == "web"),
    "reaches the world if it must": lambda name, one: ("outside" in one["networks"]) == (name in OUTSIDE),
    "keeps data in volumes": lambda _name, one: (
        {v.partition(":")[0] for v in one["volumes"]} <= set(COMPOSE["volumes"])
    ),
    "is a version": lambda _name, one: one["image"] == "parable" or bool(PINNED.fullmatch(one["image"])),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", SERVICES)
def test_each_container(name: str, rule: str) -> None:
    assert RULES[rule](name, SERVICES[name])


def test_the_inner_network_has_no_way_out() -> None:
    assert COMPOSE["networks"] == {"inside": {"internal": True}, "outside": None}


def test_it_asks_each_process_whether_it_is_well() -> None:
    asked = {
        name: service["healthcheck"]["test"] for name, service in OURS.items() if "healthcheck" in service
    }
    assert "/readyz" in asked.pop("web")
    assert asked == {name: f"python manage.py healthy {name}" for name in ("worker", "llm-worker", "beat")}


def test_the_image_is_a_version_and_no_root() -> None:
    text = (BASE / "Dockerfile").read_text(encoding="utf-8")
    froms = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    assert len(set(froms)) == 1
    assert PINNED.fullmatch(froms[0])
    assert re.findall(r"^USER (\S+)", text, re.MULTILINE) == ["10001:10001"]


def test_the_image_holds_no_secret_and_no_data() -> None:
    left_out = (BASE / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {".env", ".env.*", "var", ".git"} <= set(left_out)


def _handed_to(name: str) -> dict[str, str]:
    """The environment that Docker gives a container."""
    return {key: _resolved(value) for key, value in SERVICES[name].get("environment", {}).items()}


def test_it_starts_nothing_before_the_tables_are_there() -> None:
    for name in set(OURS) - {"migrate"}:
        assert OURS[name]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"


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
