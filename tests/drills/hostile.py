"""Requests as large as the site takes, made from its own pages, addresses and schema.

What a form sends is read from the pages that show it and from the names that its view asks for; what the
programming interface takes, from its schema. One field at a time is then made hostile, the rest stays valid.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from typing import Any, Final
from unittest.mock import patch
from urllib.parse import urlencode, urljoin, urlsplit

from django.conf import settings
from django.http import QueryDict
from django.urls import Resolver404, resolve

from config.middleware import LONGEST_FORM, MOST_ESCAPES
from config.parsers import MOST_VALUES
from core.marks import MOST_STACKED

BODY: Final = settings.SMALL_BODY - 64 * 1024
"""Bytes of a hostile body; the rest is left to what is valid in it."""
TEXT: Final = LONGEST_FORM - 5000
"""Characters of a hostile field of a form, likewise."""
SHORT: Final = 4000
"""Characters of a text that most fields take: what comes after the check of its length is reached."""
MANY: Final = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS - 100
QUERY: Final = 4000
"""Bytes of a query: gunicorn takes a first line of 4,094."""

FORM: Final = "application/x-www-form-urlencoded"
JSON: Final = "application/json"
BOUNDARY: Final = "b" * 60
MULTIPART: Final = f"multipart/form-data; boundary={BOUNDARY}"

Fields = dict[str, list[str]]


def _words(size: int) -> str:
    """Different words, in sentences: what is compared, counted or split has the most to do."""
    return " ".join(f"w{index:x}" + "." * (index % 9 == 0) for index in range(size // 3))[:size]


TEXTS: Final[dict[str, Callable[[int], str]]] = {
    "many words": _words,
    "digits": lambda size: "9" * size,
    "letters that grow": lambda size: "\ufdfa" * size,
    "a list in it": lambda size: "[" + ",".join("0" * (size // 2 - 1)) + "]",
    "one word": lambda size: "a" * size,
    "one sentence again and again": lambda size: ("The hare slept. " * (size // 16 + 1))[:size],
    "white space": lambda size: "a" + " \n" * (size // 2 - 1) + "a",
    "lines": lambda size: "a\n" * (size // 2),
    "brackets": lambda size: "[" * size,
    "escapes": lambda size: '{"a":"' + '\\"' * (size // 2 - 3),
    "an object in it": lambda size: "{" + ",".join(f'"{each:x}":0' for each in range(size // 10)) + "}",
    "marks upon a letter": lambda size: "a" + "\u0301\u0323" * (size // 2),
    "marks upon letters": lambda size: ("a" + "\u0301\u0323" * (MOST_STACKED // 2)) * (size // 31),
    "commas": lambda size: "1," * (size // 2),
    "markup": lambda size: "<&\"'" * (size // 4),
    "Markdown": lambda size: ("# a\n* b\n> _c_ **d** [e](f) `g`\n" * (size // 32 + 1))[:size],
    "nested Markdown": lambda size: ">" * (size // 2) + "[" * (size // 2),
}
"""A text of about so many characters, by what is hard about it."""


@cache
def text_of(shape: str, size: int) -> str:
    """Return the hostile text; most are sent many times."""
    return TEXTS[shape](size)


@dataclass(slots=True)
class Sending:
    """A request with nothing hostile in it: who sends it where, and what it says.

    `files`: the fields for files of its form. `body`: what goes as JSON, in place of a form. `plain`: how
    many bytes its answer has.
    """

    route: str
    role: str
    method: str
    address: str
    fields: Fields = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    body: Any = None
    plain: int = 0

    @property
    def encoded(self) -> tuple[bytes, str]:
        """The body as it is sent, and its type."""
        if self.body is not None:
            return json.dumps(self.body).encode(), JSON
        return encoded(self.fields), FORM


@dataclass(frozen=True, slots=True)
class Hostile:
    """What is sent in place of it; `text`: what the page may give back to its sender, so many times."""

    shape: str
    data: bytes = b""
    content_type: str = FORM
    query: str = ""
    text: str = ""
    times: int = 1


def encoded(fields: Fields) -> bytes:
    """Return the fields as a form sends them."""
    return urlencode(fields, doseq=True).encode()


class _Forms(HTMLParser):
    """Reads the forms of a page that are posted: where they go, and what they send as they stand."""

    PLAIN: Final = {
        "number": "1",
        "date": "2031-05-04",
        "url": "https://example.org/v1",
        "text": "Some words",
    }

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, Fields, list[str]]] = []
        self._by_id: dict[str, tuple[Fields, list[str]]] = {}
        self._open: tuple[Fields, list[str]] | None = None
        self._select = self._area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._open = {}, []
            if given.get("method", "get").lower() == "post" or "hx-post" in given:
                self.found.append((given.get("hx-post") or given.get("action", ""), *self._open))
            self._by_id[given.get("id", "")] = self._open
        elif form := self._by_id.get(given["form"]) if "form" in given else self._open:
            if "formaction" in given:
                self.found.append((given["formaction"], *form))
            self._put(tag, given, *form)

    def _put(self, tag: str, given: dict[str, str], fields: Fields, files: list[str]) -> None:
        name, kind = given.get("name", ""), given.get("type", "text")
        if tag == "option" and self._select:
            values = fields.setdefault(self._select, [])
            if "selected" in given or (not values and given.get("value")):
                values[:] = [given.get("value", "")]
        elif tag == "select":
            self._select = name
        elif tag == "textarea" and name:
            self._area = name
            fields[name] = ["Some words"]
        elif kind == "file" and name:
            files.append(name)
        elif tag in ("input", "button") and name:
            if kind not in ("radio", "checkbox"):
                fields.setdefault(name, []).append(given.get("value") or self.PLAIN.get(kind, ""))
            elif name not in fields or "checked" in given:
                fields[name] = [given.get("value", "on")]

    def handle_data(self, data: str) -> None:
        if self._area and self._open is not None and data.strip():
            self._open[0][self._area] = [data]

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        elif tag == "select":
            self._select = ""
        elif tag == "textarea":
            self._area = ""


def forms_of(address: str, page: str, role: str) -> Iterator[Sending]:
    """Yield what each form of a page sends as it stands."""
    reader = _Forms()
    reader.feed(page)
    for action, fields, files in reader.found:
        target = urljoin(address, action)
        try:
            match = resolve(urlsplit(target).path)
        except Resolver404:
            continue
        filtered = {name: values for name, values in fields.items() if name != "csrfmiddlewaretoken"}
        yield Sending(match.view_name, role, "POST", target, filtered, files)


@contextmanager
def names_asked() -> Iterator[set[str]]:
    """The names that views ask of what was sent, in the form and in the query."""
    asked: set[str] = set()

    def noting(method: Callable[..., Any]) -> Callable[..., Any]:
        def noted(self: QueryDict, name: str, *rest: Any, **named: Any) -> Any:
            asked.add(name)
            return method(self, name, *rest, **named)

        return noted

    names = ("get", "getlist", "__getitem__", "__contains__")
    noted: dict[str, Any] = {name: noting(getattr(QueryDict, name)) for name in names}
    with patch.multiple(QueryDict, **noted):
        yield asked
    asked.discard("csrfmiddlewaretoken")


def hostile_forms(sending: Sending, *, whole: bool) -> Iterator[Hostile]:
    """Yield the form with one field hostile at a time, and with all; in a sample each field is so once."""
    for index, name in enumerate(sending.fields):
        every = [(shape, size) for size in (TEXT, SHORT) for shape in TEXTS]
        for shape, size in every if whole else [every[(index * 7 + len(sending.route)) % len(every)]]:
            text = text_of(shape, size)
            data = encoded(sending.fields | {name: [text]})
            yield Hostile(f"{name}: {shape}, {size}", data, text=text)
        if whole:
            values = [*sending.fields[name], *map(str, range(MANY))]
            yield Hostile(f"{name}: many values", encoded(sending.fields | {name: values}))
    if sending.fields:
        long = text_of("many words", TEXT // len(sending.fields))
        data = encoded({name: [long] for name in sending.fields})
        yield Hostile("every field: many words", data, text=long, times=len(sending.fields))
        long = text_of("many words", TEXT // MANY)
        several = {name: [long] * (MANY // len(sending.fields)) for name in sending.fields}
        yield Hostile("every field: many long values", encoded(several))


def hostile_wholes(sending: Sending) -> Iterator[Hostile]:
    """Yield forms that are hostile as a whole, whatever their fields."""
    own = encoded(sending.fields) + b"&"
    yield Hostile(
        "a formset without end", own + b"form-TOTAL_FORMS=" + b"9" * 4000 + b"&form-INITIAL_FORMS=0"
    )
    yield Hostile("many fields", own + "&".join(f"f{each}=1" for each in range(MANY)).encode())
    yield Hostile("too many fields", b"a=1&" * (BODY // 4))
    yield Hostile("ampersands", b"&" * BODY)
    yield Hostile("percent signs", b"a=" + b"%" * BODY)
    yield Hostile("as many percent signs as may be", b"a=" + b"%" * MOST_ESCAPES)
    yield Hostile("one long text", own + b"a=" + b"a" * BODY)
    part = f'--{BOUNDARY}\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n'.encode()
    yield Hostile("many parts", part * (BODY // len(part)) + f"--{BOUNDARY}--\r\n".encode(), MULTIPART)
    yield Hostile("line ends in a part", part[:-3] + b"\r\n" * (BODY // 2), MULTIPART)
    yield Hostile("a part of headers", f"--{BOUNDARY}\r\n".encode() + b"a: b\r\n" * (BODY // 6), MULTIPART)


def hostile_files(sending: Sending, size: int) -> Iterator[Hostile]:
    """Yield the form with a file of so many bytes in each of its fields for files."""
    fields = "".join(
        f'--{BOUNDARY}\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, values in sending.fields.items()
        for value in values
    )
    for name in sending.files:
        for ending, unit in ((".csv", b"a,b,c,d\n"), (".jsonl", b'{"a":[[['), (".txt", b"words   ")):
            head = f'content-disposition: form-data; name="{name}"; filename="a{ending}"'
            begin = f"{fields}--{BOUNDARY}\r\n{head}\r\ncontent-type: text/plain\r\n\r\n".encode()
            data = begin + unit * (size // len(unit)) + f"\r\n--{BOUNDARY}--\r\n".encode()
            yield Hostile(f"{name}: a large file{ending}", data, MULTIPART)


def hostile_queries(sending: Sending, *, whole: bool) -> Iterator[Hostile]:
    """Yield the address with one parameter hostile at a time, or in a sample with all at once."""
    if not whole:
        each = QUERY // len(sending.fields)
        for shape in (("digits", "letters that grow")[len(sending.route) % 2],):
            query = "&".join(urlencode({name: text_of(shape, each)})[:each] for name in sending.fields)
            yield Hostile(f"every parameter: {shape}", query=query)
    for name in sending.fields if whole else ():
        for shape in TEXTS:
            query = urlencode({name: text_of(shape, QUERY)})[:QUERY]
            yield Hostile(f"?{name}: {shape}", query=query)
        many = "&".join(f"{name}={each}" for each in range(MANY))[:QUERY]
        yield Hostile(f"?{name}: many values", query=many)


def hostile_bodies(sending: Sending, *, whole: bool) -> Iterator[Hostile]:
    """Yield the JSON with one value hostile at a time, at every place; in a sample three times at each."""
    texts = {shape: json.dumps(text_of(shape, TEXT // 2), ensure_ascii=False).encode() for shape in TEXTS}
    every = list({**_values(BODY), **texts, "a long text": b'"' + b"a" * BODY + b'"'}.items())
    for number, (place, put) in enumerate(_places(sending.body)):
        head, tail = json.dumps(put("\u2603")).encode().split(b'"\\u2603"')
        some = [every[0], *(every * 2)[number * 5 % len(every) :][:2]]  # the first is a list of numbers
        for shape, raw in every if whole or number == 0 else some:
            yield Hostile(f"{place}: {shape}", head + raw + tail, JSON)
    yield Hostile("another kind of body", b"a=" + b"%" * BODY, FORM)
    yield Hostile("no JSON", b'{"a"' * (BODY // 4), JSON)


@cache
def _values(size: int) -> dict[str, bytes]:
    """JSON values of so many bytes, as they are written."""
    return {
        "a list of numbers": b"[" + b",".join([b"0"] * (size // 2)) + b"]",
        "as many numbers as may be": b"[" + b",".join([b"0"] * (MOST_VALUES - 100)) + b"]",
        "a list of lists": b"[" + b",".join([b"[]"] * (size // 3)) + b"]",
        "as many objects as may be": b"[" + b",".join([b"{}"] * (MOST_VALUES // 2 - 100)) + b"]",
        "a list of texts": b"[" + b",".join([b'"a"'] * (size // 4)) + b"]",
        "an object of many names": b"{" + b",".join(b'"%x":0' % each for each in range(size // 10)) + b"}",
        "as many names as may be": b"{"
        + b",".join(b'"%x":0' % each for each in range(MOST_VALUES - 100))
        + b"}",
        "a long name": b'{"' + b"a" * size + b'":0}',
        "deep lists": b"[" * (size // 2) + b"]" * (size // 2),
        "deep objects": b'{"a":' * (size // 6) + b"0" + b"}" * (size // 6),
        "a long number": b"9" * size,
        "a list of long numbers": b"[" + b",".join([b"9" * 4000] * (size // 4001)) + b"]",
        "a long fraction": b"0." + b"9" * size,
        "a large number": b"1e" + b"9" * 400,
        "escapes without an end": b'"' + b'\\"' * (size // 2),
        "quotation marks": b'"\n' * (size // 2),
    }


def _places(value: Any, path: str = "") -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Yield each place of a JSON value, and how to put something else there."""
    yield path or "all", lambda other: other
    inside = list(value.items()) if isinstance(value, dict) else []
    if isinstance(value, list):
        inside = list(enumerate(value))
    for name, one in inside:
        for deeper, put in _places(one, f"{path}.{name}"):

            def put_here(other: Any, name: Any = name, put: Callable[[Any], Any] = put) -> Any:
                copy = value.copy()
                copy[name] = put(other)
                return copy

            yield deeper, put_here


def example_of(schema: dict[str, Any], part: dict[str, Any], known: dict[str, Any], name: str = "") -> Any:
    """Return a valid value of a part of an OpenAPI schema; `known` has values that name rows, by name."""
    if name in known:
        return known[name]
    if "$ref" in part:
        return example_of(schema, schema["components"]["schemas"][part["$ref"].rpartition("/")[2]], known)
    for several in ("allOf", "oneOf"):
        if several in part:
            return example_of(schema, part[several][0], known)
    if "enum" in part:
        return part["enum"][0]
    kind = part.get("type", "string")
    if kind == "object":
        properties = part.get("properties", {"a name": {"type": "string"}})
        return {each: example_of(schema, inner, known, each) for each, inner in properties.items()}
    if kind == "array":
        return [example_of(schema, part["items"], known)]
    if part.get("format") == "uuid":
        return "00000000-0000-4000-8000-000000000001"
    return {"integer": 1, "boolean": True, "number": 1.5}.get(kind, "Some words")
