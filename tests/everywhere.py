"""All that the database and Redis hold, as texts, for tests of what must not be stored in the clear."""

from __future__ import annotations

import io

from django.apps import apps
from django.conf import settings as site
from django.core.management import call_command
from django.db import connection
from redis import Redis


def every_row(known: str) -> list[str]:
    """Every row of every table, as the database holds it; one of them has the text `known`."""
    with connection.cursor() as cursor:
        texts = []
        for model in apps.get_models(include_auto_created=True):
            cursor.execute(f'SELECT row_to_json(t)::text FROM "{model._meta.db_table}" t')
            texts += [row[0] for row in cursor.fetchall()]
    assert any(known in text for text in texts)
    return texts


def dumped(known: str, *wanted: str) -> str:
    """What `dumpdata` writes of these apps or models, in which the text `known` stands."""
    out = io.StringIO()
    call_command("dumpdata", *wanted, stdout=out)
    assert known in out.getvalue()
    return out.getvalue()


def redis_values() -> str:
    """Every key and value in Redis."""
    with Redis.from_url(site.REDIS_URL) as redis:
        return "".join(str(key) + str(redis.dump(key)) for key in redis.keys("*"))
