"""A set in slices is judged as the whole set, however it is cut and whatever is wrong with it."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parable.__main__ import main
from parable.commands import slices
from parable.formats import limits
from parable.formats.file_ranges import ranges_of
from parable.formats.parable_jsonl import item_line
from parable.formats.records import ItemRecord, ReleaseRecord, Row
from parable.quality.gates import GATES, MeasuringGate, sample
from parable.quality.gates.digests import digest, digests
from parable.quality.item import sets
from parable.quality.slices import merge
from parable.quality.slices.build import SliceBuilder, Source
from parable.quality.slices.state import State, StateError
from parable.quality.slices.whole import SlicesError, Whole
from tests.parable.sliced import judged_in_slices, judged_whole, states_of

if TYPE_CHECKING:
    from pathlib import Path

DIGEST_OF_A = 3405396810240292928
SIGNS = "天地人山水火木金土日月星风云雨雪花草鸟兽鱼虫米豆瓜果衣食住行"
DEFECTS = (
    "none", "same_item", "same_story", "other_story", "other_space", "no_id", "no_name", "usual_stem",
    "lettered", "equal_options", "mixed", "no_key", "no_types", "explained", "machine", "other_split",
    "shared_domain", "untold", "same_key", "nearly_same", "twice", "english",
)  # fmt: skip


def made(many: int, seed: int) -> list[ItemRecord]:
    """Items about stories of four, in two splits, without defects."""
    draw = Random(seed)  # noqa: S311 - nothing secret

    def say(least: int, most: int) -> str:
        return "".join(draw.choices(SIGNS, k=draw.randint(least, most)))

    found: list[ItemRecord] = []
    story = ""
    for number in range(many):
        if number % 4 == 0:
            story = say(60, 90)
        found.append(
            ItemRecord(
                f"i{number}", "commonsense" if number % 3 else "moral", f"s{number // 4}", say(2, 4),
                story, f"{say(8, 20)}？", tuple(say(3, 20) for _option in range(4)), draw.randrange(4),
                ("social",), language="zh", split="dev" if number < many // 4 else "test",
            )
        )  # fmt: skip
    return found


def spoiled(items: list[ItemRecord], defects: list[str], seed: int) -> list[ItemRecord]:
    """The items, each with one of the defects."""
    draw = Random(seed)  # noqa: S311 - nothing secret
    found: list[ItemRecord] = []
    for item, defect in zip(items, defects, strict=True):
        other = draw.choice(items)
        changes: dict[str, dict[str, Any]] = {
            "same_item": {"question": other.question, "choices": other.choices, "answer": draw.randrange(4)},
            "same_story": {"story": other.story},
            "other_story": {"story": f"{item.story[:-2]}人人"},
            "other_space": {"story": f"{item.story[:9]} {item.story[9:]}"},
            "no_id": {"story_id": None},
            "no_name": {"story_id": None, "title": other.title, "story": f"{other.story[:-3]}山"},
            "usual_stem": {"question": "寓意是什么？"},
            "lettered": {"choices": tuple(map("{}. {}".format, "ABCD", item.choices))},
            "equal_options": {"choices": (item.choices[0], *item.choices[:3])},
            "mixed": {"choices": ("the fox ran", "雨 水", "Ａ１", item.choices[3])},
            "no_key": {"answer": None},
            "no_types": {"types": ()},
            "explained": {"explanation": f"因为{item.choices[item.answer or 0]}"},
            "machine": {"style": "machine"},
            "other_split": {"split": draw.choice(["train", "dev", "test", None])},
            "shared_domain": {"domain": "in", "split": "dev"},
            "untold": {"story": ""},
            "same_key": {"story_id": other.story_id, "story": other.story,
                         "choices": (other.choices[0], *item.choices[1:]), "answer": 0},
            "nearly_same": {"question": f"{other.question[:-2]}山？", "choices": other.choices},
            "english": {"question": "Who took it?", "choices": ("A mouse.", "The mice", "an Ox", "12 men")},
        }  # fmt: skip
        found.append(replace(item, **changes.get(defect, {})))
        if defect == "twice":
            found.append(replace(found[-1]))
    return found


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), seed=st.integers(0, 99), many=st.integers(1, 60))
def test_slices_find_what_an_audit_of_all_items_finds(
    data: st.DataObject, seed: int, many: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Every gate and check, to the last digit and item, in any number of slices of any size."""
    defects = data.draw(st.lists(st.sampled_from(DEFECTS), min_size=many, max_size=many))
    items = spoiled(made(many, seed), defects, seed)
    cuts = data.draw(st.lists(st.integers(0, len(items)), max_size=4))
    folder = tmp_path_factory.mktemp("slices")
    assert judged_in_slices(folder, items, cuts) == judged_whole(items)


