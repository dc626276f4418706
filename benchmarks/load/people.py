"""The people of the load, for locust: writers, reviewers and managers who use the pages as a browser does.

Run by locust in an environment of its own, so it imports nothing of the site. `PARABLE_LOAD_PLAN` names a
JSON file: who signs in as what, how fast they work, and where the figures are written when the run ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from http.cookiejar import Cookie
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import gevent
from locust import FastHttpUser, events, task
from locust.exception import StopUser
from locust.user.task import LOCUST_STATE_STOPPING

PLAN: dict[str, Any] = json.loads(Path(os.environ["PARABLE_LOAD_PLAN"]).read_text(encoding="utf-8"))
SLUG, FIRST_ITEM, ITEMS = PLAN["slug"], PLAN["first_item"], PLAN["items"]
PEOPLE = f"/p/{SLUG}"

SAVE_EVERY, SAVES = 6.0, 25
"""A writer's pauses, in seconds, after which the form saves itself, and how many there are in an item."""
READ_STORY, READ_ITEM, JUDGE, LOOK = 40.0, 40.0, 20.0, 12.0
"""Seconds that people take: for a story, for an item before its answer, for a verdict, for a page."""
CONNECTION_LASTS = 10.0
"""Seconds without a request after which a connection is not used again.

The server closes it after 15; a browser notices that and opens another one, locust's client does not.
"""
SLOW = 500.0
"""Milliseconds from which a request is listed with its time, which shows what is slow together."""
WORDS_SAVED = 0.2
"""The share of verdicts with a comment, which saves itself while it is typed."""

KEY = re.compile(r'name="position" value="(\d)"(?:(?!name="position").)*?To raise the water', re.DOTALL)
SAVE = re.compile(r'data-save="/api/v1/drafts/(?P<id>[0-9a-f-]{36})/"')
STORY = re.compile(r'name="story" value="(\d+)"')
GUIDELINE = re.compile(r'name="read_guideline" value="(\d+)"')
ERROR, HEADING = re.compile(r'class="[^"]*error[^"]*"[^>]*>([^<]*)<'), re.compile(r"<h1[^>]*>(.*?)</h1>")
SYLLABLES = [first + second for first in "bcdfghjklmnpqrstvwxz" for second in "aeiouy"]

done = Counter[str]()
"""What the site acknowledged: submitted items and verdicts, and the pages that managers saw."""
slow: list[tuple[float, str, int]] = []
"""Requests that took longer than `SLOW`: seconds of the run, page and milliseconds."""
_waiting: dict[str, Iterator[dict[str, Any]]] = {role: iter(found) for role, found in PLAN["people"].items()}


class Refused(Exception):
    """A response that is no page: the person starts the round again."""


