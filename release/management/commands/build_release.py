"""manage.py build_release."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from annotation.models import Style
from parable.kinds import codes, codes_among
from parable.quality.gates import GATES
from parable.splits import TRAIN
from projects.management.base import ProjectCommand
from projects.models import Project
from release.assembly import MIXED
from release.assembly.files import MANIFEST
from release.management.output import check_answers, check_folder, write_answers, write_folder
from release.models import Release, ReleaseState
from release.queries.draft import usual_split
from release.queries.release import live_release, withheld_answers
from release.services import Built, build_release, read_recipe
from web.commands import ANSWER_IS_NO, DONE, Report


class Command(ProjectCommand):
    """Cuts a release and puts its files into a folder."""

    purpose = gettext_lazy(
        "Create a release: split, balanced, checked by the gates, frozen and written to"
        " a folder. An existing version is rebuilt from its frozen rows and compared."
        " The same data and seed give the same bytes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add what a release needs."""
        super().add_arguments(parser)
        parser.add_argument("--release", required=True, metavar="VERSION", help=_("such as 1.0.0"))
        parser.add_argument("--seed", metavar="NUMBER", help=_("whole number such as 7"))
        parser.add_argument(
            "--extends",
            default="",
            metavar="VERSION",
            help=_(
                "release to extend; its items keep ID, split and positions: a patch fixes or"
                " retires, a minor version may add, a major version may also publish answers"
            ),
        )
        parser.add_argument(
            "--train-share",
            metavar="SHARE",
            help=_("such as 0.7, for a train split; test gets what train and dev leave"),
        )
        parser.add_argument(
            "--dev-share",
            metavar="SHARE",
            help=_("such as 0.2; default: that of the extended release, or 0.2"),
        )
        parser.add_argument(
            "--split",
            metavar="story|item|mixed|seen",
            help=_(
                "whole stories, single items, or some whole stories in dev beside shared ones; default: as in"
                " the extended release, or the project's rule"
            ),
        )
        parser.add_argument(
            "--out-stories", type=int, metavar="N", help=_("stories wholly in dev, where the split is mixed")
        )
        parser.add_argument(
            "--dev-items",
            action="append",
            type=_count,
            metavar="TASK=N",
            help=_("number of dev items of a task, in place of the share; repeatable"),
        )
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help=_("new folder"))
        self._add_choices(parser)

    def _add_choices(self, parser: CommandParser) -> None:
        """Add what the files contain, and which gates are overridden."""
        parser.add_argument(
            "--withhold-test",
            action="store_true",
            help=_("withhold test answers; cannot be combined with --seed"),
        )
        parser.add_argument(
            "--keep-order",
            action="store_true",
            help=_("keep numeric options in order"),
        )
        parser.add_argument(
            "--anonymous", action="store_true", help=_("leave the project and its people out of all files")
        )
        parser.add_argument(
            "--task", action="append", choices=codes(), help=_("only items of this task; repeatable")
        )
        parser.add_argument(
            "--style",
            action="append",
            choices=Style.values,
            help=_("only items of this style; repeatable"),
        )
        parser.add_argument(
            "--min-rating",
            type=int,
            metavar="N",
            help=_("only items whose latest ratings are all at least this"),
        )
        parser.add_argument(
            "--answers",
            type=Path,
            metavar="FILE",
            help=_("file for the withheld answers, outside the folder"),
        )
        parser.add_argument(
            "--allow",
            nargs="+",
            action="extend",
            default=[],
            metavar="GATE",
            help=_("override these gates; the reason is printed in the data card"),
        )
        parser.add_argument("--reason", default="", metavar="TEXT", help=_("reason for the override"))
        parser.add_argument(
            "--contact",
            default="",
            metavar="ADDRESS",
            help=_("contact for error reports; printed in the data card"),
        )

    def act_on(self, project: Project, actor: User, options: Mapping[str, Any]) -> Report:
        """Build, or build again, and write the folder."""
        base = live_release(project, options["extends"]) if options["extends"] else None
        before: Mapping[str, Any] = base.recipe if base else usual_split(project)
        split = options["split"] or before["split"]
        recipe = read_recipe(
            dev_share=options["dev_share"] or before["dev_share"],
            train_share=_given(options["train_share"], before.get("train_share", "")),
            split=split,
            out_stories=_out_stories(options, before, split),
            dev_items=dict(options["dev_items"] or before.get("dev_items", {})),
            withhold_test=options["withhold_test"],
            anonymous=options["anonymous"],
            allow=options["allow"],
            reason=options["reason"],
            extends=options["extends"],
            contact=options["contact"],
            keep_order=options["keep_order"],
            offered=codes_among(project.tasks),
            **_selection(options, before),
        )
        folder = options["out"].resolve()
        check_answers(options["answers"], folder, is_withheld=recipe.withhold_test)
        check_folder(folder, project=project.slug, version=options["release"])
        built = build_release(
            actor=actor, project=project, version=options["release"], seed=options["seed"], recipe=recipe
        )
        if built.is_ready:
            write_folder(folder, built.files.values())
            if options["answers"]:
                write_answers(options["answers"], withheld_answers(built.release))
        return _report(built, os.fsencode(options["out"]).decode(errors="replace"))


