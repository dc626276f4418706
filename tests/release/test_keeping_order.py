"""Options that are numbers stay in the order of their size where the recipe says so."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from core.errors import Unusable
from parable.quality.gates import OK
from release.assembly import BY_STORY, AssemblyItem, assemble, count_positions
from release.assembly.number_order import ascending
from release.models import Release, ReleaseState
from tests.factories import Cast, make_project
from tests.release.made import ALLOWED, bring, built, grant_rights, record, records


@pytest.mark.parametrize(
    ("options", "sorted_options"),
    [
        (("5 days", "1 day", "12 days", "3 days"), ("1 day", "3 days", "5 days", "12 days")),
        (("0.5", "-2", "10", "3,5"), ("-2", "0.5", "3,5", "10")),
        (("三天", "十二天", "两天", "二十天"), ("两天", "三天", "十二天", "二十天")),
        (("３只", "一百只", "1只"), ("1只", "３只", "一百只")),
        (("一万零三百人", "九千人", "两百零五人"), ("两百零五人", "九千人", "一万零三百人")),
        (("3 days", "5 hours", "1 day"), ()),
        (("3 of 5", "1 of 5", "2 of 5"), ()),
        (("3", "3.0", "4"), ()),
        (("a lamb", "a wolf"), ()),
        (("7",), ()),
    ],
)
def test_it_knows_options_that_are_numbers(options: tuple[str, ...], sorted_options: tuple[str, ...]) -> None:
    assert tuple(options[place] for place in ascending(options)) == sorted_options


DAYS = ("30 days", "2 days", "7 days", "14 days")


def with_numbers(*, keep_order: bool) -> list[AssemblyItem]:
    items = [
        record(story, number, choices=DAYS, answer=0) if number < 2 else record(story, number)
        for story in range(30)
        for number in range(5)
    ]
    return [
        AssemblyItem(handle, item, in_order=ascending(item.choices) if keep_order else ())
        for handle, item in enumerate(items)
    ]


def test_it_keeps_them_in_order_and_balances_all_others() -> None:
    placed = assemble(with_numbers(keep_order=True), rule=BY_STORY, share=Fraction(1, 5), seed="7")
    ordered = [one for one in placed if one.item.in_order]
    assert len(ordered) == 60
    for one in ordered:
        assert [one.item.record.choices[at] for at in one.order] == ["2 days", "7 days", "14 days", "30 days"]
    cells = count_positions(one.key_position for one in placed if not one.item.in_order)
    assert all(max(counts) - min(counts) <= 1 for counts in cells.values())


def test_it_draws_their_places_where_nobody_asks_for_an_order() -> None:
    placed = assemble(with_numbers(keep_order=False), rule=BY_STORY, share=Fraction(1, 5), seed="7")
    cells = count_positions(one.key_position for one in placed)
    assert all(max(counts) - min(counts) <= 1 for counts in cells.values())


@pytest.fixture
def cast() -> Cast:
    made = make_project()
    more = [record(story, 9, choices=DAYS, answer=0) for story in range(4)]
    bring(made, [*records(4), *more])
    grant_rights(made)
    return made


@pytest.mark.django_db
def test_it_passes_the_gate_of_key_positions_and_the_card_says_so(cast: Cast) -> None:
    release = built(cast, recipe=replace(ALLOWED, allow=(), reason="", keep_order=True))
    assert release.state == ReleaseState.READY, release.manifest
    choices = [one.record["choices"] for one in release.items.all() if "days" in one.record["choices"][0]]
    assert choices == [["2 days", "7 days", "14 days", "30 days"]] * 4
    verdicts = {gate["verdict"] for gate in release.manifest["gates"] if gate["id"] == "key_position"}
    assert verdicts == {OK}
    assert _again(cast).pk == release.pk


def _again(cast: Cast) -> Release:
    """The same order once more is the same release; without the wish it is another recipe."""
    recipe = replace(ALLOWED, allow=(), reason="", keep_order=True)
    with pytest.raises(Unusable, match="keep_order"):
        built(cast, recipe=replace(recipe, keep_order=False))
    return built(cast, recipe=recipe)
