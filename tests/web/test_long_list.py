"""What an address asks of a list: what the list does not have is as if it were not there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.http import QueryDict

from annotation.models import Item
from web.long_list import Column, Filter, Listing, holds, marked

LIST = Listing(
    "things",
    columns=(
        Column("thing", "Thing", ("pk",), always=True),
        Column("state", "State", ("state", "pk")),
        Column("ref", "ID", shown=False),
    ),
    filters=(
        Filter("state", "State", (("new", "New"), ("old", "Old"))),
        Filter("story", "Story", several=False),
    ),
    sort="-thing",
    scopes=(("stem", "Stem"),),
)


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("", ""),
        ("q=+stone++jar+&page=3", "q=stone+jar"),
        ("state=old&state=new&state=odd", "state=new&state=old"),
        ("story=a&story=b&in=key&sort=ref", "story=a"),
        ("in=stem&sort=-state&q=x", "q=x&in=stem&sort=-state"),
        ("cols=thing&cols=state", ""),
        ("cols=-&cols=ref", "cols=thing&cols=ref"),
        ("q=%00&story=%00", ""),
    ],
)
def test_it_keeps_of_an_address_what_the_list_has(address: str, kept: str) -> None:
    asked = LIST.ask(QueryDict(address))
    assert asked.query == kept
    assert LIST.ask(QueryDict(asked.query)).query == kept


def test_it_orders_by_a_column_and_turns_the_order_round() -> None:
    asked = LIST.ask(QueryDict("sort=-state"))
    assert asked.order() == ["-state", "-pk"]
    heads = {head.column.name: (head.url, head.direction) for head in asked.heads}
    assert heads == {"thing": ("?sort=thing", ""), "state": ("?sort=state", "descending")}


def test_an_order_that_begins_with_the_last_turns_round_as_well() -> None:
    late = replace(LIST, columns=(*LIST.columns, Column("late", "Late", ("name", "-pk"))))
    assert late.ask(QueryDict("sort=late")).order() == ["name", "-pk"]
    assert late.ask(QueryDict("sort=-late")).order() == ["-name", "pk"]


def test_rows_that_all_have_what_they_are_ordered_by_are_joined_without_a_gap() -> None:
    """Where a row might lack it, the database sorts all rows instead of reading them by an index."""
    story = Column("story", "Story", ("story__current__title", "-pk"), complete=True)
    other = replace(story, name="other", complete=False)
    both = replace(LIST, columns=(*LIST.columns, story, other))
    sql = {name: str(both.ask(QueryDict(f"sort=-{name}")).ordered(Item.objects.all()).query)
           for name in ("story", "other")}  # fmt: skip
    assert 'INNER JOIN "corpus_storyrevision"' in sql["story"]
    assert 'LEFT OUTER JOIN "corpus_storyrevision"' in sql["other"]
    assert all(said.endswith('"title" DESC, "annotation_item"."id" ASC') for said in sql.values())


def test_it_takes_one_filter_away_and_leaves_the_others() -> None:
    asked = LIST.ask(QueryDict("q=x&state=new&story=a"))
    assert [(chip.text, chip.without) for chip in asked.chips] == [
        ("New", "?q=x&story=a"),
        ("a", "?q=x&state=new"),
    ]


@pytest.mark.parametrize(
    ("text", "terms", "shown"),
    [
        ("Stones in a jar", ["stone"], "<mark>Stone</mark>s in a jar"),
        ("乌鸦往水罐里投石子", ["石子", "乌鸦"], "<mark>乌鸦</mark>往水罐里投<mark>石子</mark>"),
        ("a.b", ["."], "a<mark>.</mark>b"),
        ("<b>ab</b>", ["b", "ab"], "&lt;<mark>b</mark>&gt;<mark>ab</mark>&lt;/<mark>b</mark>&gt;"),
        ("a < b", ["<"], "a <mark>&lt;</mark> b"),
        ("nothing", [], "nothing"),
        ("", ["a"], ""),
    ],
)
def test_it_marks_what_was_searched_for(text: str, terms: list[str], shown: str) -> None:
    assert marked(text, terms) == shown
    assert holds(text, terms) == ("<mark>" in shown)
