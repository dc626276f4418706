"""The pages on the OWASP ASVS and on threats: every requirement once, every test that they name is there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.architecture import BASE

DOCS: Final = BASE / "docs"
REQUIREMENTS: Final = """
    1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2 4.1:3 4.2:1
    4.3:2 4.4:4 5.1:1 5.2:3 5.3:2 5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4 7.1:3 7.2:4 7.3:2
    7.4:5 7.5:2 7.6:2 8.1:2 8.2:3 8.3:1 8.4:1 9.1:3 9.2:4 10.1:2 10.2:2 10.3:4 10.4:11 10.5:5 10.6:2
    10.7:3 11.1:2 11.2:3 11.3:3 11.4:4 11.5:1 11.6:1 12.1:3 12.2:2 12.3:4 13.1:1 13.2:5 13.3:2 13.4:5
    14.1:2 14.2:4 14.3:3 15.1:3 15.2:3 15.3:7 16.1:1 16.2:5 16.3:4 16.4:3 16.5:3 17.1:1 17.2:4 17.3:2
"""
"""The numbers of levels 1 and 2 in version 5.0.0: sections, and how many each has, counted from 1."""
ROW: Final = re.compile(r"^\| ([\d.]+) \| ([12]) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
TEST: Final = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
STATUS: Final = re.compile(r"`tests/[^`]+`|(document|operator|does not apply|NOT met): \S.*")
SUMS: Final = re.compile(
    r"Of (\d+) requirements, (\d+) have a test, (\d+) a document, (\d+) are the operator's,"
    r" (\d+) do not apply, and (\d+) are not met\."
)
MOST_UNMET: Final = 8


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def rows() -> list[tuple[str, ...]]:
    return ROW.findall(page("asvs.md"))


@cache
def functions_of(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(each.name for each in tree.body if isinstance(each, ast.FunctionDef))


def missing(text: str) -> list[str]:
    """The tests that a page names and that are not there."""
    named = TEST.findall(text)
    return [
        f"{path}::{test}"
        for path, test in named
        if not (BASE / path).is_file()
        or test not in functions_of(BASE / path)
        or not test.startswith("test_")
    ]


def test_it_has_every_requirement_of_both_levels_once() -> None:
    wanted = [
        f"{section}.{number}"
        for section, _colon, count in (each.partition(":") for each in REQUIREMENTS.split())
        for number in range(1, int(count) + 1)
    ]
    assert len(wanted) == 253
    assert [number for number, *_rest in rows()] == wanted


def test_each_requirement_has_a_status_of_the_list() -> None:
    for number, _level, asks, how, shown in rows():
        assert STATUS.fullmatch(shown), (number, shown)
        assert asks.strip() != "-", number
        assert how != "-" or not TEST.search(shown), f"{number}: say how"


def test_its_sums_are_those_of_its_rows() -> None:
    statuses = [STATUS.fullmatch(shown) for *_rest, shown in rows()]
    kinds = [found[1] or "test" for found in statuses if found]
    named = SUMS.search(page("asvs.md").replace("\n", " "))
    assert named
    order = ("test", "document", "operator", "does not apply", "NOT met")
    assert list(map(int, named.groups())) == [len(kinds), *map(kinds.count, order)]
    assert kinds.count("NOT met") <= MOST_UNMET, "what was met before is no longer"


@pytest.mark.parametrize("name", ["asvs.md", "threats.md"])
def test_every_test_that_is_named_is_there(name: str) -> None:
    assert len(TEST.findall(page(name))) > 40
    assert not missing(page(name))
    documents = re.findall(r"\]\(([\w.]+\.md)\)", page(name))
    assert documents
    assert not [each for each in documents if not (DOCS / each).is_file()]


def test_a_test_that_is_not_there_is_noticed() -> None:
    assert missing("`tests/config/test_asvs.py::test_of_nothing`")
    assert missing("`tests/config/test_nowhere.py::test_a_test`")
    assert missing("`tests/config/test_asvs.py::missing`")
    assert not missing("`tests/config/test_asvs.py::test_a_test_that_is_not_there_is_noticed`")


def test_every_attack_is_on_one_of_the_pages() -> None:
    named = {test for name in ("asvs.md", "threats.md") for _path, test in TEST.findall(page(name))}
    attacks = {
        test
        for path in sorted((BASE / "tests" / "attacks").glob("test_*.py"))
        for test in functions_of(path)
        if test.startswith("test_")
    }
    assert len(attacks) >= 25
    assert not attacks - named, sorted(attacks - named)
