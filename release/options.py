"""The options of a release, in `OPTIONS`. Forms, the command, drafts and recipes use its entries.

To add an option, add an entry here, and a field with its default value to `Recipe`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from decimal import Decimal, InvalidOperation
from enum import Enum, auto
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.kinds import task_choices
from annotation.models import Style
from parable.kinds import codes
from parable.quality.gates.split_leak import SplitLeak
from projects.models import SplitRule
from release.assembly import IN_THREE, MIXED, RULES
from release.assembly.recipe import EMPTY
from release.assembly.seen_split import SEEN

CONTENTS: Final = "contents"
SETTINGS: Final = "settings"
"""The steps of a draft that have options."""
LONGEST_CONTACT: Final = 200

FormData = Mapping[str, Any]
"""The typed value of each field of a draft, valid or not."""


class Kind(Enum):
    """The type of an option: how its value is entered on a page or as an argument, and stored in a recipe."""

    TEXT = auto()
    SHARE = auto()
    NUMBER = auto()
    SWITCH = auto()
    CHOICE = auto()
    SEVERAL = auto()
    COUNTS = auto()  # a number for each task, in a field for each


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a release.

    `help` is displayed beside its field, `more` behind a question mark, and `argument` in the command's help.
    `flag` is the name of the command's argument if it differs from `name`. `check` returns the error message
    for a value, given all values, or "". `parts` maps the fields of a `Kind.COUNTS` option to their tasks.
    `split`: the only split rule to which the option applies.
    """

    name: str
    step: str
    label: str | Promise
    _: KW_ONLY
    kind: Kind = Kind.TEXT
    flag: str = ""
    metavar: str | None = None
    help: str | Promise = ""
    more: str | Promise = ""
    argument: str | Promise = ""
    inputmode: str = ""
    longest: int | None = None
    choices: Callable[[], list[tuple[str, Any]]] | None = None
    check: Callable[[Any, Mapping[str, Any]], str] = lambda _value, _given: ""
    parts: Mapping[str, str] = field(default_factory=dict)
    split: str = ""
    is_required: bool = False
    is_inherited: bool = False  # by the command, from the release that is extended
    is_fixed: bool = False  # in a release that extends another

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the option's fields in a form."""
        return tuple(self.parts or (self.name,))

    @property
    def dest(self) -> str:
        """The name of the option's argument in the parsed arguments of the command."""
        return self.flag or self.name

    @property
    def blank(self) -> object:
        """The empty value of the option's fields."""
        return {Kind.SEVERAL: [], Kind.SWITCH: False}.get(self.kind, "")


def split_rules() -> list[tuple[str, Any]]:
    """Return the rules by which a release can be split, as (code, name)."""
    return [*SplitRule.choices, (MIXED, _("whole and shared stories")), (SEEN, _("part of every story"))]


def plain_share(share: str) -> str:
    """Return the share as it is stored: `0.20` and `.2` both become `0.2`."""
    return format(Decimal(share).normalize(), "f")


def _is_share(share: str) -> bool:
    value = Decimal(share)
    return value.is_finite() and 0 < value < 1 and len(plain_share(share)) <= 12


def _dev_share_problem(share: str, _given: Mapping[str, Any]) -> str:
    try:
        fits = _is_share(share)
    except InvalidOperation:
        return gettext("The dev share must be a number such as 0.2.")
    return "" if fits else gettext("The dev share must be between 0 and 1, for example 0.2.")


def _train_share_problem(share: str, given: Mapping[str, Any]) -> str:
    """Return the error message for the share of train, or "" if it is valid or empty."""
    if not share.strip():
        return ""
    try:
        fits = _is_share(share)
    except InvalidOperation:
        return gettext("The train share must be a number such as 0.7.")
    if not fits:
        return gettext("The train share must be between 0 and 1, for example 0.7.")
    if not _dev_share_problem(given["dev_share"], given):
        total = Decimal(share) + Decimal(given["dev_share"])
        if total >= 1:
            message = gettext(
                "Train and dev come to %(sum)s. They must leave a share for test, so less than 1."
            )
            return message % {"sum": format(total.normalize(), "f")}
    return ""


