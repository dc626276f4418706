"""The SQL of the queue, in the order of the work: counting, reading, claiming, leases, answers, verdicts.

A statement is here if querysets cannot express it, or only as several queries. The caller supplies the values
for `%(name)s`. Only services run statements that write.
"""

from typing import Final

from annotation.queries.exposure import SEEN
from annotation.queries.pilot import WITHHELD_FROM
from parable.kinds import codes
from projects.queries import CURRENT_GUIDELINE
from review.models import Review, ReviewRequest
from web.rows import Rows

# The queue of one stage, and of several at once.

MOST_COUNTED: Final = 1000
"""Counts end at this number. A page then displays “more than”, as an exact count of a million rows is of no
use.
"""
MOST_BLOCKED: Final = 10_000
"""Blocked items are counted up to this number, which is also the most that the list of items shows."""

# The groups of open requests, most urgent first: each step looks up the first request of the next group.
GROUPS: Final = """
WITH RECURSIVE groups AS (
    (SELECT priority, excluded_key, excluded FROM review_reviewrequest
     WHERE project_id = %(project)s AND stage = %(stage)s AND state = 'open'
     ORDER BY priority DESC, excluded_key DESC LIMIT 1)
    UNION ALL
    SELECT following.priority, following.excluded_key, following.excluded
    FROM groups CROSS JOIN LATERAL (
        SELECT priority, excluded_key, excluded FROM review_reviewrequest
        WHERE project_id = %(project)s AND stage = %(stage)s AND state = 'open'
          AND (priority, excluded_key) < (groups.priority, groups.excluded_key)
        ORDER BY priority DESC, excluded_key DESC LIMIT 1
    ) AS following
)
"""
_OF_GROUP: Final = """
SELECT {columns} FROM review_reviewrequest AS request
WHERE request.project_id = %(project)s AND request.stage = %(stage)s AND request.state = 'open'
  AND request.priority = groups.priority AND request.excluded_key = groups.excluded_key
"""

COUNT_OPEN: Final = f"""
{GROUPS}
SELECT least(count(DISTINCT item_id), %(most)s) FROM (
    SELECT counted.item_id FROM groups CROSS JOIN LATERAL (
        {_OF_GROUP.format(columns="request.item_id")}
        AND NOT request.story_id = ANY(%(kept)s::bigint[]) LIMIT %(read)s
    ) AS counted
    WHERE NOT groups.excluded @> ARRAY[%(user)s]::bigint[]
    LIMIT %(read)s
) AS all_of_them
"""  # noqa: S608 - put together from the parts above

COUNT_OPEN_NOT_WITHHELD: Final = COUNT_OPEN.replace(
    "%(kept)s::bigint[]", f"(SELECT {WITHHELD_FROM})::bigint[]"
)

COUNT_CLOSED: Final = f"""
{GROUPS}
SELECT count(DISTINCT item_id),
    count(DISTINCT item_id) FILTER (WHERE parable_is_author(closed.item_id, %(user)s))
FROM (
    (SELECT counted.item_id FROM groups CROSS JOIN LATERAL (
        {_OF_GROUP.format(columns="request.item_id")} LIMIT %(read)s
    ) AS counted
    WHERE groups.excluded @> ARRAY[%(user)s]::bigint[]
    LIMIT %(read)s)
    UNION ALL
    (SELECT item_id FROM review_reviewrequest
    WHERE story_id = ANY(%(kept)s::bigint[]) AND project_id = %(project)s AND stage = %(stage)s
      AND state = 'open' AND NOT excluded @> ARRAY[%(user)s]::bigint[]
    LIMIT %(read)s)
) AS closed
"""  # noqa: S608 - put together from the parts above


def _of_each(sql: str) -> str:
    """Change the SQL about one queue to SQL about each queue in the relation `wanted`."""
    return sql.replace("%(project)s", "wanted.project").replace("%(stage)s", "wanted.stage")


