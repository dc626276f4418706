"""docs/operating.md followed to the letter: Debian's PostgreSQL, Redis, nginx and Caddy, to a draft.

The settings and the commands are taken from the page itself, the unit and the proxies from `deploy/`, so that
they cannot drift. Only what a test may not use is put in place of what they say: ports, folders and the
certificate. systemd does not run here, so the unit's ExecStart is run as it is.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import secrets
import shlex
import shutil
import socket
import ssl
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psycopg
import pytest

from tests.architecture import BASE
from tests.config.programs import environment, free_port, may_confine, running, wait_until

POSTGRESQL = Path("/usr/lib/postgresql/15/bin")
NEEDED = (
    str(POSTGRESQL / "initdb"),
    "psql",
    "redis-server",
    "nginx",
    "caddy",
    "openssl",
    "runuser",
)
MISSING = [name for name in NEEDED if not shutil.which(name)]
pytestmark = [
    pytest.mark.drill,
    pytest.mark.skipif(
        bool(MISSING) or os.geteuid() != 0,
        reason=f"needs root and Debian 12's postgresql, redis-server, nginx and caddy; missing: {MISSING}",
    ),
]
HOST = "parable.example"
DEPLOY = BASE / "deploy"
PAGE = (BASE / "docs" / "operating.md").read_text(encoding="utf-8")
STEPS = PAGE[PAGE.index("## On one small server") : PAGE.index("## In containers")]
BACKUP = PAGE[PAGE.index("## Backing up") : PAGE.index("## Point-in-time recovery")]
LIE = "203.0.113.9"
"""What a client says its address is."""
CAST = """
import json
from tests.annotation.sheets import save_of
from tests.factories import PASSWORD, make_project, make_story
cast = make_project()
print(json.dumps([cast.writer.username, PASSWORD, save_of(cast, make_story(cast))]))
"""


def _block(language: str, holding: str, text: str = STEPS) -> str:
    """The one block of code of this language on the page that holds these words."""
    (found,) = [code for code in re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL) if holding in code]
    return str(found)


@dataclass
class Server:
    """The machine of the page, in a folder and on ports of its own."""

    folder: Path
    ports: dict[str, int] = field(
        default_factory=lambda: {name: free_port() for name in ("5432", "6379", "8000", "80", "443", "caddy")}
    )

    @property
    def env_file(self) -> Path:
        return self.folder / ".env"

    def run(self, command: str, **given: Any) -> subprocess.CompletedProcess[str]:
        """Run a command of the page in the sources' folder; psql as an administrator of this PostgreSQL."""
        socket = f"psql --host {self.folder} --port {self.ports['5432']} --username postgres"
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", command.replace("runuser -u postgres -- psql", socket)],
            env=self.environment(), cwd=BASE, capture_output=True, text=True, check=False, timeout=300,
            **given,
        )  # fmt: skip

    def do(self, command: str, **given: Any) -> str:
        """The same, for what must succeed."""
        answer = self.run(command, **given)
        assert answer.returncode == 0, (command, answer.stdout[-2000:], answer.stderr[-2000:])
        return answer.stdout

    def environment(self) -> dict[str, str]:
        named = environment(self.folder) | {"PARABLE_ENV_FILE": str(self.env_file)}
        del named["PARABLE_HOME"]  # the page's .env names it
        return named


