"""What one request may bring: each limit holds to the last value, and a refusal is short."""

from __future__ import annotations

import io
import json
import uuid
from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ParseError, ValidationError

from annotation.content import LONGEST_CODE, MOST_TYPES, from_json
from config.middleware import LONGEST_FORM, MOST_ESCAPES
from config.parsers import MOST_VALUES, BoundedJSONParser
from config.refusals import LONGEST_ERROR, MOST_ERRORS, answer
from core.errors import Unusable
from core.marks import MOST_STACKED, has_stacked_marks
from parable.formats.json_reader import has_more_values
from parable.formats.limits import MAX_OPTIONS, MAX_STEM_CHARS
from release.forms import LONGEST_VALUE, MOST_CHOSEN, typed_options
from release.options import CONTENTS
from tests.factories import Cast, make_project, make_story
from web.serializers import DictField, ListField

pytestmark = pytest.mark.django_db

FORM: Final = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("[0,0,0]", 3),
        ('{"a":0,"b":[0,0]}', 4),
        ("[[[]]]", 3),
        ('["a,b,[{","c"]', 2),
        ('"[,,,"', 0),
        ('["\\",\\"",0]', 2),
    ],
)
def test_values_are_counted_where_they_are_and_not_in_texts(text: str, values: int) -> None:
    json.loads(text)
    assert not has_more_values(text, values)
    assert not values or has_more_values(text, values - 1)


@pytest.mark.parametrize(("make", "words"), [("0", "too many values"), ("a\u0301", "too many marks")])
def test_json_is_taken_up_to_its_limits_and_no_further(make: str, words: str) -> None:
    def parsed(amount: int) -> Any:
        value: Any = [0] * amount if make == "0" else "a" + "\u0301" * amount
        for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
            found = BoundedJSONParser().parse(io.BytesIO(text.encode()))
        return found

    most = MOST_VALUES if make == "0" else MOST_STACKED
    assert len(parsed(most)) >= most
    with pytest.raises(ParseError, match=words):
        parsed(most + 1)


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("e" + "\u0301" * MOST_STACKED, False),
        ("e" + "\u0301" * (MOST_STACKED + 1), True),
        ("e" + "\u0301\u0323" * MOST_STACKED, True),
        (("e" + "\u0301" * MOST_STACKED) * 100, False),
        ("\U0001d165" * (MOST_STACKED + 1), True),
        ("a" * 1000, False),
        ("\u6545\u4e8b" * 1000, False),
    ],
)
def test_so_many_marks_may_stand_upon_a_letter(text: str, is_refused: bool) -> None:
    assert has_stacked_marks(text) is is_refused


