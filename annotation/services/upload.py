"""Services that import items from files in one transaction.

The items may lack a key. The number of queries depends on the number of batches, not on the number of
items.
"""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from django.db import connection, transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import get_or_create_placeholder, record_event
from annotation import hooks
from annotation.content import ItemContent, to_json
from annotation.kinds import item_kind
from annotation.lifecycle import NOTHING, check_move, may_move
from annotation.models import (
    Cause,
    Item,
    ItemDraft,
    Revision,
    RevisionAuthor,
    RevisionType,
    State,
    Transition,
)
from annotation.queries.item import revision_content
from annotation.services.draft import add_contributors
from annotation.services.exposure import record_key_exposures
from annotation.services.revision import write_rows
from annotation.services.transition import lock_item, move_item
from annotation.services.upload_check import FileRow, check_rows
from core.errors import Unusable, require
from corpus.models import RevisionCause, Story, StoryRevision
from corpus.outcome import CHANGED, CREATED, DUPLICATE, UNCHANGED, ImportResult, ReadingNote, RowMessage
from corpus.queries import exported_id, has_exported_id
from corpus.services import (
    CreatedStory,
    create_stories,
    import_stories,
    order_search,
    reading_remarks,
    sentences,
    suspected_stories,
    text_hash,
    trimmed_texts,
    unknown_languages,
)
from parable.formats.errors import SENTENCES, ErrorCode
from parable.formats.options import normalise_option
from parable.formats.records import ItemRecord, Reading, Row, StoryRecord
from parable.formats.shared_ids import file_labels, id_in_file, shared_names
from parable.kinds import kind_of
from parable.quality.item.from_records import lacks
from projects.models import CommonsenseType, Project
from projects.permissions import may_manage
from projects.queries import current_guideline, current_guideline_id, current_types
from web.rows import Columns, create_rows, draw_ids

BATCH: Final = 2000
_TYPES: Final = Columns(RevisionType, "revision_id", "type_id")
ALIKE: Final = 0.5
"""Two texts may be wordings of one story if they share at least this part of the shorter text's trigrams."""


@dataclass(slots=True)
class _Known:
    """The project's rows with which an import is compared: types, stories and items.

    `created`: the stories that this import has created, by hash of the text.
    """

    types: Mapping[str, CommonsenseType]
    stories: dict[str, Story]
    refs: dict[str, Story]
    items: dict[tuple[str, str], Item]
    created: dict[str, CreatedStory] = field(default_factory=dict)


@dataclass(slots=True)
class _Plan:
    """The rows that an import would write: stories by hash of the text, and items with their records.

    `refs`: the ids of the new stories. `rows`: the first row of each text. `judged`: the rows with new
    wordings, which must be checked. `fresh`: new items, each with whether it is incomplete.
    """

    stories: dict[str, StoryRecord] = field(default_factory=dict)
    refs: set[str] = field(default_factory=set)
    rows: dict[str, tuple[str, int]] = field(default_factory=dict)
    fresh: list[tuple[ItemRecord, bool]] = field(default_factory=list)
    changed: list[tuple[Item, ItemRecord]] = field(default_factory=list)
    seen: dict[tuple[str, str], tuple[str, Row[ItemRecord]]] = field(default_factory=dict)
    judged: list[FileRow] = field(default_factory=list)
    may_replace: bool = False