COUNT_BLOCKED: Final = _of_each(f"""
SELECT wanted.project, wanted.stage, (
    SELECT least(count(DISTINCT item_id), {MOST_BLOCKED}) FROM (
        {GROUPS}
        SELECT counted.item_id FROM groups CROSS JOIN LATERAL (
            {_OF_GROUP.format(columns="request.item_id")} AND NOT EXISTS (
                SELECT 1 FROM review_deputy AS substitute
                JOIN projects_membership AS member
                    ON member.user_id = substitute.person_id AND member.project_id = wanted.project
                WHERE substitute.request_id = request.id
            ) LIMIT {MOST_BLOCKED} * project.reviews_per_item
        ) AS counted
        WHERE groups.excluded @> ARRAY(
            SELECT member.user_id FROM projects_membership AS member
            WHERE member.project_id = wanted.project AND member.role = ANY(string_to_array(wanted.roles, ' '))
        )::bigint[] LIMIT {MOST_BLOCKED} * project.reviews_per_item
    ) AS all_of_them
)
FROM unnest(%(projects)s::bigint[], %(stages)s::text[], %(roles)s::text[]) AS wanted(project, stage, roles)
JOIN projects_project AS project ON project.id = wanted.project
""")  # noqa: S608 - put together from the parts above

# The queues of several projects in an inbox.

_WANTED: Final = f"""
FROM unnest(%(projects)s::bigint[], %(stages)s::text[]) AS wanted(project, stage)
CROSS JOIN LATERAL (SELECT {_of_each(WITHHELD_FROM)} AS stories) AS kept
"""
_GROUPS_OF_EACH: Final = _of_each(GROUPS)
_REQUESTS: Final = """
    FROM review_reviewrequest AS request
    WHERE request.project_id = wanted.project AND request.stage = wanted.stage
      AND request.state = '{state}' AND request.revision_id IS NOT NULL
"""
_QUEUED_OPEN, _QUEUED_CLAIMED = _REQUESTS.format(state="open"), _REQUESTS.format(state="claimed")
_IN_GROUP: Final = "AND request.priority = groups.priority AND request.excluded_key = groups.excluded_key"
_NOT_EXCLUDED: Final = "NOT request.excluded @> ARRAY[%(user)s]::bigint[]"
_MOST_READ: Final = "%(most)s * project.reviews_per_item"
"""An upper limit of the number of requests of `most` items, each of which may need several reviews."""
_NOT_WITHHELD: Final = "NOT request.story_id = ANY(kept.stories::bigint[])"

