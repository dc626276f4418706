"""The one place where an item is judged before it is kept: what it lacks, and what the checks find."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from accounts.models import User
from annotation.checking import Remark, findings, remarks, standing_answers, take_answers_along
from annotation.content import ItemContent, Problem, tidy, trim
from annotation.models import Item, Style, Task
from annotation.queries import lacking
from annotation.queries.siblings import siblings_of
from core.errors import Unusable
from corpus.models import Story
from parable.quality.item import CHECKS
from projects.models import CommonsenseType, Project

LONGEST_REASON = 1000


@dataclass(frozen=True, slots=True)
class Told:
    """A remark in the reader's language: what is wrong, why it matters, how to mend it."""

    code: str
    severity: str
    place: str
    where: str
    message: str
    why: str
    mend: str
    key: str
    reason: str


def describe(problem: Problem) -> str:
    """The sentence for something an item lacks, in the reader's language."""
    sentences = {
        "no_type": _("Choose at least one commonsense type."),
        "unknown_type": _("“%(type)s” is not a commonsense type of this project."),
        "no_stem": _("The stem is empty."),
        "too_long": _("This is too long: at most %(limit)d characters."),
        "control_character": _("The text holds an invisible control character; please type it afresh."),
        "wrong_number_of_options": _("Options filled in: %(found)d; this project wants %(wanted)d."),
        "options_out_of_range": _("Options filled in: %(found)d; an item needs 2 to 8."),
        "equal_options": _("Options %(first)d and %(second)d are equal."),
        "no_key": _("Mark the option that is the key."),
        "two_keys": _("Mark one key only."),
        "empty_key": _("The option marked as the key is empty."),
        "no_explanation": _("Explain why the key is right."),
    }
    return sentences[problem.code] % problem.params


def check_name(check: str) -> str:
    """What a check is called in the reader's language; its id where there is no such check any more."""
    return _(CHECKS[check].name) if check in CHECKS else check


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
) -> list[Remark]:
    """All that is wrong with what is typed, each thing once: one query, one more for `types`.

    `reader`: who is told; of others' items in a pilot that runs for them nothing is said.
    """
    trimmed = trim(content)
    missing = lacking(trimmed, project=project, task=task, types=types)
    words = story.current
    found = findings(
        trimmed,
        task=task,
        language=story.language,
        story=words.text if words else "",
        moral=words.moral if words and task == Task.MORAL else "",
        standard_stem=project.moral_stem if task == Task.MORAL else "",
        siblings=siblings_of(story, item, reader),
        style=item.style if item else style,
    )
    return remarks(trimmed, missing, found)


def tell(remark: Remark) -> Told:
    """A remark as people read it."""
    check = CHECKS.get(remark.check)
    says = CHECKS.get(remark.code)
    problem = Problem(remark.code, remark.place, remark.params)
    return Told(
        code=remark.code,
        severity=remark.severity,
        place=remark.place,
        where=place_name(remark.place),
        message=_(says.says) % remark.params if says else describe(problem),
        why=_(check.why) if check else "",
        mend=_(check.mend) if check else "",
        key=remark.key,
        reason=remark.reason,
    )


def place_name(place: str) -> str:
    """What the part of the form that a remark concerns is called."""
    name, _dash, number = place.partition("-")
    if number:
        return _("Option %(number)s") % {"number": number}
    names = {
        "stem": _("Stem"),
        "options": _("Options"),
        "key": _("Key"),
        "types": _("Types"),
        "explanation": _("Explanation"),
    }
    return names.get(name, "")


def refuse_errors(found: Sequence[Remark]) -> None:
    """Raise `Unusable`, naming each field, where something must be mended."""
    _refuse([remark for remark in found if remark.is_error])


def refuse_open(found: Sequence[Remark]) -> None:
    """Raise `Unusable` where something must be mended, or a warning waits for a mend or an answer."""
    refuse_errors(found)
    unanswered = [remark for remark in found if remark.is_open]
    if unanswered:
        sentence = _("Mend what the warnings speak of, or answer each with a reason.")
        raise Unusable(" ".join([sentence, *(tell(r).message for r in unanswered)]), {"warnings": sentence})


def _refuse(wrong: Sequence[Remark]) -> None:
    if wrong:
        told = [tell(remark) for remark in wrong]
        fields = {one.place: one.message for one in reversed(told)}
        raise Unusable(" ".join(one.message for one in told), fields)


def with_answers(content: ItemContent, found: Sequence[Remark]) -> ItemContent:
    """The content as it is kept with a revision: tidied, with the answers that still stand, by check.

    Answers that a caller gives by check, not by what a draft calls a warning, are kept as they are.
    """
    given = {check: reason for check, reason in content.answered_warnings.items() if "@" not in check}
    answers = given | {check: reason[:LONGEST_REASON] for check, reason in standing_answers(found).items()}
    return replace(tidy(content), answered_warnings=answers)


def begin_again(content: ItemContent, item: Item) -> ItemContent:
    """An item's present words as a draft begins with: what was answered stays answered."""
    found = judge_content(content, project=item.project, story=item.story, task=item.task, item=item)
    return take_answers_along(content, found)