@transaction.atomic
def import_items(
    *,
    actor: User,
    project: Project,
    readings: Sequence[Reading[ItemRecord]],
    state: str,
    writer: User,
    dry_run: bool = False,
    may_replace: bool = False,
) -> ImportResult:
    """Import items, with the stories that they are about.

    `state`: draft, in_review or verified; an incomplete record, for example without a key, becomes a draft.
    An item is identified by task and id. If the wording of an existing item differs, the item is *changed*:
    it gets its next revision and goes to review whatever `state` is, if the lifecycle allows this; otherwise
    the row is an error. A row with a different story is an error, too, unless `may_replace`. If several files
    have the same id, it is prefixed by the file. If a row of any file is invalid, nothing is written.
    """
    require(may_manage(actor, project))
    check_move(NOTHING, state)
    result = ImportResult(dry_run=dry_run, issues=sentences(readings), remarks=[*reading_remarks(readings)])
    readings, shared = _named_apart(project, readings)
    result.remarks += shared
    result.refs = [item_ref(record) for reading in readings for record in reading.records]
    known, plan = _known(project, readings), _Plan(may_replace=may_replace)
    for reading in readings:
        for row in reading.rows:
            _plan_row(project, reading.name, row, known, plan, result)
    result.drafts = sum(state == State.DRAFT or is_part for _record, is_part in plan.fresh)
    if dry_run and not result.is_broken:
        rows = [plan.rows[hashed] for hashed in plan.stories]
        suspected = suspected_stories(project, list(plan.stories.values()))
        for number, title in suspected.items():  # a note on the first item of each new story
            message = _("new story, similar to “%(title)s”") % {"title": title}
            result.notes.append(RowMessage(*rows[number], "story", message))
        result.suspected = len(suspected)
        # checks refer to an item by its id in the project
        judged = [
            (file, replace(row, record=replace(row.record, id=item_ref(row.record))))
            for file, row in plan.judged
        ]
        result.item_checks, notes = check_rows(judged, standard_stems={project.moral_stem})
        result.notes += notes
    result.notes += [*trimmed_texts(readings), *unknown_languages(readings)]
    if result.is_broken or dry_run:
        return result
    _write(actor, project, plan, known, state, writer)
    record_event(actor=actor, verb="import_items", subject=project, detail=result.counts())
    return result


def item_ref(record: ItemRecord) -> str:
    """Return the id of an imported item: its original id, or its id in the file, or a hash of its texts."""
    if record.source_id or record.id:
        return record.source_id or record.id
    words = "\x1f".join((record.story_id or record.story, record.question, *record.choices))
    return f"row-{text_hash(words)[:16]}"


def _known(project: Project, readings: Sequence[Reading[ItemRecord]]) -> _Known:
    records = [record for reading in readings for record in reading.records]
    hashes = {text_hash(record.story) for record in records if record.story}
    refs = {record.story_id for record in records if record.story_id}
    stories = Story.objects.filter(project=project).select_related("current")
    return _Known(
        {kind.code: kind for kind in current_types(project)},
        {story.text_hash: story for story in stories.filter(text_hash__in=hashes)},
        {exported_id(story): story for story in stories.filter(has_exported_id(refs))},
        _items_by_name(project, {item_ref(record) for record in records}),
    )


def _items_by_name(project: Project, refs: Collection[str]) -> dict[tuple[str, str], Item]:
    found = (
        Item.objects.filter(has_exported_id(refs), project=project)
        .select_related("current", "story__current")
        .prefetch_related("current__options", "current__types", "drafts")
    )
    return {(item.task, exported_id(item)): item for item in found}


def _plan_row(
    project: Project, file: str, row: Row[ItemRecord], known: _Known, plan: _Plan, result: ImportResult
) -> None:
    record = row.record
    title = record.title or record.question[:40]
    issues = _issues(file, row, known)
    if issues:
        result.issues += issues
        return
    name = (record.task, item_ref(record))
    if name in plan.seen:
        _meet_again(file, row, plan.seen[name], title, result)
        return
    plan.seen[name] = (file, row)
    item = known.items.get(name)
    if item is not None and not (record.question or record.choices or record.own):
        # an exported row has no texts of a draft or of a task without options: it would clear the item
        result.note(
            file, row.row, UNCHANGED, title, _("neither a stem nor options: the item is left as it is")
        )
        return
    kept = _plan_story(project, record, known, plan)
    plan.rows.setdefault(text_hash(record.story), (file, row.row))
    if record.title and record.title != kept:
        message = _("title differs; the story keeps “%(title)s”") % {"title": kept}
        result.notes.append(RowMessage(file, row.row, "title", message))
    remark = "" if record.is_keyed else _("no key: imported as a draft that cannot be submitted")
    if item is None:
        plan.fresh.append((record, lacks(record)))
        plan.judged.append((file, row))
        result.note(file, row.row, CREATED, title, remark)
    elif _says_the_same(item, record):
        result.note(file, row.row, UNCHANGED, title, remark)
    elif not plan.may_replace and _is_another_story(item, record):
        message = _(
            "The item with this ID is about another story. Give the row another ID, or let the import replace"
            " items of other stories."
        )
        result.issues.append(RowMessage(file, row.row, "id", message))
    elif _may_change(item, record):
        plan.changed.append((item, record))
        plan.judged.append((file, row))
        result.note(file, row.row, CHANGED, title, remark)
    else:
        words = _(
            "The item with this ID is “%(state)s” and has different text; an import cannot change it now."
        )
        result.issues.append(RowMessage(file, row.row, "id", words % {"state": item.get_state_display()}))