class Person(FastHttpUser):
    """Somebody with a browser, who signs in once and then works until the run ends."""

    abstract = True
    role = ""
    host = PLAN["host"]
    connection_timeout = network_timeout = 60.0

    def on_start(self) -> None:
        """Sign in, or go on with a session that was there before."""
        account = next(_waiting[self.role])
        self.random = random.Random(account["username"])  # noqa: S311 - no secret
        self.address = account["address"]
        self._asked = time.monotonic()
        if account.get("session"):
            self._keep("sessionid", account["session"])
            self._keep("csrftoken", "a" * 32)
            self.think(LOOK)
        else:
            self.ask("GET", "/accounts/login/", "sign-in form")
            form = {"login": account["username"], "password": account["password"]}
            while self._sign_in(form) == 429:
                gevent.sleep(self.random.uniform(2, 6))  # as the page does by itself
        self.ask("GET", "/", "home")
        self.think(LOOK)

    def _sign_in(self, form: Mapping[str, str]) -> int:
        signed_in = self.ask("POST", "/accounts/login/", "sign in", form, expected=(302, 429))
        return int(signed_in.status_code)

    def think(self, seconds: float) -> None:
        """Wait as long as a person would. If the run ends meanwhile, end the person, so no request is cut."""
        if PLAN["pace"] is None:
            seconds = 0.0
        else:
            seconds *= self.random.uniform(0.5, 1.5) / PLAN["pace"]
        until = time.monotonic() + seconds
        while True:
            if self._state == LOCUST_STATE_STOPPING:
                raise StopUser
            left = until - time.monotonic()
            if left <= 0:
                return
            gevent.sleep(min(left, 1.0))

    def ask(
        self,
        method: str,
        path: str,
        name: str,
        form: Mapping[str, Any] | None = None,
        *,
        body: Any = None,
        expected: tuple[int, ...] = (200,),
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send one request as this person's browser would. A response that was not expected is an error."""
        if time.monotonic() - self._asked > CONNECTION_LASTS:
            self.client.client.clientpool.close()
        sent = {"X-Forwarded-For": self.address, "X-CSRFToken": self._cookie("csrftoken"), **(headers or {})}
        data = None
        if form is not None:
            sent["Content-Type"], data = "application/x-www-form-urlencoded", urlencode(form, doseq=True)
        with self.client.request(
            method,
            path,
            name=name,
            data=data,
            json=body,
            headers=sent,
            allow_redirects=False,
            catch_response=True,
        ) as answer:
            self._asked = time.monotonic()
            if answer.status_code not in expected:
                answer.failure(f"{answer.status_code} {_said(answer)}")
                raise Refused(name)
            answer.success()
        return answer

    def count(self, what: str) -> None:
        """Count what the site acknowledged; end the run if there is enough of everything."""
        done[what] += 1
        enough = PLAN["enough"]
        if enough and min(done[what] for what in ("submitted", "judged", "seen")) >= enough:
            gevent.spawn(self.environment.runner.quit)

    def _cookie(self, name: str) -> str:
        return next((str(one.value) for one in self.client.cookiejar if one.name == name), "")

    def _keep(self, name: str, value: str) -> None:
        domain = str(urlsplit(self.host).hostname)
        where = (None, False, domain, False, False, "/", True)
        self.client.cookiejar.set_cookie(Cookie(0, name, value, *where, False, None, True, None, None, {}))


class Writer(Person):
    """Takes stories and writes items about them; the form saves and checks itself while they type."""

    role = "writers"
    fixed_count = len(PLAN["people"]["writers"])

    @task
    def write(self) -> None:
        """Take the next story and write what is owed about it."""
        try:
            self.ask("GET", f"{PEOPLE}/write", "desk")
            self.think(LOOK)
            taken = self.ask("POST", f"{PEOPLE}/write/next", "take a story", {}, expected=(302,))
            page = self._location(taken)
            for _item in range(8):
                if not page.startswith(f"{PEOPLE}/write/story/"):
                    break
                page = self._write_one(page)
        except Refused:
            self.think(LOOK)

    def _write_one(self, page: str) -> str:
        """Write an item on a form; return where the site goes on."""
        answer = self.ask("GET", page, "writing form", expected=(200, 302))
        if answer.status_code == 302:  # a draft that was begun before
            answer = self.ask("GET", self._location(answer), "writing form")
        form = answer.text
        draft, story = str(SAVE.search(form)["id"]), int(STORY.search(form)[1])
        guideline, words = GUIDELINE.search(form), _words(self.random)
        self.think(READ_STORY)
        sequence = self._type(draft, story, words, form)
        sheet = _sheet(story, words, sequence)
        if guideline:
            sheet["read_guideline"] = guideline[1]
        submitted = self.ask("POST", f"{PEOPLE}/write/draft/{draft}", "submit", sheet, expected=(302,))
        self.count("submitted")
        self.think(LOOK)
        return self._location(submitted)

    def _type(self, draft: str, story: int, words: dict[str, Any], form: str) -> int:
        """Type an item; after each pause it is saved and then checked. Return the number of the last save."""
        begun = int(re.search(r'name="sequence" value="(\d+)"', form)[1])
        for step in range(1, SAVES + 1):
            self.think(SAVE_EVERY)
            body = {
                "project": SLUG,
                "story": story,
                "task": "commonsense",
                "style": "human",
                "item": None,
                "sequence": begun + step,
                "content": _typed(words, step / SAVES),
            }
            address = f"/api/v1/drafts/{draft}/"
            self.ask("PUT", address, "autosave", body=body, expected=(200, 201))
            self.ask("POST", f"{address}check/", "check", body={})
        return begun + SAVES

    @staticmethod
    def _location(answer: Any) -> str:
        parts = urlsplit(answer.headers["Location"])
        return parts.path + (f"?{parts.query}" if parts.query else "")


class Reviewer(Person):
    """Claims the next item, answers it blind and sends a verdict, about one a minute."""

    role = "reviewers"
    fixed_count = len(PLAN["people"]["reviewers"])

    @task
    def review(self) -> None:
        """Review item after item; a verdict brings the next one."""
        try:
            self.ask("GET", f"{PEOPLE}/review", "queue")
            self.think(LOOK)
            claimed = self.ask("POST", f"{PEOPLE}/review/next", "claim", {}, expected=(302,))
            at = urlsplit(claimed.headers["Location"]).path
            if at == f"{PEOPLE}/review":
                return
            page = self.ask("GET", at, "item to review").text
            while f"{at}/verdict" in page or f"{at}/answer" in page:
                at, page = self._judge(at, page)
        except Refused:
            self.think(LOOK)

    def _judge(self, at: str, page: str) -> tuple[str, str]:
        step = {"HX-Request": "true"}
        if f"{at}/answer" in page:  # else it was answered before, and waits for its verdict
            self.think(READ_ITEM)
            found = KEY.search(page)
            position = found[1] if found else str(self.random.randrange(4))
            self.ask("POST", f"{at}/answer", "answer", {"position": position}, headers=step)
        verdict = {"rating": 2, "disposition": "pass"}
        if self.random.random() < WORDS_SAVED:
            verdict["comment"] = "Clear, and only one option fits."
            self.think(JUDGE / 2)
            address = at.replace(f"{PEOPLE}/review/", f"/api/v1/projects/{SLUG}/requests/")
            self.ask("PUT", f"{address}/comment/", "comment saved", body={"comment": verdict["comment"]})
        self.think(JUDGE)
        judged = self.ask("POST", f"{at}/verdict", "verdict", verdict, headers=step)
        self.count("judged")
        return judged.headers.get("HX-Push-Url", ""), judged.text


class Manager(Person):
    """Looks at how the work goes: the page Today, lists, single items, and what the checks say."""

    role = "managers"
    fixed_count = len(PLAN["people"]["managers"])

    @task
    def look(self) -> None:
        """Open the pages of a round, one after another."""
        item = FIRST_ITEM + self.random.randrange(ITEMS)
        for path, name in (
            ("/today", "today"),
            ("/overview/details", "overview"),
            ("/items", "items"),
            ("/items?state=returned", "items, filtered"),
            ("/items?q=pebble+77", "items, searched"),
            (f"/items/{item}", "item"),
            ("/stories", "stories"),
            ("/assignments", "assignments"),
            ("/gates", "release checks"),
            ("/work-report", "work report"),
            ("/review/statistics", "agreement"),
        ):
            with contextlib.suppress(Refused):
                self.ask("GET", PEOPLE + path, name)
                self.count("seen")
            self.think(LOOK)


def _said(answer: Any) -> str:
    """Return what an error page says, in short: a field's error or the heading."""
    text = answer.text or str(getattr(answer, "error", ""))
    found = ERROR.search(text) or HEADING.search(text)
    return " ".join((found[1] if found else text[:200]).split())


def _words(chance: random.Random) -> dict[str, Any]:
    """Return the content of an item unlike all others, so that no check of near-duplicates refuses it."""

    def made(count: int) -> str:
        return " ".join("".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _word in range(count))

    options = [{"text": f"The {made(4 if place == 2 else 6)}", "is_key": place == 2} for place in range(4)]
    return {
        "stem": f"Why did the {made(9)}?",
        "options": options,
        "types": ["physical"],
        "explanation": f"Because the {made(8)}.",
    }


def _typed(words: dict[str, Any], share: float) -> dict[str, Any]:
    """Return what the form holds when this share of an item is typed: stem, options, explanation."""
    texts = [words["stem"], *(option["text"] for option in words["options"]), words["explanation"]]
    left, shown = round(share * sum(map(len, texts))), []
    for text in texts:
        shown.append(text[: max(left, 0)])
        left -= len(text)
    options = [words["options"][place] | {"text": shown[place + 1]} for place in range(4)]
    return words | {"stem": shown[0], "options": options, "explanation": shown[5]}


def _sheet(story: int, words: dict[str, Any], sequence: int) -> dict[str, Any]:
    options = {f"option-{place}": option["text"] for place, option in enumerate(words["options"])}
    return {
        "story": story,
        "task": "commonsense",
        "style": "human",
        "item": "",
        "sequence": sequence,
        "key": "2",
        "do": "submit",
        **{name: words[name] for name in ("stem", "types", "explanation")},
        **options,
    }


@events.request.add_listener
def _note(name: str, response_time: float, start_time: float, **_more: Any) -> None:
    if response_time > SLOW:
        slow.append((start_time, name, round(response_time)))


@events.quitting.add_listener
def _write_figures(environment: Any, **_more: Any) -> None:
    """Write what each page took, and the errors, where the plan says."""
    pages = [
        {
            "page": entry.name,
            "requests": entry.num_requests,
            "errors": entry.num_failures,
            **{f"p{share}": entry.get_response_time_percentile(share / 100) or 0 for share in (50, 95, 99)},
            "longest": entry.max_response_time,
        }
        for entry in environment.stats.entries.values()
    ]
    failures = environment.stats.errors.values()
    errors = [f"{one.name}: {one.error} ({one.occurrences} times)" for one in failures]
    seconds = environment.stats.last_request_timestamp - environment.stats.start_time
    began = environment.stats.start_time
    late = [(round(at - began, 1), name, took) for at, name, took in slow if at >= began]
    figures = {"slow": late, "pages": pages, "errors": errors, "done": dict(done), "seconds": seconds}
    Path(PLAN["figures"]).write_text(json.dumps(figures), encoding="utf-8")
