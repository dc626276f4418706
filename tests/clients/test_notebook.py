"""The notebook in docs, from an empty site: each cell as it stands, over HTTP, with jobs done by a worker."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from accounts.models import User
from projects.services import create_token, join_by_invitation
from release.models import Release, ReleaseState
from tests.architecture import BASE
from tests.factories import make_user

NOTEBOOK = BASE / "docs" / "from_stories_to_release.ipynb"
SCOPES = ["read", "write", "review", "manage"]


def token_of(user: User) -> str:
    return create_token(actor=user, name="notebook", scopes=SCOPES, days=1).text


def join(scope: dict[str, Any]) -> str:
    """Do what people do in a browser: open their link, and make a token."""
    tokens = []
    for name, link in scope["links"].items():
        user = make_user(name)
        join_by_invitation(actor=user, token=link.rstrip("/").rpartition("/")[2])
        tokens.append(token_of(user))
    return " ".join(tokens)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("worker")
def test_it_runs_from_an_empty_site(live_server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARABLE_URL", live_server.url)
    monkeypatch.setenv("PARABLE_TOKEN", token_of(make_user("Mia", administrator=True)))
    monkeypatch.setattr("parable_client.site.ASK_EVERY", 0.1)
    scope: dict[str, Any] = {}
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        began = time.monotonic()
        exec("".join(cell["source"]), scope)  # noqa: S102 - ours
        print(f"{time.monotonic() - began:5.1f} s  {cell['source'][0].strip()[:80]}")
        if "join" in cell["metadata"].get("tags", ()):
            monkeypatch.setenv("PARABLE_COLLEAGUES", join(scope))
    assert {item["state"] for item in scope["project"].items()} == {"verified"}
    assert sum(1 for _item in scope["project"].items()) == 24
    release = Release.objects.get()
    assert (release.version, release.state) == ("1.0.0", ReleaseState.READY)
    assert {one["task"] for one in scope["project"].items()} == {
        "commonsense",
        "moral",
        "true_false",
        "multiple",
    }
    assert scope["tables"]["accuracy"]["rows"]
    types = [event["type"] for event in scope["seen"]]
    assert types.count("release.ready") == 1
    assert types.count("item.verified") == 24
