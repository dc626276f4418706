"""Nobody reaches inside the network through an endpoint."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence

import pytest

from parable.llm.addresses import Lookup, kind_of, parse_base_url, resolve
from parable.llm.client import ONCE, EndpointSpec, Message, ask
from parable.llm.errors import AddressRefused, Redirected, Unreachable
from parable.llm.stub import StubServer

HELLO = (Message("user", "hello"),)
PUBLIC = "93.184.215.14"


def lookup_of(*addresses: str) -> Lookup:
    """A resolver that knows one answer, as a name server in another's hands would."""

    def answer(_host: str, _port: int, _timeout: float) -> Sequence[str]:
        return addresses

    return answer


INSIDE = (
    "http://127.0.0.1/v1",
    "http://127.9.9.9:8000",
    "http://127.0.0.1.",
    "http://10.1.2.3",
    "http://172.16.0.1",
    "http://172.31.255.255",
    "http://192.168.1.1",
    "http://169.254.169.254/latest",
    "http://100.64.0.1",
    "http://100.100.100.200",
    "http://0.0.0.0",
    "http://0.1.2.3",
    "http://224.0.0.1",
    "http://255.255.255.255",
    "http://240.0.0.1",
    "http://192.0.0.192",
    "http://198.18.0.1",
    "http://168.63.129.16",
    "http://[::1]",
    "http://[::]",
    "http://[::ffff:127.0.0.1]",
    "http://[::ffff:7f00:1]",
    "http://[::ffff:10.0.0.1]",
    "http://[::127.0.0.1]",
    "http://[fe80::1]",
    "http://[fc00::1]",
    "http://[fd00:ec2::254]",
    "http://[fec0::1]",
    "http://[ff02::1]",
    "http://[2002:7f00:1::]",
    "http://[2002:a00:1::1]",
    "http://[64:ff9b::7f00:1]",
    "http://[64:ff9b::10.0.0.1]",
    "http://[64:ff9b:1::1]",
    "http://[2001::1]",
    "http://[2001:db8::1]",
    "http://[100::1]",
    "http://[3fff::1]",
    "http://[::ffff:0:127.0.0.1]",
    "http://[64:ff9b::a9fe:a9fe]",
    "http://[64:ff9b:1::a00:1]",
    "http://[2002:c0a8:101::]",
    "http://[0:0:0:0:0:0:0:1]:11434/v1",
    "http://localhost/v1",
    "http://localhost.:80/v1",
    "http://LOCALHOST",
    "http://１２７.０.０.１",
    "http://127。0。0。1",
    "http://①②⑦.0.0.1",
)

MALFORMED = (
    "http://0",
    "http://0x0",
    "http://017700000001.",
    "http://127.0.0.%31",
    "http://%31%32%37.0.0.1",
    "http://127.0.0.1#@example.org",
    "http://127.0.0.1?@example.org/",
    "http://127.0.0.1\\@example.org",
    "http:127.0.0.1",
    "http:///127.0.0.1",
    "http://[::1]x",
    "http://[::ffff:127.0.0.1%251]",
    "http://127.0.0.1:80:90",
    "http://2130706433",
    "http://0x7f000001",
    "http://0x7f.0.0.1",
    "http://0177.0.0.1",
    "http://017700000001",
    "http://127.1",
    "http://127.0.1",
    "http://127.0.0.01",
    "http://10.0.0.0x1",
    "http://1.2.3.256",
    "http://1.2.3.4.5",
    "http://[fe80::1%25eth0]",
    "http://[::1",
    "http://[127.0.0.1]",
    "http://a b.example",
    "http://a\tb.example",
    "http://exa\nmple.org",
    "http://example.org\\@127.0.0.1",
    "http://example.org:0",
    "http://example.org:99999",
    "http://example.org:port",
    "http://-example.org",
    "http://exa$mple.org",
    "http://",
    "http:///v1",
    "http://.",
    "http://a..b",
    f"http://{'a' * 64}.example",
    "http://example.org/v1?key=1",
    "http://example.org/v1#x",
    "http://example.org/v 1",
    "http://example.org/<x>",
)


@pytest.mark.parametrize("url", INSIDE)
def test_an_address_inside_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused) as caught:
        resolve(url)
    assert caught.value.code in ("address_inside", "address_form")


