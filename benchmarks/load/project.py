"""Makes the project of the load: stories, items in every state, and the people with their sessions.

The rows come from `seeding` in a few statements. Of twenty items five are moved on to other states, with the
transitions and reviews that would have led there; as many stories as have items wait for writers.
"""

# ruff: noqa: S608 - numbers of ours, and nothing that anybody typed

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from benchmarks import seeding
from benchmarks.queue.pages import session_of

SLUG: Final = "load"
PASSWORD: Final = "a password that only the load uses"  # noqa: S105 - of people who are made up
ROLES: Final = {"writers": "writer", "reviewers": "reviewer", "managers": "manager"}
REVIEWERS_BEFORE: Final = 2
"""The number of people who reviewed before the load; each decided item has a review of both."""
MOVES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "verified": (("in_verification", "all_pass"), ("verified", "verifier_pass")),
    "in_verification": (("in_verification", "all_pass"),),
    "in_adjudication": (("in_adjudication", "wrong_blind_answer"),),
    "returned": (("returned", "all_return"),),
    "rejected": (("rejected", "all_reject"),),
    "withdrawn": (("withdrawn", "withdrawn"),),
    "retired": (("in_verification", "all_pass"), ("verified", "verifier_pass"), ("retired", "retired")),
}
"""The transitions, with their reason codes, that lead from review to a state."""
SHARES: Final = {
    "verified": tuple(range(1, 20, 2)),
    "in_verification": (0,),
    "in_adjudication": (2,),
    "returned": (4,),
    "rejected": (6,),
    "withdrawn": (8,),
}
"""Which of twenty items are in a state. The others are in review; one of a hundred is retired."""

NUMBERED: Final = (
    *("corpus_story", "corpus_storyrevision", "annotation_item", "annotation_revision", "annotation_option"),
    *("annotation_transition", "annotation_keyexposure", "review_reviewrequest", "review_review"),
    "annotation_revisiontype",
)
"""The tables whose new rows must follow the seeded ones."""

CHANGED: Final = "now() - (id % 80000) * interval '1 minute'"
"""SQL for the time of an item's last change: they are spread over two months."""


class Load(NamedTuple):
    """The project and who works in it."""

    project: Any
    people: dict[str, list[Any]]
    first_item: int
    items: int


def make(items: int, people: Mapping[str, int]) -> Load:
    """Make the project and the people, or those of them that a kept folder lacks."""
    from accounts.services import system_account
    from annotation.models import Item
    from projects.models import Project
    from projects.services import create_project, publish_guideline

    actor = system_account()
    project = Project.objects.filter(slug=SLUG).first()
    is_new = project is None
    if project is None:
        settings = {"reviews_per_item": seeding.REVIEWS}
        project = create_project(actor=actor, slug=SLUG, name="Load", language="en", settings=settings)
        publish_guideline(actor=actor, project=project, text="Ask what only the story can tell.")
    before = _people(project, "earlier", [ROLES["reviewers"], "verifier"], REVIEWERS_BEFORE + 1)
    made = {
        group: _people(project, group, [role], max(people.get(group, 0), 20 if group == "writers" else 0))
        for group, role in ROLES.items()
    }
    writers = [one.pk for one in made["writers"]]
    seeded = seeding.Seeded(project, writers, before[0].pk, before[0].pk, oldest=0)
    if is_new:
        _fill(seeded, items, [one.pk for one in before], actor.pk)
    found = {group: made[group][: people.get(group, 0)] for group in ROLES}
    return Load(project, found, seeded.first("item"), Item.objects.filter(project=project).count())


def accounts(load: Load, *, signed_in: bool) -> dict[str, list[dict[str, str]]]:
    """Return how each person signs in, each from an address of their own."""
    rows: dict[str, list[dict[str, str]]] = {}
    for group, people in load.people.items():
        rows[group] = [
            {
                "username": one.username,
                "password": PASSWORD,
                "address": f"198.{18 + list(ROLES).index(group)}.{number // 250}.{number % 250 + 1}",
                "session": session_of(one.pk) if signed_in else "",
            }
            for number, one in enumerate(people)
        ]
    return rows


