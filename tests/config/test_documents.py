"""Nothing undocumented: settings, commands, targets and packages are on their pages."""

from __future__ import annotations

import ast
import re
import tomllib
from itertools import chain

import pytest

from config import settings
from config.command_line import SITE_VERBS
from config.json_log import FIELDS
from dashboard.queries.metrics import METRICS
from events.models import EventKind
from tests.architecture import BASE, STREET

BEFORE_SETTINGS = {
    "PARABLE_LOCAL_SERVERS", "PARABLE_ENV_FILE", "PARABLE_MODEL_PORT", "PARABLE_REDIS_PROGRAM",
}  # fmt: skip
"""Read by manage.py, before the settings are."""


def _read(name: str) -> str:
    return (BASE / name).read_text(encoding="utf-8")


def _compose_variables() -> set[str]:
    return set(re.findall(r"\$\{(\w+)", _read("docker-compose.yml")))


def _settings() -> set[str]:
    return settings.env.declared | BEFORE_SETTINGS | _compose_variables()


def _own_commands() -> set[str]:
    return {
        path.stem
        for app in STREET
        for path in (BASE / app).glob("management/commands/*.py")
        if not path.stem.startswith("_")
    }


def test_it_lists_every_setting_in_the_example_file() -> None:
    assert set(re.findall(r"^#?([A-Z0-9_]+)=", _read(".env.example"), re.MULTILINE)) == _settings()


def test_it_explains_every_setting_once() -> None:
    rows = re.findall(r"^\| `([A-Z0-9_]+)` \|", _read("docs/settings.md"), re.MULTILINE)
    assert len(rows) == len(set(rows))
    assert set(rows) == _settings()


def test_it_explains_every_command() -> None:
    named = set(re.findall(r"^\| `manage\.py ([a-z_-]+)", _read("docs/commands.md"), re.MULTILINE))
    assert named - {"migrate"} == _own_commands() | set(SITE_VERBS)


def test_it_explains_every_target_of_make() -> None:
    targets = set(re.findall(r"^([a-z-]+):", _read("Makefile"), re.MULTILINE))
    named = set(re.findall(r"^\| `make ([a-z-]+)`", _read("docs/commands.md"), re.MULTILINE))
    assert named == targets
    assert set(re.findall(r"^\.PHONY: (.*)$", _read("Makefile"), re.MULTILINE)[0].split()) == targets


def test_it_gives_a_reason_for_every_package() -> None:
    project = tomllib.loads(_read("pyproject.toml"))
    wanted = chain.from_iterable(project["dependency-groups"].values())
    names = {re.split(r"[\[=<>; ]", requirement)[0] for requirement in wanted}
    assert set(re.findall(r"^\| `([a-z0-9-]+)` \|", _read("docs/dependencies.md"), re.MULTILINE)) == names


@pytest.mark.parametrize("name", ["development", "serving", "running", "installer"])
def test_it_locks_with_hashes_and_without_addresses(name: str) -> None:
    lock = _read(f"requirements/{name}.txt")
    assert "://" not in lock
    entries = re.split(r"\n(?=[a-z0-9])", lock)[1:]
    assert entries
    assert all("--hash=sha256:" in entry for entry in entries)


def test_it_locks_every_package_of_the_project_at_its_version() -> None:
    project = tomllib.loads(_read("pyproject.toml"))
    groups = {
        "running": project["dependency-groups"]["site"],
        "serving": project["dependency-groups"]["serving"],
        "development": chain.from_iterable(project["dependency-groups"].values()),
    }
    for lock, requirements in groups.items():
        for requirement in requirements:
            pin = re.sub(r"\[.*?\]", "", requirement.split(";")[0]).strip()
            assert re.search(rf"^{re.escape(pin)}\b", _read(f"requirements/{lock}.txt"), re.MULTILINE), pin


def test_a_site_runs_on_the_packages_that_the_distribution_requires() -> None:
    """Those are named as ranges; the site's own versions are among its pins, but for what no page needs."""
    project = tomllib.loads(_read("pyproject.toml"))
    extras = project["project"]["optional-dependencies"].values()
    ranges = [*project["project"]["dependencies"], *chain.from_iterable(extras)]
    pinned = {pin.partition("==")[0] for pin in project["dependency-groups"]["site"]}
    assert all(re.fullmatch(r"[a-z0-9_]+>=[0-9.]+", one) for one in ranges)
    assert {one.partition(">=")[0] for one in ranges} - pinned == {"huggingface_hub"}


