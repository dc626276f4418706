"""Fills a seeded project with the rows that a project gathers over time, in a few statements.

Every second item of `seeding` is verified: it has transitions, two reviews, key exposures of its reviewers, a
row in a release, and an answer of each run. Stories get writers and candidates; there are more runs and
members. Triggers are disabled, as in `seeding`.
"""

# ruff: noqa: S608 - numbers of ours, and nothing that anybody typed

from typing import Any, NamedTuple

from benchmarks.seeding import ITEMS_A_STORY, KIND_APART, REVIEWS, Seeded

EACH_RUN, EACH_MEMBER = 500, 500
"""There is one more run, and one more member, for each of these numbers of items."""
ANSWERS = 10
"""The number of answers of each additional run; the runs of the sample answer every item of their release."""
CANDIDATES_A_CALL = 4
VERIFIED_EVERY = 2
MINUTES = 60 * 24 * 90
"""The period, in minutes, over which the times of all rows are spread."""


class Gathered(NamedTuple):
    """A seeded queue, the users who work on it, and the rows of the sample that new rows refer to."""

    seeded: Seeded
    people: dict[str, int]
    release: int
    later: int
    runs: list[int]
    batch: int
    guideline: int
    endpoint: int
    template: int


def gathered(seeded: Seeded, people: dict[str, Any]) -> Gathered:
    """Return the rows of a sample project that new rows refer to."""
    from evaluation.models import Run
    from generation.models import Candidate
    from projects.queries import current_guideline
    from release.queries.release import releases

    first, later = releases(seeded.project).order_by("pk")[:2]
    candidate = Candidate.objects.filter(project=seeded.project).select_related("call").order_by("pk")[0]
    guideline = current_guideline(seeded.project)
    assert guideline is not None
    return Gathered(
        seeded,
        people={part: person.pk for part, person in people.items()},
        release=first.pk,
        later=later.pk,
        runs=list(Run.objects.filter(release=first).order_by("pk").values_list("pk", flat=True)),
        batch=candidate.call.job_id,
        guideline=guideline.pk,
        endpoint=candidate.endpoint_id,
        template=candidate.template_id,
    )


def fill(known: Gathered, begin: int, end: int) -> None:
    """Add the rows that belong to the seeded items from `begin` up to `end`, exclusive."""
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in (
            *_reviewed(known, begin, end),
            *_released(known, begin, end),
            *_written(known, begin, end),
            *_added(known, begin, end),
        ):
            cursor.execute(statement)


def index(known: Gathered) -> None:
    """Fill the search columns of all rows, as triggers were disabled, and update the statistics."""
    from django.db import connection

    project = known.seeded.project.pk
    with connection.cursor() as cursor:
        for function, table in (
            ("items", "annotation_item"),
            ("stories", "corpus_story"),
            ("candidates", "generation_candidate"),
        ):
            cursor.execute(
                f"SELECT parable_index_{function}(ARRAY(SELECT id FROM {table} WHERE project_id = %s))",
                [project],
            )
        cursor.execute("VACUUM ANALYZE")


def _at(number: str) -> str:
    """Return SQL for the time at which something was done to the row with this number."""
    return f"now() - ({number}) % {MINUTES} * interval '1 minute'"


def _verified(begin: int, end: int) -> str:
    return f"generate_series({begin}::bigint, {end - 1}::bigint) AS n WHERE n % {VERIFIED_EVERY} = 1"


