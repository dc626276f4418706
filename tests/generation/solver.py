"""What the tests of trials work with: a model with set answers, and a writer who asks it."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from annotation.content import ItemContent, to_json
from annotation.models import ItemDraft
from annotation.services import save_draft
from generation import services
from parable.llm.stub import replies
from tests.factories import PASSWORD, content
from tests.generation.bench import Bench


def signed_in(user: User) -> Client:
    client = Client()
    assert client.login(username=user.username, password=PASSWORD)
    return client


def work_off(waiting: list[int]) -> None:
    for call_id in waiting:
        services.run_trial(call_id=call_id)


def say(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    """Let the stub, over real HTTP, say these words."""
    body = {
        "model": "stub-ok",
        "choices": [{"message": {"role": "assistant", "content": words}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 200, "completion_tokens": 2},
    }
    monkeypatch.setitem(replies._REPLIES, "plain", lambda _: replies._as_json(200, body))


def ask(bench: Bench, words: ItemContent | None = None, **changes: Any) -> services.TrialStarted:
    wanted = {
        "actor": bench.cast.writer,
        "story": bench.story,
        "draft": uuid.uuid4(),
        "content": words or content(),
        "endpoint": bench.endpoint,
    }
    started = services.try_item(**{**wanted, **changes})
    work_off(started.waiting)
    started.trial.refresh_from_db()
    return started


def letter_of(trial_key: int) -> str:
    return "ABCDEFGH"[trial_key]


def posed(bench: Bench, words: ItemContent) -> Any:
    return services.posed_item(bench.story, words)


def saved_draft(bench: Bench, words: ItemContent) -> ItemDraft:
    return save_draft(
        actor=bench.cast.writer,
        project=bench.cast.project,
        story=bench.story,
        task="commonsense",
        client_id=uuid.uuid4(),
        sequence=1,
        content=to_json(words),
    )
