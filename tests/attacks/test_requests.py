"""Attacks by requests as bytes, on the web process as it stands behind a proxy that ends TLS."""

from __future__ import annotations

import re
from collections.abc import Iterator
from http.cookies import SimpleCookie
from typing import Any

import pytest

from tests.config.test_server import Site
from tests.services import SETTINGS

TLS = "X-Forwarded-Proto: https"
BEHIND = {"PARABLE_PLAIN_HTTP": "False", "PARABLE_PROXIES": "1"}


@pytest.fixture(scope="module")
def site(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """A site that is reached over TLS alone, by one proxy."""
    with pytest.MonkeyPatch.context() as patch, django_db_blocker.unblock():
        for name, value in BEHIND.items():
            patch.setitem(SETTINGS, name, value)
        site = Site(tmp_path_factory.mktemp("attacked"), "--keep-alive", "3")
    with site.process:
        try:
            assert site.process.stdout
            assert "Parable is at" in site.process.stdout.readline()
            yield site
        finally:
            site.process.kill()


def asked(path: str, *headers: str, method: str = "GET", host: str = "localhost") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *headers, "Connection: close"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def head(said: str) -> dict[str, str]:
    lines = said.partition("\r\n\r\n")[0].split("\r\n")[1:]
    return {name.lower(): value.strip() for name, _colon, value in (line.partition(":") for line in lines)}


def status(said: str) -> str:
    return said[9:12]


@pytest.mark.parametrize(
    "posed", ["X_Forwarded_Proto: https", "X-Forwarded_Proto: https", "HTTP_X_FORWARDED_PROTO: https"]
)
def test_header_with_an_underscore_poses_as_the_proxys(site: Site, posed: str) -> None:
    """WSGI calls both spellings by one name; a proxy overwrites only the one with hyphens."""
    assert status(site.said(asked("/accounts/login/", TLS))) == "200"
    said = site.said(asked("/accounts/login/", posed))
    assert status(said) in ("301", "400"), said[:200]


@pytest.mark.parametrize(
    "sent",
    [
        asked("/accounts/login/", TLS, host="evil.example"),
        asked("/accounts/login/", TLS, host="localhost:80@evil.example"),
        asked("/accounts/login/", TLS, host="localhost.evil.example"),
        asked("/accounts/login/", TLS, "Host: evil.example"),
        asked("http://evil.example/accounts/login/", TLS),
    ],
    ids=["host", "credentials", "below", "twice", "absolute"],
)
def test_host_header_poisons_a_link(site: Site, sent: bytes) -> None:
    said = site.said(sent)
    assert "//evil.example" not in said
    assert status(said) == "400" or b"http://evil" in sent  # of an absolute address the path alone counts


def test_forwarded_host_poisons_a_redirect(site: Site) -> None:
    for name in ("X-Forwarded-Host", "Forwarded", "X-Host", "X-Original-URL", "X-Rewrite-URL"):
        said = site.said(asked("/me", f"{name}: evil.example"))
        assert head(said)["location"] == "https://localhost/me", name
        assert "evil.example" not in site.said(asked("/me", TLS, f"{name}: evil.example")), name


@pytest.mark.parametrize(
    "path", ["//evil.example", "//evil.example/p/", "/\\evil.example", "/%2F%2Fevil.example"]
)
def test_path_with_two_slashes_leads_to_another_host(site: Site, path: str) -> None:
    for sent in (asked(path), asked(path, TLS)):
        where = head(site.said(sent)).get("location", "/")
        assert re.match(r"/(?![/\\])|https://localhost/", where), where


def test_trace_echoes_headers(site: Site) -> None:
    for path in ("/accounts/login/", "/livez", "/static/css/parable.css", "/api/v1/projects/"):
        said = site.said(asked(path, TLS, "Cookie: sessionid=a-secret", method="TRACE"))
        assert status(said) in ("400", "401", "403", "405", "501"), said[:100]
        assert "a-secret" not in said


def test_method_is_tunnelled_by_a_header(site: Site) -> None:
    """Some frameworks let a form delete: by a header, by a field or by an address."""
    plain = site.said(asked("/livez", TLS))
    assert status(plain) == "200"
    for name in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"):
        said = site.said(asked("/livez?_method=DELETE", TLS, f"{name}: DELETE"))
        assert status(said) == "200"
        said = site.said(asked("/accounts/login/?_method=POST", TLS, f"{name}: POST"))
        assert status(said) == "200", "a GET stays one: as POST it would be refused for want of a token"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../config/settings.py",
        "/static/..%2fconfig/settings.py",
        "/static/%2e%2e/config/settings.py",
        "/static/%252e%252e/config/settings.py",
        "/static/..\\config\\settings.py",
        "/static//etc/passwd",
        "/static/css/%00/../../../etc/passwd",
        "/.git/config",
        "/.env",
        "/static/",
        "/static/css/",
    ],
)
def test_path_traversal_of_static_files(site: Site, path: str) -> None:
    """Nor is there a listing of a folder, the history of the source, or the file of settings."""
    said = site.said(asked(path, TLS))
    assert status(said) in ("400", "404"), said[:200]
    assert "SECRET_KEY" not in said
    assert "root:" not in said


