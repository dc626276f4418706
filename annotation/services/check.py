"""Services that check an item before it is saved, by `parable.quality`, in the reader's language."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from accounts.models import User
from annotation.check import AnsweredFinding, remarks, standing_answers, take_answers_along, view_content
from annotation.content import ItemContent, from_json, tidy, trim
from annotation.kinds import item_kind
from annotation.models import Item, ItemDraft, Style
from annotation.permissions import may_add_items, may_see_moral
from annotation.places import place_name
from annotation.queries.exposure import must_ask_before_moral
from annotation.queries.item import present_words, spec_of
from annotation.queries.sibling import siblings_of
from annotation.services.exposure import record_exposure
from core.errors import Unusable, require
from corpus.models import Story
from parable.kinds import kind_of
from parable.quality.finding import BaseCheck
from parable.quality.item import CHECKS, Finding, judge
from parable.quality.kinds import CHECKS as KIND_CHECKS
from projects.models import CommonsenseType, Project

LONGEST_REASON = 1000


@dataclass(frozen=True, slots=True)
class CheckMessage:
    """A finding in the reader's language: the error, why it matters, and how to fix it."""

    code: str
    severity: str
    place: str
    where: str
    message: str
    why: str
    fix: str
    key: str
    reason: str


def _check(code: str) -> BaseCheck:
    """Return the check with this code: a check of all items, or a check of a single kind."""
    return CHECKS[code] if code in CHECKS else KIND_CHECKS[code]


def describe(finding: Finding | AnsweredFinding) -> str:
    """Return a finding as a sentence in the reader's language."""
    return _(_check(finding.check).says) % finding.params


def check_name(check: str) -> str:
    """Return the translated name of a check, or its id if the check no longer exists."""
    return _(_check(check).name) if check in CHECKS or check in KIND_CHECKS else check


def judge_content(
    content: ItemContent,
    *,
    project: Project,
    story: Story,
    task: str,
    item: Item | None = None,
    style: str = Style.HUMAN,
    types: Iterable[CommonsenseType] | None = None,
    reader: User | None = None,
) -> list[AnsweredFinding]:
    """Return all findings for the content, without duplicates.

    If a text is too long, return only that finding. `reader` is the user who sees the result; items that a
    running pilot hides from this user are not compared.
    """
    trimmed = trim(content)
    words, kind = story.current, kind_of(task)
    view = view_content(
        trimmed,
        task=task,
        language=story.language,
        story=words.text if words else "",
        moral=words.moral if words and kind.key_from_moral else "",
        standard_stem=project.moral_stem if kind.shares_stem else "",
        siblings=siblings_of(story, item, task, reader),
        style=item.style if item else style,
        spec=spec_of(project, types),
    )
    # the other checks would take long on a text that must be shortened anyway
    if too_long := judge(view, [CHECKS["too_long"]]):
        return remarks(trimmed, too_long)
    return remarks(trimmed, [*judge(view), *item_kind(task).find(view, trimmed)])


def judge_draft(draft: ItemDraft) -> list[AnsweredFinding]:
    """Return all findings for a draft, as its writer sees them. Former members are refused.

    If the moral is the key, the findings reveal which wordings are keys. The writer is then recorded as
    exposed to the key.
    """
    require(may_add_items(draft.writer, draft.project))
    if kind_of(draft.task).key_from_moral:
        require(may_see_moral(draft.writer, draft.project))
        if must_ask_before_moral(draft.writer, draft.story):
            record_exposure(actor=draft.writer, story=draft.story)
    return judge_content(
        from_json(draft.content),
        project=draft.project,
        story=draft.story,
        task=draft.task,
        item=draft.item,
        style=draft.style,
        reader=draft.writer,
    )


def judge_item(*, actor: User, item: Item) -> list[AnsweredFinding]:
    """Return all findings for an item's present wording, with the reasons that were given for them.

    The actor must be allowed to add items. If the moral is the key, the actor is recorded as exposed to it.
    """
    require(may_add_items(actor, item.project))
    if kind_of(item.task).key_from_moral:
        require(may_see_moral(actor, item.project))
        record_exposure(actor=actor, story=item.story)
    content = begin_again(present_words(item), item)
    return judge_content(
        content, project=item.project, story=item.story, task=item.task, item=item, reader=actor
    )


def message_of(remark: AnsweredFinding) -> CheckMessage:
    """Return a finding as a message in the reader's language."""
    check = _check(remark.check)
    return CheckMessage(
        code=remark.check,
        severity=remark.severity,
        place=remark.place,
        where=place_name(remark.place),
        message=describe(remark),
        why=_(check.why),
        fix=_(check.fix) if check.fix else "",
        key=remark.key,
        reason=remark.reason,
    )


def refuse_errors(found: Sequence[AnsweredFinding]) -> None:
    """Raise `Unusable` if a finding is an error.

    The exception names the field of each error.
    """
    wrong = [remark for remark in found if remark.is_error]
    if wrong:
        messages = [message_of(remark) for remark in wrong]
        fields = {one.place: one.message for one in reversed(messages)}
        raise Unusable(" ".join(one.message for one in messages), fields)


def refuse_open(found: Sequence[AnsweredFinding]) -> None:
    """Raise `Unusable` if a finding is an error, or a warning without a reason."""
    refuse_errors(found)
    unanswered = [remark for remark in found if remark.is_open]
    if unanswered:
        sentence = _("Fix each warning, or explain why the text is right.")
        raise Unusable(
            " ".join([sentence, *(message_of(r).message for r in unanswered)]), {"warnings": sentence}
        )


def with_answers(content: ItemContent, found: Sequence[AnsweredFinding]) -> ItemContent:
    """Return the content to save with a revision.

    It is tidied, and has the reasons that still apply, by check id. Reasons that are already stored by
    check id stay the same.
    """
    given = {check: reason for check, reason in content.answered_warnings.items() if "@" not in check}
    answers = given | {check: reason[:LONGEST_REASON] for check, reason in standing_answers(found).items()}
    return replace(tidy(content), answered_warnings=answers)


def begin_again(content: ItemContent, item: Item) -> ItemContent:
    """Return an item's content as the content of a new draft, including the reasons for its warnings."""
    found = judge_content(content, project=item.project, story=item.story, task=item.task, item=item)
    return take_answers_along(content, found)
