"""The list of items at 100 and 100,000 items: server time and queries of its views, by Django's test client.

All items have texts in two languages; some words are in every item, others in one. Sizes are measured in
turns, in two projects of one database.
"""

import time
from collections.abc import Iterator
from statistics import quantiles
from typing import Any

from benchmarks import seeding, site
from benchmarks.lines import Line, line

BENCH = "item_list"
SIZES = (100, 100_000)
ROUNDS = 20
MOST_MS = 300
ASKED = {
    "all": "",
    "in every item": "q=water",
    "in every item, Chinese": "q=%E7%9F%B3%E5%AD%90",
    "in one item": "q=pebble+77%3F",
    "in no item": "q=%E6%B0%B4%E7%BD%90%E9%87%8C",
    "by key": "q=raise&in=key",
    "filtered": "state=in_review&kind=social",
    "oldest first": "sort=changed",
    "by story": "sort=story",
    "by writer": "sort=writer",
    "last page": "page=400",
}


def measure() -> Iterator[Line]:
    """Yield the figures of each address at each size, measured in turns."""
    site.start()
    from django.conf import settings

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # nobody types one here
    made = {size: _fill(size) for size in SIZES}
    for name, query in ASKED.items():
        for client, address in made.values():
            _ask(client, address, query)  # once before it counts: what is loaded when first used is not timed
        found = {size: [_ask(*made[size], query) for _round in range(ROUNDS)] for size in SIZES}
        for size, samples in found.items():
            p95 = quantiles([milliseconds for milliseconds, _queries in samples], n=20)[-1]
            yield line(BENCH, f"{name}, {size} items", "p95", round(p95, 1), "ms", most=MOST_MS)
        counts = {size: max(queries for _milliseconds, queries in samples) for size, samples in found.items()}
        yield line(BENCH, name, "queries", counts[SIZES[-1]], "", most=counts[SIZES[0]])


def _fill(size: int) -> tuple[Any, str]:
    from django.db import connection
    from django.test import Client

    from accounts.services import create_user, system_account
    from projects.models import Role
    from projects.services import create_project, set_roles

    actor = system_account()
    manager, writer = (
        create_user(actor=actor, username=f"{name}-{size}", name=name, password="a password of no use here")
        for name in ("Mia", "Wen")
    )
    slug = f"fables-{size}"
    project = create_project(actor=actor, slug=slug, name=slug, language="en", settings={})
    set_roles(actor=actor, project=project, user=manager, roles=[Role.MANAGER])
    set_roles(actor=actor, project=project, user=writer, roles=[Role.WRITER])
    seeded = seeding.Seeded(project, [writer.pk, manager.pk], writer.pk, writer.pk)
    seeding.fill(seeded, 0, size, actor.pk)
    first, last = seeded.first("item"), seeded.first("item") + size
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            "UPDATE annotation_option SET text = text || ' 石子沉到罐底'"
            " WHERE is_key AND id BETWEEN %s AND %s",
            [seeded.first("option"), seeded.first("option") + size * 4],
        )
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute(
            "UPDATE annotation_item SET changed_at = now() - id %% 100000 * interval '1 minute'"
            " WHERE id BETWEEN %s AND %s",
            [first, last],
        )
        cursor.execute(
            "SELECT parable_index_items(ARRAY(SELECT id FROM annotation_item WHERE project_id = %s))",
            [project.pk],
        )
        cursor.execute("VACUUM ANALYZE")
    client = Client(SERVER_NAME="localhost")
    client.force_login(manager)
    return client, f"/p/{slug}/items"


def _ask(client: Any, address: str, query: str) -> tuple[float, int]:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as asked:
        began = time.perf_counter()
        answer = client.get(f"{address}?{query}")
        taken = (time.perf_counter() - began) * 1000
    assert answer.status_code == 200, answer
    return taken, len(asked)
