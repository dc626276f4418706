"""Builds a release with a number of items, with the code in PYTHONPATH.

`run_release.py ITEMS`: prints the processor time of Python and PostgreSQL by step of the build, the peak
memory of the process in MB, and the hashes of the release's files.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

TREE = os.environ["PYTHONPATH"]
sys.path[:] = [TREE, *(path for path in sys.path if path != str(Path(__file__).parent))]

from benchmarks import site  # noqa: E402 - of that tree
from benchmarks.size import made  # noqa: E402 - of that tree

TABLES = {
    "corpus_story": "id, project_id, ref, language, source, rights, rights_evidence, text_hash, current_id,"
    " created_by_id, created_at",
    "corpus_storyrevision": "id, story_id, number, title, text, moral, moral_origin, cause, reason,"
    " author_id, created_at",
    "annotation_item": "id, project_id, story_id, task, style, writer_id, state, ref, generators, current_id,"
    " created_at",
    "annotation_revision": "id, item_id, number, author_id, story_revision_id, stem, explanation,"
    " answered_warnings, created_at",
    "annotation_revisionauthor": "revision_id, item_id, user_id",
    "annotation_option": "id, revision_id, position, text, normalised, is_key",
    "annotation_revisiontype": "revision_id, type_id",
    "annotation_transition": "id, item_id, revision_id, from_state, to_state, actor_id, cause, reason, at",
}
AT = "2026-11-01"
STYLES = (("human", "{}"), ("machine", "{one-model}"))


def main(items: int) -> None:
    """Start a site, fill a project, build a release, and print times, memory and hashes."""
    site.start()
    from accounts.services import create_user, system_account
    from parable.quality.gates import GATES
    from projects.models import Role
    from projects.services import create_project, set_roles
    from release import services
    from release.assembly.recipe import Recipe
    from release.models import Artifact

    assert str(services.__file__).startswith(TREE), services.__file__
    system = system_account()
    manager = create_user(actor=system, username="mia", name="Mia", password="a password of no use here")
    project = create_project(actor=system, slug="built", name="Built", language="en", settings={})
    set_roles(actor=system, project=project, user=manager, roles=[Role.MANAGER])
    seed(project, manager.pk, items)
    recipe = Recipe(split="story", dev_share="0.2", allow=tuple(GATES), reason="a bench")
    release = services.order_release(actor=manager, project=project, version="1.0.0", seed="7", recipe=recipe)
    before = most_memory()
    noted: list[tuple[str, float]] = []

    def report(step: Any, _done: int = 0, _total: int = 0) -> None:
        noted.append((step.name.lower(), site.worked()))

    release = services.finish_release(release_id=release.pk, report=report)
    noted.append(("", site.worked()))
    assert release.state == "ready", (release.state, release.failure)
    ends = [at for _step, at in noted[1:]]
    steps = {step: ended - at for (step, at), ended in zip(noted, ends, strict=False)}
    hashes = dict(Artifact.objects.filter(release=release).values_list("name", "sha256"))
    del hashes["MANIFEST.json"]  # which has the date
    peak = most_memory()
    data = {"steps": steps, "megabytes": peak, "megabytes_before": before, "files": hashes}
    print(json.dumps(data))


def seed(project: Any, actor: int, items: int) -> None:
    """Add verified items, four per story, by COPY with triggers disabled."""
    from django.db import connection, transaction

    from projects.models import CommonsenseType

    kind = min(CommonsenseType.objects.filter(project=project).values_list("pk", flat=True))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table, columns in TABLES.items():
            with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for number, item in enumerate(made(items), start=1):
                    for row in _rows(table, number, item, project.pk, actor, kind):
                        copy.write_row(row)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _rows(table: str, n: int, item: Any, project: int, actor: int, kind: int) -> list[tuple[Any, ...]]:
    story = (n - 1) // 4 + 1
    is_first = (n - 1) % 4 == 0
    style, generators = STYLES[n % 2]
    if table == "corpus_story" and is_first:
        digest = f"{story:064x}"
        return [(story, project, f"s-{story}", "zh", "", "public_domain", "", digest, story, actor, AT)]
    if table == "corpus_storyrevision" and is_first:
        return [(story, story, 1, item.title, item.story, "", "none", "imported", "", actor, AT)]
    if table == "annotation_item":
        words = (item.task, style, actor, "verified", item.id, generators, n, AT)
        return [(n, project, story, *words)]
    if table == "annotation_revision":
        explanation = item.choices[item.answer] if n % 3 else ""
        return [(n, n, 1, actor, story, item.question, explanation, "{}", AT)]
    if table == "annotation_revisionauthor":
        return [(n, n, actor)]
    if table == "annotation_option":
        places = enumerate(item.choices)
        return [(n * 4 + at, n, at, words, words, at == item.answer) for at, words in places]
    if table == "annotation_revisiontype":
        return [(n, kind)] if item.task == "commonsense" else []
    if table == "annotation_transition":
        return [(n, n, n, "", "verified", actor, "imported", "", AT)]
    return []


def most_memory() -> float:
    """Return the peak memory of this process in MB."""
    output = Path("/proc/self/status").read_text(encoding="ascii")
    return int(output.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main(int(sys.argv[1]))
