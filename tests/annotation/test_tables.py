"""What the database refuses about items, from any code: raw SQL against its constraints and triggers."""

import uuid
from collections.abc import Iterable
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction

from accounts.models import AuditEvent
from annotation import lifecycle
from annotation.models import Cause, Item, ItemDraft, ItemText, Revision, State, Transition
from tests.factories import Cast, make_project, submit_item


def run(sql: str, *params: int | str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)


def run_in_one_transaction(statements: Iterable[str]) -> None:
    with transaction.atomic():
        for sql in statements:
            run(sql)
        run("SET CONSTRAINTS ALL IMMEDIATE")


def refused(*statements: str, by: str) -> None:
    """All statements in one transaction, deferred constraints checked at its end."""
    with pytest.raises(Exception, match=by) as error:
        run_in_one_transaction(statements)
    assert isinstance(error.value.__cause__, psycopg.errors.IntegrityError), error.value


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


@pytest.fixture
def item(cast: Cast) -> Item:
    return submit_item(cast)


COPY = (
    "INSERT INTO annotation_revision (item_id, number, author_id, story_revision_id, stem, explanation,"
    " answered_warnings, created_at)"
    " SELECT item_id, 2, author_id, story_revision_id, stem, explanation, '{}', now()"
    " FROM annotation_revision"
)
TYPED = (
    "INSERT INTO annotation_revisiontype (revision_id, type_id) SELECT r.id, t.id FROM annotation_revision r,"
    " projects_commonsensetype t WHERE r.number = 2 LIMIT 1"
)


def option(text: str, position: int, *, key: bool = False) -> str:
    return (
        "INSERT INTO annotation_option (revision_id, position, text, normalised, is_key)"
        f" SELECT id, {position}, '{text}', '{text}', {key} FROM annotation_revision WHERE number = 2"
    )


def test_it_takes_a_whole_revision(item: Item) -> None:
    for sql in (COPY, TYPED, option("a", 0, key=True), option("b", 1)):
        run(sql)
    run("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.mark.parametrize(
    ("statements", "by"),
    [
        ((COPY, TYPED, option("a", 0), option("b", 1)), "exactly one"),
        ((COPY, TYPED, option("a", 0, key=True), option("b", 1, key=True)), "annotation_one_key"),
        ((COPY, TYPED, option("a", 0, key=True)), "2 to 26"),
        ((COPY, TYPED, *(option(f"o{n}", n, key=n == 0) for n in range(27))), "2 to 26"),
        ((COPY, option("a", 0, key=True), option("b", 1)), "no commonsense type"),
        ((COPY, TYPED, option("a", 0, key=True), option("a", 1)), "annotation_options_distinct"),
    ],
    ids=["no key", "two keys", "one option", "27 options", "no type", "equal options"],
)
def test_it_refuses_a_revision_that_is_not_whole(item: Item, statements: tuple[str, ...], by: str) -> None:
    refused(*statements, by=by)


def test_it_refuses_a_27th_option_that_comes_later(item: Item) -> None:
    more = [
        f"INSERT INTO annotation_option (revision_id, position, text, normalised, is_key)"
        f" SELECT id, {n}, 'o{n}', 'o{n}', false FROM annotation_revision"
        for n in range(4, 27)
    ]
    refused(*more, by="2 to 26")


@pytest.mark.parametrize(
    "table",
    [
        "annotation_revision",
        "annotation_option",
        "annotation_revisiontype",
        "annotation_transition",
        "corpus_storyrevision",
        "accounts_auditevent",
    ],
)
def test_it_never_changes_what_is_history(item: Item, table: str) -> None:
    assert AuditEvent.objects.exists()
    refused(f"UPDATE {table} SET id = id", by="append-only")
    refused(f"DELETE FROM {table}", by="append-only")


@pytest.mark.parametrize(
    "table",
    [
        *("review_review", "annotation_item", "annotation_comment", "annotation_keyexposure"),
        *("annotation_handover", "corpus_story", "projects_project", "accounts_user"),
    ],
)
def test_it_never_deletes_what_people_wrote_saw_and_judged(item: Item, table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid WHERE tgrelid = %s::regclass"
            " AND proname = 'parable_refuse_change' AND tgtype & 8 > 0 AND tgenabled = 'O'",
            [table],
        )
        assert cursor.fetchone()
        cursor.execute(f"SELECT count(*) FROM {table}")
        if cursor.fetchone() != (0,):
            refused(f"DELETE FROM {table}", by="append-only")


