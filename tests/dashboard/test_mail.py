"""The daily mail: who gets it, when, what it says, and how it ends; to a real server on loopback."""

from __future__ import annotations

import re
import socketserver
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from unittest.mock import patch

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from accounts.services import update_profile
from core.errors import Unusable
from dashboard.services import send_daily_mail
from dashboard.tasks import send_daily_mail as task
from tests.dashboard.test_inbox import ended, return_item
from tests.factories import Cast

pytestmark = pytest.mark.django_db
NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) + timedelta(days=1)


class Post(socketserver.ThreadingTCPServer):
    """A mail server that keeps what it takes; it refuses the address `nobody@`."""

    allow_reuse_address = daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Session)
        self.taken: list[EmailMessage] = []


class Session(socketserver.StreamRequestHandler):
    """One talk with a client, as RFC 5321 has it."""

    server: Post

    def handle(self) -> None:
        """Answer each command until the client leaves."""
        self.say("220 post")
        while line := self.rfile.readline().decode().strip():
            verb = line.upper()
            if verb == "DATA":
                self.say("354 go on")
                self.take()
            elif verb == "QUIT":
                self.say("221 bye")
                return
            elif verb.startswith("RCPT TO:<NOBODY@"):
                self.say("550 nobody of this name")
            else:
                self.say("250 ok")

    def take(self) -> None:
        """Keep one message."""
        lines: list[bytes] = []
        while (line := self.rfile.readline().rstrip(b"\r\n")) != b".":
            lines.append(line)
        said = message_from_bytes(b"\n".join(lines), policy=policy.default)
        assert isinstance(said, EmailMessage)
        self.server.taken.append(said)
        self.say("250 taken")

    def say(self, text: str) -> None:
        """Send one line."""
        self.wfile.write(f"{text}\r\n".encode())


@pytest.fixture
def post(settings: Settings) -> Iterator[Post]:
    """A mail server, and the settings that name it."""
    with Post() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address[0], server.server_address[1]
        settings.MAIL_URL, settings.SITE_URL = "smtp://127.0.0.1", "https://parable.example"
        yield server
        server.shutdown()


def wants_mail(user: User, **said: str) -> None:
    wanted = {"name": user.name, "language": "en", "time_zone": "", "email": f"{user.username}@example.org"}
    update_profile(actor=user, **{**wanted, **said}, wants_mail=True)


def send(at: datetime = NOON) -> int:
    with patch("dashboard.services.mail.timezone.now", return_value=at):
        return send_daily_mail()


def body(message: EmailMessage) -> str:
    return str(message.get_content())


def test_it_says_how_much_is_new_and_never_what(cast: Cast, post: Post) -> None:
    return_item(cast)
    wants_mail(cast.writer)
    assert send() == 1
    (mail,) = post.taken
    assert mail["To"] == f"{cast.writer.username}@example.org"
    assert mail["Subject"] == "Parable: 1 new"
    text = body(mail)
    assert "Fables\n- 1 item returned with comments" in text
    assert "https://parable.example/" in text
    for secret in ("Which nap is meant?", "hare", "It felt sure of winning", cast.reviewer.name):
        assert secret not in text


def test_it_speaks_its_readers_language(cast: Cast, post: Post) -> None:
    return_item(cast)
    wants_mail(cast.writer, language="zh-hans")
    send()
    assert post.taken[0]["Subject"] == "Parable：1 条新内容"
    assert "1 题被退回并附意见" in body(post.taken[0])


def test_it_goes_out_once_a_day_and_only_with_news(cast: Cast, post: Post) -> None:
    wants_mail(cast.writer)
    assert send() == 0, "nothing is new"
    User.objects.update(mailed_at=None)
    return_item(cast)
    assert [send(NOON + timedelta(hours=hours)) for hours in (0, 0, 1, 11)] == [1, 0, 0, 0]
    assert send(NOON + timedelta(days=1)) == 0, "it was in yesterday's mail"
    assert len(post.taken) == 1


def test_what_was_seen_in_the_inbox_is_not_mailed(cast: Cast, post: Post) -> None:
    return_item(cast)
    wants_mail(cast.writer)
    client = Client()
    client.force_login(cast.writer)
    client.get("/")
    assert send() == 0
    assert post.taken == []