def _named_apart(
    project: Project, readings: Sequence[Reading[ItemRecord]]
) -> tuple[list[Reading[ItemRecord]], list[ReadingNote]]:
    """Return the readings and notes. Ids that several files share are prefixed by the file.

    An item that was imported earlier under an unprefixed id keeps this id as long as its row is unchanged.
    """
    names = [{(one.task, item_ref(one)) for one in reading.records} for reading in readings]
    shared = shared_names(names)
    labels = file_labels([reading.name for reading in readings])
    wanted = {
        id_in_file(label, ref) for label, of_file in zip(labels, names, strict=True) for _task, ref in of_file
    }
    of_project = Item.objects.filter(project=project)
    by_file = set(of_project.filter(ref__in=wanted).values_list("task", "ref"))
    known = _items_by_name(project, {ref for _task, ref in shared})
    found: list[Reading[ItemRecord]] = []
    remarks: list[ReadingNote] = []
    for reading, label in zip(readings, labels, strict=True):
        rows = []
        renamed: list[tuple[int, str, str]] = []
        for row in reading.rows:
            task, ref = row.record.task, item_ref(row.record)
            item, own = known.get((task, ref)), id_in_file(label, ref)
            is_apart = (task, ref) in shared and not (item and _says_the_same(item, row.record))
            if is_apart or (task, own) in by_file:
                rows.append(replace(row, record=replace(row.record, source_id=own)))
                renamed.append((row.row, ref, own))
            else:
                rows.append(row)
        found.append(replace(reading, rows=tuple(rows)))
        if renamed:
            number, ref, own = renamed[0]
            code = ErrorCode.SHARED_IDS
            message = _(SENTENCES[code]) % {"found": ref, "named": own}
            remarks.append(ReadingNote(reading.name, number, "id", message, code.value, (number,)))
    return found, remarks


def _is_another_story(item: Item, record: ItemRecord) -> bool:
    """Return whether a row's story differs from the item's story in both id and text.

    A missing text counts as different.
    """
    if not record.story:
        return bool(record.story_id) and record.story_id != item.story.ref
    if item.story.text_hash == text_hash(record.story) or (record.story_id or "") == item.story.ref:
        return False
    one, other = _trigrams(_wording(item.story).text), _trigrams(record.story)
    return len(one & other) < ALIKE * min(len(one), len(other))


def _trigrams(text: str) -> set[str]:
    plain = normalise_option(text)
    return {plain[at : at + 3] for at in range(max(len(plain) - 2, 1))}


def _meet_again(
    file: str, row: Row[ItemRecord], earlier: tuple[str, Row[ItemRecord]], title: str, result: ImportResult
) -> None:
    where = {"file": earlier[0], "row": earlier[1].row}
    if earlier[1].record == row.record:
        result.note(file, row.row, DUPLICATE, title, _("same item as %(file)s, row %(row)d") % where)
    else:
        words = _("%(file)s, row %(row)d has the same ID with different text.") % where
        result.issues.append(RowMessage(file, row.row, "id", words))


def _may_change(item: Item, record: ItemRecord) -> bool:
    """Return whether an import may change the item: a draft always, another item if the record is complete.

    The lifecycle must also allow the item to move to review.
    """
    if item.state == State.DRAFT:
        return True
    return not lacks(record) and may_move(item.state, State.IN_REVIEW)


def _issues(file: str, row: Row[ItemRecord], known: _Known) -> list[RowMessage]:
    record = row.record
    found = [
        RowMessage(
            file,
            row.row,
            "types",
            _("“%(type)s” is not a commonsense type of this project.") % {"type": code},
        )
        for code in record.types
        if code not in known.types
    ]
    if not record.story and (not record.story_id or record.story_id not in known.refs):
        found.append(RowMessage(file, row.row, "story", _("The row does not name a story of this project.")))
    return found


def _plan_story(project: Project, record: ItemRecord, known: _Known, plan: _Plan) -> str:
    """Return the title of the row's story. Add the story to the plan if the project lacks it."""
    hashed = text_hash(record.story)
    story = known.stories.get(hashed) if record.story else known.refs.get(record.story_id or "")
    if story is not None:
        return _wording(story).title
    if hashed in plan.stories:
        return plan.stories[hashed].title
    taken = record.story_id in known.refs or record.story_id in plan.refs
    ref = "" if taken or not record.story_id else record.story_id
    plan.refs.add(ref)
    plan.stories[hashed] = StoryRecord(
        id=ref,
        title=record.title or record.story[:30],
        text=record.story,
        language=record.language or project.language,
    )
    return plan.stories[hashed].title