HELD_AS_NEW: Final = """
    request.claimed_by_id = %(user)s AND request.state = 'claimed' AND request.revision_id IS NOT NULL
    AND NOT EXISTS (
        SELECT 1 FROM review_review AS sent
        WHERE sent.request_id = request.id AND sent.reviewer_id = %(user)s AND sent.sent_at IS NOT NULL
    )
"""
"""A condition: the user's claimed request counts as new until its verdict is sent.

Without it, the count would fall with each claim of a real item, but not with a claim of practice, which takes
no waiting request. This would reveal practice.
"""
_STATES: Final = f"""
SELECT wanted.project, wanted.stage,
    (SELECT least(count(DISTINCT item_id), %(most)s) FROM (
        {_GROUPS_OF_EACH}
        SELECT counted.item_id FROM groups CROSS JOIN LATERAL (
            SELECT request.item_id {_QUEUED_OPEN} {_IN_GROUP} AND {_NOT_WITHHELD} LIMIT {_MOST_READ}
        ) AS counted
        WHERE NOT groups.excluded @> ARRAY[%(user)s]::bigint[] LIMIT {_MOST_READ}
    ) AS all_of_them) + (SELECT count(*) {_QUEUED_CLAIMED} AND request.lease_expires_at < %(now)s
        AND {_NOT_EXCLUDED} AND {_NOT_WITHHELD})
    + CASE WHEN project.gold_rate > 0 AND wanted.stage = 'cross_check' THEN
        (SELECT EXISTS (SELECT 1 {{put_off}})::int) - (SELECT count(*) {{dealt}}
            AND request.state = 'claimed' AND request.lease_expires_at > %(now)s)
      ELSE 0 END,
    (SELECT least(count(DISTINCT item_id), %(most)s) FROM (
        {_GROUPS_OF_EACH}
        SELECT counted.item_id FROM groups CROSS JOIN LATERAL (
            SELECT request.item_id {_QUEUED_OPEN} {_IN_GROUP} LIMIT {_MOST_READ}
        ) AS counted
        WHERE groups.excluded @> ARRAY[%(user)s]::bigint[] LIMIT {_MOST_READ}
    ) AS all_of_them),
    (SELECT count(*) {
    _QUEUED_CLAIMED
} AND request.lease_expires_at >= %(now)s AND request.claimed_by_id <> %(user)s),
    (SELECT min(request.lease_expires_at) {_QUEUED_CLAIMED} AND request.lease_expires_at >= %(now)s
        AND request.claimed_by_id <> %(user)s),
    EXISTS (
        SELECT 1 FROM review_reviewrequest AS request
        WHERE request.project_id = wanted.project AND request.stage = wanted.stage
          AND request.claimed_by_id = %(user)s AND request.state = 'claimed' AND NOT EXISTS (
            SELECT 1 FROM review_review AS sent
            WHERE sent.request_id = request.id AND sent.reviewer_id = %(user)s AND sent.sent_at IS NOT NULL
        )
    ),
    (SELECT min(longest.opened_at) FROM (
        {_GROUPS_OF_EACH}
        SELECT first.opened_at FROM groups CROSS JOIN LATERAL (
            SELECT request.opened_at {_QUEUED_OPEN} {_IN_GROUP} AND {_NOT_WITHHELD}
            ORDER BY request.id LIMIT 1
        ) AS first
        WHERE NOT groups.excluded @> ARRAY[%(user)s]::bigint[] LIMIT %(most)s
    ) AS longest),
    CASE WHEN wanted.stage = 'adjudication' THEN (
        SELECT coalesce(json_agg(json_build_array(
            reason.cause, reason.opened_at, reason.item_id, reason.story_id, reason.title
        )), '[]') FROM (
            SELECT opening.cause, request.opened_at, request.item_id, request.story_id, wording.title {
    _QUEUED_OPEN.replace(
        "WHERE",
        '''
                JOIN annotation_transition AS opening ON opening.id = request.opened_by_id
                JOIN corpus_story AS story ON story.id = request.story_id
                JOIN corpus_storyrevision AS wording ON wording.id = story.current_id WHERE''',
        1,
    )
}
                AND {_NOT_EXCLUDED} AND {_NOT_WITHHELD}
            ORDER BY request.priority DESC, request.id LIMIT %(reasons)s
        ) AS reason
    ) ELSE '[]' END
{_WANTED}
JOIN projects_project AS project ON project.id = wanted.project
"""  # noqa: S608 - put together from the parts above
_DEALT: Final = """
    FROM review_reviewrequest AS request JOIN review_golditem AS gold ON gold.id = request.gold_id
    WHERE request.project_id = wanted.project AND request.dealt_to_id = %(user)s
"""
_PUT_OFF: Final = f"""{_DEALT} AND request.state = 'closed' AND request.freed_from_id IS NULL
    AND gold.retired_at IS NULL AND {_NOT_EXCLUDED}
"""
QUEUE_STATES: Final = _STATES.format(put_off=_PUT_OFF, dealt=_DEALT)

# One request with its item.

REQUESTS: Final = Rows(ReviewRequest)
REVIEWS: Final = Rows(Review)

_MINE: Final = """
LEFT JOIN review_review AS mine ON mine.reviewer_id = %(user)s AND mine.stage = request.stage
    AND (mine.revision_id = request.revision_id OR mine.request_id = request.id)
WHERE request.public_id = %(request)s AND request.project_id = %(project)s
"""
HELD_REQUEST: Final = f"""
SELECT {REQUESTS.columns("request")}, {REVIEWS.columns("mine")} FROM review_reviewrequest AS request {_MINE}
"""  # noqa: S608 - put together from the part above

