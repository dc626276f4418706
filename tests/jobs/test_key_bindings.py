"""Keys in environment variables: sent to the one server that an administrator bound them to, and no other."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from pytest_django import Settings

from accounts.models import AuditEvent, User
from core.errors import Forbidden, Unusable
from jobs.models import AllowedHost, Call, Endpoint, KeyBinding
from jobs.services import (
    bind_key,
    create_endpoint,
    edit_endpoint,
    try_endpoint,
    unbind_key,
    withdraw_host,
)
from parable.llm.stub import StubServer
from tests.factories import make_user
from tests.generation.bench import Bench, bind_variable, work_off
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db

VARIABLE = "PARABLE_LLM_KEY_TEST"
KEY = "sk-the-key-of-the-operator-0123456789"


@pytest.fixture(autouse=True)
def _key_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


@pytest.fixture
def ada() -> User:
    return make_user("Ada", administrator=True)


def sent_keys(stub: StubServer) -> list[str]:
    return [dict(seen.headers).get("authorization", "") for seen in stub.log]


def unbound(bench: Bench, name: str = "unbound") -> Endpoint:
    """An endpoint as one could be saved before variables were bound."""
    endpoint = bench.add_endpoint(name)
    Endpoint.objects.filter(pk=endpoint.pk).update(key_variable=VARIABLE)
    endpoint.refresh_from_db()
    return endpoint


def test_a_manager_receives_no_key_of_the_environment_at_a_server_of_their_own(bench: Bench) -> None:
    with pytest.raises(Unusable) as refusal:
        bench.add_endpoint("mine", key_variable=VARIABLE)
    assert VARIABLE in refusal.value.fields["key_variable"]
    with pytest.raises(Unusable):
        edit_endpoint(actor=bench.cast.manager, endpoint=bench.endpoint, key_variable=VARIABLE)
    endpoint = unbound(bench)
    tried = try_endpoint(actor=bench.cast.manager, endpoint=endpoint)
    assert "is not bound" in tried.sentence
    work_off(bench.start(endpoints=[endpoint]).waiting)
    assert Call.objects.get(endpoint=endpoint).reason_code == "key_not_bound"
    assert bench.stub.log == ()


def test_a_bound_key_is_sent_to_its_server_and_to_no_other(bench: Bench) -> None:
    bind_variable(bench.stub, VARIABLE)
    keyed = bench.add_endpoint("keyed", key_variable=VARIABLE)
    assert try_endpoint(actor=bench.cast.manager, endpoint=keyed).is_well
    assert sent_keys(bench.stub) == [f"Bearer {KEY}"]
    with StubServer() as other:
        for base_url in (other.base_url, bench.stub.base_url.replace("127.0.0.1", "localhost")):
            with pytest.raises(Unusable):
                edit_endpoint(actor=bench.cast.manager, endpoint=keyed, base_url=base_url)
            Endpoint.objects.filter(pk=keyed.pk).update(base_url=base_url)
            moved = Endpoint.objects.get(pk=keyed.pk)
            assert not try_endpoint(actor=bench.cast.manager, endpoint=moved).is_well
        assert other.log == ()
    assert len(bench.stub.log) == 1


@pytest.mark.parametrize("how", ["unbound", "host withdrawn", "bound elsewhere"])
def test_a_key_that_is_bound_away_is_not_sent_any_more(bench: Bench, ada: User, how: str) -> None:
    bind_variable(bench.stub, VARIABLE)
    keyed = bench.add_endpoint("keyed", key_variable=VARIABLE)
    if how == "unbound":
        unbind_key(actor=ada, binding=KeyBinding.objects.get())
    elif how == "host withdrawn":
        withdraw_host(actor=ada, host=AllowedHost.objects.get())
    else:
        bind_key(actor=ada, variable=VARIABLE, address="api.example.com")
    work_off(bench.start(endpoints=[keyed]).waiting)
    assert Call.objects.get(endpoint=keyed).reason_code == "key_not_bound"
    assert bench.stub.log == ()


@pytest.mark.parametrize(
    ("base_url", "sends"),
    [
        ("https://1.1.1.1/v1", True),
        ("http://1.1.1.1/v1", False),
        ("http://10.0.0.7:8000/v1", False),
        ("https://10.0.0.7:8000/v1", True),
        ("http://127.0.0.1:8000/v1", True),
        ("http://localhost:8000/v1", True),
        ("http://[::1]:8000/v1", True),
    ],
)
def test_a_key_is_sent_over_tls_or_to_this_machine(
    bench: Bench, ada: User, settings: Settings, base_url: str, sends: bool
) -> None:
    settings.LLM_ALLOW_PRIVATE = frozenset({"10.0.0.7", "127.0.0.1", "localhost", "::1"})
    bind_key(actor=ada, variable=VARIABLE, address=base_url)
    wanted = {"name": "keyed", "model": "m", "base_url": base_url}
    assert create_endpoint(actor=bench.cast.manager, project=bench.cast.project, **wanted)  # without a key
    wanted |= {"name": "with", "key_variable": VARIABLE}
    if sends:
        assert create_endpoint(actor=bench.cast.manager, project=bench.cast.project, **wanted)
        return
    with pytest.raises(Unusable, match="https"):
        create_endpoint(actor=bench.cast.manager, project=bench.cast.project, **wanted)


def test_no_call_follows_a_server_elsewhere_with_a_key(bench: Bench) -> None:
    bind_variable(bench.stub, VARIABLE)
    moved = bench.add_endpoint("moved", "stub-redirect", key_variable=VARIABLE)
    assert not try_endpoint(actor=bench.cast.manager, endpoint=moved).is_well
    assert len(bench.stub.log) == 1


def test_binding_is_for_administrators_and_leaves_a_trace(bench: Bench, ada: User) -> None:
    with pytest.raises(Forbidden):
        bind_key(actor=bench.cast.manager, variable=VARIABLE, address="api.example.com")
    typed = {"variable": VARIABLE, "address": bench.stub.base_url}
    assert browser(bench.cast.manager).post(reverse("jobs:bind_key"), typed).status_code == 403
    client = browser(ada)
    assert client.post(reverse("jobs:bind_key"), typed).status_code == 302
    binding = KeyBinding.objects.get()
    assert str(binding.host) == f"127.0.0.1:{bench.stub.port}"
    assert VARIABLE in client.get(reverse("jobs:hosts")).content.decode()
    unbind = reverse("jobs:unbind_key", args=[binding.pk])
    assert browser(bench.cast.manager).post(unbind).status_code == 403
    assert client.post(unbind).status_code == 302
    assert client.post(unbind).status_code == 404
    verbs = AuditEvent.objects.filter(subject_type="jobs.keybinding").order_by("pk")
    assert [event.verb for event in verbs] == ["bind_key", "unbind_key"]


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"variable": "PARABLE_SECRET_KEY", "address": "api.example.com"}, "PARABLE_LLM_KEY_*"),
        ({"variable": VARIABLE, "address": "*.example.com"}, "one exact host"),
    ],
)
def test_it_binds_variables_meant_for_keys_to_exact_hosts(
    ada: User, typed: dict[str, str], field: str
) -> None:
    answer = browser(ada).post(reverse("jobs:bind_key"), typed)
    assert answer.status_code == 400
    assert field in answer.content.decode()
    assert not KeyBinding.objects.exists()


def test_pages_say_what_to_do_about_an_unbound_key(bench: Bench, ada: User) -> None:
    endpoint = unbound(bench)
    sentence = f"An administrator must first bind {VARIABLE} to 127.0.0.1:{bench.stub.port}"
    for name, rest in (("endpoints", ()), ("endpoint", (endpoint.pk,))):
        url = reverse(f"generation:{name}", args=[bench.cast.project.slug, *rest])
        assert sentence in browser(bench.cast.manager).get(url).content.decode()
    page = browser(ada).get(reverse("generation:endpoint", args=[bench.cast.project.slug, endpoint.pk]))
    assert f"variable={VARIABLE}" in page.content.decode()


def test_a_command_binds_a_key(bench: Bench) -> None:
    out = io.StringIO()
    call_command("bind_key", VARIABLE, bench.stub.base_url, "--json", stdout=out)
    host = f"127.0.0.1:{bench.stub.port}"
    assert json.loads(out.getvalue().splitlines()[-1]) == {"variable": VARIABLE, "host": host}
    assert try_endpoint(
        actor=bench.cast.manager, endpoint=bench.add_endpoint("k", key_variable=VARIABLE)
    ).is_well
    with pytest.raises(CommandError) as refusal:
        call_command("bind_key", "PATH", "api.example.com")
    assert refusal.value.returncode == 2
