"""Keys that managers store: sealed, for allowed servers only, and never shown to anybody again."""

from __future__ import annotations

import io
import logging
from typing import Any

import pytest
from django.contrib import admin
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import AuditEvent
from accounts.services import system_account
from core.errors import Conflict, Forbidden, Unusable
from jobs.models import AllowedHost, Call, Endpoint, StoredKey
from jobs.seal import Unreadable, reseal, seal, unseal
from jobs.services import (
    allow_host,
    create_endpoint,
    discard_key,
    edit_endpoint,
    store_key,
    try_endpoint,
    withdraw_host,
)
from tests.everywhere import dumped, every_row, redis_values
from tests.factories import make_project, make_user
from tests.generation.bench import Bench, bind_variable, work_off
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db

KEY = "sk-9f8e7d6c5b4a3f2e1d0c-only-the-server-knows"
OLD, NEW = "an-old-secret-that-seals-the-keys-0000", "a-new-secret-that-seals-the-keys-1111"


@pytest.fixture
def keyed(bench: Bench) -> Endpoint:
    """An endpoint at the stub, with a stored key."""
    allow_host(actor=make_user("Ada", administrator=True), address=bench.stub.base_url)
    store_key(actor=bench.cast.manager, endpoint=bench.endpoint, key=f" {KEY}\n")
    return bench.endpoint


def page(bench: Bench, name: str, *args: object) -> str:
    return reverse(f"generation:{name}", args=[bench.cast.project.slug, *args])


def sent_keys(bench: Bench) -> list[str]:
    return [dict(seen.headers).get("authorization", "") for seen in bench.stub.log]


# --- sealing ---


def test_it_opens_what_it_sealed_and_nothing_else() -> None:
    sealed = seal(KEY, place="7 https://a.example:443", secrets=[OLD])
    assert KEY not in sealed
    assert unseal(sealed, place="7 https://a.example:443", secrets=[NEW, OLD]) == KEY
    for place, secrets in (("8 https://a.example:443", [OLD]), ("7 https://a.example:443", [NEW])):
        with pytest.raises(Unreadable):
            unseal(sealed, place=place, secrets=secrets)
    with pytest.raises(Unreadable):
        unseal(sealed[:-4] + "AAAA", place="7 https://a.example:443", secrets=[OLD])
    anew = reseal(sealed, secrets=[NEW, OLD])
    assert unseal(anew, place="7 https://a.example:443", secrets=[NEW]) == KEY
    with pytest.raises(Unreadable):
        reseal(sealed, secrets=[NEW])


# --- storing ---


def test_it_sends_a_stored_key_to_its_server(bench: Bench, keyed: Endpoint) -> None:
    assert try_endpoint(actor=bench.cast.manager, endpoint=keyed).is_well
    work_off(bench.start().waiting)
    assert sent_keys(bench) == [f"Bearer {KEY}"] * 2


def test_it_stores_keys_for_allowed_servers_only(bench: Bench) -> None:
    ada = make_user("Ada", administrator=True)
    for address in ("127.0.0.1", "https://127.0.0.1/v1", f"localhost:{bench.stub.port}"):
        allow_host(actor=ada, address=address)  # another port, another name
        with pytest.raises(Unusable) as caught:
            store_key(actor=bench.cast.manager, endpoint=bench.endpoint, key=KEY)
        assert f"127.0.0.1:{bench.stub.port}" in caught.value.fields["key"]
        assert KEY not in str(caught.value)
    allow_host(actor=ada, address=f"127.0.0.1:{bench.stub.port}")
    store_key(actor=bench.cast.manager, endpoint=bench.endpoint, key=KEY)
    assert StoredKey.objects.count() == 1


def test_it_allows_no_name_below_an_allowed_one(settings: Settings) -> None:
    cast = make_project()
    allow_host(actor=make_user("Ada", administrator=True), address="example.com")
    for base_url in (
        "https://api.example.com/v1",
        "https://example.com.evil.example",
        "https://example.com:8443",
    ):
        endpoint = create_endpoint(
            actor=cast.manager, project=cast.project, name=base_url, model="m", base_url=base_url
        )
        with pytest.raises(Unusable):
            store_key(actor=cast.manager, endpoint=endpoint, key=KEY)


