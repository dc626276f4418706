"""A site seen from outside: sums of all processes, logs without secrets, traces that reach the workers."""

from __future__ import annotations

import contextlib
import http.client
import http.cookiejar
import json
import os
import re
import subprocess
import sys
import threading
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, Self

import pytest
from django.test import override_settings
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from pytest_django import Settings

from config.json_log import FIELDS
from core.request_id import HEADER
from generation import services
from jobs.models import Job, JobState
from jobs.services import create_endpoint
from parable.llm.stub import StubServer
from tests.architecture import BASE
from tests.browser.killable import database_of_this_test
from tests.config.programs import free_port, wait_until
from tests.config.test_metrics import read, sample
from tests.drills.site import Site
from tests.factories import PASSWORD, make_project, make_story
from tests.generation.bench import bind_variable
from tests.projects.test_tokens import token_of

pytestmark = [pytest.mark.drill, pytest.mark.django_db(transaction=True)]

ADDRESS: Final = "203.0.113.77"
VARIABLE: Final = "PARABLE_LLM_KEY_TEST"
SECRETS: Final = {
    "wrong password": "Wrong-password-of-ada",
    "key of a model": "sk-of-the-model-0123456789",
    "token of metrics": "metrics-token-" + "m" * 30,
    "invitation": "Invitation-link-0123456789",
    "password link": "dif475-password-link-0123",
    "query": "what-was-searched-for",
    "story": "The vixen of the secret hill",
    "prompt": "Prompt that nobody may read",
    "right password": PASSWORD,
    "address": ADDRESS,
}
REQUESTS: Final = 40
GUNICORN: Final = (sys.executable, "-m", "gunicorn", "--config", "python:config.gunicorn")


class Collector(ThreadingHTTPServer):
    """A collector of OpenTelemetry that reads what is sent to it by OTLP over HTTP."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Reader)
        self.spans: list[Span] = []
        self.texts: list[str] = []
        self.processes: set[tuple[str, str]] = set()

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_ended: object) -> None:
        self.shutdown()
        self.server_close()

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]


class Reader(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        sent = ExportTraceServiceRequest.FromString(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/v1/traces"
        self.server.texts.append(str(sent))
        for group in sent.resource_spans:
            about = {one.key: one.value.string_value for one in group.resource.attributes}
            self.server.processes.add((about["service.name"], about["parable.process"]))
            for scope in group.scope_spans:
                self.server.spans += scope.spans
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_said: object) -> None:
        """Say nothing."""


@dataclass
class Visitor:
    """Somebody who visits a site with cookies, through a proxy that names their address."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: str = "", **headers: str) -> tuple[int, str, Any]:
        """The status, text and headers of an answer."""
        asked = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = {
            "X-Forwarded-For": ADDRESS,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        with contextlib.closing(asked):
            asked.request(method, path, body or None, sent)
            answer = asked.getresponse()
            for set_cookie in answer.headers.get_all("Set-Cookie") or ():
                name, _sign, value = set_cookie.partition(";")[0].partition("=")
                self.cookies[name] = value
            return answer.status, answer.read().decode(), answer.headers

    def sign_in(self, username: str, password: str) -> int:
        """The status of the answer to the form."""
        page = self.ask("GET", "/accounts/login/")[1]
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert token
        form = urllib.parse.urlencode(
            {"csrfmiddlewaretoken": token[1], "login": username, "password": password}
        )
        kind = "application/x-www-form-urlencoded"
        return self.ask("POST", "/accounts/login/", form, Content_Type=kind)[0]


@contextlib.contextmanager
def web_alone(home: Path, settings: dict[str, str]) -> Iterator[int]:
    """The web processes of a machine: one gunicorn that loads the site, and forks twice. Yields its port."""
    port = free_port()
    env = (
        os.environ
        | settings
        | {"PARABLE_ENV_FILE": os.devnull, "PARABLE_PORT": str(port), "PARABLE_LOG_LEVEL": "INFO"}
    )
    with (home.with_name("web_alone.log")).open("wb") as log:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "gunicorn",
                "--config",
                "python:config.gunicorn",
                "--workers",
                "2",
                "config.wsgi",
            ],
            cwd=BASE,
            env=env | {"PARABLE_HOME": str(home), "PARABLE_LOG_LEVEL": "INFO"},
            stdout=log,
            stderr=log,
        )
    try:
        yield port
    finally:
        process.terminate()
        process.wait(60)


def figures(port: int) -> dict[Any, float]:
    status, text, _headers = Visitor(port).ask(
        "GET", "/metrics", Authorization=f"Bearer {SECRETS['token of metrics']}"
    )
    return read(text) if status == 200 else {}


def is_served(port: int) -> bool:
    with contextlib.suppress(OSError, http.client.HTTPException):
        return Visitor(port).ask("GET", "/readyz")[0] == 200
    return False