def test_the_distribution_has_every_file_that_it_reads() -> None:
    patterns = tomllib.loads(_read("pyproject.toml"))["tool"]["setuptools"]["package-data"]["parable"]
    package = BASE / "parable"
    read = {path for path in package.rglob("*.*") if path.is_file() and path.suffix not in (".py", ".pyc")}
    assert read - {path for pattern in patterns for path in package.glob(pattern)} == set()


def test_it_names_every_step_of_the_flow_by_the_published_method() -> None:
    """Each function that the flow calls for the team is a step of the method's table, and no other is."""
    flow = ast.parse(_read("tests/flows/test_published_method.py"))
    (test,) = (part for part in flow.body if getattr(part, "name", "").startswith("test_"))
    calls = [call for call in ast.walk(test) if isinstance(call, ast.Call) and call.args]
    steps = {ast.unparse(call.func) for call in calls if ast.unparse(call.args[0]) == "team"}
    cells = re.findall(r"\| (`[a-z_`, ]+`) \|$", _read("docs/method.md"), re.MULTILINE)
    named = set(re.findall(r"[a-z_]+", " ".join(cells)))
    assert steps
    assert named == steps


def test_the_page_of_the_method_uses_the_words_of_the_site() -> None:
    catalogs = [_read(f"{folder}locale/zh_Hans/LC_MESSAGES/django.po") for folder in ("", "parable/")]
    texts = set(re.findall(r'^msgid "([^":]+).*"$', "\n".join(catalogs), re.MULTILINE))
    labels = set(re.findall(r"\*([^*|]+)\*", _read("docs/method.md")))
    assert labels
    assert labels - texts == set()


@pytest.mark.parametrize("document", sorted(path.name for path in (BASE / "docs").glob("*.md")))
def test_it_names_no_source_that_is_not_there(document: str) -> None:
    """Files by path, and modules by their dotted name."""
    text = _read(f"docs/{document}")
    apps = "|".join(sorted(path.parent.name for path in BASE.glob("*/__init__.py")))
    paths = re.findall(rf"`((?:{apps}|static|templates|scripts)/[\w/.]+\.\w+)`", text)
    modules = re.findall(rf"`((?:{apps})(?:\.[a-z_]+)+)`", text)
    missing = [path for path in paths if not (BASE / path).exists()]
    types = set(EventKind.values)  # of events, which look like modules
    missing += [name for name in modules if name not in types and not _module_exists(name.split("."))]
    assert missing == []


def test_it_names_a_file_that_is_there_for_every_rule() -> None:
    """Each row of the table names files, and folders by a slash at their end; no rule has two rows."""
    table = _read("docs/architecture.md").partition("| rule | file |\n|---|---|\n")[2].partition("\n\n")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if not line.startswith("| **")]
    named = {rule.strip(): re.findall(r"`([^`]+)`", files) for rule, files in rows}
    assert named
    assert len(named) == len(rows)
    assert [rule for rule, files in named.items() if not files] == []
    assert [file for file in chain(*named.values()) if not _is_named_rightly(file)] == []


def _is_named_rightly(file: str) -> bool:
    return (BASE / file).is_dir() if file.endswith("/") else (BASE / file).is_file()


def _module_exists(parts: list[str]) -> bool:
    """Whether the name leads to a package, a module, or into one that defines or passes on its last part."""
    for count in range(len(parts), 1, -1):
        place = BASE.joinpath(*parts[:count])
        if place.is_dir() and count == len(parts):
            return True
        for found in (place.with_suffix(".py"), place / "__init__.py"):
            if found.exists():
                rest = parts[count:]
                return not rest or re.search(rf"\b{rest[0]}\b", found.read_text(encoding="utf-8")) is not None
    return False


def test_every_metric_and_every_field_of_a_log_line_is_in_the_docs() -> None:
    page = _read("docs/operating.md")
    labels = [", ".join(f"`{label}`" for label in one.labels) or "-" for one in METRICS]
    metrics = [
        f"| `{one.name}` | {one.kind} | {of_it} | {one.said} |"
        for one, of_it in zip(METRICS, labels, strict=True)
    ]
    assert re.findall(r"^\| `parable_.*$", page, re.MULTILINE) == metrics
    section = page.partition("| field | what it says |\n|---|---|\n")[2].partition("\n\n")[0]
    assert section.splitlines() == [f"| `{name}` | {said} |" for name, said in FIELDS.items()]
    alerted = set(re.findall(r"parable_\w+?(?=_bucket|\b)", page.partition("scrape_configs:")[2]))
    assert alerted - {"parable_token"} <= {one.name for one in METRICS}