def test_it_sends_no_stored_key_in_the_clear_beyond_the_own_network() -> None:
    cast = make_project()
    allow_host(actor=make_user("Ada", administrator=True), address="http://1.1.1.1/v1")
    endpoint = create_endpoint(
        actor=cast.manager, project=cast.project, name="plain", model="m", base_url="http://1.1.1.1/v1"
    )
    with pytest.raises(Unusable, match="https"):
        store_key(actor=cast.manager, endpoint=endpoint, key=KEY)


@pytest.mark.parametrize(
    "key", ["", "  ", "two words", "sk-schlüssel", "sk-\x00", "sk-a\nX-Evil: 1", "k" * 501]
)
def test_it_refuses_what_is_no_key_without_repeating_it(bench: Bench, keyed: Endpoint, key: str) -> None:
    with pytest.raises(Unusable) as caught:
        store_key(actor=bench.cast.manager, endpoint=keyed, key=key)
    assert not key.strip() or key.strip() not in str(caught.value)


def test_it_leaves_keys_to_managers_and_hosts_to_administrators(bench: Bench, keyed: Endpoint) -> None:
    for actor in (bench.cast.writer, bench.cast.reviewer, bench.cast.outsider):
        with pytest.raises(Forbidden):
            store_key(actor=actor, endpoint=keyed, key=KEY)
        with pytest.raises(Forbidden):
            discard_key(actor=actor, endpoint=keyed)
    with pytest.raises(Forbidden):
        allow_host(actor=bench.cast.manager, address="api.example.com")
    with pytest.raises(Forbidden):
        withdraw_host(actor=bench.cast.manager, host=AllowedHost.objects.get())
    host_list = reverse("jobs:hosts")
    assert browser(bench.cast.manager).get(host_list).status_code == 403
    store, discard = page(bench, "store_key", keyed.pk), page(bench, "discard_key", keyed.pk)
    for url in (store, discard):
        assert browser(bench.cast.writer).post(url, {"key": KEY}).status_code == 403
        assert browser(bench.cast.outsider).post(url, {"key": KEY}).status_code == 404
        assert browser(bench.cast.manager).get(url).status_code == 405
    other = make_project()
    foreign = reverse("generation:store_key", args=[other.project.slug, keyed.pk])
    assert browser(other.manager).post(foreign, {"key": KEY}).status_code == 404


def test_it_stores_none_where_the_site_has_no_secret(
    bench: Bench, keyed: Endpoint, settings: Settings
) -> None:
    settings.KEY_SECRETS = []
    with pytest.raises(Conflict, match="PARABLE_KEY_SECRETS"):
        store_key(actor=bench.cast.manager, endpoint=keyed, key=KEY)
    tried = try_endpoint(actor=bench.cast.manager, endpoint=keyed)
    assert "can no longer be decrypted" in tried.sentence
    assert (
        "PARABLE_KEY_SECRETS"
        in browser(bench.cast.manager).get(page(bench, "endpoint", keyed.pk)).content.decode()
    )


# --- where it goes, and where not ---


def test_it_forgets_the_key_when_the_server_changes(bench: Bench, keyed: Endpoint) -> None:
    edit_endpoint(
        actor=bench.cast.manager, endpoint=keyed, base_url=bench.stub.base_url + "/", name="renamed"
    )
    assert StoredKey.objects.filter(endpoint=keyed).exists()
    edit_endpoint(actor=bench.cast.manager, endpoint=keyed, base_url="https://1.1.1.1/v1")
    assert not StoredKey.objects.filter(endpoint=keyed).exists()
    assert AuditEvent.objects.filter(verb="discard_key", subject_id=keyed.pk).count() == 1


