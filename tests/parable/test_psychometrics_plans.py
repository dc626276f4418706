"""Plans: variances that were put in are found again, and what a plan promises is what simulation finds."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import scipy

from parable.__main__ import main
from parable.psychometrics.plans.components import Askings, Components, components
from parable.psychometrics.plans.precision import (
    TYPICAL,
    Design,
    accuracy_error,
    design_of,
    difference_error,
    generalizability,
    least_difference,
    power,
    repeat_error,
    stories_needed,
)
from parable.psychometrics.plans.prospects import MORE_ITEMS, MORE_REPEATS, MORE_STORIES, NOW, prospects
from parable.psychometrics.results.clusters import Part, combination
from parable.psychometrics.results.evaluation import make_tables
from parable.psychometrics.results.sheets import Answer, ItemFact, Items, make_sheet
from tests.parable.release_folders import item, write_release

Floats = npt.NDArray[np.float64]
OF = Components(model=0.03, story=0.02, item=0.05, model_story=0.015, model_item=0.06, repeat=0.04)


def drawn(
    rng: np.random.Generator, of: Components, sizes: list[int], *, models: int, repeats: int
) -> Askings:
    """Answers that are normal, not 0 or 1, with exactly these variances."""
    stories = np.repeat(np.arange(len(sizes)), sizes)

    def effect(variance: float | None, *shape: int) -> Floats:
        return rng.normal(0.0, math.sqrt(variance or 0.0), shape)

    values = 0.6 + effect(of.model, models, 1) + effect(of.item, len(stories))
    values = values + (effect(of.story, len(sizes)) + effect(of.model_story, models, len(sizes)))[:, stories]
    values = values + effect(of.model_item, models, len(stories))
    again = effect(of.repeat, models, len(stories), repeats).mean(axis=2)
    return Askings(values + again, np.full(values.shape, repeats), stories)


def test_it_finds_the_variances_that_were_put_in() -> None:
    """Means of 60 draws; the variance between repeats is that of right and wrong, so it is not looked at."""
    rng = np.random.default_rng(3)
    sizes = [1, 2, 3, 4, 5, 9] * 12
    one = replace(OF, repeat=0.0)
    found = [components(drawn(rng, one, sizes, models=8, repeats=1)) for _ in range(60)]
    for name in ("model", "story", "item", "model_story", "model_item"):
        values = [getattr(each, name) for each in found]
        error = np.std(values) / math.sqrt(len(values))
        assert abs(np.mean(values) - getattr(OF, name)) < 3.5 * error + 1e-4, name


def test_it_tells_repeats_from_models_with_items() -> None:
    """Each model is right of an item with a chance of its own: 0.2 or 0.8, independently."""
    rng = np.random.default_rng(5)
    stories = np.repeat(np.arange(300), 5)
    chance = rng.choice([0.2, 0.8], (2, 1500))
    share = rng.binomial(4, chance) / 4
    found = components(Askings(share, np.full(share.shape, 4), stories))
    assert found is not None
    assert found.repeat == pytest.approx(0.16, abs=0.01)
    assert found.model_item == pytest.approx(0.09, abs=0.01)
    once = components(Askings(np.round(share), np.ones(share.shape, dtype=np.int64), stories))
    assert once is not None
    assert once.repeat is None


def test_it_is_the_analysis_of_variance_of_a_balanced_table() -> None:
    """Two models, two stories, two items each, by hand: sums of squares 0.5 each of models and of stories."""
    share = np.array([[1.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    found = components(Askings(share, np.ones((2, 4), dtype=np.int64), np.array([0, 0, 1, 1])))
    assert found is not None
    # model x item within stories: residuals of +-1/4, sum of squares 8/16 over (2 - 1)(4 - 2) degrees
    assert found.model_item == pytest.approx(0.25)
    assert found.model_story == 0.0
    # items within stories: means 1, .5 and .5, 0: sum of squares .25 over 2, less a half of the above
    assert found.item == pytest.approx(0.0)
    assert found.story == pytest.approx(0.0625)
    assert found.model == pytest.approx(0.0625)


@pytest.mark.parametrize(
    ("share", "stories"),
    [
        (np.ones((1, 4)), [0, 0, 1, 1]),
        (np.ones((2, 4)), [0, 0, 0, 0]),
        (np.ones((2, 4)), [0, 1, 2, 3]),
        (np.ones((0, 0)), []),
    ],
)
def test_it_says_nothing_of_what_shows_nothing(share: Floats, stories: list[int]) -> None:
    asked = np.ones(share.shape, dtype=np.int64)
    assert components(Askings(share, asked, np.array(stories, dtype=np.int64))) is None


@pytest.mark.parametrize("stories", [2, 3, 10, 100, 10_000])
@pytest.mark.parametrize("apart", [0.0, 0.5, 2.0, 2.8, 4.0])
def test_power_is_that_of_the_noncentral_t(stories: int, apart: float) -> None:
    bound = scipy.stats.t.ppf(0.975, stories - 1)
    outside = scipy.stats.nct.sf(bound, stories - 1, apart) + scipy.stats.nct.cdf(-bound, stories - 1, apart)
    assert power(apart, 1.0, stories) == pytest.approx(float(outside), abs=1e-5)


@pytest.mark.parametrize(
    ("difference", "error", "stories", "wanted"),
    [
        (0.1, 0.0, 5, 1.0),
        (0.0, 0.0, 5, 0.05),
        (0.1, 0.1, 1, 0.0),
        (5.0, 0.001, 50, 1.0),
        (-0.3, 0.1, 40, 0.8328),
    ],
)
def test_power_at_its_edges(difference: float, error: float, stories: int, wanted: float) -> None:
    assert power(difference, error, stories) == pytest.approx(wanted, abs=1e-3)


def test_errors_add_up_what_each_source_leaves() -> None:
    design = Design(stories=10, items=40, repeats=2)
    own = 0.015 / 10 + 0.06 / 40 + 0.04 / 80
    assert difference_error(OF, design) == pytest.approx(math.sqrt(2 * own))
    assert accuracy_error(OF, design) == pytest.approx(math.sqrt(own + 0.02 / 10 + 0.05 / 40))
    assert repeat_error(OF, design) == pytest.approx(math.sqrt(0.04 / 80))
    assert generalizability(OF, design) == pytest.approx(0.03 / (0.03 + own))
    assert repeat_error(replace(OF, repeat=None), design) is None


def test_stories_of_unequal_sizes_weigh_less() -> None:
    even, uneven = design_of([4] * 10, 1), design_of([1] * 9 + [31], 1)
    assert (even.evenness, even.items, uneven.items) == (1.0, 40, 40)
    assert uneven.evenness == pytest.approx(1600 / (9 + 961) / 10)
    assert difference_error(OF, uneven) > difference_error(OF, even)


@pytest.mark.parametrize("difference", [0.02, 0.05, 0.2])
def test_so_many_stories_are_enough_and_one_less_is_not(difference: float) -> None:
    design = Design(stories=50, items=200, repeats=3)
    needed = stories_needed(TYPICAL, design, difference)
    assert needed is not None
    for stories, enough in ((needed, True), (needed - 1, False)):
        tried = design.with_stories(stories)
        assert (power(difference, difference_error(TYPICAL, tried), stories) >= 0.8) is enough
    least = least_difference(TYPICAL, design.with_stories(needed))
    assert least == pytest.approx(difference, rel=0.05)


def test_it_says_where_no_number_of_stories_is_enough() -> None:
    assert stories_needed(TYPICAL, Design(10, 40), 0.0) is None
    assert stories_needed(TYPICAL, Design(10, 40), 1e-6) is None
    assert least_difference(TYPICAL, Design(2, 2)) is None


def test_prospects_are_the_design_and_three_that_cost_twice_as_much() -> None:
    found = prospects(TYPICAL, Design(20, 100, 3))
    assert list(found) == [NOW, MORE_REPEATS, MORE_ITEMS, MORE_STORIES]
    assert [one.calls for one in found.values()] == [300, 600, 600, 600]
    assert MORE_REPEATS not in prospects(replace(TYPICAL, repeat=None), Design(20, 100, 3))
    least = [one.least or 1.0 for one in found.values()]
    assert least[3] < least[2] < least[1] < least[0], "stories buy most, then items, then repeats"


# --- what a plan promises, beside what simulation finds ----------------------------------------------------


def answers(
    rng: np.random.Generator, ability: tuple[float, float], sizes: list[int], repeats: int
) -> Askings:
    """Answers of two models by a logistic model with effects of story and item of their own."""
    stories = np.repeat(np.arange(len(sizes)), sizes)
    common = rng.normal(0, 0.5, len(sizes))[stories] + rng.normal(0, 1.0, len(stories))
    own = rng.normal(0, 0.8, (2, len(sizes)))[:, stories] + rng.normal(0, 0.9, (2, len(stories)))
    chance = scipy.special.expit(np.array(ability)[:, None] + common + own)
    share = rng.binomial(repeats, chance) / repeats
    return Askings(share, np.full(share.shape, repeats), stories)


def true_difference(ability: tuple[float, float]) -> float:
    points, weights = np.polynomial.hermite_e.hermegauss(80)
    spread = math.sqrt(0.5**2 + 1 + 0.8**2 + 0.9**2)
    means = [float(weights @ scipy.special.expit(one + spread * points) / weights.sum()) for one in ability]
    return means[0] - means[1]


def rejected(given: Askings) -> bool:
    """Whether the interval of the difference on the page of results leaves out 0."""
    found = combination([Part(given.share[0] - given.share[1], given.stories)])
    return found.low is not None and found.high is not None and not found.low <= 0 <= found.high


UNEVEN = [1, 1, 2, 2, 3, 3, 4, 8, 10, 12]


@pytest.mark.drill
@pytest.mark.parametrize(
    ("ability", "sizes", "repeats"),
    [
        ((0.0, 0.0), [5] * 40, 1),
        ((0.4, 0.0), [5] * 40, 3),
        ((0.5, 0.0), [5] * 100, 3),
        ((1.0, 0.0), [4] * 30, 1),
        ((1.5, 0.0), [5] * 12, 3),
        ((2.2, 1.7), [4] * 60, 2),
        ((0.5, 0.0), UNEVEN * 6, 3),
    ],
)
def test_simulation_rejects_as_often_as_was_promised(
    ability: tuple[float, float], sizes: list[int], repeats: int
) -> None:
    rng = np.random.default_rng(11)
    of = components(answers(rng, ability, sizes * (20_000 // len(sizes)), max(2, repeats)))
    assert of is not None
    design = design_of(sizes, repeats)
    promised = power(true_difference(ability), difference_error(of, design), design.stories)
    trials = 3000
    found = sum(rejected(answers(rng, ability, sizes, repeats)) for _ in range(trials)) / trials
    print(f"{ability} {len(sizes)} stories, {repeats} repeats: promised {promised:.3f}, found {found:.3f}")
    assert abs(found - promised) < 0.03


# --- in tables and as a command ----------------------------------------------------------------------------


def test_tables_say_where_answers_come_from_and_what_tells_neighbours_apart() -> None:
    facts = [ItemFact(f"i{n}", "commonsense", f"s{n // 4}", n % 4, 4) for n in range(80)]
    items = Items(facts)
    rng = np.random.default_rng(2)
    sheets = []
    for name, chance in (("good", 0.9), ("fair", 0.7), ("poor", 0.3)):
        right = rng.random((80, 3)) < chance
        said = [
            Answer(fact.id, "chosen", (fact.key + (not right[n, r])) % 4, repeat=r)
            for n, fact in enumerate(facts)
            for r in range(3)
        ]
        sheets.append(make_sheet(name, items, said))
    found = {table.code: table for table in make_tables(items, sheets)}
    variance = found["variance"]
    (row,) = variance.rows
    assert row.cells[:4] == ("commonsense", 3, 80, 20)
    assert sum(cell[0] for cell in row.cells[4:10] if isinstance(cell, tuple) and cell[0]) == pytest.approx(1)
    assert variance.params["of"]["commonsense"]["sizes"] == [4] * 20
    pairs = found["neighbours"]
    assert [row.cells[:2] for row in pairs.rows] == [("good", "fair"), ("fair", "poor")]
    far, needed = (pairs.column(code) for code in ("distance", "stories_needed"))
    assert pairs.rows[0].cells[far][0] < pairs.rows[1].cells[far][0]  # type: ignore[index,operator]
    assert pairs.rows[0].cells[needed] > pairs.rows[1].cells[needed]  # type: ignore[operator]
    one = {table.code for table in make_tables(items, sheets[:1])}
    assert not {"variance", "neighbours"} & one


def test_the_command_plans_with_earlier_answers_and_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = [item(f"s{n // 3}-{n}") for n in range(30)]
    release = write_release(tmp_path / "release", items)
    assert main(["plan", str(release), "--repeats", "2", "--json"]) == 0
    assumed = json.loads(capsys.readouterr().out.splitlines()[-1])["tasks"]["commonsense"]
    assert (assumed["models"], assumed["variances"]) == (0, TYPICAL.as_json())
    assert assumed["designs"]["now"]["design"] == {"stories": 10, "items": 30, "repeats": 2, "evenness": 1.0}
    lines = [
        json.dumps(
            {"model": name, "item_id": one.id, "repeat": repeat, "choice": (n * step + repeat) % 3 % 2}
        )
        for name, step in (("a", 1), ("b", 2), ("c", 5))
        for n, one in enumerate(items)
        for repeat in (1, 2)
    ]
    (tmp_path / "r.jsonl").write_text("\n".join(lines), encoding="utf-8")
    wanted = ["plan", str(release), "--responses", str(tmp_path / "r.jsonl"), "--difference", "8", "--json"]
    assert main(wanted) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])["tasks"]["commonsense"]
    assert (found["models"], found["difference"]) == (3, 0.08)
    assert found["stories_needed"] > 0
    assert main(["plan", str(tmp_path / "none")]) == 2
    assert main(["plan", str(release), "--split", "dev"]) == 2