def test_it_waits_for_the_morning_where_its_reader_is(cast: Cast, post: Post) -> None:
    return_item(cast)
    wants_mail(cast.writer, time_zone="Asia/Shanghai")
    night = NOON.replace(hour=22, minute=59)  # 06:59 the next day
    assert send(night) == 0
    assert send(night + timedelta(minutes=1)) == 1


def test_nobody_gets_mail_who_did_not_ask_or_cannot_sign_in(cast: Cast, post: Post) -> None:
    return_item(cast)
    User.objects.filter(pk=cast.writer.pk).update(email="wen@example.org")
    assert send() == 0
    wants_mail(cast.writer)
    User.objects.filter(pk=cast.writer.pk).update(is_active=False)
    assert send() == 0


def test_an_address_that_is_refused_keeps_nobody_from_theirs(cast: Cast, post: Post) -> None:
    return_item(cast)
    ended(cast)
    wants_mail(cast.manager, email="nobody@example.org")
    wants_mail(cast.writer)
    assert send() == 1
    assert [mail["To"] for mail in post.taken] == [f"{cast.writer.username}@example.org"]


def test_a_server_that_is_away_is_asked_again_later(cast: Cast, post: Post, settings: Settings) -> None:
    return_item(cast)
    wants_mail(cast.writer)
    port, settings.EMAIL_PORT = settings.EMAIL_PORT, 1
    assert send() == 0
    settings.EMAIL_PORT = port
    assert send(NOON + timedelta(hours=1)) == 1


def test_without_a_server_no_mail_is_offered_or_sent(cast: Cast, settings: Settings) -> None:
    assert settings.MAIL_URL == ""
    client = Client()
    client.force_login(cast.writer)
    assert "daily mail" not in client.get(reverse("accounts:profile")).content.decode()
    return_item(cast)
    User.objects.filter(pk=cast.writer.pk).update(wants_mail=True, email="wen@example.org")
    task()
    assert User.objects.get(pk=cast.writer.pk).mailed_at is None


def test_the_profile_page_asks_for_it(cast: Cast, post: Post) -> None:
    client = Client()
    client.force_login(cast.writer)
    page = reverse("accounts:profile")
    data = {"name": "Wen Writer", "language": "auto", "time_zone": "UTC", "wants_mail": "on"}
    assert "Enter a mail address." in client.post(page, data).content.decode()
    assert client.post(page, data | {"email": "wen@example.org"}).status_code == 302
    cast.writer.refresh_from_db()
    assert (cast.writer.email, cast.writer.wants_mail) == ("wen@example.org", True)
    with pytest.raises(Unusable):
        update_profile(actor=cast.writer, name="W", language="", time_zone="", email="", wants_mail=True)


def test_its_link_ends_it_without_signing_in(cast: Cast, post: Post) -> None:
    return_item(cast)
    wants_mail(cast.writer)
    send()
    found = re.search(r"https://parable\.example(/mail/stop/\S+)", body(post.taken[0]))
    assert found
    assert post.taken[0]["List-Unsubscribe"].strip() == f"<https://parable.example{found[1]}>"
    assert post.taken[0]["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    stranger = Client(enforce_csrf_checks=True)
    assert "Stop the daily mail?" in stranger.get(found[1]).content.decode()
    assert User.objects.get(pk=cast.writer.pk).wants_mail, "opening the link changes nothing"
    answer = stranger.post(found[1], {"List-Unsubscribe": "One-Click"})
    assert "No daily mail is sent to you." in answer.content.decode()
    assert not User.objects.get(pk=cast.writer.pk).wants_mail
    return_item(cast)
    assert send(NOON + timedelta(days=1)) == 0


@pytest.mark.parametrize("token", ["1", "1:x", ":", "x" * 300])
def test_a_link_that_is_not_ours_ends_nothing(cast: Cast, token: str) -> None:
    User.objects.update(wants_mail=True)
    page = reverse("accounts:stop_mail", args=[token])
    assert Client().get(page).status_code == 409
    assert Client().post(page).status_code == 409
    assert User.objects.filter(wants_mail=False).count() == 0