# With the item's content in the JSON of drafts and practice items, never the moral: it is read with every
# page of a review, and as a queryset of five tables it would cost as much as the rest of the page.
WORDS: Final = ("language", "title", "text", "is_current", "undoable", "is_new", "words", "types")
REQUESTS_WITH_WORDS: Final = Rows(ReviewRequest, *WORDS)
REQUEST_WITH_WORDS: Final = f"""
SELECT {REQUESTS.columns("request")}, story.language, wording.title, wording.text,
    story.current_id = wording.id,
    (
        SELECT jsonb_build_object(
            'request', request.public_id, 'stage', sent.stage, 'disposition', sent.disposition
        ) FROM review_review AS sent JOIN review_reviewrequest AS request ON request.id = sent.request_id
        WHERE sent.reviewer_id = %(user)s AND request.project_id = %(project)s AND lease_expires_at > now()
          AND sent_at IS NOT NULL AND judged_at IS NULL AND late_at IS NULL
        ORDER BY sent_at DESC LIMIT 1
    )::text,
    NOT EXISTS (
        SELECT 1 FROM review_review AS earlier
        JOIN review_reviewrequest AS solved ON solved.id = earlier.request_id
        WHERE earlier.reviewer_id = %(user)s AND solved.story_id = request.story_id
    ) AND NOT EXISTS (
        SELECT 1 FROM annotation_item AS written
        WHERE written.writer_id = %(user)s AND written.story_id = request.story_id
    ),
    coalesce(gold.words, jsonb_build_object(
        'stem', revision.stem, 'explanation', revision.explanation,
        'answered_warnings', revision.answered_warnings,
        'options', (
            SELECT jsonb_agg(
                jsonb_build_object('text', text, 'is_key', is_key, 'rank', rank) ORDER BY position
            )
            FROM annotation_option AS option WHERE option.revision_id = revision.id
        )
    ))::text,
    (
        SELECT coalesce(jsonb_agg(jsonb_build_object('code', code, 'name_en', name_en, 'name_zh', name_zh)
            ORDER BY "order", code), '[]')
        FROM projects_commonsensetype AS kind
        WHERE kind.project_id = request.project_id AND (gold.words -> 'types' ? kind.code OR EXISTS (
            SELECT 1 FROM annotation_revisiontype AS link
            WHERE link.revision_id = request.revision_id AND link.type_id = kind.id
        ))
    )::text, {REVIEWS.columns("mine")}
FROM review_reviewrequest AS request
JOIN corpus_story AS story ON story.id = request.story_id
LEFT JOIN annotation_revision AS revision ON revision.id = request.revision_id
LEFT JOIN review_golditem AS gold ON gold.id = request.gold_id
JOIN corpus_storyrevision AS wording
    ON wording.id = coalesce(revision.story_revision_id, gold.story_revision_id)
{_MINE}
"""  # noqa: S608 - put together from the part above

# The requests of one story.

SAME_STORY: Final = """ARRAY(
    SELECT %(story)s::bigint
    UNION
    SELECT other.id FROM corpus_story AS worded JOIN corpus_story AS other ON other.group_id = worded.group_id
    WHERE worded.id = %(story)s
)"""
"""The ids of a story and of its other wordings. The keys of their items reveal each other."""

IS_SEEN: Final = SEEN.format(item="%(item)s", story="%(story)s", task="%(task)s")
TOGETHER: Final = f"""
SELECT request.*, EXISTS (
    SELECT 1 FROM review_review AS given
    WHERE given.reviewer_id = %(user)s AND given.stage = request.stage
      AND (given.revision_id = request.revision_id OR given.request_id = request.id)
) AS is_answered
FROM review_reviewrequest AS request
WHERE request.claimed_by_id = %(user)s AND request.state = 'claimed' AND request.project_id = %(project)s
  AND request.stage <> 'adjudication' AND request.task = %(task)s AND request.story_id = ANY({SAME_STORY})
  AND NOT {IS_SEEN}
ORDER BY request.claimed_at, request.public_id
"""  # noqa: S608 - put together from constants

# A claim.

CARRIED_OUT_AT_ONCE: Final = 5
MOST_TOGETHER: Final = 12
"""The maximum number of a story's requests that are claimed together. Few stories have so many items."""

# A verdict that can still be undone is carried out when its time is over, not discarded.
FREE_LAPSED: Final = """
UPDATE review_reviewrequest AS freed
SET state = CASE WHEN gold_id IS NULL THEN 'open' ELSE 'closed' END,
    freed_from_id = claimed_by_id, freed_order = drawn_order,
    claimed_by_id = NULL, claimed_at = NULL, lease_expires_at = NULL
WHERE id IN (
    SELECT id FROM review_reviewrequest AS request
    WHERE state = 'claimed' AND lease_expires_at < now()
      AND NOT EXISTS (
          SELECT 1 FROM review_review AS sent
          WHERE sent.request_id = request.id AND sent.reviewer_id = request.claimed_by_id
            AND sent.sent_at IS NOT NULL AND sent.judged_at IS NULL
      )
    ORDER BY lease_expires_at LIMIT %s FOR UPDATE OF request SKIP LOCKED
)
"""

