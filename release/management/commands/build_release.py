"""The command `manage.py build_release`: builds a release and writes its files."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from parable.kinds import codes_among
from parable.quality.gates import GATES
from parable.splits import TRAIN
from projects.management.base import ProjectCommand
from projects.models import Project
from release.files.folder import MANIFEST
from release.management.output import check_answers, check_folder, write_answers, write_folder
from release.models import Release, ReleaseState
from release.options import OPTIONS, RECIPE_OPTIONS, Kind
from release.queries.release import withheld_answers
from release.services import Built, build_release, read_recipe, with_inherited
from web.commands import ANSWER_IS_NO, DONE, Report


class Command(ProjectCommand):
    """Builds a release and writes its files into a folder."""

    purpose = gettext_lazy(
        "Create a release: split, balanced, checked by the gates, frozen and written to"
        " a folder. An existing version is rebuilt from its frozen rows and compared."
        " The same data and seed give the same bytes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options of the recipe and those for the output folder, answers and overridden gates."""
        super().add_arguments(parser)
        for option in OPTIONS:
            shape: Any = {"metavar": option.metavar}
            if option.kind is Kind.NUMBER:
                shape |= {"type": int}
            elif option.kind is Kind.COUNTS:
                shape |= {"type": _count, "action": "append"}
            elif option.kind is Kind.SEVERAL and option.choices:
                shape |= {"choices": [code for code, _name in option.choices()], "action": "append"}
            elif option.kind is Kind.SWITCH:
                shape = {"action": "store_true"}
            flag = f"--{option.dest.replace('_', '-')}"
            parser.add_argument(flag, required=option.name == "version", help=str(option.argument), **shape)
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help=_("new folder"))
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

    def act_on(self, project: Project, actor: User, options: Mapping[str, Any]) -> Report:
        """Build the version, or render an existing version again, and write its files into the folder."""
        given = with_inherited(project, {option.name: options[option.dest] for option in RECIPE_OPTIONS})
        recipe = read_recipe(
            **given, allow=options["allow"], reason=options["reason"], offered=codes_among(project.tasks)
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
        folder = os.fsencode(options["out"]).decode(errors="replace")
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


def _count(typed: str) -> tuple[str, int]:
    """Return (task, number) from an argument such as `moral=252`."""
    task, _sign, number = typed.partition("=")
    return task, int(number)


def _gates(release: Release) -> list[dict[str, Any]]:
    order = ("id", "task", "verdict", "figure", "low", "high", "threshold", "items")
    return [{name: gate[name] for name in order} for gate in release.manifest.get("gates", [])]


def _lines(built: Built, folder: str) -> Iterator[str]:
    for gate in _gates(built.release):
        name = _(GATES[gate["id"]].name)
        task = f", {gate['task']}" if gate["task"] else ""
        yield f"{gate['verdict']:>14}  {gate['id']}{task}: {name} ({gate['figure']})"
    for task, splits in built.release.manifest.get("counts", {}).items():
        if TRAIN in splits:
            words = _("%(task)s: %(train)d in train, %(dev)d in dev, %(test)d in test")
        else:
            words = _("%(task)s: %(dev)d in dev, %(test)d in test")
        yield words % {"task": task, **splits}
    since = built.release.manifest.get("since")
    if since:
        words = _(
            "Since %(version)s: %(same)d unchanged, %(mended)d fixed, %(retired)d retired,"
            " %(held_back)d excluded, %(returned)d restored, %(added)d added."
        )
        yield words % since
    if built.is_ready:
        words = _("Release %(version)s written to %(folder)s: %(files)d files.")
        yield words % {"version": built.release.version, "folder": folder, "files": len(built.files)}


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
