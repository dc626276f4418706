"""Validation of a typed recipe against the available items."""

import re
import secrets
from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db.models import Count
from django.utils.translation import gettext as _

from annotation.models import Style
from core.errors import Unusable
from corpus.queries import story_unit
from parable.kinds import codes
from parable.quality.gates import GATES
from projects.models import Project
from release.assembly import MIXED
from release.assembly.apportionment import shares_by_task
from release.assembly.recipe import EMPTY, Recipe
from release.options import RECIPE_OPTIONS, Kind, plain_share
from release.queries.choice import chosen_items
from release.queries.draft import usual_split
from release.queries.release import live_release

VERSION: Final = re.compile(r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}(-[0-9A-Za-z.-]{1,20})?", re.ASCII)
SEED: Final = re.compile(r"[0-9]{1,39}", re.ASCII)
SECRET_BYTES: Final = 16


def read_recipe(
    *, allow: Iterable[str] = (), reason: str = "", offered: Iterable[str] = (), **given: Any
) -> Recipe:
    """Return the recipe as it is stored. Raise `Unusable` with the invalid fields.

    `given`: values of `RECIPE_OPTIONS` by name. `offered`: the tasks of the project, by default the usual
    tasks. A selection of all tasks or all styles is stored as an empty selection.
    """
    values = {option.name: getattr(EMPTY, option.name) for option in RECIPE_OPTIONS} | given
    wrong: dict[str, str] = {}
    for option in RECIPE_OPTIONS:
        if problem := option.check(values[option.name], values):
            parts = [field for field, task in option.parts.items() if task in values[option.name]]
            wrong |= dict.fromkeys([option.name, *parts], problem)
    gates = tuple(sorted(set(allow)))
    if unknown := [gate for gate in gates if gate not in GATES]:
        message = _("There is no gate “%(gate)s”. The gates are: %(gates)s.")
        wrong["allow"] = message % {"gate": unknown[0], "gates": ", ".join(GATES)}
    if gates and not reason.strip():
        wrong["reason"] = _("Enter a reason for the override; it is printed in the data card.")
    if wrong:
        raise Unusable(wrong)
    # a selection of all values excludes nothing, so it is stored as empty
    everything = {"tasks": sorted(offered or codes("is_usual")), "styles": sorted(Style.values)}
    for option in RECIPE_OPTIONS:
        value = values[option.name]
        if option.kind is Kind.SEVERAL:
            chosen = sorted(set(value))
            value = () if chosen == everything[option.name] else tuple(chosen)
        elif option.kind is Kind.COUNTS:
            value = dict(sorted(value.items()))
        elif option.kind is Kind.SHARE and value.strip():
            value = plain_share(value)
        values[option.name] = value.strip() if isinstance(value, str) else value
    return Recipe(**values, allow=gates, reason=reason.strip() if gates else "")


def with_inherited(project: Project, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the given options for `read_recipe`, with the inherited values of those that are missing.

    They come from the release that is extended, or else from the project.
    """
    base = live_release(project, given["extends"]) if given.get("extends") else None
    before: Mapping[str, Any] = base.recipe if base else usual_split(project)
    split = given.get("split") or before["split"]
    found = {}
    for option in RECIPE_OPTIONS:
        value = given.get(option.name)
        if value is None or (option.is_required and not value):
            is_taken = option.is_inherited and option.split in {"", split}
            value = before.get(option.name) if is_taken else None
        if value is not None:
            found[option.name] = dict(value) if option.kind is Kind.COUNTS else value
    return found


def read_seed(seed: str | None, *, is_secret: bool) -> str:
    """Return the seed to store: the integer from the form, or 128 random bits if the seed is secret.

    Raise `Unusable` for any other input, and for a typed seed if the seed is secret.
    """
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
    """Return the version unchanged. Raise `Unusable` unless it is written like 1.0.0."""
    if len(version) > 40 or not VERSION.fullmatch(version):
        message = _("The version must have the form 1.0.0.")
        raise Unusable(message, "version")
    return version


def check_choice(project: Project, recipe: Recipe) -> None:
    """Raise `Unusable` for a rating outside the project's scale, or if no item matches the recipe.

    The numbers of dev items and stories are validated, too.
    """
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
    """Raise `Unusable` if the recipe's number of dev items of a task, or of dev stories, is not possible."""
    found = chosen_items(project, recipe).order_by()
    totals = dict(found.values_list("task").annotate(n=Count("pk"))) if recipe.dev_items else {}
    for task, wanted in recipe.dev_items.items():
        if not 0 < wanted < totals.get(task, 0):
            message = _("Between 1 and %(most)s items of this task can be in dev.")
            raise refusal(f"dev_{task}", message, most=str(max(totals.get(task, 0) - 1, 1)))
    if recipe.split == MIXED:
        stories = chosen_items(project, recipe).aggregate(n=Count(story_unit("story"), distinct=True))["n"]
        room = int(shares_by_task(totals, recipe.share, recipe.dev_items).of_all * stories)
        if recipe.out_stories > room:
            message = _("Dev has room for at most %(most)s whole stories.")
            raise refusal("out_stories", message, most=str(room))


def refusal(field: str, sentence: str, **named: str) -> Unusable:
    """Return an `Unusable` error for one field, with the values inserted into the message."""
    message = sentence % named
    return Unusable(message, field)