@pytest.fixture
def server() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="parable-debian-"))
    folder.chmod(0o755)
    try:
        yield Server(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _debian(server: Server) -> Iterator[None]:
    """PostgreSQL as Debian sets it up: the administrator by socket, everybody else by password; and Redis."""
    cluster = server.folder / "cluster"
    cluster.mkdir()
    shutil.chown(cluster, "nobody")
    shutil.chown(server.folder, "nobody")
    as_nobody = ["runuser", "-u", "nobody", "--"]
    made = [*as_nobody, str(POSTGRESQL / "initdb"), "-D", str(cluster), "-U", "postgres", "--no-sync"]
    made += ["--auth-local=trust", "--auth-host=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8"]
    subprocess.run(made, check=True, capture_output=True, cwd="/")
    options = {
        "port": server.ports["5432"], "listen_addresses": "127.0.0.1", "fsync": "off",
        "unix_socket_directories": server.folder,
    }  # fmt: skip
    given = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
    control = [*as_nobody, str(POSTGRESQL / "pg_ctl"), "-D", str(cluster), "-w"]
    log = ["-l", str(cluster / "log"), "-o", shlex.join(given), "start"]
    redis = ["redis-server", "--port", str(server.ports["6379"]), "--save", "", "--dir", str(server.folder)]
    subprocess.run([*control, *log], check=True, stdout=subprocess.DEVNULL, cwd="/")
    try:
        with running([*redis, "--bind", "127.0.0.1"], server.folder) as process:
            yield
            process.terminate()
            process.wait(timeout=30)
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=True, stdout=subprocess.DEVNULL, cwd="/")


def _write_settings(server: Server) -> None:
    text = _block("ini", "DATABASE_URL")
    text = re.sub(r"<a[^>]*>", lambda _found: secrets.token_hex(20), text)
    text = text.replace("/srv/parable/data", str(server.folder / "data"))
    for name in ("5432", "6379"):
        assert f"localhost:{name}" in text
        text = text.replace(f"localhost:{name}", f"localhost:{server.ports[name]}")
    server.env_file.write_text(f"{text}PARABLE_PORT={server.ports['8000']}\n", encoding="utf-8")


@contextlib.contextmanager
def _nginx(server: Server) -> Iterator[None]:
    certificate, key = server.folder / "parable.pem", server.folder / "parable.key"
    server.do(
        f"openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN={HOST}"
        f" -addext subjectAltName=DNS:{HOST} -keyout {key} -out {certificate}"
    )
    block = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    for said, meant in {
        "listen 80": f"listen 127.0.0.1:{server.ports['80']}",
        "listen 443 ssl": f"listen 127.0.0.1:{server.ports['443']} ssl",
        "127.0.0.1:8000": f"127.0.0.1:{server.ports['8000']}",
        "/etc/ssl/parable.pem": str(certificate),
        "/etc/ssl/parable.key": str(key),
    }.items():
        assert said in block
        block = block.replace(said, meant)
    passing = "".join(
        f"{name}_temp_path {server.folder}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = server.folder / "nginx.conf"
    config.write_text(
        f"user root; pid {server.folder}/pid; events {{}} http {{ access_log off; {passing}\n{block}\n}}"
    )
    log = str(server.folder / "nginx.log")
    with running(["nginx", "-e", log, "-c", str(config), "-g", "daemon off;"], server.folder) as nginx:
        yield
        nginx.terminate()
        nginx.wait(timeout=30)


@contextlib.contextmanager
def _caddy(server: Server) -> Iterator[None]:
    """Caddy with the certificate of nginx, which it may not get here itself."""
    said, port = (DEPLOY / "Caddyfile").read_text(encoding="utf-8"), server.ports["caddy"]
    named = f"https://{HOST}:{port} {{\n\tbind 127.0.0.1\n"
    named += f"\ttls {server.folder}/parable.pem {server.folder}/parable.key\n"
    assert f"{HOST} {{\n" in said
    assert "127.0.0.1:8000" in said
    text = said.replace(f"{HOST} {{\n", named).replace("127.0.0.1:8000", f"127.0.0.1:{server.ports['8000']}")
    config = server.folder / "Caddyfile"
    config.write_text(f"{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{text}", encoding="utf-8")
    command = ["caddy", "run", "--config", str(config), "--adapter", "caddyfile"]
    with running(command, server.folder, HOME=str(server.folder)) as caddy:
        yield
        caddy.terminate()
        caddy.wait(timeout=30)


class Browser:
    """Asks over TLS, checks the certificate, keeps cookies."""

    def __init__(self, server: Server, port: str = "443") -> None:
        self._port = server.ports[port]
        self._context = ssl.create_default_context(cafile=str(server.folder / "parable.pem"))
        self.cookies: dict[str, str] = {}

    def ask(
        self, method: str, path: str, body: str = "", kind: str = "application/x-www-form-urlencoded"
    ) -> tuple[int, str, http.client.HTTPMessage]:
        headers = {"Host": HOST, "Referer": f"https://{HOST}{path}", "Content-Type": kind}
        headers["X-Forwarded-For"] = LIE
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers["X-CSRFToken"] = self.cookies.get("__Host-csrftoken", "")
        line = http.client.HTTPSConnection(HOST, self._port, timeout=30, context=self._context)
        connected = socket.create_connection(("127.0.0.1", self._port), timeout=30)
        line.sock = self._context.wrap_socket(connected, server_hostname=HOST)
        with contextlib.closing(line):
            line.request(method, path, body.encode() or None, headers)
            answer = line.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie", []):
                assert "Secure" in cookie
                name, _is, value = cookie.partition(";")[0].partition("=")
                self.cookies[name] = value
            return answer.status, answer.read().decode(), answer.headers

    def sign_in(self, username: str, password: str) -> None:
        page = self.ask("GET", "/accounts/login/")
        assert page[0] == 200, page
        assert "max-age" in page[2]["Strict-Transport-Security"]
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page[1])
        assert token
        form = {"login": username, "password": password, "csrfmiddlewaretoken": token[1]}
        status, text, headers = self.ask("POST", "/accounts/login/", urlencode(form))
        assert (status, headers["Location"]) == (302, "/"), text[:2000]


