"""Endpoints of the programming interface: scopes, pages of lists, ETags, repeated requests, jobs.

An endpoint is a function of Django REST framework with the decorator of this module, or of
`projects.endpoint` if it belongs to a project. It parses, asks queries, calls one service, and returns a
`Response`. Its shape is a serializer, for the schema alone: rows are plain values, rendered by orjson.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from http import HTTPStatus
from typing import Any, Final, TypeVar

import orjson
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import QuerySet
from django.utils.http import parse_etags
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope
from accounts.services import recall, remember
from core.errors import Conflict, Stale, Unusable
from web.renderer import Renderer
from web.requests import signed_in

View = Callable[..., Response]
F = TypeVar("F", bound=serializers.Serializer[Any])

KEY: Final = "Idempotency-Key"
LONGEST_KEY: Final = 255
_KEPT_HEADERS: Final = ("Location", "ETag")
REPEATABLE: Final = OpenApiParameter(
    KEY,
    str,
    OpenApiParameter.HEADER,
    description="A request sent again with the same key has no further effect.",
)
IF_MATCH: Final = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The ETag that was read; 412 if the object has changed.",
)


def endpoint(
    *, heavy: bool = False, bound: bool = False, secret: bool = False, **scopes: Scope
) -> Callable[[View], View]:
    """Return a decorator for an endpoint that takes these methods, each with its scope.

    `heavy`: it starts long work, of which a token may start fewer a minute. `bound`: tokens for one project
    may call it, since it shows and changes nothing of others. `secret`: the response has a secret, so it is
    not stored for repeated requests; a repeated request is refused.
    """

    def decorated(view: View) -> View:
        @wraps(view)
        def opened(request: Request, *args: Any, **kwargs: Any) -> Response:
            if request.method == "POST" and KEY in request.headers:
                return _once(request, lambda: view(request, *args, **kwargs), is_secret=secret)
            return view(request, *args, **kwargs)

        made: Any = api_view(list(scopes))(opened)
        made.cls.scopes, made.cls.takes_bound_tokens, made.cls.is_heavy = scopes, bound, heavy
        made.scopes = scopes
        return made  # type: ignore[no-any-return]  # a view, by the framework

    return decorated


def _once(request: Request, perform: Callable[[], Response], *, is_secret: bool) -> Response:
    """Return the stored response to the first request with this key, or perform and store it."""
    key = request.headers[KEY]
    if not 1 <= len(key) <= LONGEST_KEY or not key.isprintable():
        raise Unusable(_("An Idempotency-Key has 1 to 255 printable characters."))
    operation = f"{request.method} {request.path}"[:300]
    with transaction.atomic():
        row = recall(actor=signed_in(request), key=key, operation=operation, digest=_digest(request))
        if row.status is not None and is_secret:
            raise Conflict(_("This was done before; what it returned is shown only once."))
        if row.status is not None:
            return Response(
                row.body, status=row.status, headers={**row.headers, "Idempotent-Replayed": "true"}
            )
        response = perform()
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            transaction.set_rollback(True)
            return response
        body = None if is_secret else orjson.loads(Renderer().render(response.data) or b"null")
        headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
        remember(row=row, status=response.status_code, body=body, headers=headers)
    return response


def _digest(request: Request) -> str:
    """Return the SHA-256 of what the request sends: its JSON, or the fields and files of its form."""
    found = hashlib.sha256(request.META.get("QUERY_STRING", "").encode())
    data: Any = request.data
    values = data.lists() if hasattr(data, "lists") else [("", [data])]
    for name, sent in values:
        found.update(json.dumps(name).encode())
        for value in sent:
            if isinstance(value, UploadedFile):
                for chunk in value.chunks():
                    found.update(chunk)
                value.seek(0)
            else:
                # not by orjson, which refuses what a request may have: numbers of any size, half a character
                found.update(json.dumps(value, default=str, sort_keys=True).encode())
    return found.hexdigest()


class Pages(CursorPagination):
    """Pages of a list by the id of its rows, newest first: each costs the same, however long the list is."""

    ordering = "-id"
    page_size = 100
    max_page_size = 1000
    page_size_query_param = "limit"

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Return the position of the page. Raise NotFound for one that this list has not given out."""
        cursor = super().decode_cursor(request)
        if cursor is not None and cursor.position is not None:
            position = str(cursor.position)
            if not (position.isascii() and position.isdigit() and len(position) < 19):
                raise NotFound(self.invalid_cursor_message)
        return cursor