SMUGGLED = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize(
    "framing",
    [
        b"Transfer-Encoding : chunked",
        b"Transfer-Encoding: xchunked",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        b"Transfer-Encoding: identity, chunked, identity",
        b"Transfer-Encoding:\x0bchunked",
        b"Content-Length: +4",
        b"Content-Length: 0x4",
        b"Content-Length: 4, 4",
        b"Content-Length: 4_0",
        b"Content-Length: -1",
        b"Content-Length: 4\r\n\tContent-Length: 0",
        b"X: y\rTransfer-Encoding: chunked",
        b"X: y\nTransfer-Encoding: chunked",
        b"X: \x00",
        b"Transfer-Encoding: chunked\r\nContent-Length: 4",
    ],
)
def test_request_smuggling_headers(site: Site, framing: bytes) -> None:
    """What two servers could frame in two ways is refused, and nothing after it is read as a request."""
    line = b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Proto: https\r\n"
    said = site.said(line + framing + b"\r\n\r\n0\r\n\r\n" + SMUGGLED)
    assert status(said) in ("400", "501"), said[:200]
    assert said.count("HTTP/1.1 ") == 1
    assert '"live"' not in said


@pytest.mark.parametrize("chunk", [b"0x1\r\na\r\n", b"1_0\r\na\r\n", b"+1\r\na\r\n", b"-1\r\n"])
def test_request_smuggling_chunks(site: Site, chunk: bytes) -> None:
    line = b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Proto: https\r\n"
    said = site.said(line + b"Transfer-Encoding: chunked\r\n\r\n" + chunk + b"0\r\n\r\n" + SMUGGLED)
    assert '"live"' not in said
    assert said.count("HTTP/1.1 ") <= 1


def test_token_is_sent_in_the_clear_and_nobody_notices(site: Site) -> None:
    """A page leads on to TLS; a program is refused, as a redirect would let it go on like that."""
    said = site.said(asked("/api/v1/projects/?limit=1", "Authorization: Bearer parable_x"))
    assert status(said) == "403"
    assert "location" not in head(said)
    assert "https://" in said
    said = site.said(asked("/me?a=1"))
    assert (status(said), head(said)["location"]) == ("301", "https://localhost/me?a=1")


def test_cookie_is_tossed_from_a_neighbouring_host(site: Site) -> None:
    """A host below ours can set cookies for us, but none with the prefix that ours have."""
    login = site.said(asked("/accounts/login/", TLS))
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', login)
    ours = _cookies(login)
    assert token
    from_here = (TLS, "Origin: https://localhost")
    checked = f"Cookie: __Host-csrftoken={ours['__Host-csrftoken'].value}", f"X-CSRFToken: {token[1]}"
    chosen = site.said(asked("/me/language", *from_here, *checked, FORM, LENGTH, method="POST") + CHOICE)
    assert status(chosen) == "302", chosen[:200]
    for name, morsel in {**ours, **_cookies(chosen)}.items():
        assert name.startswith("__Host-")
        assert morsel["secure"]
        assert morsel["httponly"]
        assert (morsel["path"], morsel["domain"], morsel["samesite"]) == ("/", "", "Lax")
    assert "__Host-django_language" in _cookies(chosen)
    tossed = f"Cookie: csrftoken={'b' * 32}", f"X-CSRFToken: {'b' * 32}"
    said = site.said(asked("/accounts/login/", *from_here, *tossed, "Content-Length: 0", method="POST"))
    assert status(said) == "403"


FORM, CHOICE = "Content-Type: application/x-www-form-urlencoded", b"language=zh-hans"
LENGTH = f"Content-Length: {len(CHOICE)}"


def _cookies(said: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for line in re.findall(r"(?im)^set-cookie: *(.*?)\r$", said):
        found |= SimpleCookie(line)
    assert found
    return found


@pytest.mark.parametrize(
    "path",
    [
        "/accounts/login/",
        "/static/css/parable.css",
        "/static/img/seal.svg",
        "/nowhere",
        "/api/v1/projects/",
        "/api/nowhere",
        "/livez",
        "/readyz",
    ],
)
def test_response_is_framed_or_read_as_another_type(site: Site, path: str) -> None:
    """Every response says that nobody frames it, guesses its type or learns its address."""
    headers = head(site.said(asked(path, TLS)))
    assert headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["referrer-policy"] == "same-origin"
    if not path.endswith("z"):  # those that the machine itself asks for
        assert headers["strict-transport-security"] == "max-age=31536000; includeSubDomains"
    assert "charset=utf-8" in headers["content-type"].replace('"', "") or headers["content-type"] in (
        "application/json",
        "application/problem+json",
        "image/svg+xml",
    )


def test_foreign_origin_reads_an_answer(site: Site) -> None:
    """No origin is let in by CORS: neither by a preflight nor by a plain request."""
    for path in ("/api/v1/projects/", "/accounts/login/", "/static/css/parable.css", "/livez"):
        for method in ("GET", "OPTIONS"):
            said = site.said(
                asked(
                    path,
                    TLS,
                    "Origin: https://evil.example",
                    "Access-Control-Request-Method: PUT",
                    method=method,
                )
            )
            allowed = head(said).get("access-control-allow-origin", "")
            assert allowed in ("", "*"), path
            assert not allowed or path.startswith("/static/"), path
            assert "access-control-allow-credentials" not in head(said)


def test_range_header_multiplies_a_file(site: Site) -> None:
    whole = site.said(asked("/static/css/parable.css", TLS))
    ranges = ",".join("0-" for _ in range(200))
    said = site.said(asked("/static/css/parable.css", TLS, f"Range: bytes={ranges}"))
    assert len(said) < 2 * len(whole)


def test_web_cache_deception(site: Site) -> None:
    """A page that is asked for under the name of a style sheet is none, or is stored by nobody."""
    for path in ("/me/a.css", "/accounts/login/a.css", "/accounts/login/;a.css", "/accounts/login/%0Aa.css"):
        said = site.said(asked(path, TLS))
        assert "no-store" in head(said)["cache-control"], path
