"""Endpoints: what may be asked, and what no endpoint ever learns."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from core.errors import Forbidden, Unusable
from jobs.models import Endpoint
from jobs.services import create_endpoint, try_endpoint
from parable.llm.stub import StubServer
from tests.factories import Cast
from tests.generation.bench import Bench, bind_variable

pytestmark = pytest.mark.django_db


def add(cast: Cast, **changes: Any) -> Endpoint:
    wanted = {"name": "glm", "model": "glm-4", "base_url": "https://1.1.1.1/v1"} | changes
    return create_endpoint(actor=cast.manager, project=cast.project, **wanted)


def refusal(cast: Cast, **changes: Any) -> dict[str, str]:
    with pytest.raises(Unusable) as caught:
        add(cast, **changes)
    return caught.value.fields


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:8000/v1",
        "http://localhost/v1",
        "http://2130706433/v1",
        "http://0177.0.0.1/v1",
        "http://10.0.0.7/v1",
        "http://192.168.1.1/v1",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/v1",
        "http://[::ffff:10.0.0.1]/v1",
        "file:///etc/passwd",
        "https://user:secret@host.example/v1",
        "",
    ],
)
def test_it_refuses_addresses_inside_the_network(cast: Cast, address: str) -> None:
    assert "base_url" in refusal(cast, base_url=address)


def test_it_takes_a_private_host_that_the_settings_name(cast: Cast, settings: Settings) -> None:
    settings.LLM_ALLOW_PRIVATE = frozenset({"127.0.0.1:9000"})
    assert add(cast, base_url="http://127.0.0.1:9000/v1").pk
    assert "base_url" in refusal(cast, name="other", base_url="http://127.0.0.1:9001/v1")


@pytest.mark.parametrize(
    "variable",
    [
        "PARABLE_SECRET_KEY",
        "DATABASE_URL",
        "PATH",
        "PARABLE_LLM_KEYS",
        "parable_llm_key_x",
        "PARABLE_LLM_KEY_X Y",
    ],
)
def test_it_never_reads_a_variable_that_is_not_meant_for_keys(cast: Cast, variable: str) -> None:
    assert "PARABLE_LLM_KEY_*" in refusal(cast, key_variable=variable)["key_variable"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": " "}, "name"),
        ({"model": ""}, "model"),
        ({"parameters": {"model": "other"}}, "parameters"),
        ({"parameters": {"stream": True}}, "parameters"),
        ({"requests_per_minute": 0}, "requests_per_minute"),
        ({"parallel_calls": 0}, "parallel_calls"),
        ({"price_in": -1}, "price_in"),
        ({"created_by_id": 1}, "created_by_id"),
        ({"kind": "telepathy"}, "kind"),
    ],
)
def test_it_names_the_field_that_will_not_do(cast: Cast, changes: dict[str, Any], field: str) -> None:
    assert field in refusal(cast, **changes)


def test_it_gives_a_name_once_in_a_project(cast: Cast) -> None:
    add(cast)
    assert refusal(cast)


def test_it_leaves_endpoints_to_managers(cast: Cast) -> None:
    with pytest.raises(Forbidden):
        create_endpoint(
            actor=cast.writer,
            project=cast.project,
            name="glm",
            model="glm-4",
            base_url="https://1.1.1.1/v1",
        )
    with pytest.raises(Forbidden):
        try_endpoint(actor=cast.writer, endpoint=add(cast))


def test_it_echoes_neither_key_nor_page_when_tried(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setenv("PARABLE_LLM_KEY_TEST", "sk-very-secret-0123456789")
    bind_variable(bench.stub)
    locked = bench.add_endpoint("locked", "stub-401", key_variable="PARABLE_LLM_KEY_TEST")
    tried = try_endpoint(actor=bench.cast.manager, endpoint=locked)
    assert not tried.is_well
    assert "secret" not in tried.server_says
    page = try_endpoint(actor=bench.cast.manager, endpoint=bench.add_endpoint("page", "stub-garbage"))
    assert page.server_says == ""


def test_it_follows_no_redirect(bench: Bench) -> None:
    tried = try_endpoint(actor=bench.cast.manager, endpoint=bench.add_endpoint("moved", "stub-redirect"))
    assert not tried.is_well
    assert [seen.path for seen in bench.stub.log] == ["/v1/chat/completions"]


def test_it_judges_the_address_again_at_every_call(
    bench: Bench, settings: Settings, stub: StubServer
) -> None:
    settings.LLM_ALLOW_PRIVATE = frozenset()
    tried = try_endpoint(actor=bench.cast.manager, endpoint=bench.endpoint)
    assert "inside the network" in tried.sentence
    assert stub.log == ()
