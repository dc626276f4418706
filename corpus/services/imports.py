"""Stories that come from files, in batches, so that a story costs no query of its own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.errors import require
from accounts.models import User
from accounts.services import record_event
from corpus.imports import (
    CHANGED,
    CREATED,
    DUPLICATE,
    UNCHANGED,
    ImportResult,
    Issue,
    issues_of,
)
from corpus.models import MoralOrigin, Story, StoryRevision
from corpus.services.stories import BATCH, NewStory, create_stories, make_current, text_hash
from parable.formats.errors import SENTENCES, RowError
from parable.formats.records import Reading, Row, StoryRecord
from projects.models import Project
from projects.permissions import may_manage


def sentences(errors: Sequence[RowError]) -> list[Issue]:
    """What is wrong with a file, in the reader's language."""
    return issues_of(errors, [_(SENTENCES[error.code]) % error.params for error in errors])


def new_story(record: StoryRecord, project: Project) -> NewStory:
    """A file's record as a story of this project; what it leaves open follows the project."""
    return NewStory(
        ref=record.id,
        title=record.title or record.text[:30],
        text=record.text,
        moral=record.moral or "",
        language=record.language or project.language,
        source=record.source,
        rights=record.rights or "",
    )


@dataclass(slots=True)
class _Known:
    """What the project has of the rows at hand."""

    by_hash: Mapping[str, Story]
    by_ref: Mapping[str, Story]


@transaction.atomic
def import_stories(
    *, actor: User, project: Project, reading: Reading[StoryRecord], dry_run: bool = False
) -> ImportResult:
    """Bring stories in: new ones are created, known ones with other words or rights get a revision.

    A story is known by its exact text less outer white space, or else by the id the file gives it.
    One broken row anywhere: nothing is written. A dry run says what would happen.
    """
    require(may_manage(actor, project))
    result = ImportResult(dry_run=dry_run, issues=sentences(reading.errors))
    seen: dict[str, int] = {}
    for rows in _chunks(reading.rows):
        _import_rows(actor, project, reading.name, rows, seen, result)
    if result.is_broken or dry_run:
        transaction.set_rollback(True)
    else:
        record_event(actor=actor, verb="import_stories", subject=project, detail=result.counts())
    return result


def _chunks(rows: Sequence[Row[StoryRecord]]) -> Iterator[Sequence[Row[StoryRecord]]]:
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]


def _import_rows(
    actor: User,
    project: Project,
    file: str,
    rows: Sequence[Row[StoryRecord]],
    seen: dict[str, int],
    result: ImportResult,
) -> None:
    known = _known(project, rows)
    fresh: list[NewStory] = []
    for row in rows:
        new, hashed = new_story(row.record, project), text_hash(row.record.text)
        if hashed in seen:
            remark = _("the same text as row %(row)d") % {"row": seen[hashed]}
            result.note(file, row.row, DUPLICATE, new.title, remark)
            continue
        seen[hashed] = row.row
        story = known.by_hash.get(hashed) or known.by_ref.get(new.ref)
        if story is None:
            fresh.append(new)
            result.note(file, row.row, CREATED, new.title)
        else:
            result.note(file, row.row, _bring_up_to_date(actor, story, new), new.title)
    if not result.is_broken:
        create_stories(actor=actor, project=project, wanted=fresh, reason=_("imported"))


def _known(project: Project, rows: Sequence[Row[StoryRecord]]) -> _Known:
    stories = Story.objects.filter(project=project).select_related("current")
    hashes = [text_hash(row.record.text) for row in rows]
    refs = [row.record.id for row in rows if row.record.id]
    return _Known(
        {story.text_hash: story for story in stories.filter(text_hash__in=hashes)},
        {story.ref: story for story in stories.filter(ref__in=refs)},
    )


def _bring_up_to_date(actor: User, story: Story, new: NewStory) -> str:
    """Let a known story follow the file; answers whether that changed anything."""
    current = story.current
    if current is None:
        raise AssertionError  # every story has a first revision
    moral = new.moral or current.moral
    changed = UNCHANGED
    if (current.title, current.text, current.moral) != (new.title, new.text, moral):
        origin = current.moral_origin if moral == current.moral else MoralOrigin.SOURCE
        revision = StoryRevision.objects.create(
            story=story,
            number=current.number + 1,
            title=new.title,
            text=new.text,
            moral=moral,
            moral_origin=origin,
            reason=_("imported"),
            author=actor,
        )
        make_current(story, revision)
        changed = CHANGED
    wanted = {
        name: value
        for name, value in {"source": new.source, "rights": new.rights}.items()
        if value and value != getattr(story, name)
    }
    if wanted:
        for name, value in wanted.items():
            setattr(story, name, value)
        story.save(update_fields=list(wanted))
        changed = CHANGED
    return changed
