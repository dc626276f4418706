"""View models of the writing form. They apply no rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.urls import reverse
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.check import gives_key_away
from annotation.content import ItemContent, from_json
from annotation.hooks import judgements_on
from annotation.kinds import brief, item_kind, item_name, items_name
from annotation.models import Item, ItemDraft, State, Style
from annotation.permissions import has_acknowledged, may_write
from annotation.places import place_name
from annotation.queries.assignment import is_assigned
from annotation.queries.comment import Note, notes_by_place
from annotation.queries.draft import drafts_of
from annotation.queries.item import (
    GONE,
    Change,
    number_of_options,
    revision_content,
    story_was_reworded,
    wording_changes,
    written_on,
)
from annotation.queries.plan import needs_in, types_needed
from annotation.services import judge_content, message_of
from annotation.services.check import CheckMessage
from annotation.views.hint import hint_lines
from core.numbers import whole_number
from corpus.models import Story
from parable.formats.limits import MAX_EXPLANATION_CHARS, MAX_OPTION_CHARS, MAX_STEM_CHARS
from parable.kinds import first_code, kind_of
from parable.quality.item import ERROR
from projects.models import CommonsenseType, Project
from projects.queries import current_guideline, current_types

TYPE_KEYS = "qwert"  # shortcut keys of the first five types
WITH_WRITER = (State.DRAFT, State.RETURNED)


@dataclass(frozen=True, slots=True)
class Sheet:  # so named: the page on which an item is written
    """The form of one item: its identity, its content so far, and its errors on submission."""

    project: Project
    story: Story
    task: str
    client_id: UUID
    content: ItemContent
    style: str = Style.HUMAN
    item: Item | None = None
    sequence: int = 0
    saved_at: datetime | None = None
    errors: Mapping[str, str] = field(default_factory=dict)

    def wrong(self, errors: Mapping[str, str]) -> "Sheet":
        """Return a copy of the form with these errors, by field."""
        return replace(self, errors=errors)


def sheet_of(draft: ItemDraft) -> Sheet:
    """Return the form of a draft, with its last saved content."""
    return Sheet(
        project=draft.project,
        story=draft.story,
        task=draft.task,
        client_id=draft.client_id,
        content=from_json(draft.content),
        style=draft.style,
        item=draft.item,
        sequence=draft.sequence,
        saved_at=draft.updated_at,
    )


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One option of the form.

    `number` is displayed and counts from 1, `place` names fields and counts from 0.
    """

    number: int
    place: int
    text: str
    is_key: bool
    rank: int
    candidate: int | None
    count: str
    warning: str
    error: str
    notes: Sequence[Note]