def _content(record: ItemRecord) -> ItemContent:
    return item_kind(record.task).content_of(record)


def _says_the_same(item: Item, record: ItemRecord) -> bool:
    if record.story and item.story.text_hash != text_hash(record.story):
        return False
    if item.current is None:
        return any(draft.content == to_json(_content(record)) for draft in item.drafts.all())
    return _said(revision_content(item.current, item.task)) == _said(_content(record))


def _said(content: ItemContent) -> tuple[object, ...]:
    """Return an item's content for comparison. The order of options is ignored, as releases change it."""
    options = {(option.text, option.is_key) for option in content.options}
    return content.stem, content.explanation, options, set(content.types), content.own


def _write(actor: User, project: Project, plan: _Plan, known: _Known, state: str, writer: User) -> None:
    created = create_stories(
        actor=actor, project=project, wanted=list(plan.stories.values()), cause=RevisionCause.WITH_ITEMS
    )
    if created:
        order_search(actor=actor, project=project)
    known.created.update({story.text_hash: story for story in created})
    for start in range(0, len(plan.fresh), BATCH):
        _create(actor, project, plan.fresh[start : start + BATCH], known, state, writer)
        connection.check_constraints()  # a single check of 100,000 items takes twice as long per item
    for item, record in plan.changed:
        _change(actor, item, record, known, writer)


def _story(record: ItemRecord, known: _Known) -> tuple[int, int]:
    """Return the ids of a record's story and of its current revision."""
    hashed = text_hash(record.story)
    story = known.stories.get(hashed) if record.story else known.refs[record.story_id or ""]
    if story is None:
        return known.created[hashed].pk, known.created[hashed].current_id
    return story.pk, _wording(story).pk


def _create(
    actor: User,
    project: Project,
    fresh: Sequence[tuple[ItemRecord, bool]],
    known: _Known,
    state: str,
    writer: User,
) -> None:
    made = [
        Item(
            pk=number,
            project=project,
            story_id=_story(record, known)[0],
            task=record.task,
            style=record.style,
            writer_id=writer.pk,
            state=State.DRAFT,
            ref=item_ref(record),
            generators=list(record.generators),
        )
        for number, (record, _is_part) in zip(draw_ids(Item, len(fresh)), fresh, strict=True)
    ]
    whole: list[tuple[Item, ItemRecord]] = []
    parts: list[tuple[Item, ItemRecord]] = []
    for item, (record, is_part) in zip(made, fresh, strict=True):
        (parts if is_part or state == State.DRAFT else whole).append((item, record))
    # revisions come before their items, which are written once: the constraints between them are deferred
    _write_revisions(whole, known, writer, state)
    _write_drafts(parts, writer)
    create_rows(made)
    transitions = [
        Transition(
            pk=number,
            item=item,
            revision_id=item.current_id,
            from_state=NOTHING,
            to_state=item.state,
            actor_id=actor.pk,
            cause=Cause.IMPORTED,
        )
        for number, item in zip(draw_ids(Transition, len(made)), made, strict=True)
    ]
    create_rows(transitions)
    record_key_exposures(
        actor=writer, items=[item.pk for item in made if kind_of(item.task).exposed_by_story]
    )
    hooks.announce(transitions)


def _write_revisions(
    pairs: Sequence[tuple[Item, ItemRecord]], known: _Known, writer: User, state: str
) -> None:
    if not pairs:
        return
    guideline = current_guideline_id(pairs[0][0].project)
    revisions = [
        Revision(
            pk=number,
            item_id=item.pk,
            number=1,
            author_id=writer.pk,
            story_revision_id=_story(record, known)[1],
            guideline_id=guideline,
            stem=record.question,
            explanation=record.explanation or "",
        )
        for number, (item, record) in zip(draw_ids(Revision, len(pairs)), pairs, strict=True)
    ]
    create_rows(revisions)
    _write_options(revisions, [record for _item, record in pairs], known)
    for (item, _record), revision in zip(pairs, revisions, strict=True):
        item.current_id, item.state = revision.pk, state


def _wording(story: Story) -> StoryRevision:
    if story.current is None:
        raise AssertionError  # every story has a first revision
    return story.current


