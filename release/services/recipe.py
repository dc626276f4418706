"""What a manager may order: the recipe of a release, read from what was typed and held against the items."""

import re
import secrets
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

from django.db.models import Count
from django.utils.translation import gettext as _

from annotation.models import Style
from core.errors import Unusable
from corpus.queries import story_unit
from parable.kinds import codes
from parable.quality.gates import GATES
from projects.models import Project
from release.assembly import IN_THREE, MIXED, RULES
from release.assembly.recipe import Recipe
from release.assembly.shares import NO_COUNTS, shares_by_task
from release.queries.choice import chosen_items

VERSION: Final = re.compile(r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}(-[0-9A-Za-z.-]{1,20})?", re.ASCII)
SEED: Final = re.compile(r"[0-9]{1,39}", re.ASCII)
SECRET_BYTES: Final = 16
LONGEST_CONTACT: Final = 200


def read_recipe(
    *,
    dev_share: str,
    split: str,
    withhold_test: bool = False,
    anonymous: bool = False,
    allow: Iterable[str] = (),
    reason: str = "",
    extends: str = "",
    contact: str = "",
    keep_order: bool = False,
    tasks: Iterable[str] = (),
    offered: Iterable[str] = (),
    styles: Iterable[str] = (),
    min_rating: int = 0,
    dev_items: Mapping[str, int] = NO_COUNTS,
    out_stories: int = 0,
    train_share: str = "",
) -> Recipe:
    """The recipe as it will be kept. Raises `Unusable` naming each field that will not do.

    `offered` are the tasks of the project, the usual ones unless given: whoever names all of them names none.
    """
    wanted = tuple(sorted(set(allow)))
    wrong = {
        "dev_share": _share_problem(dev_share),
        "train_share": _train_problem(train_share.strip(), dev_share),
        **_three_problems(train_share, split, dev_items),
        "out_stories": _out_problem(split, out_stories),
        "allow": _allow_problem(wanted),
        "reason": _("Enter a reason for the override; it is printed in the data card.")
        if wanted and not reason.strip()
        else "",
        "contact": _contact_problem(contact.strip()),
        "tasks": _unknown_problem(tasks, codes()),
        "styles": _unknown_problem(styles, Style.values),
    }
    _refuse(wrong)
    return Recipe(
        split=split,
        dev_share=_plain(dev_share),
        withhold_test=withhold_test,
        allow=wanted,
        reason=reason.strip() if wanted else "",
        extends=extends.strip(),
        contact=contact.strip(),
        anonymous=anonymous,
        keep_order=keep_order,
        tasks=_narrowing(tasks, offered or codes("is_usual")),
        styles=_narrowing(styles, Style.values),
        min_rating=min_rating,
        dev_items=dict(sorted(dev_items.items())),
        out_stories=out_stories,
        train_share=_plain(train_share) if train_share.strip() else "",
    )


def _out_problem(split: str, out_stories: int) -> str:
    if split == MIXED and out_stories < 1:
        return _("A mixed split needs a number of stories that are wholly in dev.")
    if split != MIXED and out_stories:
        return _("Stories wholly in dev can be set for a mixed split only.")
    return ""


def _narrowing(wanted: Iterable[str], there: Iterable[str]) -> tuple[str, ...]:
    """What is asked for, or nothing where all there is is asked for: that leaves nothing out."""
    asked = sorted(set(wanted))
    return () if asked == sorted(there) else tuple(asked)


def _unknown_problem(wanted: Iterable[str], there: Iterable[str]) -> str:
    unknown = sorted(set(wanted) - set(there))
    if not unknown:
        return ""
    return _("“%(name)s” is not one of: %(names)s.") % {"name": unknown[0], "names": ", ".join(there)}


def _refuse(wrong: dict[str, str]) -> None:
    found = {field: sentence for field, sentence in wrong.items() if sentence}
    if found:
        raise Unusable(found)


def _plain(share: str) -> str:
    """The share as it is kept: `0.20` and `.2` are the same recipe as `0.2`."""
    return format(Decimal(share).normalize(), "f")


def _share_problem(share: str) -> str:
    try:
        value = Decimal(share)
    except InvalidOperation:
        return _("The dev share must be a number such as 0.2.")
    if not value.is_finite() or not 0 < value < 1 or len(_plain(share)) > 12:
        return _("The dev share must be between 0 and 1, for example 0.2.")
    return ""