@dataclass(frozen=True, slots=True)
class TypeChoice:
    """One selectable commonsense type."""

    value: str
    label: str
    meaning: str
    checked: bool
    key: str = ""


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab for one of the user's items or drafts about this story.

    `pk` is set for an item, `client_id` for a draft.
    """

    number: int
    state: str
    label: str
    current: bool
    pk: int | None = None
    client_id: UUID | None = None
    key: str = ""


def context_of(sheet: Sheet, user: User) -> dict[str, object]:
    """Return the context of the form's page."""
    kinds, words = list(current_types(sheet.project)), sheet.story.current
    language, chosen = get_language() or "", set(sheet.content.types)
    type_keys = [*TYPE_KEYS, *[""] * len(kinds)]
    returns: list[Any] = []
    if sheet.item is not None and sheet.item.state == State.RETURNED:
        returns = list(sheet.item.transitions.filter(to_state=State.RETURNED).order_by("-pk")[:1])
    judgements = judgements_on(sheet.item) if sheet.item and returns else []
    notes = notes_by_place(sheet.item, judgements) if sheet.item and returns else {}
    tabs = _tabs(sheet, user)
    started = bool(sheet.sequence or sheet.item)
    checks = check_messages(sheet, user, kinds) if started else []
    writes = bool(may_write(user, sheet.project))
    needs = needs_in(sheet.project, [sheet.story.pk], user)
    changes: list[Change] = []
    if sheet.item is not None and sheet.item.current is not None:
        before = revision_content(sheet.item.current, sheet.task)
        changes = wording_changes(before, sheet.content, sheet.task)
    hint = None
    if sheet.item is None and kind_of(sheet.task).requires_types:
        hint = hint_lines(sheet.project, needs, user).get(sheet.story.pk)
    return {
        "project": sheet.project,
        "section": "write",
        "sheet": sheet,
        "story": sheet.story,
        "story_name": words.title if words else "",
        "kind": kind_of(sheet.task),
        "item_name": item_name(sheet.task),
        "brief": brief(sheet.task),
        "fragments": item_kind(sheet.task).paths,
        "other_tasks": _other_tasks(sheet),
        "options": option_lines(sheet, notes),
        "lengths": lengths_of(sheet.content),
        "lengths_words": _lengths_words(),
        "limits": {"stem": MAX_STEM_CHARS, "option": MAX_OPTION_CHARS, "explanation": MAX_EXPLANATION_CHARS},
        "types": [
            TypeChoice(kind.code, kind.name_in(language), kind.meaning_in(language), kind.code in chosen, key)
            for kind, key in zip(kinds, type_keys, strict=False)
        ],
        "tabs": tabs,
        "number": next(tab.number for tab in tabs if tab.current),
        "submitted": sum(tab.state not in {"", *GONE} for tab in tabs),
        "missing": [kind.name_in(language) for kind in types_needed(sheet.project, needs)[sheet.story.pk]],
        "hint": hint,
        "checks": checks,
        "blank_check": {"severity": "any"},
        "may_try": writes and kind_of(sheet.task).has_one_key,
        "may_take": writes and not is_assigned(user, sheet.story),
        "returns": returns,
        "said": judgements,
        "notes": notes,
        "blocked": _blocked(sheet, checks),
        "changes": changes,
        "reworded": sheet.item is not None and story_was_reworded(sheet.item),
        "unread_guideline": None
        if has_acknowledged(user, sheet.project)
        else current_guideline(sheet.project),
        **item_kind(sheet.task).form_context(
            sheet.content, story=words.text if words else "", language=sheet.story.language
        ),
    }


def _other_tasks(sheet: Sheet) -> list[tuple[str, str, str]]:
    """Return (URL, name, shortcut key) of the project's other tasks.

    The task after the current one is first, so that one shortcut key cycles through all tasks.
    """
    offered = sheet.project.offered_tasks
    known = offered if sheet.task in offered else (sheet.task, *offered)
    here = known.index(sheet.task)
    return [
        (write_address(sheet.project.slug, sheet.story.pk, code), items_name(code), "" if index else "m")
        for index, code in enumerate((*known[here + 1 :], *known[:here]))
    ]


def write_address(slug: str, story: int, task: str) -> str:
    """Return the address of the form for a new item of the task about a story."""
    page = reverse("annotation:write", args=[slug, story])
    return page if task == first_code() else f"{page}?task={task}"


def option_lines(sheet: Sheet, notes: Mapping[str, Sequence[Note]]) -> list[OptionRow]:
    """Return a row for each option that the project requires, and for further options of the draft."""
    options, is_longest = sheet.content.options, gives_key_away(sheet.content)
    lines = []
    for index in range(max(number_of_options(sheet.project, sheet.task), len(options))):
        option = options[index] if index < len(options) else None
        length = len(option.text.strip()) if option else 0
        lines.append(
            OptionRow(
                number=index + 1,
                place=index,
                text=option.text if option else "",
                is_key=option is not None and option.is_key,
                rank=option.rank if option and option.rank else index + 1,
                candidate=option.candidate if option else None,
                count=ngettext("%(n)d character", "%(n)d characters", length) % {"n": length},
                warning=_("longest, is the key") if is_longest and option and option.is_key else "",
                error=sheet.errors.get(f"option-{index + 1}", ""),
                notes=notes.get(f"option-{index + 1}", ()),
            )
        )
    return lines


