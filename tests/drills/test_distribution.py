"""The wheel beside others' packages, and its tests with the lowest and the newest packages that it names."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.architecture import BASE

pytestmark = pytest.mark.drill

UV: Final = (sys.executable, "-m", "uv", "--no-config")
PATIENCE: Final = 500.0
TOOLS: Final = ("pytest", "hypothesis", "krippendorff", "threadpoolctl")
TESTS: Final = (
    *("test_psychometrics_classical", "test_psychometrics_irt", "test_psychometrics_agreement"),
    *("test_psychometrics_linking", "test_psychometrics_raters", "test_formats_table_writing"),
    *("test_llm_transport", "test_llm_client", "test_quality_gates", "test_quality_gates_likeness"),
    *("test_results_measures", "test_formats_written_tables"),
)
"""Of tests/parable, those that reach far into what other packages do."""
BESIDE: Final = ("lm-eval", "inspect-ai")
"""Of these, lm-eval brings datasets and what that needs."""
MOST_PACKAGES: Final = 7
MOST_TIMES: Final = 14.0
"""What pip and all that it starts may take, in the processor time of compiling pip itself in the same run: a
slow machine is slow at both. It was 9.6 times on 29 November 2026 (12.7 s)."""
MOST_TIMES_TO_AUDIT: Final = 18.0
"""The same with an audit of 400 items after it; by the clock it would be the network that is judged."""


def python(version: str) -> str:
    """A Python of this version, as uv finds or pyenv keeps it; the test is skipped without one."""
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    found = str(kept[-1]) if kept else shutil.which(f"python{version}")
    if found is None:
        pytest.skip(f"there is no Python {version} here")
    return found


def run(*command: object, cwd: Path = BASE) -> subprocess.CompletedProcess[str]:
    parts = [str(one) for one in command]
    return subprocess.run(parts, cwd=cwd, text=True, capture_output=True, check=False, timeout=PATIENCE)


def fetched(*command: object) -> None:
    """Run what asks the package index; the test is skipped where it cannot be reached."""
    done = run(*command)
    if done.returncode:
        if any(words in done.stderr for words in ("error sending request", "dns error", "Failed to fetch")):
            pytest.skip("the package index cannot be reached")
        pytest.fail(done.stderr[-3000:])


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    fetched(*UV, "build", "--quiet", "--out-dir", out, BASE)
    (made,) = out.glob("*.whl")
    return made


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "environment"
    shutil.rmtree(tmp_path / "environment", ignore_errors=True)


def made(environment: Path, version: str, *options: str) -> Path:
    fetched(*UV, "venv", "--quiet", "--python", python(version), *options, environment)
    return environment / "bin" / "python"


@pytest.mark.parametrize(("version", "end"), [("3.12", "lowest-direct"), ("3.13", "highest")])
def test_its_tests_pass_at_both_ends_of_its_ranges(version: str, end: str, environment: Path) -> None:
    program = made(environment, version)
    chosen = environment / "chosen.txt"
    ready = ("--only-binary", ":all:", "--python", program)
    choose = ("pip", "compile", "--quiet", "--all-extras", "--resolution", end, "--output-file", chosen)
    fetched(*UV, *choose, *ready, BASE / "pyproject.toml")
    fetched(*UV, "pip", "install", "--quiet", *ready, "--requirement", chosen, *TOOLS)
    alone = ("-c", os.devnull, "--rootdir", BASE, "--noconftest", "-p", "no:cacheprovider")
    paths = [BASE / "tests" / "parable" / f"{name}.py" for name in TESTS]
    done = run(program, "-m", "pytest", "-q", "--tb=short", "-m", "not drill", *alone, *paths)
    assert done.returncode == 0, done.stdout[-4000:]


def items(path: Path) -> Path:
    """A file of 400 items."""
    lines = ["id,task,story,question,A,B,C,D,answer"]
    lines += [
        f"i{n},moral,A fox of valley {n} fell.,What does story {n} teach?,"
        f"to look {n},to wait {n},to ask {n},to leave {n},{'ABCD'[n * 7 % 11 % 4]}"
        for n in range(400)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def installed(program: Path) -> dict[str, str]:
    listed = json.loads(run(*UV, "pip", "list", "--format", "json", "--python", program).stdout)
    return {one["name"]: one["version"] for one in listed if one["name"] not in {"pip", "parable"}}


def test_it_installs_quickly_where_nothing_is(wheel: Path, environment: Path, tmp_path: Path) -> None:
    program = made(environment, "3.13", "--seed")
    pip = next(environment.glob("lib/*/site-packages/pip"))
    spent = _spent()
    for _turn in range(3):
        assert run(program, "-m", "compileall", "-q", "-f", pip).returncode == 0
    compiled = (_spent() - spent) / 3
    begun, spent = time.monotonic(), _spent()
    fetched(program, "-m", "pip", "install", "--quiet", f"{wheel}[xlsx,agreement]")
    cpu = _spent() - spent
    parable = environment / "bin" / "parable"
    done = run(parable, "audit", items(tmp_path / "items.csv"), "--json", cwd=tmp_path)
    waited, spent_in_all = time.monotonic() - begun, _spent() - spent
    times = cpu / compiled
    print(f"{cpu:.1f} s of CPU ({times:.1f} times), {waited:.1f} s to an audit, {sorted(installed(program))}")
    assert (done.returncode in {0, 1}, json.loads(done.stdout.splitlines()[-1])["items"]) == (True, 400)
    assert len({*installed(program), "parable"}) <= MOST_PACKAGES
    assert times <= MOST_TIMES
    assert spent_in_all / compiled <= MOST_TIMES_TO_AUDIT
    assert run(parable, "--version", cwd=tmp_path).stdout.startswith("parable 0.")
    asked = run(
        parable, "evaluate", "folder", "--model", "m", "--base-url", "http://localhost:1/v1", cwd=tmp_path
    )
    assert (asked.returncode, asked.stderr.count("\n")) == (2, 1)
    assert 'pip install "parable[models]"' in asked.stderr


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("other", BESIDE)
def test_it_changes_nothing_of_what_is_installed(other: str, wheel: Path, environment: Path) -> None:
    program = made(environment, "3.13", "--seed")
    fetched(*UV, "pip", "install", "--quiet", "--python", program, other)
    before = installed(program)
    fetched(program, "-m", "pip", "install", "--quiet", f"{wheel}[xlsx,agreement,models]")
    after = installed(program)
    assert {name: after.get(name) for name in before} == before
    assert _checked(program) == (0, "No broken requirements found.\n")


def _checked(program: Path) -> Sequence[object]:
    done = run(program, "-m", "pip", "check")
    return done.returncode, done.stdout


def test_the_client_is_a_wheel_of_its_own_and_gives_the_shell_its_command(
    wheel: Path, environment: Path, tmp_path: Path
) -> None:
    # built in a copy: what setuptools leaves beside the sources is not theirs
    sources = shutil.copytree(BASE / "clients" / "python", tmp_path / "sources")
    fetched(*UV, "build", "--quiet", "--wheel", "--out-dir", tmp_path, sources)
    (client,) = tmp_path.glob("*.whl")
    program = made(environment, "3.12")
    fetched(*UV, "pip", "install", "--quiet", "--python", program, client)
    assert not {"django", "parable", "numpy"} & installed(program).keys()
    typed = run(program, "-c", "import parable_client, importlib.resources as r;"
        "print((r.files(parable_client) / 'py.typed').is_file())")  # fmt: skip
    assert typed.stdout.strip() == "True"
    fetched(*UV, "pip", "install", "--quiet", "--python", program, wheel)
    asked = run(environment / "bin" / "parable", "remote", "--url", "http://127.0.0.1:9", "projects")
    assert (asked.returncode, asked.stderr) == (
        2,
        "Name the site and an access token, or set PARABLE_URL and PARABLE_TOKEN.\n",
    )