SIGN_IN: Final = "/accounts/login/"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"login=" + b"a" * (LONGEST_FORM - len("login")), 200),
        (b"login=" + b"a" * (LONGEST_FORM - len("login") + 1), 413),
        (b"login=a&" + b"b" * (LONGEST_FORM - len("logina") + 1) + b"=", 413),
        (b"login=" + b"%E6%95%85" * (LONGEST_FORM - 10), 200),
        (b"login=" + b"%F0%9F%A6%8A" * (MOST_ESCAPES // 4), 200),
        (b"login=" + b"%F0%9F%A6%8A" * (MOST_ESCAPES // 4) + b"%20", 413),
        (b"login=a" + b"%CC%81" * MOST_STACKED, 200),
        (b"login=a" + b"%CC%81" * (MOST_STACKED + 1), 400),
    ],
)
def test_a_form_is_read_up_to_its_limits_and_no_further(client: Client, body: bytes, status: int) -> None:
    """Anybody may send one, to any address."""
    given = client.post(SIGN_IN, body, content_type=FORM)
    assert given.status_code == status
    if status != 200:
        assert len(given.content) < 20_000
        assert b"Nothing was changed" in given.content


def _save(client: Client, cast: Cast, **content: Any) -> Any:
    body = {
        "project": cast.project.slug, "story": make_story(cast).pk, "task": "commonsense", "sequence": 1,
        "content": content,
    }  # fmt: skip
    client.force_login(cast.writer)
    return client.put(f"/api/v1/drafts/{uuid.uuid4()}/", body, content_type="application/json")


def test_a_list_is_refused_by_its_length_before_its_entries_are_read(client: Client) -> None:
    given = _save(client, make_project(), options=[0] * (MAX_OPTIONS + 1))
    message = f"Ensure this field has no more than {MAX_OPTIONS} elements."
    assert given.json()["fields"] == {"content": {"options": [message]}}
    assert given.json()["detail"] == message
    given = _save(client, make_project(), answered_warnings={str(one): 0 for one in range(201)})
    assert "no more than 200" in given.json()["fields"]["content"]["answered_warnings"][0]


@pytest.mark.parametrize(("make", "most"), [(ListField, 3), (DictField, 3)])
def test_a_field_takes_as_many_entries_as_it_says(make: Any, most: int) -> None:
    field = make(child=serializers.IntegerField(), max_length=most)

    def given(size: int, value: object) -> Any:
        return [value] * size if make is ListField else {str(one): value for one in range(size)}

    assert field.run_validation(given(most, 1)) == given(most, 1)
    with pytest.raises(ValidationError) as refused:
        field.run_validation(given(most + 1, "no number"))
    assert refused.value.get_codes() == ["max_length"]


def _made_of(shape: type[serializers.Serializer[Any]]) -> Iterator[type[serializers.Serializer[Any]]]:
    for one in shape.__subclasses__():
        yield one
        yield from _made_of(one)


def test_every_list_and_object_that_is_sent_has_a_limit(client: Client) -> None:
    """Of every shape that the schema names as the JSON of a request."""
    client.force_login(make_project().writer)
    described = client.get("/api/v1/schema/?format=json").json()
    sent = set()
    for operations in described["paths"].values():
        for operation in operations.values():
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                if kind == "application/json":
                    name = content["schema"]["$ref"].rpartition("/")[2]
                    either = described["components"]["schemas"][name].get("oneOf", [content["schema"]])
                    sent |= {one["$ref"].rpartition("/")[2].removeprefix("Patched") for one in either}
    shapes = {one.__name__.removesuffix("Serializer"): one for one in _made_of(serializers.Serializer)}
    assert sent > {"Draft", "Slots", "BegunAnswer", "Comment", "NewProject"}
    waiting: list[serializers.Field[Any, Any, Any, Any]] = [shapes[name]() for name in sorted(sent)]
    while waiting:
        field = waiting.pop()
        assert not isinstance(field, serializers.ListSerializer)
        if isinstance(field, serializers.ListField | serializers.DictField):
            assert isinstance(field, ListField | DictField), f"{field.field_name}: of web.serializers"
            waiting.append(field.child)
        elif isinstance(field, serializers.Serializer):
            waiting += field.fields.values()
        elif type(field) is serializers.CharField:
            assert field.max_length, field.field_name


def _leaves(errors: Any) -> list[str]:
    if isinstance(errors, dict):
        return [leaf for one in errors.values() for leaf in _leaves(one)]
    return [leaf for one in errors for leaf in _leaves(one)] if isinstance(errors, list) else [errors]


@pytest.mark.parametrize("many", [MOST_ERRORS, MOST_ERRORS + 1, 1000])
def test_an_answer_has_ten_errors_at_most_and_short_ones(many: int) -> None:
    long = "x" * (LONGEST_ERROR + 1)
    trees: list[Exception] = [
        ValidationError({f"{one} {long}": [ErrorDetail(long)] for one in range(many)}),
        ValidationError([long] * many),
        ValidationError({"a": {"b": [{"c": [long]} for _one in range(many)]}}),
        Unusable("no", {f"{one} {long}": long for one in range(many)}),
    ]
    for tree in trees:
        given = answer(tree, {})
        assert given is not None
        found = _leaves(given.data["fields"])
        assert len(found) == MOST_ERRORS
        assert {len(one) for one in found} == {LONGEST_ERROR}
        assert len(json.dumps(given.data)) < MOST_ERRORS * 3 * LONGEST_ERROR


def test_an_error_of_a_form_does_not_repeat_what_was_sent(client: Client) -> None:
    cast = make_project()
    client.force_login(cast.manager)
    address = reverse("accounts:profile")
    plain = client.get(address)
    given = client.post(address, {"language": "x" * 100_000})
    assert given.status_code == 200
    assert b"is not one of the available choices" in given.content or b"xxx" in given.content
    assert len(given.content) < len(plain.content) + 5000


def test_what_is_too_long_is_judged_by_nothing_else(client: Client) -> None:
    """Other checks compare words with words: 195,000 characters took them 3.4 s."""
    cast = make_project()
    client.force_login(cast.writer)
    story, draft = make_story(cast), uuid.uuid4()

    def checks(stem: str) -> set[str]:
        options = [{"text": "Same text", "is_key": index == 0} for index in range(2)]
        body = {
            "project": cast.project.slug,
            "story": story.pk,
            "task": "commonsense",
            "sequence": 1,
            "content": {"stem": stem, "options": options},
        }
        address = f"/api/v1/drafts/{draft}/"
        assert client.put(address, body, content_type="application/json").status_code == 200
        return {problem["code"] for problem in client.post(f"{address}check/").json()["problems"]}

    assert len(checks("a" * MAX_STEM_CHARS)) > 1
    draft = uuid.uuid4()
    assert checks("a" * (MAX_STEM_CHARS + 1)) == {"too_long"}


def test_a_form_of_an_item_keeps_as_many_types_as_an_item_may_have() -> None:
    read = from_json({"types": [f"t{number}" for number in range(MOST_TYPES + 1)]})
    assert len(read.types) == MOST_TYPES
    assert from_json({"types": ["a" * LONGEST_CODE, "a" * (LONGEST_CODE + 1)]}).types == ("a" * LONGEST_CODE,)


def test_a_release_draft_keeps_what_was_typed_up_to_a_length() -> None:
    sent = QueryDict(mutable=True)
    sent["version"] = "1" * (LONGEST_VALUE + 1)
    sent.setlist("tasks", ["a" * (LONGEST_VALUE + 1)] * (MOST_CHOSEN + 1))
    typed = typed_options(CONTENTS, sent)
    assert len(typed["version"]) == LONGEST_VALUE
    assert typed["tasks"] == ["a" * LONGEST_VALUE] * MOST_CHOSEN