@pytest.mark.parametrize("url", MALFORMED)
def test_an_odd_spelling_is_refused_wherever_it_leads(url: str) -> None:
    with pytest.raises(AddressRefused) as caught:
        resolve(url, allow_private=True)
    assert caught.value.code == "address_form"


@pytest.mark.parametrize(
    "url", ["ftp://example.org", "file:///etc/passwd", "gopher://x", "example.org/v1", "", "//x"]
)
def test_only_http_is_spoken(url: str) -> None:
    with pytest.raises(AddressRefused) as caught:
        parse_base_url(url)
    assert caught.value.code == "address_scheme"


@pytest.mark.parametrize(
    "url",
    [
        "http://user:pass@example.org",
        "http://user@example.org",
        "http://@example.org",
        "http://example.org@127.0.0.1",
        "http://example.org:pass@127.0.0.1:80",
        "http://example.org%2F@127.0.0.1/v1",
        "http://127.0.0.1@example.org",
        "http://a@b@127.0.0.1",
    ],
)
def test_credentials_in_the_address_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(AddressRefused) as caught:
        parse_base_url(url)
    assert caught.value.code == "address_credentials"
    assert "pass" not in repr(caught.value) + str(caught.value)


@pytest.mark.parametrize("inside", ["127.0.0.1", "10.0.0.1", "::1", "169.254.169.254", "::ffff:192.168.0.1"])
def test_a_name_that_resolves_inside_is_refused(inside: str) -> None:
    for addresses in ((inside,), (PUBLIC, inside), (inside, PUBLIC)):
        with pytest.raises(AddressRefused) as caught:
            resolve("https://api.example.org/v1", lookup=lookup_of(*addresses))
        assert caught.value.code == "address_inside"


def test_a_name_outside_is_pinned_to_what_it_resolved_to() -> None:
    target = resolve("https://API.Example.org/v1/", lookup=lookup_of(PUBLIC, "2606:4700::1111"))
    assert target.addresses == (PUBLIC, "2606:4700::1111")
    assert str(target.url) == "https://api.example.org/v1"
    assert target.url.port == 443


def test_private_addresses_can_be_allowed_as_a_whole() -> None:
    for url in (
        "http://127.0.0.1:8000/v1",
        "http://10.0.0.7",
        "http://[::1]:8000",
        "http://100.64.0.1",
        "http://[fd00::1]",
    ):
        assert resolve(url, allow_private=True).addresses


@pytest.mark.parametrize(
    "url", ["http://169.254.169.254", "http://[fe80::1]", "http://0.0.0.0", "http://224.0.0.1"]
)
def test_that_never_opens_what_serves_no_model(url: str) -> None:
    with pytest.raises(AddressRefused):
        resolve(url, allow_private=True)


def test_one_host_can_be_allowed_by_name() -> None:
    inside = lookup_of("10.0.0.7")
    allowed = frozenset({"LLM.campus.example", "10.0.0.8:8000", "[::1]:8000"})
    assert resolve("http://llm.campus.example/v1", allowed_hosts=allowed, lookup=inside).addresses == (
        "10.0.0.7",
    )
    assert resolve("http://10.0.0.8:8000/v1", allowed_hosts=allowed).addresses == ("10.0.0.8",)
    assert resolve("http://[::1]:8000/v1", allowed_hosts=allowed).addresses == ("::1",)
    for other in ("http://10.0.0.8:8001", "http://10.0.0.8", "http://x.llm.campus.example", "http://[::1]"):
        with pytest.raises(AddressRefused):
            resolve(other, allowed_hosts=allowed, lookup=inside)


def test_the_full_path_of_the_call_is_understood_too() -> None:
    assert (
        str(parse_base_url(" https://api.example.org/v1/chat/completions ")) == "https://api.example.org/v1"
    )
    assert str(parse_base_url("http://例子.测试:8080")) == "http://xn--fsqu00a.xn--0zwm56d:8080"
    assert str(parse_base_url("http://[2606:4700::0:1111]/v1")) == "http://[2606:4700::1111]/v1"


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        (PUBLIC, "public"),
        ("2606:4700::1111", "public"),
        ("::ffff:93.184.215.14", "public"),
        ("64:ff9b::5db8:d70e", "public"),
        ("127.0.0.1", "loopback"),
        ("10.0.0.1", "private"),
        ("100.127.255.254", "shared"),
        ("169.254.0.1", "link_local"),
        ("239.1.1.1", "multicast"),
        ("0.0.0.0", "unspecified"),  # noqa: S104 -- judged, not bound to
        ("250.0.0.1", "reserved"),
    ],
)
def test_it_knows_the_parts_of_the_network(address: str, kind: str) -> None:
    assert kind_of(ipaddress.ip_address(address)) == kind


