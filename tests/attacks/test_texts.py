"""Attacks by texts that people, files and models write, at who reads them: browsers, logs, terminals."""

from __future__ import annotations

import logging
import logging.config
from html.parser import HTMLParser
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.services import set_password, update_profile
from core.errors import Unusable
from parable.charts.marks import escaped
from projects.models import Project
from projects.services import invite_people, publish_guideline, update_project
from tests.access.routes import routes
from tests.factories import Cast, content, make_story, submit_item
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db

PAYLOAD = "\"'><xss onload=alert(1)><script>alert(1)</script>{{7777*7777}}</textarea></title>"


class Injected(HTMLParser):
    """Collects what the payload would have become: its tags, handlers and links that run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _value in attrs]
        runs = [name for name in names if name.startswith("on")]
        leads = [value for name, value in attrs if name in ("href", "src", "action") and _runs(value or "")]
        inline = tag == "script" and not {"src", "type"} & set(names)
        if tag == "xss" or runs or leads or inline:
            self.found.append(str(self.get_starttag_text()))


def _runs(address: str) -> bool:
    return address.strip().lower().startswith(("javascript:", "vbscript:", "data:text"))


def injected(page: str) -> list[str]:
    parser = Injected()
    parser.feed(page)
    return parser.found


def hostile(cast: Cast) -> Any:
    """A project in which everything that somebody can name has the payload."""
    Project.objects.filter(pk=cast.project.pk).update(name=PAYLOAD[:120])
    User.objects.filter(pk__in=[cast.writer.pk, cast.manager.pk]).update(name=PAYLOAD)
    cast.project.refresh_from_db()
    story = make_story(cast, title=PAYLOAD, text=f"{PAYLOAD}\nA hare ran.", moral=PAYLOAD)
    options = (f"{PAYLOAD} rain", f"{PAYLOAD} sure", f"{PAYLOAD} night", f"{PAYLOAD} ill")
    words = content(PAYLOAD, *options, explanation=PAYLOAD)
    invite_people(actor=cast.manager, project=cast.project, names=[PAYLOAD], roles=["writer"])
    item = submit_item(cast, story=story, words=words)
    publish_guideline(actor=cast.manager, project=cast.project, text=f"{PAYLOAD}\n\n[x](javascript:alert(1))")
    return item


def test_stored_xss_in_names_and_words(cast: Cast) -> None:
    assert injected(PAYLOAD), "the payload would be found"
    item, slug = hostile(cast), cast.project.slug
    client = browser(cast.manager)
    for page in (
        "/", "/me", f"/p/{slug}/today", f"/p/{slug}/inbox", f"/p/{slug}/items", f"/p/{slug}/stories",
        f"/p/{slug}/members",
        reverse("dashboard:item", args=[slug, item.pk]), reverse("projects:guideline", args=[slug]),
        reverse("projects:invite", args=[slug]), f"/p/{slug}/items?q={PAYLOAD}", f"/search?q={PAYLOAD}",
    ):  # fmt: skip
        answer = client.get(page)
        assert answer.status_code == 200, page
        assert not injected(answer.content.decode()), page
        assert str(7777 * 7777) not in answer.content.decode(), page


@pytest.mark.drill
def test_stored_xss_on_every_page_of_a_project(cast: Cast) -> None:
    hostile(cast)
    ways = [
        way
        for way in routes()
        if way.takes("GET") and not way.is_api and set(way.objects.values()) == {"slug"}
    ]
    assert len(ways) > 40
    for user in (cast.manager, cast.writer, cast.reviewer):
        client = browser(user)
        for way in ways:
            answer = client.get(way.address({"slug": cast.project.slug}, {}))
            if answer.headers.get("Content-Type", "").startswith("text/html"):
                assert not injected(answer.getvalue().decode()), way.name


def test_reflected_xss_by_an_address(cast: Cast) -> None:
    """What an address names is shown again: in fields of search, in refusals, in links of a list."""
    client, slug = browser(cast.manager), cast.project.slug
    for page in (
        f"/p/{slug}/items", f"/p/{slug}/stories", "/search", "/report", "/accounts/login/",
        f"/p/{PAYLOAD}", f"/nowhere/{PAYLOAD}", f"/p/{slug}/{PAYLOAD}",
    ):  # fmt: skip
        names = ("q", "next", "item_id", "release", "sort", "state", "view", PAYLOAD)
        for asker in (client, Client()):
            answer = asker.get(page, dict.fromkeys(names, PAYLOAD))
            if answer.headers.get("Content-Type", "").startswith("text/html"):
                assert not injected(answer.content.decode()), page


def test_xss_by_the_labels_of_a_chart() -> None:
    """SVG is a document with scripts: names of models and items are its text."""
    drawn = f"<svg><title>{escaped(PAYLOAD)}</title></svg>"
    assert not injected(drawn)
    assert "<script" not in drawn


def test_script_by_json_in_a_refusal(cast: Cast) -> None:
    """An answer for programs that repeats input is no page, even where a browser opens it."""
    address = f"/api/v1/projects/{cast.project.slug}/items/?{PAYLOAD}={PAYLOAD}"
    answer = browser(cast.manager).get(address, headers={"Accept": "text/html"})
    assert answer.headers["Content-Type"].split(";")[0] in ("application/json", "application/problem+json")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def log_line(*said: object) -> str:
    """What the handler of the site writes for a record."""
    handler = settings.LOGGING["handlers"]["stderr"]
    record = logging.LogRecord("parable", logging.WARNING, "", 0, str(said[0]), said[1:], None)
    for name in handler["filters"]:
        kind = dict(settings.LOGGING["filters"][name])
        made = logging.config.DictConfigurator({"version": 1}).resolve(kind.pop("()"))(**kind)
        assert made.filter(record)
    return logging.Formatter(settings.LOGGING["formatters"]["text"]["format"]).format(record)


@pytest.mark.parametrize(
    "forged", ["\n", "\r\n", "\x1b[2J\x1b[31m", "\x85", "\u2028", "\x9b2J", "\b\b", "\0"]
)
def test_log_injection(forged: str) -> None:
    """A line end in what is logged would forge a line; an escape sequence, what a terminal shows."""
    line = log_line("refused %s at %s", f"a{forged}2026-01-01 ERROR forged 100%", "/p")
    assert len(line.splitlines()) == 1
    assert line.isprintable()
    assert "100% at /p" in line


def test_log_injection_by_an_address(caplog: pytest.LogCaptureFixture) -> None:
    Client().get("/%0A2026-01-01%20ERROR%20forged")
    assert any("Not Found" in record.getMessage() for record in caplog.records)
    assert all(len(log_line(record.getMessage()).splitlines()) == 1 for record in caplog.records)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Lin\nBcc: all@evil.example", "Lin Bcc: all@evil.example"),
        ("Lin\r\n\r\nSubject: x", "Lin Subject: x"),
        ("Lin\u2028Xiao\u3000Yu", "Lin Xiao Yu"),
        ("Lin\0", None),
        ("Lin\x1b[31m", None),
        ("Lin\u202egnp.exe", None),
        ("Lin\ufeff", None),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("\U0002ebf0", "\U0002ebf0"),  # a character of names that older Pythons do not know
    ],
)
def test_mail_header_injection_by_a_name(cast: Cast, name: str, kept: str | None) -> None:
    """Mails, logs and lists name people and projects: each name is one line of what is displayed."""
    person: dict[str, Any] = {"actor": cast.writer, "name": name, "language": "", "time_zone": ""}
    settled: dict[str, Any] = {"actor": cast.manager, "project": cast.project, "changes": {"name": name}}
    if kept is None:
        with pytest.raises(Unusable):
            update_profile(**person)
        with pytest.raises(Unusable):
            update_project(**settled)
        return
    update_profile(**person)
    update_project(**settled)
    assert User.objects.get(pk=cast.writer.pk).name == kept
    assert Project.objects.get(pk=cast.project.pk).name == kept


def test_mail_header_injection_by_an_address(cast: Cast) -> None:
    for address in ("a@b.example\nBcc: c@d.example", "a@b.example, c@d.example", "a@b.example\r\n\r\nText"):
        with pytest.raises(Unusable):
            update_profile(
                actor=cast.writer, name="Wen", language="", time_zone="", email=address, wants_mail=True
            )


def test_secrets_in_an_error_page(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of ours is answered with a sentence: no trace, no statement, no setting, no version."""

    def fail(*_args: object, **_more: object) -> None:
        api_key = "sk-a-secret-key"
        raise RuntimeError(f"SELECT 1 FROM accounts_user -- {api_key} {settings.SECRET_KEY}")

    monkeypatch.setattr("dashboard.views.inbox.warnings", fail, raising=False)
    monkeypatch.setattr("accounts.views.profile.render", fail, raising=False)
    monkeypatch.setattr("projects.api.project.projects_of", fail)
    client = Client(raise_request_exception=False)
    client.force_login(cast.writer)
    for page in ("/me", "/api/v1/projects/"):
        answer = client.get(page)
        assert answer.status_code == 500, page
        text = answer.content.decode()
        for part in (
            "sk-a-secret",
            settings.SECRET_KEY,
            "SELECT",
            "Traceback",
            "RuntimeError",
            "Django/",
            "Python",
        ):
            assert part not in text, (page, part)


@pytest.mark.parametrize(
    ("password", "refused"),
    [
        ("Parable-2026!", True),
        ("parableparable", True),
        ("Welcome2Parable", True),
        ("reviewer12345", True),
        ("localhost-2026", True),
        ("a parable about hares", False),
        ("correct horse battery staple", False),
        ("寓言里的兔子与乌龟", False),
    ],
)
def test_password_of_words_of_the_site(cast: Cast, password: str, refused: bool) -> None:
    if refused:
        with pytest.raises(Unusable):
            set_password(actor=cast.writer, user=cast.writer, password=password)
    else:
        set_password(actor=cast.writer, user=cast.writer, password=password)