def test_a_site_is_seen_from_outside(tmp_path: Path, settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["accounts.hasher.QueuedPasswordHasher"]  # the site's own
    cast = make_project()
    story = make_story(cast, text=SECRETS["story"])
    template = services.create_template(
        actor=cast.writer, project=cast.project, name="P", text=SECRETS["prompt"] + "\n{story} {n}", wanted=3
    )
    with contextlib.ExitStack() as running:
        stub = running.enter_context(StubServer())
        collector = running.enter_context(Collector())
        environment = {
            "DATABASE_URL": database_of_this_test(),
            "DATABASE_OWNER_URL": database_of_this_test(),
            "PARABLE_LLM_ALLOW_PRIVATE": "127.0.0.1",
            "PARABLE_LOG_FORMAT": "json",
            "PARABLE_METRICS_TOKEN": SECRETS["token of metrics"],
            "PARABLE_OTLP_URL": f"http://127.0.0.1:{collector.server_port}",
            "PARABLE_PROXIES": "1",
            "PARABLE_WEB_WORKERS": "2",
            "OTEL_BSP_SCHEDULE_DELAY": "500",
            VARIABLE: SECRETS["key of a model"],
        }
        site = running.enter_context(Site(tmp_path / "var", environment))
        other = running.enter_context(web_alone(tmp_path / "other", environment))
        wait_until(lambda: is_served(site.port) and is_served(other), 180)
        ports = (site.port, other)

        # requests: the same sums, whichever process is asked
        for number in range(REQUESTS):
            assert Visitor(ports[number % 2]).ask("GET", "/accounts/login/")[0] == 200
        signed_in = [Visitor(port) for port in ports]
        assert signed_in[0].sign_in(cast.writer.username, SECRETS["wrong password"]) == 200
        assert [one.sign_in(cast.writer.username, PASSWORD) for one in signed_in] == [302, 302]
        assert signed_in[0].ask("GET", f"/search?q={SECRETS['query']}")[0] == 200
        for path in (f"/join/{SECRETS['invitation']}", f"/reset/MTM0/{SECRETS['password link']}/"):
            assert Visitor(site.port).ask("GET", path)[0] < 500
        shown = sample("parable_http_requests_total", route="account_login", method="GET", status="2xx")
        wanted = REQUESTS + 3  # the forms of those who sign in
        # each process reuses what it was answered for some seconds; none ever says more
        wait_until(lambda: all(figures(port).get(shown, 0) >= wanted for port in ports * 4), 90)
        assert {figures(port)[shown] for port in ports * 4} == {wanted}
        durations = sample("parable_http_request_duration_seconds_count", route="account_login", method="GET")
        assert figures(other)[durations] == wanted

        # a batch that a program orders: its id and its trace reach the calls of the workers
        with override_settings(LLM_ALLOW_PRIVATE=frozenset({"127.0.0.1"})):
            bind_variable(stub, VARIABLE)
            endpoint = create_endpoint(
                actor=cast.manager,
                project=cast.project,
                name="stub",
                model="stub-ok",
                base_url=stub.base_url,
                key_variable=VARIABLE,
                price_in=1,
                price_out=1,
            )
        token = token_of(cast.manager)
        body = {"stories": [story.pk], "prompts": [template.pk], "endpoints": [endpoint.pk]}
        proposed = "id-of-the-proxy-0001"
        status, said, headers = Visitor(site.port).ask(
            "POST",
            f"/api/v1/projects/{cast.project.slug}/batches/",
            json.dumps(body),
            Authorization=f"Bearer {token}",
            Content_Type="application/json",
            X_Request_ID=proposed,
        )
        assert status == 202, said
        assert headers[HEADER] == proposed
        made = Visitor(site.port).ask("GET", "/accounts/login/", X_Request_ID="two words of nobody")[2]
        assert re.fullmatch(r"[0-9a-f]{32}", made[HEADER])
        wait_until(lambda: Job.objects.filter(state=JobState.DONE, has_calls=True).exists(), 120)
        answered = sample("parable_llm_calls_total", outcome="answered")
        wait_until(lambda: figures(other).get(answered, 0) >= 1, 60)
        spent = sample("parable_llm_spent_total", currency=cast.project.currency)
        cost = float(Job.objects.get(has_calls=True).budget.spent)
        wait_until(lambda: figures(other).get(spent, 0) == pytest.approx(cost), 60)
        wait_until(lambda: bool(collector.named("call model")), 60)
        _assert_traces(collector)
        processes = {"worker", "llm-worker", "beat"}
        alive = {file.name.rpartition(".")[2] for file in (tmp_path / "var" / "alive").iterdir()}
        assert alive == processes
        assert site.stop(120) == 0
    secrets = {
        **SECRETS,
        "access token": token,
        "session": signed_in[0].cookies["sessionid"],
        "name": cast.writer.username,
    }
    lines = site.said() + (tmp_path / "web_alone.log").read_text(encoding="utf-8")
    _assert_lines(lines, proposed, secrets)
    for what, secret in secrets.items():
        assert not any(secret in text for text in collector.texts), f"{what} is in a trace"


def _assert_traces(collector: Collector) -> None:
    (ordered,) = collector.named("POST api_batches")
    calls = collector.named("call model")
    assert {span.trace_id for span in calls} == {ordered.trace_id}
    assert collector.named("run generation.tasks.run_call")
    assert {("parable", "web"), ("parable", "worker")} == collector.processes
    statements = [span for span in collector.spans if span.name == "SELECT"]
    assert statements
    assert len(collector.named("GET account_login")) >= REQUESTS
    assert len({span.span_id for span in collector.spans}) == len(collector.spans)


def _assert_lines(text: str, proposed: str, secrets: dict[str, str]) -> None:
    for what, secret in secrets.items():
        assert secret not in text, f"{what} is in the log"
    lines = [json.loads(line) for line in text.splitlines()]
    assert all({"time", "level", "logger", "message"} <= line.keys() <= FIELDS.keys() for line in lines)
    ours = [line for line in lines if line.get("request_id") == proposed]
    assert {"api_batches"} == {line["route"] for line in ours if "route" in line}
    assert {"generation.tasks.run_call"} <= {line.get("task") for line in ours}
    assert {line["status"] for line in lines if line.get("route") == "projects:invite_accept"} <= {
        200,
        302,
        404,
    }
    assert [line for line in ours if "trace_id" not in line] == []
