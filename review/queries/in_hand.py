"""A place in somebody's hands, with what its page shows, in one statement. Reads only."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import Option, Revision
from core.errors import Hidden
from corpus.models import Story, StoryRevision
from projects.models import CommonsenseType, Project
from review.models import Review, ReviewRequest
from review.queries.rows import Columns, one_row

_PLACE: Final = Columns(ReviewRequest, "place")
_MINE: Final = Columns(Review, "mine")
_STORY: Final = Columns(Story, "story", "id", "language", "current_id")
_REVISION: Final = Columns(
    Revision,
    "revision",
    *("id", "item_id", "number", "story_revision_id", "stem", "explanation", "answered_warnings"),
)
_WORDING: Final = Columns(StoryRevision, "wording", "id", "title", "text")  # never the moral
_OPTION: Final = Columns(Option, "told", "id", "revision_id", "position", "text", "is_key")
_TYPE: Final = Columns(CommonsenseType, "kind", "id", "code", "name_zh", "name_en")

_FROM: Final = """
FROM review_reviewrequest AS place
LEFT JOIN review_review AS mine
    ON mine.revision_id = place.revision_id AND mine.stage = place.stage AND mine.reviewer_id = %(user)s
"""
_WHERE: Final = "WHERE place.id = %(place)s AND place.project_id = %(project)s"
_HELD: Final = f"SELECT {_PLACE.sql}, {_MINE.sql} {_FROM} {_WHERE}"
_SHOWN: Final = f"""
SELECT {_PLACE.sql}, {_MINE.sql}, {_STORY.sql}, {_REVISION.sql}, {_WORDING.sql},
    (SELECT json_agg(json_build_array({_OPTION.sql}) ORDER BY told.position)
     FROM annotation_option AS told WHERE told.revision_id = place.revision_id),
    (SELECT json_agg(json_build_array({_TYPE.sql}) ORDER BY kind."order", kind.code)
     FROM annotation_revisiontype AS link JOIN projects_commonsensetype AS kind ON kind.id = link.type_id
     WHERE link.revision_id = place.revision_id)
{_FROM}
JOIN corpus_story AS story ON story.id = place.story_id
JOIN annotation_revision AS revision ON revision.id = place.revision_id
JOIN corpus_storyrevision AS wording ON wording.id = revision.story_revision_id
{_WHERE}
"""  # noqa: S608 - put together from the columns above


class InHand(NamedTuple):
    """A place, and what this person found in its revision at its stage, if they have solved it."""

    place: ReviewRequest
    review: Review | None


def get_in_hand(*, user: User, project: Project, pk: int, shown: bool = False) -> InHand:
    """A place that this person holds, held until their lease ran out, or has judged, with their review.

    Any other does not exist for them: `Hidden`. `shown`: with all that its page shows.
    """
    values = {"user": user.pk, "place": pk, "project": project.pk}
    row = one_row(_SHOWN if shown else _HELD, values)
    found = _read(row, project) if row else None
    if found is None or not _is_theirs(user, found):
        raise Hidden(_("There is no such item in your hands."))
    if row and shown:
        _show(found.place, row)
    return found


def _read(row: Sequence[Any], project: Project) -> InHand:
    place = _PLACE.taken_from(row)
    place.project = project
    if row[len(_PLACE)] is None:
        return InHand(place, None)
    review = _MINE.taken_from(row, len(_PLACE))
    if review.request_id == place.pk:
        review.request = place
    return InHand(place, review)


def _is_theirs(user: User, found: InHand) -> bool:
    if user.pk in {found.place.claimed_by_id, found.place.freed_from_id}:
        return True
    return found.review is not None and found.review.request_id == found.place.pk


def _show(place: ReviewRequest, row: Sequence[Any]) -> None:
    """Give the place its story, its revision, and the options and types of that."""
    at = len(_PLACE) + len(_MINE)
    place.story = _STORY.taken_from(row, at)
    place.revision = revision = _REVISION.taken_from(row, at + len(_STORY))
    revision.story_revision = _WORDING.taken_from(row, at + len(_STORY) + len(_REVISION))
    options, types = row[-2:]
    # what a query with prefetch_related would have put there
    revision._prefetched_objects_cache = {  # type: ignore[attr-defined]  # noqa: SLF001
        "options": [_OPTION.taken_from(one) for one in options],
        "types": [_TYPE.taken_from(one) for one in types or ()],
    }