def page(
    request: Request, rows: QuerySet[Any, Any], make: Callable[[Sequence[Any]], Iterable[Mapping[str, Any]]]
) -> Response:
    """Return one page of a list, with the addresses of the pages before and after it.

    `rows` are instances or `values()` with "id". `make(rows)` returns the JSON of the rows of the page, so
    that it can query once for all of them.
    """
    pages = Pages()
    found = pages.paginate_queryset(rows, request, request.parser_context["view"]) or []
    before, after = pages.get_previous_link(), pages.get_next_link()
    return Response({"next": after, "previous": before, "results": list(make(found))})


def page_of(shape: type[serializers.Serializer[Any]]) -> Any:
    """Return the serializer, for the schema, of a page of a list of this shape."""
    return inline_serializer(
        f"{shape.__name__.removesuffix('Serializer')}Page",
        {
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": shape(many=True),
        },
    )


PAGING: Final = [
    OpenApiParameter(
        "cursor", str, description="The position of the page, as `next` and `previous` have it."
    ),
    OpenApiParameter("limit", int, description="Rows a page: 100, at most 1000."),
]
"""The parameters of every list, for the schema."""
_OF_PAGES: Final = {"cursor", "limit"}


def filters(request: Request, shape: type[F]) -> dict[str, Any]:
    """Return the filters in the query string, checked by a serializer.

    Raise `Unusable` for a filter that the list does not have, or one given twice: of two values, a proxy that
    checks requests may read the other one.
    """
    known = shape().fields
    if unknown := sorted(set(request.query_params) - set(known) - _OF_PAGES):
        said = {"name": unknown[0][:80], "names": ", ".join(sorted(known)) or "-"}
        raise Unusable(_("There is no filter “%(name)s” here. Filters: %(names)s.") % said, unknown[0][:80])
    several = (serializers.ListField, serializers.MultipleChoiceField)
    for name, values in request.query_params.lists():
        if len(values) > 1 and not isinstance(known.get(name), several):
            raise Unusable(_("The filter “%(name)s” is given twice.") % {"name": name[:80]}, name[:80])
    form = shape(data=request.query_params)
    form.is_valid(raise_exception=True)
    sent: dict[str, Any] = form.validated_data
    return {name: value for name, value in sent.items() if name in request.query_params}


def body(request: Request, shape: type[serializers.Serializer[Any]]) -> dict[str, Any]:
    """Return the request's JSON or form, checked by a serializer. Unknown names are refused."""
    form = shape(data=request.data)
    if isinstance(request.data, Mapping) and (
        unknown := sorted(set(map(str, request.data)) - set(form.fields))
    ):
        said = {"name": unknown[0][:80], "names": ", ".join(form.fields) or "-"}
        raise Unusable(_("There is no field “%(name)s” here. Fields: %(names)s.") % said, unknown[0][:80])
    form.is_valid(raise_exception=True)
    sent: dict[str, Any] = form.validated_data
    return sent


def tag(*parts: object) -> str:
    """Return the ETag of an object in the state that these values describe."""
    return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"'


def one(request: Request, data: Mapping[str, Any], etag: str, *, status: int = 200) -> Response:
    """Return one object with its ETag; 304 if the client has it as it is."""
    known = parse_etags(request.headers.get("If-None-Match", ""))
    if request.method in ("GET", "HEAD") and (etag in known or "*" in known):
        return Response(status=HTTPStatus.NOT_MODIFIED, headers={"ETag": etag})
    return Response(data, status=status, headers={"ETag": etag})


def match(request: Request, etag: str) -> None:
    """Raise `Stale` if the client sent If-Match, and has read the object in another state.

    Called in the transaction of the change, after the object's row was locked.
    """
    sent = request.headers.get("If-Match")
    if sent is not None and not {etag, "*"} & set(parse_etags(sent)):
        raise Stale(_("This has changed since you read it. Read it again, then repeat the change."))


def created(data: Mapping[str, Any], address: str, etag: str = "") -> Response:
    """Return a new object, with its address."""
    headers = {"Location": address, **({"ETag": etag} if etag else {})}
    return Response(data, status=HTTPStatus.CREATED, headers=headers)


class AcceptedSerializer(serializers.Serializer[Any]):
    """Long work that was accepted, and the address at which its progress is."""

    job = serializers.IntegerField()
    url = serializers.CharField()


def accepted(job: int, address: str, **more: object) -> Response:
    """Return that long work was accepted, with the id and the address of its job, and `more` about it."""
    data = {"job": job, "url": address, **more}
    return Response(data, status=HTTPStatus.ACCEPTED, headers={"Location": address})


def whole(rows: Iterable[Mapping[str, Any]]) -> Response:
    """Return a short list, which has one page, in the shape of long ones."""
    return Response({"next": None, "previous": None, "results": list(rows)})
