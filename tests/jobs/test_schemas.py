"""Structured output where the server takes it; where it does not, nobody finds out twice."""

from __future__ import annotations

import json

import pytest
from django.conf import settings as site
from redis import Redis

from generation.models import Candidate
from jobs.models import AnswerFormat, Call, CallState, Endpoint
from jobs.services import edit_endpoint
from parable.llm.stub import StubServer
from tests.factories import make_story
from tests.generation.bench import Bench, work_off

pytestmark = pytest.mark.django_db


def asked_with_schema(server: StubServer) -> list[bool]:
    return ["response_format" in json.loads(seen.body) for seen in server.log]


def test_it_asks_with_a_schema_of_as_many_strings_as_are_wanted(bench: Bench) -> None:
    work_off(bench.start().waiting)
    call = Call.objects.get()
    sent = json.loads(bench.stub.log[0].body)["response_format"]["json_schema"]["schema"]
    assert sent == call.schema
    assert sent["properties"]["candidates"]["maxItems"] == bench.template.wanted == 3
    assert (call.asked_as, Endpoint.objects.get(pk=bench.endpoint.pk).takes_schema) == (
        AnswerFormat.SCHEMA,
        True,
    )
    assert json.loads(call.raw_response)
    assert Candidate.objects.count() == 3


def test_it_falls_back_to_plain_words_once_and_remembers(bench: Bench) -> None:
    endpoint = bench.add_endpoint("plain", "stub-plain", parallel_calls=1)
    stories = [bench.story, make_story(bench.cast), make_story(bench.cast)]
    work_off(bench.start(endpoints=[endpoint], stories=stories).waiting)
    assert asked_with_schema(bench.stub) == [True, False, False, False]
    assert set(Call.objects.values_list("state", "asked_as", "attempts")) == {(CallState.DONE, "plain", 1)}
    assert Endpoint.objects.get(pk=endpoint.pk).takes_schema is False
    assert Candidate.objects.count() == 9


def test_it_counts_the_question_in_plain_words_as_a_request_of_its_own(bench: Bench) -> None:
    endpoint = bench.add_endpoint("plain", "stub-plain")
    work_off(bench.start(endpoints=[endpoint]).waiting)
    with Redis.from_url(site.REDIS_URL) as redis:
        assert redis.zcard(f"parable:llm:sent:{endpoint.pk}") == len(bench.stub.log) == 2


def test_it_blames_the_schema_only_where_plain_words_are_taken(bench: Bench) -> None:
    endpoint = bench.add_endpoint("strict", "stub-400")
    work_off(bench.start(endpoints=[endpoint]).waiting)
    call = Call.objects.get()
    assert (call.state, call.reason_code) == (CallState.FAILED, "bad_request")
    assert Endpoint.objects.get(pk=endpoint.pk).takes_schema is None


def test_it_reads_an_answer_that_took_no_notice_of_the_schema(bench: Bench) -> None:
    endpoint = bench.add_endpoint("chatty", "stub-think")
    work_off(bench.start(endpoints=[endpoint]).waiting)
    assert Candidate.objects.count() == 3


def test_it_finds_out_anew_after_the_model_was_changed(bench: Bench) -> None:
    endpoint = bench.add_endpoint("plain", "stub-plain")
    work_off(bench.start(endpoints=[endpoint]).waiting)
    assert (
        edit_endpoint(actor=bench.cast.manager, endpoint=endpoint, requests_per_minute=500).takes_schema
        is False
    )
    assert edit_endpoint(actor=bench.cast.manager, endpoint=endpoint, model="stub-ok").takes_schema is None
    work_off(bench.start(endpoints=[Endpoint.objects.get(pk=endpoint.pk)]).waiting)
    assert asked_with_schema(bench.stub) == [True, False, True]
    assert Endpoint.objects.get(pk=endpoint.pk).takes_schema is True
