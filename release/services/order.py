"""Orders of releases, which are validated before anything is built."""

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, require
from jobs.services import order_job
from projects.models import Project
from release.assembly.recipe import Recipe
from release.assembly.versions import MAJOR, MINOR, PATCH, after, may_publish_answers, step
from release.models import Release, ReleaseState
from release.permissions import may_create_release
from release.queries.release import BUILD, STANDING, live_release
from release.services.recipe import check_choice, check_version, read_seed, refusal


@transaction.atomic
def order_release(
    *, actor: User, project: Project, version: str, seed: str | None, recipe: Recipe
) -> Release:
    """Order a release for `finish_release` to build. Managers only.

    Raise `Conflict` if the version exists, and `Unusable` if there is nothing to release or a field is not
    valid.
    """
    require(may_create_release(actor, project))
    check_version(version)
    return order_checked(
        actor=actor,
        project=project,
        version=version,
        seed=read_seed(seed, is_secret=recipe.withhold_test),
        recipe=recipe,
    )


def order_checked(*, actor: User, project: Project, version: str, seed: str, recipe: Recipe) -> Release:
    """Order a release without checking permission, version and seed; the caller must have checked these."""
    base = check_order(project, version, recipe)
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
    order_job(actor=actor, project=project, kind=BUILD, subject=release.pk, about=about)
    record_event(actor=actor, verb="order_release", subject=release, detail={"version": version})
    return release


def check_order(project: Project, version: str, recipe: Recipe) -> Release | None:
    """Validate an order and return the release that it extends, or None.

    Raise `Conflict` or `Unusable` if the order is not valid.
    """
    if live_release(project, version):
        raise Conflict(_taken(version))
    base = find_base(project, version, recipe) if recipe.extends else None
    check_choice(project, recipe)
    return base


def _taken(version: str) -> str:
    return _("Version %(version)s already exists and cannot be changed. Choose the next one.") % {
        "version": version
    }


def find_base(project: Project, version: str, recipe: Recipe) -> Release:
    """Return the release that the recipe extends.

    Raise `Unusable` if it does not exist or this version may not extend it. A patch fixes or retires items, a
    minor version may also add items, and a major version may also publish withheld answers. All of them have
    the same split rule; published answers cannot be withheld again.
    """
    base = live_release(project, recipe.extends)
    if base is None or base.state not in STANDING:
        raise refusal("extends", _("There is no release %(version)s to extend."), version=recipe.extends)
    kind = step(base.version, version)
    if not kind:
        raise refusal(
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
        raise refusal("split", _("A release that extends %(base)s keeps its split rule."), base=base.version)
    if bool(recipe.train_share) != bool(base.recipe.get("train_share")):
        message = _("A release that extends %(base)s has a train split if %(base)s has one.")
        raise refusal("train_share", message, base=base.version)
    if recipe.selection != Recipe.from_json(base.recipe).selection:
        message = _("A release that extends %(base)s keeps its tasks, styles and lowest rating.")
        raise refusal("tasks", message, base=base.version)
    _check_secrets(base, kind, recipe)
    return base


def _check_secrets(base: Release, kind: str, recipe: Recipe) -> None:
    """Raise `Unusable` if public answers or names would be withheld, or the reverse.

    A major version may publish withheld answers.
    """
    was_withheld = base.recipe["withhold_test"]
    if recipe.withhold_test and not was_withheld:
        message = _("The answers of %(base)s are public; a release that extends it cannot withhold them.")
        raise refusal("withhold_test", message, base=base.version)
    if was_withheld and not recipe.withhold_test and not may_publish_answers(kind):
        message = _("The answers of %(base)s are withheld; only a new major version may publish them.")
        raise refusal("withhold_test", message, base=base.version)
    if recipe.as_json().get("anonymous", False) != base.recipe.get("anonymous", False):
        message = _(
            "A release that extends %(base)s must be anonymous if %(base)s is, and named if it is not."
        )
        raise refusal("anonymous", message, base=base.version)