def test_it_forgets_the_key_when_a_variable_takes_its_place(bench: Bench, keyed: Endpoint) -> None:
    bind_variable(bench.stub)
    edit_endpoint(actor=bench.cast.manager, endpoint=keyed, key_variable="PARABLE_LLM_KEY_TEST")
    assert not StoredKey.objects.filter(endpoint=keyed).exists()
    store_key(actor=bench.cast.manager, endpoint=keyed, key=KEY)
    assert Endpoint.objects.get(pk=keyed.pk).key_variable == ""


def test_it_sends_no_key_to_a_row_that_was_pointed_elsewhere(bench: Bench, keyed: Endpoint) -> None:
    other = bench.add_endpoint("other")
    StoredKey.objects.filter(endpoint=keyed).update(endpoint=other)  # as somebody in the database could
    tried = try_endpoint(actor=bench.cast.manager, endpoint=other)
    assert "can no longer be decrypted" in tried.sentence
    assert bench.stub.log == ()


def test_it_sends_no_key_to_a_server_that_is_allowed_no_longer(bench: Bench, keyed: Endpoint) -> None:
    ada = make_user("Eve", administrator=True)
    client = browser(ada)
    host = AllowedHost.objects.get()
    assert client.post(reverse("jobs:withdraw_host", args=[host.pk])).status_code == 302
    assert client.post(reverse("jobs:withdraw_host", args=[host.pk])).status_code == 404
    tried = try_endpoint(actor=bench.cast.manager, endpoint=keyed)
    assert (tried.is_well, bench.stub.log) == (False, ())
    assert client.post(reverse("jobs:hosts"), {"address": str(host), "note": "ours"}).status_code == 302
    assert try_endpoint(actor=bench.cast.manager, endpoint=keyed).is_well
    verbs = AuditEvent.objects.filter(subject_type="jobs.allowedhost").order_by("pk")
    assert [event.verb for event in verbs] == ["allow_host", "withdraw_host", "allow_host"]
    assert verbs[1].detail == {"host": str(host)}


@pytest.mark.parametrize(
    "address",
    ["*.example.com", ".example.com", "", "a b", "https://u:p@a.example", "10.1", "a.example:x", "ftp://a"],
)
def test_it_takes_exact_hosts_only(address: str) -> None:
    client = browser(make_user("Ada", administrator=True))
    assert client.post(reverse("jobs:hosts"), {"address": address}).status_code == 400
    assert not AllowedHost.objects.exists()


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        (" API.Example.com ", "api.example.com:443"),
        ("https://api.example.com/v1", "api.example.com:443"),
        ("llm.example.com:8000", "llm.example.com:8000"),
        ("http://llm.example.com/v1", "llm.example.com:80"),
        ("例子.测试", "xn--fsqu00a.xn--0zwm56d:443"),
    ],
)
def test_it_keeps_a_host_in_its_one_spelling(address: str, kept: str) -> None:
    host = allow_host(actor=make_user("Ada", administrator=True), address=address)
    assert str(host) == kept


# --- rotation ---


