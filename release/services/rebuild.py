"""Verification of a release: files are rendered again from frozen rows and compared with stored hashes."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Conflict, Unusable, require
from jobs.models import Job
from jobs.queries import unfinished_jobs
from jobs.services import order_job, run_job
from projects.models import Project
from release.assembly.recipe import Recipe
from release.files.folder import MANIFEST, File, manifest, manifest_file, render
from release.models import Release, ReleaseState
from release.permissions import may_create_release
from release.queries.release import BUILD, REBUILD, artifacts, frozen, live_release
from release.services.build import finish_release
from release.services.order import order_release
from release.services.recipe import check_version, read_seed


@dataclass(frozen=True, slots=True)
class Built:
    """A release with its files, including the manifest; it has no files unless it is ready.

    `differing` names the files whose content no longer matches the stored hash.
    """

    release: Release
    files: Mapping[str, File]
    differing: tuple[str, ...] = ()

    @property
    def is_ready(self) -> bool:
        """Whether the release is ready and its files are unchanged."""
        return self.release.state == ReleaseState.READY and not self.differing


def build_release(*, actor: User, project: Project, version: str, seed: str | None, recipe: Recipe) -> Built:
    """Build a version and wait for the result, or render an existing version again and compare its files.

    An interrupted build is resumed. Raise `Unusable` if the version exists with another recipe or seed,
    `Conflict` if it was withdrawn.
    """
    require(may_create_release(actor, project))
    release = live_release(project, check_version(version))
    if release is None:
        release = order_release(actor=actor, project=project, version=version, seed=seed, recipe=recipe)
    else:
        _require_same(release, seed, recipe)
    for job in unfinished_jobs(BUILD, release.pk):
        run_job(job_id=job.pk)
    return rebuild_release(release=finish_release(release_id=release.pk))


def _require_same(release: Release, seed: str | None, recipe: Recipe) -> None:
    if release.state == ReleaseState.WITHDRAWN:
        raise Conflict(
            _("Version %(version)s was withdrawn: %(reason)s")
            % {"version": release.version, "reason": release.why}
        )
    kept = Recipe.from_json(release.recipe)
    # not compared, as they never change for a version: the layout and the excluded items
    compared = {one.name for one in fields(Recipe)} - {"layout", "without"}
    differing = [name for name in compared if getattr(kept, name) != getattr(recipe, name)]
    is_drawn = recipe.withhold_test and seed is None
    if not is_drawn and read_seed(seed, is_secret=recipe.withhold_test) != release.seed:
        differing.append("seed")
    if differing:
        raise Unusable(
            _("Version %(version)s already exists with other settings (%(fields)s). Choose another version.")
            % {"version": release.version, "fields": ", ".join(sorted(differing))},
            {name: _("differs") for name in differing},
        )


@transaction.atomic
def order_rebuild_check(*, actor: User, release: Release) -> Job:
    """Order a release to be rendered again and compared; the caller must dispatch the job. Managers only.

    Raise `Conflict` if the release is not ready.
    """
    require(may_create_release(actor, release.project))
    if release.state != ReleaseState.READY:
        raise Conflict(_("Only a finished release can be checked."))
    about = {"version": release.version}
    return order_job(actor=actor, project=release.project, kind=REBUILD, subject=release.pk, about=about)


def check_rebuild(*, release_id: int) -> tuple[str, ...]:
    """Render a release again, and return the names of the files that differ from what was stored."""
    return rebuild_release(release=Release.objects.select_related("project").get(pk=release_id)).differing


def rebuild_release(*, release: Release) -> Built:
    """Render a release again from its frozen rows, and compare the files with the stored hashes."""
    if release.state != ReleaseState.READY or release.ready_at is None:
        return Built(release, {})
    whole = frozen(release)
    files = render(whole)
    built_at = release.ready_at.isoformat(timespec="seconds")
    entries = [file.entry for file in files.values()]
    files[MANIFEST] = manifest_file(manifest(whole, entries), built_at)
    hashed = dict(artifacts(release).values_list("name", "sha256"))
    differing = {
        name
        for name in files.keys() | hashed.keys()
        if name not in files or files[name].sha256 != hashed.get(name)
    }
    return Built(release, files, tuple(sorted(differing)))