def _lengths_words() -> str:
    return _("Key length {key}, distractors {others} on average")


def lengths_of(content: ItemContent) -> str:
    """Return a text with the lengths of key and distractors in characters.

    Return "" if the key or all distractors are empty.
    """
    key = len(content.key.text.strip()) if content.key else 0
    others = [len(option.text.strip()) for option in content.options if not option.is_key]
    written = [length for length in others if length]
    if not key or not written:
        return ""
    return _lengths_words().format(key=key, others=int(sum(written) / len(written) + 0.5))


class Blocked(NamedTuple):
    """The first error that prevented an item from being submitted.

    `anchor` is the id of the message beside the field, `field` the name of the field to change. Both are ""
    if the error is about no field.
    """

    anchor: str
    field: str
    message: str


FORM_ORDER = ("guideline", "types", "stem", "options", "key", "option", "explanation", "warnings")
FIELD_OF = {"guideline": "read_guideline", "options": "option-0"}


def _blocked(sheet: Sheet, checks: list[CheckMessage]) -> Blocked | None:
    if not sheet.errors:
        return None
    place = min(sheet.errors, key=_in_form_order)
    if place == "warnings":
        for message in checks:
            if message.severity != ERROR and not message.reason.strip():
                words = _at_place(message.place, message.message)
                return Blocked("warnings_error", f"answer-{message.key}", words)
        return None
    name, _dash, number = place.partition("-")
    if name not in FORM_ORDER:
        return Blocked("", "", _at_place(place, sheet.errors[place]))
    field = f"{name}-{int(number) - 1}" if number else FIELD_OF.get(place, place)
    anchor = place if place == "options" else field
    return Blocked(f"{anchor}_error", field, _at_place(place, sheet.errors[place]))


def _in_form_order(place: str) -> tuple[int, int]:
    name, _dash, number = place.partition("-")
    return FORM_ORDER.index(name) if name in FORM_ORDER else len(FORM_ORDER), whole_number(number) or 0


def _at_place(place: str, sentence: str) -> str:
    name = place_name(place)
    return f"{name}{_(': ')}{sentence}" if name else sentence


def _tabs(sheet: Sheet, user: User) -> list[Tab]:
    """Return a tab for each of the user's items about this story, then for each draft, oldest first."""
    tabs: list[Tab] = []
    for item in written_on(user, sheet.story, sheet.task):
        current = sheet.item is not None and sheet.item.pk == item.pk
        tabs.append(Tab(len(tabs) + 1, item.state, item.get_state_display(), current, pk=item.pk))
    drafts = drafts_of(user, sheet.project).filter(story=sheet.story, task=sheet.task, item=None)
    for draft in drafts.order_by("pk"):
        current = draft.client_id == sheet.client_id
        tabs.append(Tab(len(tabs) + 1, State.DRAFT, _("draft"), current, client_id=draft.client_id))
    if sheet.item and not any(tab.current for tab in tabs):  # another writer's item, finished by a manager
        item = sheet.item
        tabs.append(Tab(len(tabs) + 1, item.state, item.get_state_display(), current=True, pk=item.pk))
    if not any(tab.current for tab in tabs):
        tabs.append(Tab(len(tabs) + 1, "", _("new"), current=True, client_id=sheet.client_id))
    here = next(index for index, tab in enumerate(tabs) if tab.current)
    keys = {here - 1: "p", here + 1: "n"}
    return [replace(tab, key=keys.get(index, "")) for index, tab in enumerate(tabs)]


def check_messages(
    sheet: Sheet, user: User, kinds: list[CommonsenseType] | None = None
) -> list[CheckMessage]:
    """Return all findings for the form's content, in the reader's language."""
    found = judge_content(
        sheet.content,
        project=sheet.project,
        story=sheet.story,
        task=sheet.task,
        item=sheet.item,
        style=sheet.style,
        types=kinds,
        reader=user,
    )
    return [message_of(remark) for remark in found]
