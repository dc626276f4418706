"""What the installed package loads and needs: little for --help, and of an extra only what was asked for."""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

import pytest

from parable.__main__ import COMMANDS
from parable.commands.kind_score import SCORED
from parable.commands.options.score import KINDS
from parable.extras import EXTRAS

BASE: Final = Path(__file__).parents[2]
SLOW: Final = ("httpx2", "numpy", "openai", "openpyxl", "orjson", "parable.kinds", "scipy")
"""What takes longer to load than a --help may take altogether."""
LOADED: Final = "import sys; from parable.__main__ import main\ntry:\n    main({arguments})\nfinally:\n    sys.stderr.write(repr(sorted(set({slow}) & set(sys.modules))))"  # noqa: E501
ABSENT: Final = "import sys; sys.modules[{package!r}] = None; from parable.__main__ import main; sys.exit(main({arguments}))"  # noqa: E501
ITEMS: Final = '{"id": "1", "task": "moral", "story": "A fox fell.", "question": "Why?", "choices": ["a", "b"], "answer": 0}\n'  # noqa: E501


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], cwd=BASE, text=True, capture_output=True, check=False
    )


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("asked", [["--help"], ["--no-such-option"]])
def test_a_command_answers_at_once_what_it_may_be_asked(command: str, asked: list[str]) -> None:
    answer = run(LOADED.format(arguments=[command, *asked], slow=SLOW))
    assert (answer.returncode, answer.stderr.splitlines()[-1]) == (0 if asked == ["--help"] else 2, "[]")
    assert "usage: " in answer.stdout + answer.stderr


def test_an_audit_loads_no_client_of_models(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(ITEMS, encoding="utf-8")
    answer = run(LOADED.format(arguments=["audit", str(path)], slow=SLOW))
    loaded = answer.stderr.splitlines()[-1]
    assert "'numpy'" in loaded
    assert not {"httpx2", "openai", "openpyxl"} & set(loaded.split("'"))


@pytest.mark.parametrize(
    ("package", "extra", "arguments"),
    [
        (
            "openai",
            "models",
            ["audit", "{path}", "--judge-model", "m", "--judge-url", "http://localhost:1/v1"],
        ),
        ("httpx2", "models", ["evaluate", "{path}", "--model", "m", "--base-url", "http://localhost:1/v1"]),
    ],
)
def test_what_is_not_installed_is_asked_for_by_name(
    package: str, extra: str, arguments: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(ITEMS, encoding="utf-8")
    given = [one.format(path=path) for one in arguments]
    answer = run(ABSENT.format(package=package, arguments=given))
    message = (
        f'This needs the package {package}, which is not installed here: pip install "parable[{extra}]"\n'
    )
    assert (answer.returncode, answer.stdout, answer.stderr) == (2, "", message)
    if "audit" in arguments:
        answer = run(ABSENT.format(package=package, arguments=[*given, "--language", "zh"]))
        assert f'pip install "parable[{extra}]"' in answer.stderr
        assert "尚未安装" in answer.stderr


def test_a_workbook_asks_for_its_package_by_name() -> None:
    call = "from parable.formats.table_writer import write_xlsx; write_xlsx([])"
    answer = run(f"import sys; sys.modules['openpyxl'] = None; {call}")
    assert "PackageMissingError: This needs the package openpyxl" in answer.stderr


def test_the_extras_are_those_of_the_distribution() -> None:
    project = tomllib.loads((BASE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    of_extra = {
        name: {requirement.partition(">=")[0].removeprefix("py") for requirement in requirements}
        if name == "yaml"  # which is imported by a shorter name than it is installed by
        else {requirement.partition(">=")[0] for requirement in requirements}
        for name, requirements in project["optional-dependencies"].items()
    }
    assert of_extra == {name: set(packages) for name, packages in EXTRAS.items()}


def test_score_offers_the_kinds_that_it_scores() -> None:
    assert tuple(SCORED) == KINDS