# The conditions for claiming a request. Those that may change concurrently are checked again when it is
# locked. OFFSET 0 makes the planner look each request up in the index, where a join would read all reviews of
# the user.
_IS_OPEN: Final = "request.state = 'open' AND NOT request.excluded @> ARRAY[%(user)s]::bigint[]"
_FITS: Final = f"""
{_IS_OPEN} AND NOT request.story_id = ANY(%(kept)s::bigint[]) AND NOT request.id = ANY(%(later)s::bigint[])
  AND NOT EXISTS (
      SELECT 1 FROM review_reviewrequest AS other
      WHERE other.revision_id = request.revision_id AND other.stage = request.stage
        AND other.claimed_by_id = %(user)s
      OFFSET 0
  )
"""  # noqa: S608 - put together from the part above
# Requests whose key the user has not seen; otherwise the answer would not be blind.
_UNEXPOSED: Final = (
    f"AND NOT {SEEN.format(item='request.item_id', story='request.story_id', task='request.task')}"
)
_LOCK_ONE: Final = "LIMIT 1 FOR UPDATE OF request SKIP LOCKED FOR SHARE OF item SKIP LOCKED"

# The data a claim needs: sent verdicts to carry out (by item, so that concurrent claims lock the items in the
# same order), the request that this user has claimed already, whether any lease has run out, the story that
# the user read last, the requests that they postponed, the stories that are withheld from them.
BEFORE_CLAIM: Final = f"""
SELECT ARRAY(
    SELECT due.id FROM (
        SELECT sent.id, parable_source_of(sent.item_id, request.gold_id) AS locked_first
        FROM review_review AS sent JOIN review_reviewrequest AS request ON request.id = sent.request_id
        WHERE sent.sent_at IS NOT NULL AND sent.judged_at IS NULL AND sent.late_at IS NULL
          AND (sent.reviewer_id = %(user)s OR request.lease_expires_at < now())
          AND request.project_id = %(project)s
          AND sent.id IS DISTINCT FROM %(undoable)s
    ) AS due
    ORDER BY due.locked_first, due.id
    LIMIT {CARRIED_OUT_AT_ONCE}
), (
    SELECT id FROM review_reviewrequest AS request
    WHERE project_id = %(project)s AND stage = %(stage)s AND claimed_by_id = %(user)s AND state = 'claimed'
      AND lease_expires_at > now() AND NOT EXISTS (
          SELECT 1 FROM review_review AS sent
          WHERE sent.reviewer_id = %(user)s AND sent.request_id = request.id AND sent.sent_at IS NOT NULL
      )
    ORDER BY claimed_at, public_id LIMIT 1
), EXISTS (
    SELECT 1 FROM review_reviewrequest WHERE state = 'claimed' AND lease_expires_at < now()
), (
    SELECT request.story_id FROM review_review AS review
    JOIN review_reviewrequest AS request ON request.id = review.request_id
    WHERE review.reviewer_id = %(user)s AND request.project_id = %(project)s
    ORDER BY review.id DESC LIMIT 1
), ARRAY(
    SELECT request.id FROM review_postponement AS later
    JOIN review_reviewrequest AS request ON request.id = later.request_id
    WHERE later.user_id = %(user)s AND later.at > %(since)s AND request.project_id = %(project)s
    ORDER BY later.at, request.id
), {WITHHELD_FROM}
"""  # noqa: S608 - put together from constants

# The oldest requests of the queue, most urgent first.
_OLDEST: Final = """
    SELECT * FROM review_reviewrequest
    WHERE project_id = %(project)s AND stage = %(stage)s AND state = 'open'
    ORDER BY priority DESC, id LIMIT %(first)s
"""
# Requests of the story just read, unless something more urgent waits.
_OF_STORY: Final = """
    SELECT * FROM review_reviewrequest
    WHERE story_id = %(story)s AND stage = %(stage)s AND state = 'open' AND priority >= coalesce((
        SELECT priority FROM review_reviewrequest
        WHERE project_id = %(project)s AND stage = %(stage)s AND state = 'open'
        ORDER BY priority DESC, id LIMIT 1
    ), 0)
    ORDER BY id LIMIT %(first)s
"""
_NEAR: Final = f"""
WITH near AS MATERIALIZED ({{near}}),
fitting AS MATERIALIZED (
    SELECT request.id FROM near AS request
    WHERE {_FITS} {_UNEXPOSED} ORDER BY request.priority DESC, request.id LIMIT %(locked)s
),
found AS MATERIALIZED (
    SELECT request.id, request.option_count
    FROM fitting JOIN review_reviewrequest AS request USING (id)
    JOIN annotation_item AS item ON item.id = request.item_id
    WHERE {_IS_OPEN} ORDER BY request.priority DESC, request.id {_LOCK_ONE}
)
"""  # noqa: S608 - put together from the parts above
_ANYWHERE: Final = f"""
{GROUPS}, mine AS MATERIALIZED (
    SELECT groups.priority, groups.excluded_key FROM groups CROSS JOIN LATERAL (
        SELECT id FROM review_reviewrequest AS request
        WHERE request.project_id = %(project)s AND request.stage = %(stage)s AND request.state = 'open'
          AND request.priority = groups.priority AND request.excluded_key = groups.excluded_key
        ORDER BY id LIMIT 1
    ) AS oldest
    WHERE NOT groups.excluded @> ARRAY[%(user)s]::bigint[]
    ORDER BY groups.priority DESC, oldest.id
),
found AS MATERIALIZED (
    SELECT one.id, one.option_count FROM {{groups}} AS mine CROSS JOIN LATERAL (
        SELECT request.id, request.option_count
        FROM {{requests}} AS request JOIN annotation_item AS item ON item.id = request.item_id
        WHERE request.project_id = %(project)s AND request.stage = %(stage)s
          AND request.priority = mine.priority AND request.excluded_key = mine.excluded_key
          AND {_FITS} {{narrowed}}
        ORDER BY request.id {_LOCK_ONE}
    ) AS one LIMIT 1
)
"""  # noqa: S608 - put together from the parts above