def _given(typed: str | None, before: str) -> str:
    """What was typed, empty or not; else what the release before had."""
    return before if typed is None else typed


def _count(typed: str) -> tuple[str, int]:
    """A task and a number as they are typed, such as moral=252."""
    task, _sign, number = typed.partition("=")
    return task, int(number)


def _out_stories(options: Mapping[str, Any], before: Mapping[str, Any], split: str) -> int:
    """How many stories are wholly in dev: as many as asked for, else as in the release before."""
    asked: int | None = options["out_stories"]
    if asked is not None:
        return asked
    return before.get("out_stories", 0) if split == MIXED else 0


def _selection(options: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Which items are taken: those asked for, else those that the release before took."""
    rating = options["min_rating"]
    return {
        "tasks": options["task"] or before.get("tasks", ()),
        "styles": options["style"] or before.get("styles", ()),
        "min_rating": before.get("min_rating", 0) if rating is None else rating,
    }


def _report(built: Built, folder: str) -> Report:
    release = built.release
    return Report(
        lines=tuple(_lines(built, folder)),
        data={
            "release": release.version,
            "dir": folder if built.is_ready else None,
            "counts": release.manifest.get("counts", {}),
            "keys": release.manifest.get("keys", {}),
            "gates": _gates(release),
            "files": {file.name: file.sha256 for file in built.files.values() if file.name != MANIFEST}
            if built.is_ready
            else {},
        },
        code=DONE if built.is_ready else ANSWER_IS_NO,
        verdict=_verdict(built),
    )


def _gates(release: Release) -> list[dict[str, Any]]:
    order = ("id", "task", "verdict", "figure", "low", "high", "threshold", "items")
    return [{name: gate[name] for name in order} for gate in release.manifest.get("gates", [])]


def _lines(built: Built, folder: str) -> Iterator[str]:
    for gate in _gates(built.release):
        name = _(GATES[gate["id"]].name)
        task = f", {gate['task']}" if gate["task"] else ""
        yield f"{gate['verdict']:>14}  {gate['id']}{task}: {name} ({gate['figure']})"
    for task, splits in built.release.manifest.get("counts", {}).items():
        yield _in_splits(splits) % {"task": task, **splits}
    yield from _changes(built.release)
    if built.is_ready:
        words = _("Release %(version)s written to %(folder)s: %(files)d files.")
        yield words % {"version": built.release.version, "folder": folder, "files": len(built.files)}


def _in_splits(splits: Mapping[str, int]) -> str:
    if TRAIN in splits:
        return _("%(task)s: %(train)d in train, %(dev)d in dev, %(test)d in test")
    return _("%(task)s: %(dev)d in dev, %(test)d in test")


def _changes(release: Release) -> Iterator[str]:
    since = release.manifest.get("since")
    if since:
        words = _(
            "Since %(version)s: %(same)d unchanged, %(mended)d fixed, %(retired)d retired,"
            " %(held_back)d excluded, %(returned)d restored, %(added)d added."
        )
        yield words % since


def _verdict(built: Built) -> str:
    release = built.release
    if built.differing:
        words = _("Rebuilt from its frozen rows, %(version)s differs in: %(files)s. Nothing was written.")
        return words % {"version": release.version, "files": ", ".join(built.differing)}
    if release.state == ReleaseState.FAILED and release.manifest.get("stopped"):
        words = _(
            "Failed gates: %(gates)s. Nothing was frozen. Fix the items, or override gates with --allow."
        )
        return words % {"gates": ", ".join(release.manifest["stopped"])}
    return release.why