def test_samples_of_a_large_set_are_those_of_all_its_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gates that read a sample read the same one, and the checks too."""
    monkeypatch.setattr(sample.sample, "__defaults__", (120,))
    monkeypatch.setattr(sample.sample_set, "__defaults__", (120,))
    monkeypatch.setattr(sample.draw, "__defaults__", (120,))
    monkeypatch.setattr(merge.sample_set, "__defaults__", (120,))
    defaults = {**(sets.judge_set.__kwdefaults__ or {}), "sample": 100}
    monkeypatch.setattr(sets.judge_set, "__kwdefaults__", defaults)
    for drawing in (sets.drawn, sets.places_drawn):
        monkeypatch.setattr(drawing, "__defaults__", (100,))
    items = spoiled(made(400, 5), ["none", "equal_options", "english", "no_id", "twice"] * 80, 5)
    found, results = judged_in_slices(tmp_path, items, [100, 101, 300])
    assert (found, results) == judged_whole(items)
    assert found.looked_at == 100 < found.items
    assert any("sample_of" in result.detail for result in results)


def test_index_of_near_equal_texts_is_that_of_all_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many texts are compared by signatures, which the slices have made."""
    monkeypatch.setattr("parable.quality.resemblance.MOST_COMPARED", 300)
    monkeypatch.setattr("parable.quality.slices.merge.MOST_COMPARED", 300)
    defects = ["none", "nearly_same", "other_story", "usual_stem", "no_name", "none"]
    items = spoiled(made(240, 8), defects * 40, 8)
    items = [replace(one, question="寓意是什么？") if one.task == "moral" else one for one in items]
    found = judged_in_slices(tmp_path, items, [60, 61, 150])
    assert found == judged_whole(items)
    leak = next(result for result in found[1] if result.id == "split_leak")
    assert leak.figure


def test_every_gate_has_an_answer_for_slices() -> None:
    """Each gate reads a sample, adds up, or is the one of the checks."""
    sampling = {name for name, gate in GATES.items() if isinstance(gate, MeasuringGate) and gate.samples}
    assert {*merge.MERGED, *sampling, "faulty_items"} == {*GATES}
    assert not sampling & {*merge.MERGED}


@pytest.mark.parametrize("size", [0, 1, 65, 300])
def test_a_state_gives_back_the_items(tmp_path: Path, size: int) -> None:
    """Records come back from packed blocks as they were, at any position."""
    defects = ["explained", "lettered", "no_key", "untold", "other_split"] * size
    items = spoiled(made(size, 3), defects[:size], 3)
    state = states_of(tmp_path, items, [])[0]
    wanted = sorted(Random(1).sample(range(size), size // 2))  # noqa: S311 - nothing secret
    assert [row.record for row in state.rows(wanted)] == [items[place] for place in wanted]
    assert [row.row for row in state.rows(wanted)] == [place + 1 for place in wanted]
    assert Whole([state]).ids(wanted) == tuple(items[place].id for place in wanted)


def test_digests_are_the_same_in_every_process() -> None:
    """They are stored, unlike hashes."""
    assert digest("") == 0
    assert digests(["狐狸", "狐狸", "", "a"]).tolist() == [digest("狐狸"), digest("狐狸"), 0, digest("a")]
    assert digest("a") == DIGEST_OF_A


def test_a_draw_follows_the_stories_and_no_order() -> None:
    """Whole stories are drawn, the same for any order of the items."""
    stories = digests(f"story {number // 4}" for number in range(400))
    chosen = sample.draw(stories, 50)
    assert 46 < len(chosen) <= 50
    turned = sample.draw(stories[::-1], 50)
    assert {*stories[chosen].tolist()} == {*stories[::-1][turned].tolist()}
    assert len(sample.draw(stories, 2)) == 4  # at least one story


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda states: states[:1], "slices_missing"),
        (lambda states: [states[0], states[0]], "slices_missing"),
        (lambda _states: [], "slices_none"),
    ],
)
def test_slices_of_no_whole_set_are_refused(tmp_path: Path, spoil: Any, code: str) -> None:
    """A missing slice, or one that is there twice."""
    with pytest.raises(SlicesError) as refused:
        Whole(spoil(states_of(tmp_path, made(20, 1), [7])))
    assert refused.value.code == code


def test_slices_of_another_set_are_refused(tmp_path: Path) -> None:
    """States of two sets do not make up one."""
    states = states_of(tmp_path, made(20, 1), [7])
    with SliceBuilder(tmp_path / "other.slice", 1, 2, "another set") as builder:
        builder.open_source(Source("items.jsonl"), {})
        builder.add([Row(1, made(1, 2)[0])])
        builder.finish()
    with pytest.raises(SlicesError, match="slices_of_others"):
        Whole([states[0], State(tmp_path / "other.slice")])


def test_a_damaged_state_is_refused(tmp_path: Path) -> None:
    """A file cut short, another file, and one whose columns point outside."""
    path = states_of(tmp_path, made(20, 1), [])[0].path
    whole = path.read_bytes()
    for damaged in (b"", whole[:40], whole[:-9], b"x" * 400, whole[:-8] + (1 << 60).to_bytes(8, "little")):
        path.write_bytes(damaged)
        with pytest.raises(StateError):
            State(path)