def _answers(server: Server, port: str = "443") -> bool:
    with contextlib.suppress(OSError, http.client.HTTPException):
        return Browser(server, port).ask("GET", "/readyz")[0] == 200
    return False


def test_the_documented_steps_lead_to_a_site_behind_nginx(server: Server) -> None:
    with _debian(server):
        _write_settings(server)
        make_roles = _block("sh", "role_sql")
        assert "There is no role" not in server.do(make_roles)
        server.do(make_roles)  # twice does no harm
        _the_owner_has_no_special_right(server)
        unit = (DEPLOY / "systemd" / "parable.service").read_text(encoding="utf-8")
        (serve,) = re.findall(r"^ExecStart=/srv/parable/app/(.*)$", unit, re.MULTILINE)
        assert _migrations_are_missing(server)
        with (
            _nginx(server),
            running(_confined(serve), server.folder, **_only_env_file(server)) as site,
        ):
            wait_until(lambda: site.poll() is not None or _answers(server), 900)
            assert site.poll() is None, site.stdout and site.stdout.read()
            server.do(_block("sh", "create_administrator"), input="a long password of ada\n")
            assert not _migrations_are_missing(server)
            _the_proxy_passes_on(server, "443")
            with _caddy(server):
                wait_until(lambda: _answers(server, "caddy"), 60)
                _the_proxy_passes_on(server, "caddy")
            _plain_http_leads_to_tls(server)
            _save_a_draft(server)
            _back_up(server)
            site.terminate()
            assert site.wait(timeout=60) == 0
        _wrong_passwords_are_said(server)


def _confined(command: str) -> list[str]:
    """Run it as the unit does, which cannot write to the sources (ProtectSystem=strict).

    Where namespaces are not allowed, as in many containers, it could.
    """
    if not may_confine():
        return ["sh", "-c", f"exec {command}"]
    base = shlex.quote(str(BASE))
    read_only = f"mount --bind {base} {base} && mount -o remount,bind,ro {base} && cd {base}"
    return ["unshare", "--mount", "sh", "-c", f"{read_only} && exec {command}"]