def _reviewed(known: Gathered, begin: int, end: int) -> list[str]:
    """Return SQL that adds two reviews and the transitions of each verified item."""
    seeded, people = known.seeded, known.people
    at = {kind: seeded.first(kind) for kind in ("item", "revision", "move", "place", "option")}
    reviewers = f"(ARRAY[{people['reviewer']}, {people['second_reviewer']}])[done.place + 1]"
    each = _verified(begin, end)
    moves = at["move"] + KIND_APART // 2
    places = f"(SELECT n, place FROM generate_series(0, {REVIEWS - 1}) AS place, {each}) AS done"
    request = f"{at['place']} + n * {REVIEWS} + done.place"
    return [
        f"""INSERT INTO annotation_transition (id, item_id, revision_id, from_state, to_state, actor_id,
                cause, reason, at)
            SELECT {moves} + n * 2 + step, {at["item"]} + n, {at["revision"]} + n,
                (ARRAY['in_review', 'in_verification'])[step + 1],
                (ARRAY['in_verification', 'verified'])[step + 1], {people["verifier"]},
                (ARRAY['all_pass', 'verifier_pass'])[step + 1], '', {_at("n - step * 60")}
            FROM generate_series(0, 1) AS step, {each}""",
        f"""UPDATE annotation_item SET state = 'verified'
            WHERE id IN (SELECT {at["item"]} + n FROM {each})""",
        f"""UPDATE annotation_item SET changed_at = {_at("id")}
            WHERE id > {at["item"] + begin} AND id < {at["item"] + end}""",
        f"""UPDATE annotation_revision SET created_at = {_at("id")}
            WHERE id >= {at["revision"] + begin} AND id < {at["revision"] + end}""",
        f"""UPDATE review_reviewrequest AS request SET state = 'done', claimed_by_id = {reviewers},
                claimed_at = {_at("n + 90")}, closed_at = {_at("n + 80")}
            FROM {places} WHERE request.id = {request}""",
        f"""INSERT INTO review_review (id, stage, answer, drawn_order, chosen_position, several_positions,
                is_correct, blind, misclick, solved_at, rating, flaws, comment, disposition, option_marks,
                judged_at, seconds, active_seconds, created_at, chosen_option_id, guideline_id,
                item_id, reviewer_id, revision_id, request_id, project_id)
            SELECT {request}, 'cross_check', 'option', '{{0,1,2,3}}',
                (n % 10 = 9)::int, '{{}}', n % 10 <> 9, true, false, {_at("n + 90")}, 1 + (n % 3 > 0)::int,
                '{{}}', '', 'pass', '{{t,f,f,f}}', {_at("n + 80")}, 40, 40, {_at("n + 90")},
                {at["option"]} + n * 4 + (n % 10 = 9)::int, {known.guideline}, {at["item"]} + n, {reviewers},
                {at["revision"]} + n, {request}, {seeded.project.pk}
            FROM {places}""",
        f"""INSERT INTO annotation_keyexposure (id, task, at, item_id, user_id)
            SELECT {request}, 'commonsense', {_at("n + 90")}, {at["item"]} + n, {reviewers} FROM {places}""",
    ]