def test_a_killed_slice_leaves_no_state(tmp_path: Path) -> None:
    """A state is in its place only when it is complete."""
    with SliceBuilder(tmp_path / "a.slice", 0, 1, "") as builder:
        builder.open_source(Source("items.jsonl"), {})
        builder.add([Row(1, made(1, 2)[0])])
    assert not [*tmp_path.iterdir()]


def _written(path: Path, items: list[ItemRecord]) -> Path:
    path.write_text("".join(item_line(ReleaseRecord(one, one.split or "", "")) for one in items), "utf-8")
    return path


@pytest.fixture
def _short_files_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LONG_FILE_BYTES", 1_000)


@pytest.mark.usefixtures("_short_files_are_cut")
@pytest.mark.parametrize("of", [1, 2, 7, 40])
def test_slices_of_files_hold_each_line_once(tmp_path: Path, of: int) -> None:
    """However many slices, whether or not a file can be cut."""
    paths = [_written(tmp_path / f"{name}.jsonl", made(9, seed)) for seed, name in enumerate("abc")]
    (tmp_path / "d.csv").write_text("id,stem\n", "utf-8")
    paths.append(tmp_path / "d.csv")
    read = b""
    for number in range(of):
        for one in ranges_of(paths, number, of):
            with one.path.open("rb") as file:
                file.seek(one.start)
                read += file.read(one.end - one.start)
    assert read == b"".join(path.read_bytes() for path in paths)


@pytest.mark.usefixtures("_short_files_are_cut")
def test_the_command_prints_what_it_prints_without_slices(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slice by slice into a folder, then all together, with rows that are not plain."""
    items = spoiled(made(150, 4), ["none", "same_item", "explained", "other_story", "no_key"] * 30, 4)
    dev = _written(tmp_path / "dev.jsonl", [one for one in items if one.split == "dev"])
    test = _written(tmp_path / "test.jsonl", [one for one in items if one.split == "test"])
    with test.open("a", encoding="utf-8") as file:  # a space to trim, and a field that nobody knows
        file.write(item_line(ReleaseRecord(replace(made(1, 9)[0], id="x", title=" t"), "test", "")))
    assert main(["audit", str(dev), str(test), "--json"]) in {0, 1}
    whole = capsys.readouterr().out
    states = tmp_path / "states"
    for number in (3, 1, 2):
        wanted = ["--slices", "3", "--slice", str(number), "--states", str(states)]
        assert main(["audit", str(dev), str(test), *wanted]) == 0
    assert "Slice 2 of 3:" in capsys.readouterr().out
    monkeypatch.setattr("parable.commands.slices.build_all", lambda _options, _folder: None)
    code = main(["audit", str(dev), str(test), "--json", "--slices", "3", "--states", str(states)])
    sliced = capsys.readouterr().out
    assert code in {0, 1}
    found, wanted_json = (json.loads(said.splitlines()[-1]) for said in (sliced, whole))
    assert {**found, "remarks": 0} == {**wanted_json, "remarks": 0}


@pytest.mark.usefixtures("_short_files_are_cut")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--slices", "0"], "at least 1"),
        (["--slices", "2", "--slice", "3", "--states", "x"], "at least 1"),
        (["--slices", "2", "--slice", "1"], "--states"),
        (["--slices", "2", "--report", "x"], "leave out --slices"),
    ],
)
def test_the_command_refuses_what_makes_no_slices(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: list[str], said: str
) -> None:
    """And says why."""
    path = _written(tmp_path / "a.jsonl", made(8, 1))
    assert main(["audit", str(path), *given]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("_short_files_are_cut")
def test_one_id_for_two_items_is_refused_across_slices(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As it is in a file that is read whole, with its row; and ids that two files share."""
    first, *others = made(40, 1)
    path = _written(tmp_path / "a.jsonl", [first, *others, replace(first, question="谁？")])
    states = ["--slices", "2", "--states", str(tmp_path / "states")]
    for number in "12":
        assert main(["audit", str(path), *states, "--slice", number]) == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "build_all", lambda _options, _folder: None)
        assert main(["audit", str(path), *states]) == 2
    assert "row 41" in capsys.readouterr().err


def test_sums_of_a_gate_are_whole_numbers(tmp_path: Path) -> None:
    """Counts of lengths in a state add up to those of all items."""
    items = made(60, 2)
    parts, whole = states_of(tmp_path, items, [13, 29]), states_of(tmp_path, items, [])
    for task in ("moral", "commonsense"):
        sizes = [sum(many for _size, many in one.facts["lengths"][task]["sizes"]) for one in parts]
        assert sum(sizes) == sum(many for _size, many in whole[0].facts["lengths"][task]["sizes"])
    assert int(np.sum([one.facts["items"] for one in parts])) == len(items)
