"""`parable remote` from a shell: stories and items in, a release and its results out."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from parable.__main__ import main
from projects.services import create_token
from release.models import Release, ReleaseState
from tests.clients.made import items
from tests.factories import Cast

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shell(
    cast: Cast, live_server: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Any:
    """Runs a command against the site as the manager; returns its exit code, its rows and its progress."""
    scopes = ["read", "write", "review", "manage"]
    token = create_token(actor=cast.manager, name="shell", scopes=scopes, days=1).text
    monkeypatch.setenv("PARABLE_URL", live_server.url)
    monkeypatch.setenv("PARABLE_TOKEN", token)
    monkeypatch.setattr("parable_client.site.ASK_EVERY", 0.1)

    def run(*arguments: object) -> tuple[int, list[Any], str]:
        code = main(["remote", *map(str, arguments)])
        said = capsys.readouterr()
        return code, [json.loads(line) for line in said.out.splitlines()], said.err

    return run


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.usefixtures("worker")
def test_it_goes_from_files_to_results(shell: Any, cast: Cast, tmp_path: Path) -> None:
    slug = cast.project.slug
    code, rows, _said = shell("projects")
    assert (code, [row["slug"] for row in rows]) == (0, [slug])
    new = [{"id": f"new-{number}", "title": "New", "text": f"Hare {number} ran."} for number in range(3)]
    code, [report], _said = shell("stories", slug, lines(tmp_path / "stories.jsonl", new))
    assert (code, report["created"]) == (0, 3)
    made = items()
    code, [report], _said = shell("items", slug, lines(tmp_path / "items.jsonl", made), "--state", "verified")
    assert (code, report["created"]) == (0, len(made))
    code, rows, _said = shell("list", slug, "items", "task=moral", "state=verified")
    assert (code, len(rows)) == (0, sum(one["task"] == "moral" for one in made))
    options = ("seed=7", 'allow=["rights"]', "reason=A test.")
    code, [release], said = shell("release", slug, "1.0.0", *options)
    assert (code, release["state"]) == (0, "ready")
    assert "done" in said
    code, rows, _said = shell("download", slug, "1.0.0", tmp_path / "out")
    assert code == 0
    whole = Release.objects.get(state=ReleaseState.READY)
    known = dict(whole.artifacts.values_list("name", "sha256"))
    read = {
        str(Path(row["file"]).relative_to(tmp_path / "out")): hashlib.sha256(Path(row["file"]).read_bytes())
        for row in rows
    }
    assert read.keys() == known.keys()
    assert {name: one.hexdigest() for name, one in read.items()} == known
    asked = [
        json.loads(line)["id"]
        for file in (tmp_path / "out" / "test").glob("*.jsonl")
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    answers = [{"model": "always-a", "item_id": one, "text": "A"} for one in asked]
    code, [brought], _said = shell("responses", slug, "1.0.0", lines(tmp_path / "answers.jsonl", answers))
    assert code == 0
    assert len(brought["runs"]) == 1


def test_a_refusal_is_said_in_words(shell: Any, cast: Cast, tmp_path: Path) -> None:
    code, rows, said = shell("list", "nowhere", "items")
    assert (code, rows) == (2, [])
    assert said.strip()
    code, rows, said = shell("release", cast.project.slug, "one", "seed=7")
    assert (code, rows, said.strip()) == (2, [], "The version must have the form 1.0.0.")
    (tmp_path / "bad.jsonl").write_text('{"text": "A hare ran."}\n{"text": \n', encoding="utf-8")
    code, rows, said = shell("stories", cast.project.slug, tmp_path / "bad.jsonl")
    assert (code, rows) == (2, [])
    assert "bad.jsonl, line 2" in said