def _split_problem(split: str, given: Mapping[str, Any]) -> str:
    if split not in RULES:
        return gettext("Dev and test can be split by: story, item, mixed, seen.")
    if given["train_share"].strip() and split not in IN_THREE:
        return gettext("With a train split, items can be split by: %(rules)s.") % {
            "rules": ", ".join(IN_THREE)
        }
    return ""


def _dev_items_problem(counts: Mapping[str, int], given: Mapping[str, Any]) -> str:
    if counts and given["train_share"].strip():
        return gettext("With a train split, dev has a share; leave the number of dev items empty.")
    return _unknown_problem(counts, codes())


def _out_stories_problem(stories: int, given: Mapping[str, Any]) -> str:
    if given["split"] == MIXED and stories < 1:
        return gettext("A mixed split needs a number of stories that are wholly in dev.")
    if given["split"] != MIXED and stories:
        return gettext("Stories wholly in dev can be set for a mixed split only.")
    return ""


def _contact_problem(contact: str, _given: Mapping[str, Any]) -> str:
    if len(contact.strip()) > LONGEST_CONTACT or not contact.strip().isprintable():
        message = gettext("The contact must be one line of at most %(most)d characters.")
        return message % {"most": LONGEST_CONTACT}
    return ""


def _unknown_problem(chosen: Iterable[str], known: Iterable[str]) -> str:
    """Return an error message that names the first unknown code, or "" if all codes are known."""
    unknown = sorted(set(chosen) - set(known))
    if not unknown:
        return ""
    return gettext("“%(name)s” is not one of: %(names)s.") % {"name": unknown[0], "names": ", ".join(known)}


