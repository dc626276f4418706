"""`make mutate`: judge mutants of the rules, all of them, and of the services, a sample; print a table."""

from __future__ import annotations

import argparse
import importlib
import random
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

from tests.mutation import database
from tests.mutation.changes import Mutant, Source
from tests.mutation.groups import BASE, RULES, SERVICES
from tests.mutation.judging import KILLED, ON_DATABASE, PURE, SURVIVED, TIMED_OUT, fork, judge_all
from tests.mutation.reach import Reach, Recorder

EQUIVALENT: Final = BASE / "tests" / "mutation" / "equivalent.toml"
STATED: Final = "stated"
SLOWER: Final = 4
"""A mutant may take so many times as long as the unchanged source, and `GRACE` seconds more."""
GRACE: Final = 20.0
PRELOADED: Final = ("pytest", "numpy", "scipy.stats", "hypothesis", "django.test", "celery", "openpyxl")
"""Read before the forks, so that no mutant pays for them. Nothing of ours, which must be read anew."""

Judged = list[tuple[Mutant, str]]


def main() -> int:
    """Judge, print, and say by the exit code whether a rule's mutant survived without a reason."""
    asked = _arguments()
    for name in PRELOADED:
        importlib.import_module(name)
    end = time.monotonic() + 60 * asked.minutes
    stated, judged, sampled = _stated(), Judged(), Judged()
    if asked.group != "services":
        judged = _judge_rules(asked, end, stated)
    if asked.group != "rules":
        sampled = _judge_services(asked, end)
    for title, found in (("rules, whole", judged), (f"services, seed {asked.seed}", sampled)):
        if found:
            _print(title, found)
    unstated = [one for one, outcome in judged if outcome == SURVIVED]
    return 1 if unstated or _left_over(asked, judged, stated) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutate", description=__doc__)
    parser.add_argument("--group", choices=("all", "rules", "services"), default="all")
    parser.add_argument("--sample", type=int, default=300, help="mutants of services")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--parallel", type=int, default=2, help="mutants judged at a time")
    parser.add_argument("--minutes", type=float, default=60, help="no mutant is begun after these")
    parser.add_argument("--only", default="", help="only files whose path holds this")
    return parser.parse_args()


# --- the mutants ---


def _every(path: str) -> Iterator[Mutant]:
    """All mutants of a file, each once."""
    source, seen = _source(path), set[str]()
    for number in range(len(source)):
        mutant = source.mutant(number)
        if mutant is not None and mutant.source not in seen:
            seen.add(mutant.source)
            yield mutant


def _sample(paths: Sequence[str], count: int, seed: int) -> Iterator[Mutant]:
    """So many mutants, each change of each of the files as likely."""
    sources = {path: _source(path) for path in paths}
    places = [(path, number) for path, source in sources.items() for number in range(len(source))]
    random.Random(seed).shuffle(places)  # noqa: S311 - a sample, no secret
    left = count
    for path, number in places:
        if left and (mutant := sources[path].mutant(number)) is not None:
            left -= 1
            yield mutant


def _source(path: str) -> Source:
    return Source(path, (BASE / path).read_text(encoding="utf-8"))


# --- judging ---


def _judge_rules(asked: argparse.Namespace, end: float, stated: Mapping[tuple[str, str, str], str]) -> Judged:
    chosen = {path: tests for path, tests in RULES.items() if asked.only in path}
    limits = {tests: _baseline(PURE, tests) for tests in set(chosen.values())}
    queue = ((one, limits[chosen[path]]) for path in chosen for one in _every(path))
    found = judge_all(queue, lambda one, _slot: fork(PURE, chosen[one.path], one), asked.parallel, end)
    return [
        (one, STATED if outcome == SURVIVED and one.name in stated else outcome)
        for one, outcome in _printed(found)
    ]


