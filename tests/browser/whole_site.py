"""A project in which a writer has one of everything: what the pages of a writer look like in use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import override_settings
from django.utils import timezone
from playwright.sync_api import BrowserContext
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from annotation.content import ItemContent, OptionContent
from annotation.models import Cause, Item, State
from annotation.services import (
    add_comment,
    apply_verdict,
    discard_draft,
    hand_over_work,
    name_writers,
    record_exposure,
    save_draft,
)
from corpus.models import Story
from generation.services import try_item
from parable.llm.stub import StubServer
from projects.services import acknowledge_guideline, publish_guideline
from tests.browser.entering import sign_in
from tests.factories import Cast, content, make_story, submit_item, wording
from tests.generation.bench import Bench, make_bench, work_off

WORDS: dict[str, dict[str, Any]] = {
    "en": {
        "titles": ["The Hare and the Tortoise", "The Fox and the Grapes", "The Crow and the Pitcher"],
        "text": "A hare laughed at a tortoise.\nThey agreed to run to the old mill, and the hare lay down to"
        " sleep under an oak.\nWhen it woke, the tortoise had arrived.",
        "moral": "Slow and steady wins the race.",
        "stem": "Why did the hare lie down?",
        "options": ["It was sure that it would win the race anyway", "It was ill", "Night", "Night"],
        "explanation": "It laughs before it sleeps.",
        "guideline": ["# Stems\n\nAsk one thing.", "# Stems\n\n- Ask one clear thing.\n- Name no option."],
        "said": "Which nap is meant?",
    },
    "zh": {
        "titles": ["龟兔赛跑", "狐狸与葡萄", "乌鸦喝水"],
        "text": "兔子嘲笑乌龟走得慢。\n它们约好跑到老磨坊，兔子半路躺在橡树下睡着了。\n等它醒来，"
        "乌龟已经到了。",
        "moral": "稳扎稳打，才能赢得比赛。",
        "stem": "兔子为什么躺下睡觉？",
        "options": ["它觉得自己无论如何都一定会赢得这场比赛", "它病了", "天黑了", "天黑了"],
        "explanation": "它先嘲笑了乌龟。",
        "guideline": ["# 题干\n\n只问一件事。", "# 题干\n\n- 只问一件事，问清楚。\n- 不要提到选项。"],
        "said": "指的是哪一次睡觉？",
    },
}


@dataclass(frozen=True, slots=True)
class Site:
    """A server with the project, and where in it a writer can go."""

    server: LiveServer
    cast: Cast
    story: Story
    drafted: Story
    item: Item
    returned: Item
    drafts: dict[str, UUID]
    job: int
    template: int

    def address(self, rest: str) -> str:
        """The whole address of a page, whose parts in braces are filled in."""
        return f"{self.server.url}{self.path(rest)}"

    def path(self, rest: str) -> str:
        """The same from the root of the site."""
        return rest.format(
            project=f"/p/{self.cast.project.slug}",
            story=self.story.pk,
            drafted=self.drafted.pk,
            item=self.item.pk,
            returned=self.returned.pk,
            job=self.job,
            template=self.template,
            **self.drafts,
        )

    def numbers(self) -> set[int]:
        """Every number that an address of something here can hold."""
        return {self.story.pk, self.drafted.pk, self.item.pk, self.returned.pk, self.job, self.template}

    def sign_in(self, context: BrowserContext, user: User) -> None:
        """Sign this person in for all pages of this context."""
        sign_in(context, self.server.url, user)


@contextmanager
def standing_site() -> Iterator[tuple[LiveServer, StubServer]]:
    """A server that outlives a test, and a model to ask; afterwards the database is empty again."""
    assert str(connection.settings_dict["NAME"]).startswith("test_"), "this empties a database at its end"
    server = LiveServer("localhost")
    changed = override_settings(
        ALLOWED_HOSTS=[*settings.ALLOWED_HOSTS, "localhost"], LLM_ALLOW_PRIVATE=frozenset({"127.0.0.1"})
    )
    with changed, StubServer() as model:
        try:
            yield server, model
        finally:
            server.stop()
            call_command("flush", verbosity=0, interactive=False, allow_cascade=False)
            connection.close()  # Playwright's loop has one of its own, which nobody else would close


def furnish(server: LiveServer, model: StubServer, language: str) -> Site:
    """One of everything a writer meets: taken, begun, submitted, returned, rejected, discarded, left."""
    words = WORDS[language]
    bench = make_bench(model, language)
    cast = bench.cast
    stories = [
        make_story(cast, title=title, text=f"{words['text']}\n{title}.", moral=words["moral"])
        for title in words["titles"]
    ]
    _publish(cast, words["guideline"][0], read=True)
    tomorrow = timezone.localdate() + timedelta(days=1)
    for story in stories[:2]:
        name_writers(actor=cast.manager, story=story, writers=[cast.writer], due_on=tomorrow)
    item, returned = _written(cast, stories, words)
    drafts = {str(task): _begun(cast, stories[1], task, words) for task in ("commonsense", "moral")}
    job = _asked_of_models(bench, stories[1], drafts["moral"], words)
    _publish(cast, words["guideline"][1], read=False)
    return Site(
        server, cast, stories[0], stories[1], item, returned, drafts, job=job, template=bench.template.pk
    )


def _asked_of_models(bench: Bench, story: Story, draft: UUID, words: dict[str, Any]) -> int:
    """Candidates for a story whose moral the writer has seen, and what a model made of their moral item."""
    writer = bench.cast.writer
    record_exposure(actor=writer, story=story)
    started = bench.start(stories=[story])
    work_off(started.waiting)
    options = [OptionContent(text, is_key=index == 0) for index, text in enumerate(words["options"][:3])]
    said = ItemContent(stem=words["stem"], options=(*options, OptionContent(words["said"])))
    try_item(actor=writer, story=story, draft=draft, content=said, endpoint=bench.endpoint)
    return started.batch.job_id


def _publish(cast: Cast, text: str, *, read: bool) -> None:
    guideline = publish_guideline(actor=cast.manager, project=cast.project, text=text)
    if read:
        for writer in (cast.writer, cast.writer2):
            acknowledge_guideline(actor=writer, guideline=guideline)


def _written(cast: Cast, stories: list[Story], words: dict[str, Any]) -> tuple[Item, Item]:
    """An item in review with a comment, and one that came back; others were rejected, and left."""
    item, returned, rejected = (_submitted(cast, stories[0], cast.writer, words) for _ in range(3))
    add_comment(actor=cast.manager, item=item, text=words["said"])
    _judge(cast, returned, State.RETURNED, words["said"])
    _judge(cast, rejected, State.REJECTED, words["said"])
    left = _submitted(cast, stories[2], cast.writer2, words)
    _judge(cast, left, State.RETURNED, words["said"])
    hand_over_work(actor=cast.manager, project=cast.project, departing=cast.writer2, receiver=None)
    return item, returned


def _submitted(cast: Cast, story: Story, writer: User, words: dict[str, Any]) -> Item:
    options = [*words["options"][:3], words["said"]]
    wanted = content(words["stem"], *options, explanation=words["explanation"])
    return submit_item(cast, story=story, writer=writer, words=wanted)


def _judge(cast: Cast, item: Item, state: State, reason: str) -> None:
    cause = {State.RETURNED: Cause.ALL_RETURN, State.REJECTED: Cause.ALL_REJECT}[state]
    revision = wording(item)
    apply_verdict(
        actor=cast.reviewer, item=item, revision_id=revision.pk, to_state=state, cause=cause, reason=reason
    )


def _begun(cast: Cast, story: Story, task: str, words: dict[str, Any]) -> UUID:
    """A draft with faults that block and faults that warn; another one lies in the bin."""
    options = [{"text": text, "is_key": index == 0} for index, text in enumerate(words["options"])]
    data = {"stem": words["stem"], "options": options, "types": [], "explanation": ""}
    for thrown_away in (True, False):
        draft = save_draft(
            actor=cast.writer,
            project=cast.project,
            story=story,
            task=task,
            client_id=uuid4(),
            sequence=1,
            content=data,
        )
        if thrown_away:
            discard_draft(actor=cast.writer, draft=draft)
    return draft.client_id
