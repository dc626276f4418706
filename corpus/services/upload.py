"""Imports stories from files in batches, without a query per story."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from babel import Locale
from django.db import IntegrityError, connection, transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, require
from corpus.models import METADATA, MoralOrigin, RevisionCause, Story, StoryRevision
from corpus.outcome import (
    CHANGED,
    CREATED,
    DUPLICATE,
    UNCHANGED,
    ImportResult,
    ReadingNote,
    RowMessage,
    issues_of,
)
from corpus.services.group import order_search, suspected_stories
from corpus.services.story import BATCH, create_stories, text_hash
from parable.formats.errors import FILE, ErrorCode, RowError, error_message
from parable.formats.records import ItemRecord, Reading, Row, StoryRecord
from projects.models import Project
from projects.permissions import may_manage


def sentences(readings: Iterable[Reading[StoryRecord] | Reading[ItemRecord]]) -> list[RowMessage]:
    """Return the errors in files as messages in the current language. A file without rows is an error."""
    errors: list[RowError] = []
    for reading in readings:
        errors += reading.errors
        if not reading.errors and not reading.rows:
            errors.append(RowError(reading.name, 1, FILE, ErrorCode.NO_ROWS, {}))
    return issues_of(errors, [error_message(error, _) for error in errors])


def reading_remarks(
    readings: Iterable[Reading[StoryRecord] | Reading[ItemRecord]],
) -> Iterator[ReadingNote]:
    """Yield notes about values that were read differently than written, in the current language."""
    for reading in readings:
        for one in reading.remarks:
            yield ReadingNote(one.file, one.row, one.field, error_message(one, _), one.code.value, one.rows)


def new_story(record: StoryRecord, project: Project) -> StoryRecord:
    """Complete a record: a missing title is taken from its text, a missing language from the project."""
    if record.title and record.language:
        return record
    title, language = record.title or record.text[:30], record.language or project.language
    return replace(record, title=title, language=language)


@dataclass(slots=True)
class _Run:
    """The state of an import: actor, project, result, and data about the rows of earlier batches."""

    actor: User
    project: Project
    result: ImportResult
    # the file and row of the first story with each text, by the text's hash
    seen: dict[str, tuple[str, int]] = field(default_factory=dict)
    stories: dict[int, Story] = field(default_factory=dict)  # changed stories as they are now, by id
    gone: set[str] = field(default_factory=set)  # hashes of the former texts of changed stories
    fresh: list[tuple[int, StoryRecord]] = field(default_factory=list)  # new stories, by index in outcomes


@dataclass(slots=True)
class _Batch:
    """The stories that the rows of a batch refer to, and the stories and revisions to write."""

    by_hash: dict[str, Story]
    by_ref: dict[str, Story]
    before: dict[int, int | None] = field(default_factory=dict)  # the former revision of a story, by its id
    fresh: list[StoryRecord] = field(default_factory=list)
    wordings: list[StoryRevision] = field(default_factory=list)


@transaction.atomic
def import_stories(
    *, actor: User, project: Project, readings: Sequence[Reading[StoryRecord]], dry_run: bool = False
) -> ImportResult:
    """Import stories: create new ones, and update known ones that differ from the file.

    A story is identified by its exact trimmed text, or else by the id in the file. If any row is invalid,
    nothing is written. A dry run returns the same result without writing anything. Raises `Conflict` if a
    story was changed concurrently.
    """
    require(may_manage(actor, project))
    result = ImportResult(dry_run=dry_run, issues=sentences(readings), remarks=[*reading_remarks(readings)])
    writes = not (result.is_broken or dry_run)
    if writes:  # concurrent imports into one project take turns, so that the same story is created once
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    run = _Run(actor, project, result)
    for reading in readings:
        for start in range(0, len(reading.rows), BATCH):
            batch = _plan(run, reading.name, reading.rows[start : start + BATCH])
            if writes:
                _write(run, batch)
    if dry_run and not result.is_broken:
        suspected = suspected_stories(project, [new for _place, new in run.fresh])
        for number, title in suspected.items():  # add a note about each of these new stories
            row = result.outcomes[run.fresh[number][0]]
            result.notes.append(similar_to(row.file, row.row, title))
        result.suspected = len(suspected)
    result.notes += [*trimmed_texts(readings), *unknown_languages(readings)]
    if writes:
        record_event(actor=actor, verb="import_stories", subject=project, detail=result.counts())
        if result.counts()[CREATED] + result.counts()[CHANGED]:
            order_search(actor=actor, project=project)
    return result


def similar_to(file: str, row: int, title: str) -> RowMessage:
    """Return a note that a new story is probably another wording of the story with this title."""
    return RowMessage(file, row, "text", _("similar to “%(title)s”") % {"title": title})


def trimmed_texts(readings: Iterable[Reading[StoryRecord] | Reading[ItemRecord]]) -> Iterator[RowMessage]:
    """Yield notes about texts that are stored without their leading and trailing white space."""
    for reading in readings:
        for row, field_name in reading.trimmed:
            yield RowMessage(reading.name, row, field_name, _("outer white space removed"))


def unknown_languages(
    readings: Iterable[Reading[StoryRecord] | Reading[ItemRecord]],
) -> Iterator[RowMessage]:
    """Yield notes about unknown language tags. Such tags are stored as given."""
    names = Locale("en").languages
    for reading in readings:
        for row in reading.rows:
            language = row.record.language
            if language and language.split("-")[0] not in names:
                said = _("unknown language “%(language)s”; use a tag such as “en” or “zh”")
                yield RowMessage(reading.name, row.row, "language", said % {"language": language})


def _plan(run: _Run, file: str, rows: Sequence[Row[StoryRecord]]) -> _Batch:
    hashes = [text_hash(row.record.text) for row in rows]
    batch = _known(run, hashes, [row.record.id for row in rows if row.record.id])
    for row, hashed in zip(rows, hashes, strict=True):
        new = new_story(row.record, run.project)
        first = run.seen.setdefault(hashed, (file, row.row))
        if first != (file, row.row):
            where = {"file": first[0], "row": first[1]}
            words = _("the same text as %(file)s, row %(row)d")
            if first[0] == file:
                words = _("the same text as row %(row)d")
            run.result.note(file, row.row, DUPLICATE, new.title, words % where)
            continue
        story = batch.by_hash.get(hashed) or batch.by_ref.get(new.id)
        if story is None:
            batch.fresh.append(new)
            run.fresh.append((len(run.result.outcomes), new))
            run.result.note(file, row.row, CREATED, new.title)
        else:
            changed = _follow(run, batch, story, new, hashed)
            run.result.note(file, row.row, CHANGED if changed else UNCHANGED, new.title)
    return batch


def _known(run: _Run, hashes: Sequence[str], refs: Sequence[str]) -> _Batch:
    stories = Story.objects.filter(project=run.project).select_related("current")
    by_hash = [run.stories.get(story.pk, story) for story in stories.filter(text_hash__in=hashes)]
    by_ref = [run.stories.get(story.pk, story) for story in stories.filter(ref__in=refs)]
    return _Batch(
        {story.text_hash: story for story in by_hash if story.text_hash not in run.gone},
        {story.ref: story for story in by_ref},
    )


def _follow(run: _Run, batch: _Batch, story: Story, new: StoryRecord, hashed: str) -> bool:
    """Update a known story from a record, in memory only; return whether anything changes."""
    current = story.current
    if current is None:
        raise AssertionError  # every story has a first revision
    moral = new.moral or current.moral
    reworded = (current.title, current.text, current.moral) != (new.title, new.text, moral)
    wanted = {
        name: value for name in METADATA if (value := getattr(new, name)) and value != getattr(story, name)
    }
    if not (reworded or wanted):
        return False
    batch.before.setdefault(story.pk, story.current_id)
    run.stories[story.pk] = story
    for name, value in wanted.items():
        setattr(story, name, value)
    if reworded:
        _reword(run, batch, story, current, new, moral)
        batch.by_hash.pop(story.text_hash, None)
        run.gone.add(story.text_hash)
        run.gone.discard(hashed)
        story.text_hash = hashed
    return True


def _reword(
    run: _Run, batch: _Batch, story: Story, current: StoryRevision, new: StoryRecord, moral: str
) -> None:
    revision = StoryRevision(
        story=story,
        number=current.number + 1,
        title=new.title,
        text=new.text,
        moral=moral,
        moral_origin=current.moral_origin if moral == current.moral else MoralOrigin.SOURCE,
        cause=RevisionCause.REWORDED_BY_IMPORT,
        author=run.actor,
    )
    batch.wordings.append(revision)
    story.current = revision


def _write(run: _Run, batch: _Batch) -> None:
    """Write a batch, beginning with the changed stories.

    A new story may have the former text of one of these. Locks the stories that change. Raises `Conflict`
    if one of them has a newer revision than the one that the batch was computed from.
    """
    held = Story.objects.select_for_update().filter(pk__in=batch.before).order_by("pk")
    if batch.before and dict(held.values_list("pk", "current_id")) != batch.before:
        raise Conflict(_("Someone just changed the same stories. Import again."))
    StoryRevision.objects.bulk_create(batch.wordings, batch_size=BATCH)
    changed = [run.stories[pk] for pk in batch.before]
    try:
        with transaction.atomic():
            _save_changed(changed)
            create_stories(actor=run.actor, project=run.project, wanted=batch.fresh)
    except IntegrityError as error:
        raise Conflict(_("Someone just changed the same stories. Import again.")) from error


def _save_changed(stories: Sequence[Story]) -> None:
    """Save changed stories with two SQL statements.

    The first clears the old texts, since stories may swap texts.
    """
    rows = [
        (story.pk, story.current.pk, story.text_hash, *(getattr(story, name) for name in METADATA))
        for story in stories
        if story.current
    ]
    if not rows:
        return
    texts = ("text_hash", *METADATA)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE corpus_story SET text_hash = 'left:' || id FROM unnest(%s::bigint[], %s::text[])"
            " AS new (story, text_hash) WHERE id = story AND corpus_story.text_hash <> new.text_hash",
            [[row[0] for row in rows], [row[2] for row in rows]],
        )
        cursor.execute(
            " ".join(
                (
                    "UPDATE corpus_story SET current_id = new.current,",
                    ", ".join(f"{name} = new.{name}" for name in texts),
                    "FROM unnest(%s::bigint[], %s::bigint[],",
                    ", ".join("%s::text[]" for _name in texts),
                    f") AS new (story, current, {', '.join(texts)}) WHERE id = story",
                )
            ),
            [list(column) for column in zip(*rows, strict=True)],
        )
