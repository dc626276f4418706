"""The site's addresses, and with them a bare view: the statements of a request, and as many bytes.

It has the same middleware, statements and size of response, but no services, forms or templates. The time by
which a request of the queue exceeds this view is due to our own code.
"""

import os
import pickle
from functools import cache
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.urls import path

from benchmarks.queue import work
from config.urls import urlpatterns as site

RECORDED = "PARABLE_BENCH_RECORDED"


@cache
def _recorded() -> Any:
    with open(os.environ[RECORDED], "rb") as file:  # noqa: PTH123 - the bench's own file
        return pickle.load(file)  # noqa: S301 - written by the bench a moment ago


@login_required
def bare(request: HttpRequest, step: int) -> HttpResponse:
    """Run one of the two requests of a cycle; the query and a header pass the ids of its review request."""
    recorded, seeded = _recorded()
    known = {name: int(number) for name, number in request.GET.items()}
    kind = work.kind_of(known["place"], seeded) if known.get("place") else "first"
    statements, size = recorded[kind][step]
    with transaction.atomic(), connection.cursor() as cursor:
        work.send(cursor, statements, known, seeded)
    answer = HttpResponse(b"x" * size)
    answer["X-Known"] = "&".join(f"{name}={number}" for name, number in known.items())
    return answer


urlpatterns = [path("bare/<int:step>", bare), *site]
