"""The only writer of stories. Imports work in batches, so that a story costs no query of its own."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db import IntegrityError, connection, transaction
from django.utils.translation import gettext as _

from accounts.errors import Conflict, Unusable, require
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
from parable.formats.errors import SENTENCES, RowError
from parable.formats.records import Reading, Row, StoryRecord
from projects.models import Project
from projects.permissions import may_manage

BATCH: Final = 2000


def text_hash(text: str) -> str:
    """SHA-256 of a story's text less outer white space: by it imports know a story again."""
    return hashlib.sha256(text.strip().encode()).hexdigest()


def sentences(errors: Sequence[RowError]) -> list[Issue]:
    """What is wrong with a file, in the reader's language."""
    return issues_of(errors, [_(SENTENCES[error.code]) % error.params for error in errors])


@dataclass(frozen=True, slots=True)
class NewStory:
    """A story that does not exist yet; `ref` is empty where one shall be made."""

    ref: str
    title: str
    text: str
    moral: str
    language: str
    source: str = ""
    rights: str = ""


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


def create_stories(
    *, actor: User, project: Project, wanted: Sequence[NewStory], reason: str = ""
) -> list[Story]:
    """Create stories in bulk, each with its first revision. Texts and ids must be new to the project."""
    stories = Story.objects.bulk_create(
        [
            Story(
                project=project,
                ref=new.ref or f"story-{text_hash(new.text)[:12]}",
                language=new.language,
                source=new.source,
                rights=new.rights,
                text_hash=text_hash(new.text),
                created_by=actor,
            )
            for new in wanted
        ],
        batch_size=BATCH,
    )
    revisions = [_revision(story, 1, new, actor, reason) for story, new in zip(stories, wanted, strict=True)]
    StoryRevision.objects.bulk_create(revisions, batch_size=BATCH)
    _point_at_first_revisions([story.pk for story in stories])
    for story, revision in zip(stories, revisions, strict=True):
        story.current = revision
    return stories


def _revision(story: Story, number: int, new: NewStory, actor: User, reason: str) -> StoryRevision:
    return StoryRevision(
        story=story,
        number=number,
        title=new.title,
        text=new.text,
        moral=new.moral,
        moral_origin=MoralOrigin.SOURCE if new.moral else MoralOrigin.NONE,
        reason=reason,
        author=actor,
    )


def _point_at_first_revisions(stories: Sequence[int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE corpus_story SET current_id = revision.id FROM corpus_storyrevision revision"
            " WHERE revision.story_id = corpus_story.id AND revision.number = 1"
            " AND corpus_story.id = ANY(%s)",
            [list(stories)],
        )


@transaction.atomic
def revise_story(
    *,
    actor: User,
    story: Story,
    title: str,
    text: str,
    moral: str,
    moral_origin: str,
    reason: str,
) -> StoryRevision:
    """Give the story a new wording, with the reason. Managers only.

    Raises `Unusable` where reason or text is missing, `Conflict` where another story has this text.
    """
    require(may_manage(actor, story.project))
    missing = {
        name: _("empty")
        for name, value in {"reason": reason, "text": text, "title": title}.items()
        if not value.strip()
    }
    if missing:
        raise Unusable(_("A story needs a title, a text, and a reason for the change."), missing)
    Story.objects.select_for_update().get(pk=story.pk)
    story.refresh_from_db()
    assert story.current is not None  # every story has a first revision
    revision = StoryRevision.objects.create(
        story=story,
        number=story.current.number + 1,
        title=title.strip(),
        text=text.strip(),
        moral=moral.strip(),
        moral_origin=(moral_origin or MoralOrigin.OURS) if moral.strip() else MoralOrigin.NONE,
        reason=reason.strip(),
        author=actor,
    )
    _make_current(story, revision)
    record_event(actor=actor, verb="revise_story", subject=story, detail={"number": revision.number})
    return revision


def _make_current(story: Story, revision: StoryRevision) -> None:
    story.current, story.text_hash = revision, text_hash(revision.text)
    try:
        with transaction.atomic():
            story.save(update_fields=["current", "text_hash"])
    except IntegrityError as error:
        raise Conflict(_("Another story of this project has this very text.")) from error


@transaction.atomic
def set_rights(*, actor: User, story: Story, rights: str, evidence: str) -> None:
    """Record under which rights the story may be published, and how that is known. Managers only."""
    require(may_manage(actor, story.project))
    story.rights, story.rights_evidence = rights.strip(), evidence.strip()
    story.save(update_fields=["rights", "rights_evidence"])
    record_event(actor=actor, verb="set_rights", subject=story, detail={"rights": story.rights})


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
    assert current is not None  # every story has a first revision
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
        _make_current(story, revision)
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
