"""What a manager orders, checked before anything is built."""

import re
import secrets
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Count
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.models import Style
from core.errors import Conflict, Unusable, require
from corpus.queries import story_unit
from jobs.services import order_work
from parable.kinds import codes
from parable.quality.gates import GATES
from projects.models import Project
from release.assembly import MIXED, RULES
from release.assembly.recipe import Recipe
from release.assembly.shares import NO_COUNTS, shares_by_task
from release.assembly.versions import MAJOR, MINOR, PATCH, after, may_publish_answers, step
from release.models import Release, ReleaseState
from release.permissions import may_cut_release
from release.queries.choice import plain_items
from release.queries.release import BUILD, STANDING, live_release

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
    styles: Iterable[str] = (),
    min_rating: int = 0,
    dev_items: Mapping[str, int] = NO_COUNTS,
    out_stories: int = 0,
) -> Recipe:
    """The recipe as it will be kept. Raises `Unusable` naming each field that will not do."""
    wanted = tuple(sorted(set(allow)))
    wrong = {
        "dev_share": _share_problem(dev_share),
        "split": "" if split in RULES else _("Dev and test can be split by: story, item, mixed."),
        "out_stories": _out_problem(split, out_stories),
        "dev_items": _unknown_problem(dev_items, codes()),
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
        tasks=_narrowing(tasks, codes()),
        styles=_narrowing(styles, Style.values),
        min_rating=min_rating,
        dev_items=dict(sorted(dev_items.items())),
        out_stories=out_stories,
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
        raise Unusable(" ".join(found.values()), found)


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
            raise Unusable(message, {"seed": message})
        return secrets.token_hex(SECRET_BYTES)
    if seed is None or not SEED.fullmatch(seed):
        message = _("The seed must be a whole number such as 7.")
        raise Unusable(message, {"seed": message})
    return str(int(seed))


def check_version(version: str) -> str:
    """The version. Raises `Unusable` unless it is written like 1.0.0."""
    if len(version) > 40 or not VERSION.fullmatch(version):
        message = _("The version must have the form 1.0.0.")
        raise Unusable(message, {"version": message})
    return version


@transaction.atomic
def order_release(
    *, actor: User, project: Project, version: str, seed: str | None, recipe: Recipe
) -> Release:
    """Write down that a release is to be built; `finish_release` builds it. Managers only.

    Raises `Conflict` where the version exists, `Unusable` where there is nothing to release or a field
    will not do.
    """
    require(may_cut_release(actor, project))
    check_version(version)
    return order_checked(
        actor=actor,
        project=project,
        version=version,
        seed=read_seed(seed, is_secret=recipe.withhold_test),
        recipe=recipe,
    )


def order_checked(*, actor: User, project: Project, version: str, seed: str, recipe: Recipe) -> Release:
    """The same where the caller has read version and seed, and asked whether the actor may."""
    base = check_order(project, version, recipe)
    return _write_order(actor, project, version, seed, recipe, base)


def check_order(project: Project, version: str, recipe: Recipe) -> Release | None:
    """The release that this order extends, if any. Raises `Conflict` or `Unusable` where it will not do."""
    if live_release(project, version):
        raise Conflict(_taken(version))
    base = find_base(project, version, recipe) if recipe.extends else None
    _check_choice(project, recipe)
    return base


def _write_order(
    actor: User, project: Project, version: str, seed: str, recipe: Recipe, base: Release | None
) -> Release:
    try:
        with transaction.atomic():
            release = Release.objects.create(
                project=project,
                version=version,
                seed=seed,
                recipe=recipe.as_json(),
                extends=base,
                state=ReleaseState.BUILDING,
                created_by=actor,
            )
    except IntegrityError as error:
        raise Conflict(_taken(version)) from error
    about = {"version": version}
    order_work(actor=actor, project=project, kind=BUILD, subject=release.pk, about=about)
    record_event(actor=actor, verb="order_release", subject=release, detail={"version": version})
    return release


def _check_choice(project: Project, recipe: Recipe) -> None:
    """Refuse a rating that is not on the project's scale, and a choice that leaves nothing."""
    if not 0 <= recipe.min_rating <= project.max_rating:
        raise _refusal(
            "min_rating", _("The highest rating in this project is %(most)s."), most=str(project.max_rating)
        )
    if plain_items(project, recipe).exists():
        _check_counts(project, recipe)
        return
    if any(recipe.selection):
        raise Unusable(_("No verified item matches this selection."))
    raise Unusable(_("There are no verified items yet."))


def _check_counts(project: Project, recipe: Recipe) -> None:
    """Refuse more dev items than a task can spare, and more whole stories than dev has room for."""
    found = plain_items(project, recipe).order_by()
    totals = dict(found.values_list("task").annotate(n=Count("pk"))) if recipe.dev_items else {}
    for task, wanted in recipe.dev_items.items():
        if not 0 < wanted < totals.get(task, 0):
            message = _("Between 1 and %(most)s items of this task can be in dev.")
            raise _refusal(f"dev_{task}", message, most=str(max(totals.get(task, 0) - 1, 1)))
    if recipe.split == MIXED:
        _check_room(project, recipe, totals)


def _check_room(project: Project, recipe: Recipe, totals: Mapping[str, int]) -> None:
    stories = plain_items(project, recipe).aggregate(n=Count(story_unit("story"), distinct=True))["n"]
    room = int(shares_by_task(totals, recipe.share, recipe.dev_items).of_all * stories)
    if recipe.out_stories > room:
        message = _("Dev has room for at most %(most)s whole stories.")
        raise _refusal("out_stories", message, most=str(room))


def _taken(version: str) -> str:
    return _("Version %(version)s already exists and cannot be changed. Choose the next one.") % {
        "version": version
    }


def find_base(project: Project, version: str, recipe: Recipe) -> Release:
    """The release that a recipe extends. Raises `Unusable` where this version may not follow on it so.

    A patch mends or retires, a minor step adds too, a major one may also publish answers that were
    withheld. All keep the rule of the split; what has been published cannot be withheld again.
    """
    base = live_release(project, recipe.extends)
    if base is None or base.state not in STANDING:
        raise _refusal("extends", _("There is no release %(version)s to extend."), version=recipe.extends)
    kind = step(base.version, version)
    if not kind:
        raise _refusal(
            "version",
            _(
                "%(version)s does not follow %(base)s. The next versions are %(patch)s (fixes"
                " or retires), %(minor)s (may add) and %(major)s (may also publish withheld"
                " answers)."
            ),
            version=version,
            base=base.version,
            **{name: after(base.version, name) for name in (PATCH, MINOR, MAJOR)},
        )
    if recipe.split != base.recipe["split"]:
        raise _refusal("split", _("A release that extends %(base)s keeps its split rule."), base=base.version)
    if recipe.selection != Recipe.from_json(base.recipe).selection:
        message = _("A release that extends %(base)s keeps its tasks, styles and lowest rating.")
        raise _refusal("tasks", message, base=base.version)
    _check_secrets(base, kind, recipe)
    return base


def _check_secrets(base: Release, kind: str, recipe: Recipe) -> None:
    """Refuse to withhold what is public, and to publish what is withheld by the way."""
    was_withheld = base.recipe["withhold_test"]
    if recipe.withhold_test and not was_withheld:
        message = _("The answers of %(base)s are public; a release that extends it cannot withhold them.")
        raise _refusal("withhold_test", message, base=base.version)
    if was_withheld and not recipe.withhold_test and not may_publish_answers(kind):
        message = _("The answers of %(base)s are withheld; only a new major version may publish them.")
        raise _refusal("withhold_test", message, base=base.version)
    if recipe.as_json().get("anonymous", False) != base.recipe.get("anonymous", False):
        message = _(
            "A release that extends %(base)s must be anonymous if %(base)s is, and named if it is not."
        )
        raise _refusal("anonymous", message, base=base.version)


def _refusal(field: str, sentence: str, **named: str) -> Unusable:
    message = sentence % named
    return Unusable(message, {field: message})