def test_it_refuses_a_state_without_its_transition(item: Item) -> None:
    refused("UPDATE annotation_item SET state = 'verified'", by="last transition")


@pytest.mark.parametrize(
    ("move", "by"),
    [
        (("draft", "in_review"), "stands at in_review"),
        (("in_review", "verified"), "no move"),
        (("in_review", "nonsense"), "no move"),
    ],
)
def test_it_refuses_a_transition_that_does_not_follow(item: Item, move: tuple[str, str], by: str) -> None:
    refused(
        "INSERT INTO annotation_transition (item_id, from_state, to_state, actor_id, cause, reason, at)"
        f" SELECT id, '{move[0]}', '{move[1]}', writer_id, 'written', '', now() FROM annotation_item",
        by=by,
    )


def test_it_holds_the_same_moves_as_the_lifecycle(db: None) -> None:
    """The trigger's table and `lifecycle.MOVES` are one."""
    every = [(a, b) for a in (lifecycle.NOTHING, *lifecycle.STATES) for b in lifecycle.STATES]
    with connection.cursor() as cursor:
        for from_state, to_state in every:
            cursor.execute("SELECT parable_move_exists(%s, %s)", [from_state, to_state])
            row = cursor.fetchone()
            assert row == (lifecycle.may_move(from_state, to_state),), (from_state, to_state)


def test_it_keeps_items_with_a_revision_out_of_keyless_states(item: Item) -> None:
    refused("UPDATE annotation_item SET current_id = NULL", by="annotation_only_drafts_lack_a_revision")
    assert Revision.objects.count() == 1


def _gram(letters: str) -> int:
    """The number of a letter or of two, as `parable_grams` makes it, for letters before U+10000."""
    first, second = map(ord, letters.ljust(2, "\0"))
    return first << 15 ^ second


def test_it_keeps_the_searched_words_of_all_items_that_one_statement_writes(item: Item) -> None:
    def words(column: str) -> list[Any]:
        return list(ItemText.objects.exclude(item=item).order_by("item").values_list(column, flat=True))

    shared = {"project": item.project, "story": item.story, "writer": item.writer, "task": item.task}
    made = Item.objects.bulk_create(Item(**shared, state=State.DRAFT, ref=f"Ｃrow-{n}") for n in range(3))
    Transition.objects.bulk_create(
        Transition(item=one, from_state="", to_state=State.DRAFT, actor=item.writer, cause=Cause.IMPORTED)
        for one in made
    )
    assert words("ids") == [f"#{one.pk} crow-{n}" for n, one in enumerate(made)]
    ItemDraft.objects.bulk_create(
        ItemDraft(
            **shared,
            item=one,
            client_id=uuid.uuid4(),
            sequence=1,
            content={"stem": f"Who Naps {n}?", "options": [{"text": "The Hare"}, {"text": "乌龟"}]},
        )
        for n, one in enumerate(made)
    )
    assert words("stem") == [f"who naps {n}?" for n in range(3)]
    assert words("options") == ["the hare\n乌龟"] * 3
    indexed = {_gram("乌"), _gram("乌龟"), _gram("na")}
    assert all(indexed <= set(grams) for grams in words("grams"))
    assert not any({_gram(" "), _gram("s ")} & set(grams) for grams in words("grams"))
    for one in made[1:]:
        one.ref = f"Hen-{one.pk}"
    Item.objects.bulk_update(made, ["ref"])
    assert words("ids") == [f"#{made[0].pk} crow-0", *(f"#{one.pk} hen-{one.pk}" for one in made[1:])]
    ItemDraft.objects.filter(item=made[2]).update(content={"stem": "Who woke?", "options": []})
    assert words("stem") == ["who naps 0?", "who naps 1?", "who woke?"]
    assert item.current is not None
    assert ItemText.objects.get(item=item).stem == item.current.stem.lower()