# A user who has exported the table of items has seen nearly every key. So only the requests at both ends of
# the first groups are examined: items written since the export are at the newer end.
_END: Final = """
    (SELECT id FROM review_reviewrequest
     WHERE project_id = %(project)s AND stage = %(stage)s AND state = 'open'
       AND priority = mine.priority AND excluded_key = mine.excluded_key
     ORDER BY id {order} LIMIT %(ends)s)
"""
_ENDS: Final = f"{_END.format(order='')} UNION {_END.format(order='DESC')}"

_SHUFFLED: Final = ", ".join(f"'{code}'" for code in codes("has_own_options"))

# The request is selected once, as a table of its own: as a subquery in FROM it could be run again for every
# row that the planner joins it to, and each run would lock, and so claim, one request more. The options are
# drawn as in `draw_order`.
_TAKE: Final = f"""
UPDATE review_reviewrequest AS taken
SET state = 'claimed', claimed_by_id = %(user)s, claimed_at = %(at)s, lease_expires_at = %(until)s,
    active_seconds = 0,
    drawn_order = ARRAY(
        SELECT position FROM generate_series(0, found.option_count - 1) AS position
        ORDER BY CASE WHEN taken.task IN ({_SHUFFLED}) THEN random() END, position
    )
FROM found
WHERE taken.id = found.id
RETURNING {REQUESTS.columns("taken")}
"""  # noqa: S608 - put together from the model's own columns
FROM_STORY: Final = _NEAR.format(near=_OF_STORY) + _TAKE
FROM_OLDEST: Final = _NEAR.format(near=_OLDEST) + _TAKE
FROM_ANYWHERE: Final = (
    _ANYWHERE.format(
        groups="(SELECT * FROM mine LIMIT %(groups)s)",
        requests=f"({_ENDS}) AS near CROSS JOIN review_reviewrequest",
        narrowed=f"AND near.id = request.id {_UNEXPOSED}",
    )
    + _TAKE
)
FROM_EXPOSED: Final = _ANYWHERE.format(groups="mine", requests="review_reviewrequest", narrowed="") + _TAKE
# If nothing else is left, claim the request that was postponed first. In queue order, the same request would
# come back each time it is postponed, and the requests behind it never.
FROM_POSTPONED: Final = (
    f"""
WITH found AS MATERIALIZED (
    SELECT request.id, request.option_count
    FROM review_reviewrequest AS request JOIN annotation_item AS item ON item.id = request.item_id
    WHERE request.id = ANY(%(postponed)s::bigint[]) AND request.stage = %(stage)s AND {_FITS}
    ORDER BY array_position(%(postponed)s::bigint[], request.id) {_LOCK_ONE}
)
"""  # noqa: S608 - put together from the parts above
    + _TAKE
)