def _write_options(revisions: Sequence[Revision], records: Sequence[ItemRecord], known: _Known) -> None:
    by_task: dict[str, list[tuple[Revision, ItemContent]]] = {}
    for revision, record in zip(revisions, records, strict=True):
        by_task.setdefault(record.task, []).append((revision, _content(record)))
    for task, wordings in by_task.items():
        write_rows(wordings, task)
    _TYPES.write(
        (revision.pk, known.types[code].pk)
        for revision, record in zip(revisions, records, strict=True)
        for code in dict.fromkeys(record.types)
    )


def _write_drafts(pairs: Iterable[tuple[Item, ItemRecord]], writer: User) -> list[ItemDraft]:
    return ItemDraft.objects.bulk_create(
        ItemDraft(
            project=item.project,
            story_id=item.story_id,
            writer=writer,
            item=item,
            task=item.task,
            style=item.style,
            client_id=uuid.uuid4(),
            sequence=1,
            content=to_json(_content(record)),
        )
        for item, record in pairs
    )


def _change(actor: User, item: Item, record: ItemRecord, known: _Known, writer: User) -> None:
    """Save the record's wording of an existing item: as its draft, or as a revision that goes to review."""
    item = lock_item(item)
    item.story_id, wording = _story(record, known)
    item.save(update_fields=["story"])
    earlier: set[int] = set()
    if item.current is None:
        brought = item.drafts.filter(writer__is_placeholder=True)
        earlier = set(brought.values_list("contributors__user", flat=True)) - {None}
        brought.delete()  # drafts of a keyless import that is imported again
    if lacks(record):
        for draft in _write_drafts([(item, record)], writer):
            add_contributors(draft, earlier)
        return
    revision = Revision.objects.create(
        item=item,
        number=item.current.number + 1 if item.current else 1,
        based_on=item.current,
        author=writer,
        story_revision_id=wording,
        guideline=current_guideline(item.project),
        stem=record.question,
        explanation=record.explanation or "",
    )
    RevisionAuthor.objects.bulk_create(
        [RevisionAuthor(revision=revision, user_id=person) for person in sorted(earlier)],
        ignore_conflicts=True,
    )
    _write_options([revision], [record], known)
    move_item(item, State.IN_REVIEW, actor=actor, cause=Cause.REWORDED_BY_IMPORT, revision=revision)


LONGEST_NAME: Final = 150


@transaction.atomic
def import_items_as(
    *,
    actor: User,
    project: Project,
    readings: Sequence[Reading[ItemRecord]],
    state: str,
    writer_name: str,
    dry_run: bool = False,
    may_replace: bool = False,
) -> ImportResult:
    """Import items for a writer who cannot sign in. The writer's account is created when it is first needed.

    If nothing is imported, no account is created.
    """
    require(may_manage(actor, project))
    if len(writer_name) > LONGEST_NAME:
        message = _("The writer's name is too long: at most %(limit)d characters.") % {"limit": LONGEST_NAME}
        raise Unusable(message, "writer")
    writer = get_or_create_placeholder(actor=actor, name=writer_name)
    result = import_items(
        actor=actor,
        project=project,
        readings=readings,
        state=state,
        writer=writer,
        dry_run=dry_run,
        may_replace=may_replace,
    )
    if dry_run or result.is_broken:
        transaction.set_rollback(True)
    return result


@transaction.atomic
def import_stories_and_items(
    *,
    actor: User,
    project: Project,
    stories: Sequence[Reading[StoryRecord]],
    items: Sequence[Reading[ItemRecord]],
    state: str,
    writer_name: str,
    dry_run: bool = False,
    may_replace: bool = False,
) -> ImportResult:
    """Import stories from their own files, then items that may refer to these stories.

    Import all or nothing.
    """
    result = import_stories(actor=actor, project=project, readings=stories, dry_run=dry_run)
    if result.is_broken:  # items cannot be matched with the stories of an invalid file
        return replace(result, issues=[*result.issues, *sentences(items)])
    if dry_run:  # so that the items can refer to the stories
        import_stories(actor=actor, project=project, readings=stories)
    result += import_items_as(
        actor=actor,
        project=project,
        readings=items,
        state=state,
        writer_name=writer_name,
        dry_run=dry_run,
        may_replace=may_replace,
    )
    if dry_run or result.is_broken:
        transaction.set_rollback(True)
    return result