def _judge_services(asked: argparse.Namespace, end: float) -> Judged:
    chosen = {path: tests for path, tests in SERVICES.items() if asked.only in path}
    with ExitStack() as stack:
        database.start_servers(stack)
        mutants = list(_sample(list(chosen), asked.sample, asked.seed))
        reach = _reach(sorted({one.path for one in mutants}), chosen)
        judging = {one: reach.tests_of(one) for one in mutants}
        unreached = [(one, SURVIVED) for one, tests in judging.items() if not tests]

        def start(one: Mutant, slot: int) -> Any:
            return fork(ON_DATABASE, judging[one], one, prepare=partial(database.enter, slot))

        def limit(tests: Sequence[str]) -> float:
            return SLOWER * sum(reach.seconds[test] for test in tests) + GRACE

        queue = ((one, limit(tests)) for one, tests in judging.items() if tests)
        return list(_printed(chain(unreached, judge_all(queue, start, asked.parallel, end))))


def _reach(paths: Sequence[str], chosen: Mapping[str, Sequence[str]]) -> Reach:
    """Run all tests of these files once; ends the program where one fails without a mutant."""
    tests = sorted({test for path in paths for test in chosen[path]})
    with tempfile.TemporaryDirectory() as folder:
        kept_as = Path(folder) / "reach.json"
        _passes(ON_DATABASE, tests, partial(database.enter, 0), partial(Recorder, paths, kept_as))
        return Reach.read(kept_as)


def _baseline(options: Sequence[str], tests: Sequence[str]) -> float:
    """The seconds that these tests may take of a mutant; ends the program where they fail without one."""
    began = time.monotonic()
    _passes(options, tests)
    return SLOWER * (time.monotonic() - began) + GRACE


def _passes(
    options: Sequence[str],
    tests: Sequence[str],
    prepare: Callable[[], None] = lambda: None,
    plugin: Callable[[], object] | None = None,
) -> None:
    process = fork(options, tests, prepare=prepare, plugin=plugin)
    process.join()
    if process.exitcode != 0:
        fork(options, tests, loud=True, prepare=prepare).join()
        sys.exit(f"Without a mutant, these tests must pass: {' '.join(tests)}")


def _printed(found: Iterable[tuple[Mutant, str]]) -> Iterator[tuple[Mutant, str]]:
    """Say of survivors at once where they are."""
    for number, (one, outcome) in enumerate(found, start=1):
        if outcome == SURVIVED:
            print(f"{one.path}:{one.line} survived\n  - {one.before}\n  + {one.after}", flush=True)
        if number % 50 == 0:
            print(f"... {number} judged", flush=True)
        yield one, outcome


# --- report ---


def _stated() -> dict[tuple[str, str, str], str]:
    """The mutants that change nothing anybody could notice, and why."""
    known = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["mutant"] if EQUIVALENT.exists() else []
    return {(one["path"], one["before"], one["after"]): one["reason"] for one in known}


def _left_over(asked: argparse.Namespace, judged: Judged, stated: Mapping[tuple[str, str, str], str]) -> bool:
    """Whether a reason is stated for a mutant that does not exist any more, or that the tests kill."""
    if asked.group == "services" or asked.only:
        return False
    used = {one.name for one, outcome in judged if outcome == STATED}
    for name in sorted(set(stated) - used):
        print(f"equivalent.toml names a mutant of {name[0]} that does not survive: {name[1]}  =>  {name[2]}")
    return bool(set(stated) - used)


def _print(title: str, judged: Judged) -> None:
    outcomes = (KILLED, TIMED_OUT, STATED, SURVIVED)
    counted = Counter((one.path, outcome) for one, outcome in judged)
    width = max(len(one.path) for one, _outcome in judged)
    print(f"\n{title:<{width}}  mutants  " + "  ".join(f"{outcome:>9}" for outcome in outcomes))
    for path in [*dict.fromkeys(one.path for one, _outcome in judged), ""]:
        row = [
            sum(n for (p, f), n in counted.items() if f == outcome and path in {p, ""})
            for outcome in outcomes
        ]
        print(f"{path or 'all':<{width}}  {sum(row):>7}  " + "  ".join(f"{count:>9}" for count in row))


if __name__ == "__main__":
    sys.exit(main())