# One request of each revision, including postponed ones, since a key of the story is about to be shown.
FROM_SIBLINGS: Final = (
    f"""
WITH revisions AS MATERIALIZED (
    SELECT DISTINCT request.revision_id FROM review_reviewrequest AS request
    WHERE request.project_id = %(project)s AND request.stage = %(stage)s AND request.task = %(task)s
      AND request.story_id = ANY({SAME_STORY}) AND {_FITS} {_UNEXPOSED}
    ORDER BY request.revision_id LIMIT {MOST_TOGETHER - 1}
),
found AS MATERIALIZED (
    SELECT one.id, one.option_count FROM revisions CROSS JOIN LATERAL (
        SELECT request.id, request.option_count
        FROM review_reviewrequest AS request JOIN annotation_item AS item ON item.id = request.item_id
        WHERE request.revision_id = revisions.revision_id AND request.stage = %(stage)s AND {_FITS}
        ORDER BY request.id {_LOCK_ONE}
    ) AS one
)
"""  # noqa: S608 - put together from the parts above
    + _TAKE
)

# Leases.

# One statement: PostgreSQL locks in the order of the names in `OF`.
_ITS_ITEM: Final = """
review_reviewrequest AS request JOIN annotation_item AS item ON item.id = coalesce(
    request.item_id, (SELECT made_from_id FROM review_golditem WHERE id = request.gold_id)
)
"""
LOCK_REQUEST: Final = f"""
SELECT {REQUESTS.columns("request")} FROM {_ITS_ITEM} WHERE request.id = %s FOR UPDATE OF item, request
"""  # noqa: S608 - put together from the model's own columns
LOCK_REVIEW: Final = f"""
SELECT {REQUESTS.columns("request")}, {REVIEWS.columns("review")}
FROM {_ITS_ITEM} JOIN review_review AS review ON review.request_id = request.id
WHERE review.id = %s FOR UPDATE OF item, request, review
"""  # noqa: S608 - put together from the models' own columns
EXCLUDE: Final = """
UPDATE review_reviewrequest
SET excluded = ARRAY(
        SELECT DISTINCT person FROM unnest(excluded || %(user)s::bigint) AS person ORDER BY person
    ),
    lease_expires_at = CASE id WHEN %(request)s THEN %(until)s ELSE lease_expires_at END,
    active_seconds = CASE id WHEN %(request)s THEN %(active)s ELSE active_seconds END
WHERE (id = %(request)s OR revision_id = %(revision)s AND stage = %(stage)s)
  AND (state IN ('open', 'claimed') OR gold_id IS NOT NULL)
  AND (id = %(request)s OR NOT excluded @> ARRAY[%(user)s]::bigint[])
"""

# Leases of the requests of one story.

_OF_THE_STORY: Final = f"""
request.project_id = %(project)s AND request.stage = %(stage)s AND request.task = %(task)s
    AND request.id <> %(request)s AND request.story_id = ANY({SAME_STORY})
"""
# A sibling counts as claimed when the answer before it is given. The lease of a request whose verdict can
# still be undone is not extended.
EXTEND_SIBLINGS: Final = f"""
UPDATE review_reviewrequest AS kept
SET lease_expires_at = %(until)s,
    claimed_at = CASE WHEN %(begins)s AND NOT EXISTS (
        SELECT 1 FROM review_review AS given
        WHERE given.request_id = kept.id AND given.reviewer_id = %(user)s
    ) THEN %(now)s ELSE claimed_at END
WHERE id IN (
    SELECT request.id FROM review_reviewrequest AS request
    WHERE request.claimed_by_id = %(user)s AND request.state = 'claimed' AND {_OF_THE_STORY}
      AND NOT EXISTS (
          SELECT 1 FROM review_review AS sent
          WHERE sent.request_id = request.id AND sent.reviewer_id = %(user)s AND sent.sent_at IS NOT NULL
      )
    FOR UPDATE OF request SKIP LOCKED
)
"""  # noqa: S608 - put together from constants
# Of two requests of a revision that the user lost with their leases, the later one is claimed again.
REGAIN_SIBLINGS: Final = f"""
WITH found AS MATERIALIZED (
    SELECT request.id FROM review_reviewrequest AS request
    JOIN annotation_item AS item ON item.id = request.item_id
    WHERE request.freed_from_id = %(user)s AND request.state = 'open' AND {_OF_THE_STORY}
      AND NOT parable_is_author(request.item_id, %(user)s)
      AND NOT EXISTS (
          SELECT 1 FROM review_reviewrequest AS other
          WHERE other.revision_id = request.revision_id AND other.stage = request.stage
            AND (other.claimed_by_id = %(user)s
                 OR other.freed_from_id = %(user)s AND other.state = 'open' AND other.id > request.id)
      )
    FOR UPDATE OF request SKIP LOCKED FOR SHARE OF item SKIP LOCKED
)
UPDATE review_reviewrequest AS regained
SET state = 'claimed', claimed_by_id = %(user)s, claimed_at = %(now)s, lease_expires_at = %(until)s,
    drawn_order = freed_order
FROM found WHERE regained.id = found.id
"""  # noqa: S608 - put together from constants
LET_SIBLINGS_GO: Final = """
UPDATE review_reviewrequest
SET state = CASE WHEN gold_id IS NULL THEN 'open' ELSE 'closed' END, claimed_by_id = NULL,
    claimed_at = NULL, lease_expires_at = NULL, freed_from_id = nullif(freed_from_id, %(user)s)
WHERE id IN (
    SELECT id FROM review_reviewrequest
    WHERE id = ANY(%(siblings)s) AND claimed_by_id = %(user)s AND state = 'claimed' FOR UPDATE SKIP LOCKED
)
RETURNING id
"""