def test_it_changes_the_secret_without_losing_a_key(
    bench: Bench, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.KEY_SECRETS = [OLD]
    allow_host(actor=make_user("Ada", administrator=True), address=bench.stub.base_url)
    store_key(actor=bench.cast.manager, endpoint=bench.endpoint, key=KEY)
    settings.KEY_SECRETS = [NEW, OLD]
    assert try_endpoint(actor=bench.cast.manager, endpoint=bench.endpoint).is_well
    out = io.StringIO()
    call_command("reseal_keys", "--json", stdout=out)
    assert out.getvalue().splitlines()[-1] == '{"resealed":1,"unreadable":0}'
    settings.KEY_SECRETS = [NEW]
    assert try_endpoint(actor=bench.cast.manager, endpoint=bench.endpoint).is_well
    settings.KEY_SECRETS = [OLD]
    with pytest.raises(CommandError) as caught:
        call_command("reseal_keys")
    assert caught.value.returncode == 1
    assert system_account().audit_events.filter(verb="reseal_key").count() == 1


# --- the hunt ---


def test_it_shows_the_key_nowhere(
    bench: Bench, settings: Settings, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """Stores a key through the browser, uses it well and badly, then looks for it wherever a person could."""
    caplog.set_level(logging.DEBUG)
    ada, manager = make_user("Ada", administrator=True), browser(bench.cast.manager)
    bodies = [_store_through_pages(bench, ada, manager)]
    leaky = bench.add_endpoint("leaky", "stub-401")  # the server repeats the key in its refusal
    store_key(actor=bench.cast.manager, endpoint=leaky, key=KEY)
    for endpoint in (bench.endpoint, leaky):
        bodies.append(manager.post(page(bench, "test", endpoint.pk), HTTP_HX_REQUEST="true").content.decode())
        bodies.append(manager.post(page(bench, "test", endpoint.pk), follow=True).content.decode())
        work_off(bench.start(endpoints=[endpoint]).waiting)
    assert f"Bearer {KEY}" in sent_keys(bench)  # it was there to be found
    bodies += _pages_for_managers(bench, manager) + _pages_for_administrators(browser(ada))
    bodies += every_row("store_key") + _reprs(bench.endpoint)
    bodies += [
        dumped('"jobs.storedkey"', "jobs", "accounts"),
        caplog.text,
        *capsys.readouterr(),
        redis_values(),
    ]
    for body in bodies:
        for part in (KEY, KEY[3:23], KEY[-20:]):
            assert part not in body


def _store_through_pages(bench: Bench, ada: Any, manager: Client) -> str:
    url = page(bench, "store_key", bench.endpoint.pk)
    refused = manager.post(url, {"key": KEY})  # no host is allowed yet
    assert refused.status_code == 400
    allow_host(actor=ada, address=bench.stub.base_url)
    malformed = manager.post(url, {"key": f"{KEY} {KEY}"})
    too_long = manager.post(url, {"key": KEY * 30})
    assert (malformed.status_code, too_long.status_code) == (400, 400)
    stored = manager.post(url, {"key": KEY}, follow=True)
    assert "API key stored" in stored.content.decode()
    return "".join(answer.content.decode() for answer in (refused, malformed, too_long, stored))


def _pages_for_managers(bench: Bench, manager: Client) -> list[str]:
    calls = Call.objects.order_by("pk")
    wanted = [page(bench, "endpoints"), *(page(bench, "endpoint", e.pk) for e in Endpoint.objects.all())]
    for call in calls:
        wanted += [
            reverse("jobs:job", args=[bench.cast.project.slug, call.job_id]),
            f"/api/v1/jobs/{call.job_id}",
        ]
    wanted += ["/api/v1/schema/", reverse("dashboard:project", args=[bench.cast.project.slug])]
    answers = [manager.get(url, follow=True) for url in wanted]
    assert {answer.status_code for answer in answers} == {200}
    return [answer.content.decode() for answer in answers]


def _pages_for_administrators(client: Client) -> list[str]:
    found = [client.get(reverse("jobs:hosts"))]
    for model in admin.site._registry:
        if model._meta.app_label not in {"jobs", "accounts", "generation"}:
            continue
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        found.append(client.get(reverse(f"{name}_changelist")))
        found += [
            client.get(reverse(f"{name}_change", args=[row.pk])) for row in model._default_manager.all()[:20]
        ]
    assert {answer.status_code for answer in found} == {200}
    assert not any(
        row.sealed in answer.content.decode() for row in StoredKey.objects.all() for answer in found
    )
    return [answer.content.decode() for answer in found]


def _reprs(endpoint: Endpoint) -> list[str]:
    row = StoredKey.objects.get(endpoint=endpoint)
    shown = [repr(row), str(row), repr(endpoint), str(endpoint)]
    assert not any(row.sealed in text for text in shown)
    return [*shown, repr(vars(endpoint)), repr(vars(row))]
