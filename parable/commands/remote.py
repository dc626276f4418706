"""`remote ACTION ...`: does on a Parable site what its programming interface offers."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import orjson

from parable.commands.outcome import DONE, UNUSABLE
from parable.commands.wording import sentence


def run(options: argparse.Namespace) -> int:
    """Do one thing on the site; return 0, or 2 if the site refused or could not be reached."""
    if find_spec("parable_client") is None:
        return _refuse(sentence("client_missing", options.language))
    from parable_client import JobFailed, Problem, Site, Unreachable  # noqa: PLC0415 - a wheel of its own

    try:
        with Site(options.url) as site:
            for row in ACTIONS[options.action](site, options):
                print(json.dumps(row, ensure_ascii=False), flush=True)
    except (JobFailed, Problem, Unreachable, ValueError, OSError) as error:
        return _refuse(str(error))
    return DONE


def _refuse(words: str) -> int:
    print(words, file=sys.stderr)
    return UNUSABLE


def _list(site: Any, options: argparse.Namespace) -> Iterator[Any]:
    filters = dict(value.partition("=")[::2] for value in options.values)
    yield from site.project(options.project).list(options.noun, **filters)


def _stories(site: Any, options: argparse.Namespace) -> Iterator[Any]:
    yield from site.project(options.project).add_stories(_lines(options.file))


def _items(site: Any, options: argparse.Namespace) -> Iterator[Any]:
    yield from site.project(options.project).add_items(_lines(options.file), state=options.state)


def _start(site: Any, options: argparse.Namespace) -> Iterator[Any]:
    project = site.project(options.project)
    made = project.start(options.noun, **_values(options.values))
    yield made | {"state": project.wait(made["job"], _tell)["state"]}


def _release(site: Any, options: argparse.Namespace) -> Iterator[Any]:
    project = site.project(options.project)
    yield project.build_release(options.version, progress=_tell, **_values(options.values)).row()


def _download(site: Any, options: argparse.Namespace) -> Iterator[Any]:
    release = site.project(options.project).release(options.version)
    yield from ({"file": str(path)} for path in release.download(options.folder))


def _responses(site: Any, options: argparse.Namespace) -> Iterator[Any]:
    release = site.project(options.project).release(options.version)
    yield release.import_responses(options.file, progress=_tell)


ACTIONS: Final[Mapping[str, Callable[[Any, argparse.Namespace], Iterable[Any]]]] = {
    "projects": lambda site, _options: site.projects(),
    "list": _list,
    "stories": _stories,
    "items": _items,
    "start": _start,
    "release": _release,
    "download": _download,
    "responses": _responses,
}


def _lines(path: Path) -> Iterator[Any]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    yield orjson.loads(line)
                except orjson.JSONDecodeError as error:
                    raise ValueError(f"{path}, line {number}: {error}") from error


def _values(pairs: Iterable[str]) -> dict[str, Any]:
    """Return NAME=VALUE as a dict; a value that is JSON is read as such."""
    found: dict[str, Any] = {}
    for pair in pairs:
        name, _sign, value = pair.partition("=")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _tell(job: Mapping[str, Any]) -> None:
    print(f"{job['title']}: {job['state']}, {job['finished']}/{job['total']}", file=sys.stderr, flush=True)