OPTIONS: Final = (
    Option(
        "version", CONTENTS, _("Version"), flag="release", metavar="VERSION", longest=40,
        is_required=True,
        help=_("Three numbers, such as 1.0.0."),
        argument=_("such as 1.0.0"),
    ),
    Option(
        "extends", CONTENTS, _("Extends"), kind=Kind.CHOICE, metavar="VERSION",
        help=_("Its items keep their ID, split and option order. Drawn anew, they get new ones."),
        more=_(
            "A patch (1.0.1) revises or retires, a minor version (1.1.0) also adds, a major one (2.0.0)"
            " may also publish withheld answers."
        ),
        argument=_(
            "release to extend; its items keep ID, split and positions: a patch fixes or"
            " retires, a minor version may add, a major version may also publish answers"
        ),
    ),
    Option(
        "tasks", CONTENTS, _("Tasks"), kind=Kind.SEVERAL, flag="task",
        choices=task_choices, check=lambda tasks, _given: _unknown_problem(tasks, codes()), is_inherited=True,
        help=_("None selected: all."),
        argument=_("only items of this task; repeatable"),
    ),
    Option(
        "styles", CONTENTS, _("Styles"), kind=Kind.SEVERAL, flag="style",
        choices=lambda: Style.choices, check=lambda styles, _given: _unknown_problem(styles, Style.values),
        is_inherited=True,
        help=_("None selected: all."),
        argument=_("only items of this style; repeatable"),
    ),
    Option(
        "min_rating", CONTENTS, _("Lowest rating"), kind=Kind.NUMBER, metavar="N", inputmode="numeric",
        is_inherited=True,
        help=_("0: all items, also unrated ones."),
        argument=_("only items whose latest ratings are all at least this"),
    ),
    Option(
        "train_share", SETTINGS, _("Train share"), kind=Kind.SHARE, metavar="SHARE", inputmode="decimal",
        longest=12,
        check=_train_share_problem, is_inherited=True, is_fixed=True,
        help=_("Empty: dev and test only."),
        more=_(
            "For example train 0.7 and dev 0.1: test gets the rest, 0.2. The shares are of whole stories"
            " and apply within each genre. No CRMUS files are written, since they have no train split."
        ),
        argument=_("such as 0.7, for a train split; test gets what train and dev leave"),
    ),
    Option(
        "dev_share", SETTINGS, _("Dev share"), kind=Kind.SHARE, metavar="SHARE", inputmode="decimal",
        longest=12,
        check=_dev_share_problem, is_required=True, is_inherited=True,
        help=_("0.2: one item in five."),
        argument=_("such as 0.2; default: that of the extended release, or 0.2"),
    ),
    Option(
        "dev_items", SETTINGS, _("Dev items: {task}"), kind=Kind.COUNTS, metavar="TASK=N",
        inputmode="numeric", longest=6,
        check=_dev_items_problem, parts={f"dev_{task}": task for task in codes()}, is_inherited=True,
        help=_("Instead of the share."),
        argument=_("number of dev items of a task, in place of the share; repeatable"),
    ),
    Option(
        "split", SETTINGS, _("Split by"), kind=Kind.CHOICE, metavar="story|item|mixed|seen",
        choices=split_rules, check=_split_problem, is_required=True, is_inherited=True, is_fixed=True,
        help=format_lazy(_("A split by single items fails the gate “{gate}”."), gate=_(SplitLeak.name)),
        argument=_(
            "whole stories, single items, or some whole stories in dev beside shared ones; default: as in"
            " the extended release, or the project's rule"
        ),
    ),
    Option(
        "out_stories", SETTINGS, _("Stories wholly in dev"), kind=Kind.NUMBER, metavar="N",
        inputmode="numeric", longest=6,
        check=_out_stories_problem, split=MIXED, is_inherited=True, is_fixed=True,
        help=_("The rest of dev shares stories with test."),
        more=_(
            "About half of the items of each shared story are in dev. In the CRMUS files, the field"
            " “domain” is “out” for stories only in dev, else “in”."
        ),
        argument=_("stories wholly in dev, where the split is mixed"),
    ),
    Option(
        "seed", SETTINGS, _("Seed"), metavar="NUMBER", inputmode="numeric", longest=40,
        is_required=True,
        help=_("A whole number; makes the build repeatable."),
        argument=_("whole number such as 7"),
    ),
    Option(
        "withhold_test", SETTINGS, _("Withhold test answers"), kind=Kind.SWITCH,
        help=_("Uses a secret seed instead."),
        argument=_("withhold test answers; cannot be combined with --seed"),
    ),
    Option(
        "keep_order", SETTINGS, _("Sort options that are numbers"), kind=Kind.SWITCH,
        help=_("“3 days” before “5 days”."),
        argument=_("keep numeric options in order"),
    ),
    Option(
        "anonymous", SETTINGS, _("Anonymous"), kind=Kind.SWITCH,
        help=_("No names and no contact in any file."),
        argument=_("leave the project and its people out of all files"),
    ),
    Option(
        "contact", SETTINGS, _("Contact for error reports"), metavar="ADDRESS", longest=LONGEST_CONTACT,
        check=_contact_problem,
        help=_("Printed in the data card."),
        argument=_("contact for error reports; printed in the data card"),
    ),
)  # fmt: skip
RECIPE_OPTIONS: Final = tuple(option for option in OPTIONS if hasattr(EMPTY, option.name))
"""The options that are fields of `Recipe`: all but the version and the seed."""
FIXED: Final = tuple(option.name for option in OPTIONS if option.is_fixed)


def fields_of(step: str) -> list[str]:
    """Return the names of the form fields of a step, in order."""
    return [field for option in OPTIONS if option.step == step for field in option.fields]


def blank() -> dict[str, object]:
    """Return all form fields by name, with their empty values."""
    return {field: option.blank for option in OPTIONS for field in option.fields}


def typed_of(recipe: Mapping[str, Any], names: Iterable[str]) -> dict[str, object]:
    """Return the values of these form fields that correspond to a stored recipe."""
    found: dict[str, object] = {}
    for option in OPTIONS:
        if option.parts:
            counts = recipe.get(option.name, {})
            found |= {field: str(counts.get(task, "")) for field, task in option.parts.items()}
        elif option.name in recipe:
            value = recipe[option.name]
            found[option.name] = str(value) if option.kind is Kind.NUMBER else value
    return {name: found[name] for name in names if name in found}