def _people(project: Any, group: str, roles: list[str], count: int) -> list[Any]:
    """Return so many members with these roles. One hash for all: it takes a third of a second."""
    from accounts.hasher import QueuedPasswordHasher
    from accounts.models import User
    from projects.models import Membership

    names = [f"{group}-{number}" for number in range(count)]
    known = set(User.objects.filter(username__in=names).values_list("username", flat=True))
    lacking = [name for name in names if name not in known]
    if lacking:
        password = QueuedPasswordHasher().encode(PASSWORD, "salt-of-the-load")
        users = [User(username=name, name=name.title(), password=password) for name in lacking]
        User.objects.bulk_create(users)
        new = User.objects.filter(username__in=lacking)
        Membership.objects.bulk_create(
            [Membership(user=one, project=project, role=role) for one in new for role in roles]
        )
    found = {one.username: one for one in User.objects.filter(username__in=names)}
    return [found[name] for name in names]


def _fill(seeded: seeding.Seeded, items: int, before: list[int], actor: int) -> None:
    from django.db import connection, transaction

    for begin in range(0, items, 10_000):
        seeding.fill(seeded, begin, min(begin + 10_000, items), actor)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for state, shares in SHARES.items():
            which = f"n % 20 IN ({', '.join(map(str, shares))})"
            for statement in _moved(seeded, items, state, which, before):
                cursor.execute(statement)
        in_review = f"id >= {seeded.first('item')} AND state = 'in_review'"
        cursor.execute(f"UPDATE annotation_item SET changed_at = {CHANGED} WHERE {in_review}")
        for statement in _retired(seeded, items, before):
            cursor.execute(statement)
    with connection.cursor() as cursor:
        for table in NUMBERED:
            sequence = f"pg_get_serial_sequence('{table}', 'id')"
            cursor.execute(f"SELECT setval({sequence}, max(id)) FROM {table}")
    _add_stories(seeded, items // seeding.ITEMS_A_STORY)
    with connection.cursor() as cursor:
        for function, table in (("items", "annotation_item"), ("stories", "corpus_story")):
            cursor.execute(f"SELECT parable_index_{function}(ARRAY(SELECT id FROM {table}))")
        cursor.execute("VACUUM ANALYZE")
    seeding.check()


def _moved(seeded: seeding.Seeded, items: int, state: str, which: str, before: list[int]) -> list[str]:
    """Return SQL that moves some of the seeded items from review to another state."""
    at = {kind: seeded.first(kind) for kind in ("item", "revision", "move", "place", "option")}
    each = f"generate_series(0::bigint, {items - 1}::bigint) AS n"
    steps = MOVES[state]
    froms, tos = ["in_review", *(to for to, _cause in steps[:-1])], [to for to, _cause in steps]
    causes = [cause for _to, cause in steps]
    reviewer = f"(ARRAY{before[:REVIEWERS_BEFORE]})[place + 1]"
    when = "now() - (n % 80000 + 200) * interval '1 minute'"
    request = f"{at['place']} + n * {seeding.REVIEWS} + place"
    places = f"{each}, generate_series(0, {seeding.REVIEWS - 1}) AS place WHERE {which}"
    dispositions = {"returned": "return", "rejected": "reject"}
    answers = "(n % 10 = 9 OR place = 1)" if state == "in_adjudication" else "(n % 10 = 9)"
    moved = [
        f"""INSERT INTO annotation_transition (id, item_id, revision_id, from_state, to_state, actor_id,
                cause, reason, at)
            SELECT {at["move"] + seeding.KIND_APART // 2} + n * 4 + step, {at["item"]} + n,
                {at["revision"]} + n, (ARRAY{froms})[step + 1], (ARRAY{tos})[step + 1], {before[-1]},
                (ARRAY{causes})[step + 1], '', {when} + step * interval '1 hour'
            FROM {each}, generate_series(0, {len(steps) - 1}) AS step WHERE {which}""",
        f"""UPDATE annotation_item SET state = '{state}', changed_at = {CHANGED}
            WHERE id IN (SELECT {at["item"]} + n FROM {each} WHERE {which})""",
    ]
    if state == "withdrawn":
        return [
            *moved,
            f"""UPDATE review_reviewrequest SET state = 'closed', closed_at = now()
                WHERE id IN (SELECT {request} FROM {places})""",
        ]
    moved += [
        f"""UPDATE review_reviewrequest AS request SET state = 'done', claimed_by_id = {reviewer},
                claimed_at = {when}, closed_at = {when} FROM {places} AND request.id = {request}""",
        f"""INSERT INTO review_review (id, stage, answer, drawn_order, chosen_position, several_positions,
                is_correct, blind, misclick, solved_at, rating, flaws, comment, disposition, option_marks,
                judged_at, seconds, active_seconds, created_at, chosen_option_id, guideline_id, item_id,
                reviewer_id, revision_id, request_id, project_id)
            SELECT {request}, 'cross_check', 'option', '{{0,1,2,3}}', {answers}::int, '{{}}', NOT {answers},
                true, false, {when}, 1 + (n % 3 > 0)::int, '{{}}', '', '{dispositions.get(state, "pass")}',
                '{{t,f,f,f}}', {when}, 40, 40, {when}, {at["option"]} + n * 4 + {answers}::int,
                (SELECT max(id) FROM projects_guideline WHERE project_id = {seeded.project.pk}),
                {at["item"]} + n, {reviewer}, {at["revision"]} + n, {request}, {seeded.project.pk}
            FROM {places}""",
        f"""INSERT INTO annotation_keyexposure (id, task, at, item_id, user_id)
            SELECT {request}, 'commonsense', {when}, {at["item"]} + n, {reviewer} FROM {places}""",
    ]
    stage = {"in_verification": "verification", "in_adjudication": "adjudication"}.get(state)
    if stage:
        moved.append(
            f"""INSERT INTO review_reviewrequest (id, project_id, story_id, item_id, revision_id, stage,
                    number, opened_by_id, option_count, state, priority, task, excluded, freed_order,
                    drawn_order, opened_at)
                SELECT {at["place"] + seeding.KIND_APART // 2} + n, project_id, story_id, item_id,
                    revision_id, '{stage}', 1, {at["move"] + seeding.KIND_APART // 2} + n * 4, 4, 'open', 0,
                    task,
                    ARRAY(SELECT DISTINCT who FROM unnest(excluded || ARRAY{before}::bigint[]) AS who
                        ORDER BY who), '{{}}', '{{}}', now()
                FROM {each} JOIN review_reviewrequest AS earlier
                ON earlier.id = {at["place"]} + n * {seeding.REVIEWS} WHERE {which}"""
        )
    return moved


def _retired(seeded: seeding.Seeded, items: int, before: list[int]) -> list[str]:
    """Return SQL that retires one verified item of a hundred."""
    at = seeded.first("item")
    each = f"generate_series(0::bigint, {items - 1}::bigint) AS n WHERE n % 100 = 99"
    return [
        f"""INSERT INTO annotation_transition (id, item_id, revision_id, from_state, to_state, actor_id,
                cause, reason, at)
            SELECT {seeded.first("move") + seeding.KIND_APART // 2} + n * 4 + 2, {at} + n,
                {seeded.first("revision")} + n, 'verified', 'retired', {before[-1]}, 'retired', 'out of date',
                now() FROM {each}""",
        f"UPDATE annotation_item SET state = 'retired' WHERE id IN (SELECT {at} + n FROM {each})",
    ]


def _add_stories(seeded: seeding.Seeded, count: int) -> None:
    """Add stories without items; triggers, which are enabled again, count who may still write about them."""
    from accounts.services import system_account
    from corpus.services import create_stories
    from parable.formats.records import StoryRecord

    records = [
        StoryRecord(
            id=f"new-{number}",
            title=f"The heron {number}",
            text=f"A heron stood in the river on morning {number}. "
            + "She let the small fish pass and waited for a larger one. " * 8,
            language="en",
        )
        for number in range(count)
    ]
    for begin in range(0, count, 1_000):
        create_stories(actor=system_account(), project=seeded.project, wanted=records[begin : begin + 1_000])
