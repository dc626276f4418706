"""Partial inputs: what is asked, and what still answers, by counts made by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
import scipy

from parable.__main__ import main
from parable.kinds import kind_of
from parable.llm.stub import StubServer
from parable.psychometrics.results.partial_inputs import Asked, compare_partial_inputs
from parable.reading.partial_inputs import (
    NO_STEM,
    NO_STORY,
    OTHER_STORY,
    WHOLE,
    other_stories,
    partial_item,
    stories_in,
)
from tests.parable.release_folders import item, write_release

ITEM: dict[str, Any] = {
    "task": "commonsense", "story_id": "s1", "story": "A crow.", "question": "Why?", "language": "en",
    "choices": ["a", "b"],
}  # fmt: skip
TEXTS = {f"s{n}": f"Story {n}." for n in range(6)}


@pytest.mark.parametrize(
    ("probe", "language", "story", "question"),
    [
        (WHOLE, "en", "A crow.", "Why?"),
        (NO_STORY, "en", "(not given)", "Why?"),
        (NO_STORY, "zh-hans", "（未提供）", "Why?"),
        (NO_STEM, "zh", "A crow.", "（未提供）"),
        (NO_STEM, "fr", "A crow.", "(not given)"),
        (OTHER_STORY, "en", "Another.", "Why?"),
    ],
)
def test_a_probe_takes_one_part_away(probe: str, language: str, story: str, question: str) -> None:
    found = partial_item(probe, {**ITEM, "language": language}, {"s1": "Another."})
    assert (found["story"], found["question"], found["choices"]) == (story, question, ["a", "b"])


def test_each_story_is_exchanged_for_another_by_seed() -> None:
    found = other_stories(TEXTS, "7")
    assert set(found) == set(TEXTS)
    assert all(found[name] != TEXTS[name] for name in TEXTS)
    assert set(found.values()) == set(TEXTS.values())
    assert found == other_stories(dict(reversed(TEXTS.items())), "7")
    assert found != other_stories(TEXTS, "8")
    twins = other_stories({"a": "Same.", "b": "Same.", "c": "Other."}, "7")
    assert twins == {"a": "Other.", "b": "Other.", "c": "Same."}
    assert other_stories({"a": "Same.", "b": "Same."}, "7") == {}


def test_stories_without_an_id_are_known_by_their_text() -> None:
    rows = [ITEM, {**ITEM, "story_id": None, "story": "A fox."}]
    assert stories_in(rows) == {"s1": "A crow.", "A fox.": "A fox."}


def test_the_prompt_stays_as_it_is_but_for_what_is_missing() -> None:
    question = kind_of("commonsense").question
    template = question.template("en")
    whole = question.put(template, ITEM, (0, 1))
    assert question.put(template, partial_item(NO_STORY, ITEM, {}), (0, 1)) == whole.replace(
        "A crow.", "(not given)"
    )


def _asked(name: str, story: int, whole: int, probe: int, n: int = 4, chance: float = 0.25) -> Asked:
    return Asked(name, story, chance, whole, n, probe, n)


def test_it_counts_what_is_still_answered() -> None:
    found = compare_partial_inputs(
        [
            _asked("still", 0, 4, 4),
            _asked("lost", 0, 4, 0),
            _asked("by luck", 1, 4, 2),  # Wilson's bound of 2 in 4 is .15
            _asked("never known", 1, 1, 4),
            _asked("just known", 2, 2, 3),  # that of 3 in 4 is .30
            Asked("not asked so", 2, 0.25, 4, 4, 0, 0),
        ]
    )
    assert found is not None
    assert (found.items, found.stories, found.kept_items, found.chance) == (5, 3, 4, 0.25)
    assert found.whole.value == pytest.approx((1 + 1 + 1 + 0.25 + 0.5) / 5)
    assert found.probe.value == pytest.approx((1 + 0 + 0.5 + 1 + 0.75) / 5)
    assert found.difference.value == pytest.approx((3.25 - 3.75) / 5)
    assert found.kept.value == pytest.approx((1 + 0 + 0.5 + 0.75) / 4)
    assert [(one.item, one.right, one.asked) for one in found.named] == [
        ("still", 4, 4),
        ("just known", 3, 4),
    ]
    assert found.expected == pytest.approx(4 * scipy.stats.binom.sf(2, 4, 0.25))
    assert found.kept.low is not None
    assert compare_partial_inputs([Asked("a", 0, 0.25, 4, 4, 0, 0)]) is None


def test_one_asking_names_no_item() -> None:
    found = compare_partial_inputs([_asked(f"i{n}", n, 1, 1, n=1) for n in range(5)])
    assert found is not None
    assert (found.named, found.expected) == ((), 0.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release", [item(f"s{n // 2}-{n}") for n in range(8)])


def _ask(folder: Path, stub: StubServer, out: Path, *more: str) -> int:
    known = ["--model", "stub-letter", "--base-url", stub.base_url, "--out", str(out), "--order", "circular"]
    return main(["evaluate", str(folder), *known, *more])


def test_a_model_is_asked_without_the_story_and_compared(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, probe = tmp_path / "whole.jsonl", tmp_path / "probe.jsonl"
    with StubServer() as stub:
        assert _ask(folder, stub, whole) == 0
        assert _ask(folder, stub, probe, "--probe", "no-story") == 0
        prompts = [seen.prompt for seen in stub.log]
        assert _ask(folder, stub, probe) == 2, "answers to the whole are not put among those of a probe"
    assert sum("(not given)" in prompt for prompt in prompts) == len(prompts) / 2 == 32
    assert json.loads((tmp_path / "probe.asked.json").read_text(encoding="utf-8"))["probe"] == "no_story"
    capsys.readouterr()
    assert main(["probes", str(folder), "--whole", str(whole), "--probe", str(probe), "--json"]) == 0
    *said, last = capsys.readouterr().out.splitlines()
    found: dict[str, Any] = json.loads(last)["models"]["stub-letter"]
    assert (found["items"], found["stories"], found["chance"]) == (8, 4, 0.25)
    assert 0 <= found["probe"]["value"] <= 1
    assert any("guessing alone would name" in line for line in said)
    probe.write_text("", encoding="utf-8")
    assert main(["probes", str(folder), "--whole", str(whole), "--probe", str(probe)]) == 2


def test_another_story_needs_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = write_release(tmp_path / "one", [item("s0-0"), item("s0-1", story="A crow, s0-0, was thirsty.")])
    with StubServer() as stub:
        assert _ask(one, stub, tmp_path / "x.jsonl", "--probe", "other-story") == 2
    assert "one story only" in capsys.readouterr().err