def _migrations_are_missing(server: Server) -> bool:
    """Ask as pods do, which have the application's role alone."""
    asked = server.run("DATABASE_OWNER_URL= .venv/bin/python manage.py migrate --check --verbosity 0")
    assert asked.returncode in (0, 1), asked.stderr
    return asked.returncode == 1


def _the_proxy_passes_on(server: Server, port: str) -> None:
    """The address of the client, whatever it says itself; bodies up to what it allows; whole answers."""
    browser = Browser(server, port)
    browser.sign_in("ada", "a long password of ada")
    url = f"host={server.folder} port={server.ports['5432']} user=postgres dbname=parable"
    asked = (
        "SELECT detail->>'address' FROM accounts_auditevent WHERE verb = 'sign_in' ORDER BY id DESC LIMIT 1"
    )
    with psycopg.connect(url) as connection:
        assert connection.execute(asked).fetchone() == ("127.0.0.1",)
    page = browser.ask("GET", "/")[1]
    script = re.findall(r'src="(/static/[^"]+\.js)"', page)[0]
    status, text, headers = browser.ask("GET", script)
    assert (status, len(text.encode())) == (200, int(headers["Content-Length"]))
    large = "x" * (3 * 2**20)
    assert browser.ask("POST", "/accounts/login/", large)[0] == 413


def _plain_http_leads_to_tls(server: Server) -> None:
    line = http.client.HTTPConnection("127.0.0.1", server.ports["80"], timeout=30)
    with contextlib.closing(line):
        line.request("GET", "/p/", headers={"Host": HOST})
        answer = line.getresponse()
        assert (answer.status, answer.headers["Location"]) == (301, f"https://{HOST}/p/")


def _only_env_file(server: Server) -> dict[str, str]:
    return {"PARABLE_ENV_FILE": str(server.env_file), "PARABLE_HOME": str(server.folder / "data")}


def _the_owner_has_no_special_right(server: Server) -> None:
    url = f"host={server.folder} port={server.ports['5432']} user=postgres dbname=parable"
    with psycopg.connect(url) as connection:
        asked = "SELECT rolcreaterole OR rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = 'parable'"
        assert connection.execute(asked).fetchone() == (False,)
        assert connection.info.server_version // 10_000 == 15


def _save_a_draft(server: Server) -> None:
    output = server.do(f".venv/bin/python manage.py shell --no-imports --command {shlex.quote(CAST)}")
    username, password, draft = json.loads(output.splitlines()[-1])
    browser, path = Browser(server), f"/api/v1/drafts/{uuid.uuid4()}/"
    browser.sign_in(username, password)
    status, text, _headers = browser.ask("PUT", path, json.dumps(draft), "application/json")
    assert (status, json.loads(text)["sequence"]) == (200, 1), text


def _back_up(server: Server) -> None:
    """The documented commands, beside a site that is in use: it is saved, and not replaced."""
    backup, restore = _block("sh", "backup", BACKUP).replace("/srv", str(server.folder)).splitlines()
    server.do(backup)
    server.do(f"{restore} --check")
    refused = server.run(restore)
    assert refused.returncode == 2
    assert "Stop the site" in refused.stderr
    assert "Traceback" not in refused.stderr


def _wrong_passwords_are_said(server: Server) -> None:
    """What the owner may not mend is said in a sentence, with what to do."""
    right = server.env_file.read_text(encoding="utf-8")
    for role, said in (("parable", "DATABASE_OWNER_URL"), ("parable_app", "`manage.py role_sql`")):
        server.env_file.write_text(re.sub(rf"//{role}:\w+@", f"//{role}:wrong@", right), encoding="utf-8")
        answer = server.run(".venv/bin/python manage.py migrate --verbosity 0")
        assert answer.returncode == 2, answer.stderr
        assert "password authentication failed" in answer.stderr
        assert said in answer.stderr
        assert "Traceback" not in answer.stderr