# Data of items that is needed when requests are opened, answered and closed.

OPENING: Final = """
SELECT moved.item,
    (SELECT coalesce(max(number), 0) FROM review_reviewrequest
     WHERE revision_id = moved.revision AND stage = %(stage)s),
    (SELECT count(*) FROM annotation_option WHERE revision_id = moved.revision),
    coalesce((
        SELECT priority FROM review_reviewrequest WHERE item_id = moved.item ORDER BY id + 0 DESC LIMIT 1
    ), %(normal)s),
    ARRAY(
        SELECT parable_authors_of(moved.item)
        UNION
        SELECT reviewer_id FROM review_review
        WHERE item_id = moved.item AND (moved.by_any OR revision_id = moved.revision AND stage = %(stage)s)
        ORDER BY 1
    )
FROM unnest(%(items)s::bigint[], %(revisions)s::bigint[], %(by_any)s::boolean[])
    AS moved(item, revision, by_any)
"""
# `id + 0`: by the index of items whatever the statistics, never by all ids from the last one down
# The data an answer needs: an earlier answer of this user, the current guideline, whether the key was shown
# to them, the options and keys; as querysets they would cost as much as the rest.
KNOWN_OF_ITEM: Final = f"""
SELECT (
    SELECT id FROM review_review WHERE stage = %(stage)s AND reviewer_id = %(user)s
        AND (revision_id = %(revision)s OR request_id = %(request)s)
), {CURRENT_GUIDELINE},
    {SEEN.format(item="%(item)s", story="%(story)s", task="%(task)s")},
    ARRAY(SELECT id FROM annotation_option WHERE revision_id = %(revision)s ORDER BY position),
    ARRAY(SELECT id FROM annotation_option WHERE revision_id = %(revision)s AND is_key)
"""  # noqa: S608 - put together from constants
# The update also returns whether other requests of the round wait: only a statement that begins after the
# item was locked sees the effects of the verdict before it.
CLOSE_REQUEST: Final = """
WITH judged AS (UPDATE review_review SET judged_at = %(at)s, late_at = NULL WHERE id = %(review)s)
UPDATE review_reviewrequest AS done
SET state = 'done', closed_at = %(at)s, lease_expires_at = %(until)s, active_seconds = %(active)s
WHERE id = %(request)s
RETURNING EXISTS (
    SELECT 1 FROM review_reviewrequest AS other
    WHERE other.opened_by_id = done.opened_by_id AND other.id <> done.id
      AND other.state IN ('open', 'claimed')
)
"""

# The queues of the whole site, for operators. Each project and stage is one step into a partial index.
SITE_BACKLOG: Final = """
SELECT stage.name,
    (SELECT count(*) FROM (
        SELECT FROM projects_project AS project
        CROSS JOIN LATERAL (
            SELECT FROM review_reviewrequest AS request
            WHERE request.project_id = project.id AND request.stage = stage.name AND request.state = 'open'
            ORDER BY request.opened_at DESC LIMIT %(most)s  -- the order of the index, so that it is read
        ) AS counted
        WHERE project.archived_at IS NULL LIMIT %(most)s
    ) AS all_of_them),
    (SELECT min(oldest.opened_at) FROM projects_project AS project
        CROSS JOIN LATERAL (
            SELECT request.opened_at FROM review_reviewrequest AS request
            WHERE request.project_id = project.id AND request.stage = stage.name AND request.state = 'open'
            ORDER BY request.opened_at LIMIT 1
        ) AS oldest
        WHERE project.archived_at IS NULL)
FROM unnest(%(stages)s::text[]) AS stage(name)
"""