def test_a_name_that_nobody_has_says_so() -> None:
    with pytest.raises(Unreachable) as caught:
        resolve("http://no-such-host.invalid/v1")
    assert caught.value.code == "name_not_found"


def test_a_slow_name_server_is_not_waited_for() -> None:
    with pytest.raises(Unreachable):
        resolve("http://example.invalid", timeout=0.0)


def test_nothing_is_sent_to_a_refused_address() -> None:
    with StubServer() as stub:
        for base_url in (stub.base_url, stub.base_url.replace("127.0.0.1", "localhost")):
            with pytest.raises(AddressRefused):
                ask(EndpointSpec(base_url=base_url, model="stub-ok"), HELLO)
        assert stub.log == ()


def test_a_name_is_resolved_once_and_cannot_change_its_mind(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = socket.getaddrinfo

    def rebinding(host: str, *rest: object, **named: object) -> object:
        if host == "rebind.example":
            asked.append(host)
            return real("127.0.0.1" if len(asked) == 1 else "192.0.2.1", *rest, **named)  # type: ignore[arg-type]
        return real(host, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    with StubServer() as stub:
        base_url = stub.base_url.replace("127.0.0.1", "rebind.example")
        ask(EndpointSpec(base_url=base_url, model="stub-ok", allow_private=True), HELLO, timeout=5)
        assert asked == ["rebind.example"]
        assert dict(stub.log[0].headers)["host"] == f"rebind.example:{stub.port}"


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Where sockets were to connect; none gets there."""
    tried: list[object] = []

    class Watched(socket.socket):
        def connect(self, address: object) -> None:
            if self.family == socket.AF_UNIX:  # the test's own Redis
                super().connect(address)  # type: ignore[arg-type]
                return
            tried.append(address)
            raise OSError("nothing is connected in this test")

    monkeypatch.setattr(socket, "socket", Watched)
    return tried


@pytest.mark.parametrize("url", [*INSIDE, *MALFORMED, "http://example.org@127.0.0.1"])
def test_no_connection_is_begun_to_a_refused_address(url: str, connections: list[object]) -> None:
    with pytest.raises(AddressRefused):
        ask(EndpointSpec(base_url=url, model="m", api_key="sk-secret-key"), HELLO, timeout=5)
    assert connections == []


@pytest.mark.parametrize("later", ["127.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1"])
def test_a_name_that_turns_inside_after_the_check_is_still_called_where_it_was(
    later: str, monkeypatch: pytest.MonkeyPatch, connections: list[object]
) -> None:
    real, asked = socket.getaddrinfo, []

    def rebinding(host: object, *rest: object, **named: object) -> object:
        asked.append(host)
        first = host == "rebind.example" and asked.count(host) == 1
        return real(PUBLIC if first else later if host == "rebind.example" else host, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    with pytest.raises(Unreachable):
        ask(EndpointSpec("http://rebind.example:8080/v1", "m"), HELLO, timeout=5, retries=ONCE)
    assert asked.count("rebind.example") == 1
    assert connections == [(PUBLIC, 8080)]


def test_a_redirect_inside_is_not_followed() -> None:
    """The stub's own answer points at another server on loopback, which gets nothing."""
    with StubServer() as inside, StubServer(default="redirect") as outside:
        spec = EndpointSpec(outside.base_url, "any", allowed_hosts=frozenset({f"127.0.0.1:{outside.port}"}))
        with pytest.raises(Redirected):
            ask(spec, HELLO, timeout=5, retries=ONCE)
        assert (len(outside.log), inside.log) == (1, ())
        with pytest.raises(AddressRefused):
            ask(EndpointSpec(inside.base_url, "any", allowed_hosts=spec.allowed_hosts), HELLO)