def _released(known: Gathered, begin: int, end: int) -> list[str]:
    """Return SQL that adds each verified item to both releases, with answers of the first one's runs."""
    seeded, release, runs = known.seeded, known.release, known.runs
    first, each = seeded.first("item"), _verified(begin, end)
    pattern = f"(SELECT record FROM release_releaseitem WHERE release_id = {release} ORDER BY id LIMIT 1)"
    count = (end // VERIFIED_EVERY) - (begin // VERIFIED_EVERY)
    return [
        f"""INSERT INTO release_releaseitem (id, split, number, public_id, "order", record, item_id,
                release_id, revision_id)
            SELECT {first} + n + CASE WHEN held = {release} THEN 0 ELSE {KIND_APART // 2} END,
                CASE WHEN n % 5 = 1 THEN 'dev' ELSE 'test' END, 10000 + n, 'grown-c-' || n, '[0, 1, 2, 3]',
                {pattern} || jsonb_build_object('id', 'grown-c-' || n), {first} + n, held,
                {seeded.first("revision")} + n
            FROM unnest(ARRAY[{release}, {known.later}]) AS held, {each}""",
        f"""INSERT INTO evaluation_response (id, repeat, rotation, "order", text, served, reading, choice,
                correct, at, item_id, run_id)
            SELECT {first} + n * 100 + place, 1, 0, '[0, 1, 2, 3]', 'My answer is A.', '{{}}', 'chosen',
                drawn % 4, drawn % 4 = 0, {_at("n")}, {first} + n, run
            FROM unnest(ARRAY{runs}) WITH ORDINALITY AS one (run, place),
                generate_series({begin}::bigint, {end - 1}::bigint) AS n,
                LATERAL (SELECT abs(hashint8(n * 31 + run)) AS drawn) AS luck
            WHERE n % {VERIFIED_EVERY} = 1""",
        f"UPDATE evaluation_run SET asked = asked + {count} WHERE id = ANY(ARRAY{runs})",
    ]


def _written(known: Gathered, begin: int, end: int) -> list[str]:
    """Return SQL that adds a writer and candidates, four per call, to each story."""
    seeded = known.seeded
    first, wordings, calls = seeded.first("story"), seeded.first("wording"), seeded.first("option")
    stories = f"generate_series({begin // ITEMS_A_STORY}, {(end - 1) // ITEMS_A_STORY}) AS n"
    by_call = f"generate_series({begin // CANDIDATES_A_CALL}, {(end - 1) // CANDIDATES_A_CALL}) AS n"
    call = f"{calls} + n"
    of_story = f"n * {CANDIDATES_A_CALL} / {ITEMS_A_STORY}"
    return [
        f"""INSERT INTO annotation_writingplaces (story_id, writers, project_id, is_held_back)
            SELECT {first} + n, 1, {seeded.project.pk}, false FROM {stories} ON CONFLICT DO NOTHING""",
        f"""INSERT INTO annotation_writingassignment (id, source, created_at, story_id, writer_id)
            SELECT {first} + n, 'named', {_at("n")}, {first} + n, {seeded.writers[0]}
            FROM {stories} ON CONFLICT DO NOTHING""",
        f"""INSERT INTO jobs_call (id, fingerprint, subject, prompt, model, parameters, asked_as, state,
                attempts, raw_response, reason_code, reason, tokens_in, tokens_out, held, cost, endpoint_id,
                job_id, started_at, finished_at)
            SELECT {call}, md5(n::text) || md5(n::text),
                jsonb_build_object('story', {first} + {of_story}, 'template', {known.template}),
                'Propose morals.', 'grown-model', '{{}}', '', 'done', 1, 'A moral', '', '', 300, 40, 0,
                0.0001, {known.endpoint}, {known.batch}, {_at("n")}, {_at("n")}
            FROM {by_call} ON CONFLICT DO NOTHING""",
        f"""INSERT INTO generation_candidate (id, position, generator, text, normalised, flags, created_at,
                call_id, endpoint_id, project_id, story_id, story_revision_id, template_id)
            SELECT {calls} + n * {CANDIDATES_A_CALL} + place, place, 'grown-model',
                'Patience ' || n || ' raises water ' || place, 'patience ' || n || ' raises water ' || place,
                '[]', {_at("n")}, {call}, {known.endpoint}, {seeded.project.pk}, {first} + {of_story},
                {wordings} + {of_story}, {known.template}
            FROM generate_series(0, {CANDIDATES_A_CALL - 1}) AS place, {by_call} ON CONFLICT DO NOTHING""",
    ]


def _added(known: Gathered, begin: int, end: int) -> list[str]:
    """Return SQL that adds runs with a few answers, and members who write."""
    seeded, first = known.seeded, known.seeded.first("item")
    manager, project = known.people["manager"], seeded.project.pk
    each = f"generate_series({begin}::bigint, {end - 1}::bigint) AS n WHERE n %"
    runs, members = f"{each} {EACH_RUN} = 0", f"{each} {EACH_MEMBER} = 0"
    some = (
        f"SELECT id FROM release_releaseitem WHERE release_id = {known.release} ORDER BY id LIMIT {ANSWERS}"
    )
    items = f"(SELECT array_agg(id) FROM ({some}) AS known)"
    return [
        f"""INSERT INTO evaluation_examinee (id, name, kind, model, created_at, created_by_id, project_id)
            SELECT {first} + n, 'Grown model ' || n, 'imported', 'grown-' || n, {_at("n")}, {manager},
                {project} FROM {runs}""",
        f"""INSERT INTO evaluation_run (id, split, prompt, prompts, repeats, "order", seed, asked, settings,
                probe_figures, created_at, created_by_id, examinee_id, release_id)
            SELECT {first} + n, 'both', '', '{{}}', 1, 'released', '0', {ANSWERS}, '{{}}', '{{}}', {_at("n")},
                {manager}, {first} + n, {known.release} FROM {runs}""",
        f"""INSERT INTO evaluation_response (id, repeat, rotation, "order", text, served, reading, choice,
                correct, at, item_id, run_id)
            SELECT {first + KIND_APART // 2} + n * {ANSWERS} + place, 1, 0, '[0, 1, 2, 3]', 'A', '{{}}',
                'chosen', 0, place % 3 = 0, {_at("n")}, ({items})[place], {first} + n
            FROM generate_series(1, {ANSWERS}) AS place, {runs}""",
        f"""INSERT INTO accounts_user (id, password, is_superuser, username, email, is_staff, is_active,
                date_joined, name, language, time_zone, may_create_projects, is_placeholder, is_system,
                reset_links_revoked, wants_mail)
            SELECT {first} + n, '!', false, 'grown-' || n, '', false, true, {_at("n")}, 'Grown Writer ' || n,
                'en', 'UTC', false, false, false, 0, false FROM {members}""",
        f"""INSERT INTO projects_membership (id, role, created_at, user_id, project_id)
            SELECT {first} + n, 'writer', {_at("n")}, {first} + n, {project} FROM {members}""",
    ]
