"""Services that publish events, in the transaction of the change that they report."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import orjson

from events.models import Event, EventKind
from jobs.job_types import JobEnd
from web.rows import Columns, Rows

_ROWS: Final = Rows(Event)
_COLUMNS: Final = Columns(Event, "project_id", "kind", "object_type", "object_id", "data")
_NOTHING: Final[Mapping[str, object]] = MappingProxyType({})
ABOUT: Final[Mapping[str, str]] = MappingProxyType(
    {
        EventKind.REVIEW_VERDICT: "item",
        EventKind.STORIES_IMPORTED: "project",
        EventKind.ITEMS_IMPORTED: "project",
    }
)
"""The kinds of objects of events that are about another one than their type says."""
_OF_JOBS: Final = {
    "done": EventKind.JOB_FINISHED,
    "failed": EventKind.JOB_FAILED,
    "cancelled": EventKind.JOB_CANCELLED,
}
"""The types of events by the state in which a job ends."""


class NewEvent(NamedTuple):
    """An event to publish. `data` has no keys, morals, texts, answers or names of people."""

    project_id: int
    kind: str
    object_id: int
    data: Mapping[str, object] = _NOTHING

    @property
    def object_type(self) -> str:
        """The kind of object that the event is about."""
        return ABOUT.get(self.kind) or self.kind.partition(".")[0]


def publish(events: Sequence[NewEvent]) -> None:
    """Write events with one statement, however many there are.

    The caller's transaction must hold the lock of each object that it changes, so that the events about an
    object have ids in the order of the commits.
    """
    if len(events) == 1:
        (one,) = events
        _ROWS.insert(
            Event(
                project_id=one.project_id,
                kind=one.kind,
                object_type=one.object_type,
                object_id=one.object_id,
                data=dict(one.data),
            )
        )
    elif events:
        _COLUMNS.write(
            (one.project_id, one.kind, one.object_type, one.object_id, orjson.dumps(dict(one.data)).decode())
            for one in events
        )


def publish_job_end(end: JobEnd) -> None:
    """Publish that a job has ended. Small jobs at a writer's desk are left out: they show who is writing."""
    kind = _OF_JOBS.get(end.state)
    if kind is not None and not end.is_at_desk:
        publish([NewEvent(end.project_id, kind, end.job_id, {"kind": end.kind})])