def _train_problem(train_share: str, dev_share: str) -> str:
    """What is wrong with the share of train, if one is wanted; test has what the two leave."""
    if not train_share:
        return ""
    try:
        value = Decimal(train_share)
    except InvalidOperation:
        return _("The train share must be a number such as 0.7.")
    if not value.is_finite() or not 0 < value < 1 or len(_plain(train_share)) > 12:
        return _("The train share must be between 0 and 1, for example 0.7.")
    if not _share_problem(dev_share) and value + Decimal(dev_share) >= 1:
        return _("Train and dev come to %(sum)s. They must leave a share for test, so less than 1.") % {
            "sum": format((value + Decimal(dev_share)).normalize(), "f")
        }
    return ""


def _three_problems(train_share: str, split: str, dev_items: Mapping[str, int]) -> dict[str, str]:
    """What is wrong with the rule of the split, and with what does not go with a train split."""
    if split not in RULES:
        return {"split": _("Dev and test can be split by: story, item, mixed, seen.")}
    if not train_share.strip():
        return {"dev_items": _unknown_problem(dev_items, codes())}
    three = _("With a train split, items can be split by: %(rules)s.") % {"rules": ", ".join(IN_THREE)}
    counted = _("With a train split, dev has a share; leave the number of dev items empty.")
    return {
        "split": "" if split in IN_THREE else three,
        "dev_items": counted if dev_items else "",
        **({f"dev_{task}": counted for task in dev_items}),
    }


def _contact_problem(contact: str) -> str:
    if len(contact) > LONGEST_CONTACT or not contact.isprintable():
        return _("The contact must be one line of at most %(most)d characters.") % {"most": LONGEST_CONTACT}
    return ""


def _allow_problem(gates: Iterable[str]) -> str:
    unknown = [gate for gate in gates if gate not in GATES]
    if not unknown:
        return ""
    return _("There is no gate “%(gate)s”. The gates are: %(gates)s.") % {
        "gate": unknown[0],
        "gates": ", ".join(GATES),
    }


def read_seed(seed: str | None, *, is_secret: bool) -> str:
    """The seed as it will be kept: a whole number, or 128 random bits where it is to be secret."""
    if is_secret:
        if seed:
            message = _("With withheld test answers the seed is random and secret; do not set one.")
            raise Unusable(message, "seed")
        return secrets.token_hex(SECRET_BYTES)
    if seed is None or not SEED.fullmatch(seed):
        message = _("The seed must be a whole number such as 7.")
        raise Unusable(message, "seed")
    return str(int(seed))


def check_version(version: str) -> str:
    """The version. Raises `Unusable` unless it is written like 1.0.0."""
    if len(version) > 40 or not VERSION.fullmatch(version):
        message = _("The version must have the form 1.0.0.")
        raise Unusable(message, "version")
    return version


def check_choice(project: Project, recipe: Recipe) -> None:
    """Refuse a rating that is not on the project's scale, and a choice that leaves nothing."""
    if not 0 <= recipe.min_rating <= project.max_rating:
        raise refusal(
            "min_rating", _("The highest rating in this project is %(most)s."), most=str(project.max_rating)
        )
    if chosen_items(project, recipe).exists():
        _check_counts(project, recipe)
        return
    if any(recipe.selection):
        raise Unusable(_("No verified item matches this selection."))
    raise Unusable(_("There are no verified items yet."))


def _check_counts(project: Project, recipe: Recipe) -> None:
    """Refuse more dev items than a task can spare, and more whole stories than dev has room for."""
    found = chosen_items(project, recipe).order_by()
    totals = dict(found.values_list("task").annotate(n=Count("pk"))) if recipe.dev_items else {}
    for task, wanted in recipe.dev_items.items():
        if not 0 < wanted < totals.get(task, 0):
            message = _("Between 1 and %(most)s items of this task can be in dev.")
            raise refusal(f"dev_{task}", message, most=str(max(totals.get(task, 0) - 1, 1)))
    if recipe.split == MIXED:
        _check_room(project, recipe, totals)


def _check_room(project: Project, recipe: Recipe, totals: Mapping[str, int]) -> None:
    stories = chosen_items(project, recipe).aggregate(n=Count(story_unit("story"), distinct=True))["n"]
    room = int(shares_by_task(totals, recipe.share, recipe.dev_items).of_all * stories)
    if recipe.out_stories > room:
        message = _("Dev has room for at most %(most)s whole stories.")
        raise refusal("out_stories", message, most=str(room))


def refusal(field: str, sentence: str, **named: str) -> Unusable:
    """The refusal that names one field, its sentence filled in."""
    message = sentence % named
    return Unusable(message, field)
