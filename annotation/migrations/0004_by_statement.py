"""Rules of items that cost an import less, and refuse what they refused before.

- Authors of revisions are written by statement, not by row.
- A revision is checked once for all options that one statement gives it, not once an option.
- An item's last transition is found by the item, whatever PostgreSQL knows of the table: without fresh statistics
  it read all transitions from the last one down for an item that has none.
- Items that one statement writes by the hundreds have the words that they are searched by at once, and no array of
  letters and bigrams until a worker makes it.
"""

from importlib import import_module

import django.contrib.postgres.fields
from django.db import migrations, models

FORMER_RULES = import_module("annotation.migrations.0002_rules")


def _former(rules: str, name: str) -> str:
    """A function as it was before, to be put back."""
    begin = rules.index(f"CREATE FUNCTION {name}(")
    end = rules.index("END $$;", begin) + len("END $$;")
    return rules[begin:end].replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")


def _changed(rules: str, name: str, before: str, after: str) -> str:
    """A function with other words at one place."""
    former = _former(rules, name)
    if former.count(before) != 1:
        raise ValueError(name)
    return former.replace(before, after)


AUTHORS = """
DROP TRIGGER has_its_author ON annotation_revision;

CREATE OR REPLACE FUNCTION parable_revision_has_its_author() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO annotation_revisionauthor (revision_id, user_id) SELECT id, author_id FROM added
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER has_its_author AFTER INSERT ON annotation_revision REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION parable_revision_has_its_author();
"""

FORMER_AUTHORS = f"""
DROP TRIGGER has_its_author ON annotation_revision;

{_former(FORMER_RULES.AUTHORS, "parable_revision_has_its_author")}

CREATE TRIGGER has_its_author AFTER INSERT ON annotation_revision
    FOR EACH ROW EXECUTE FUNCTION parable_revision_has_its_author();
"""

# Of the options that one statement wrote, the first by position has its revision checked: the others are there by
# then, whether constraints are deferred or not. Options never change, so that `xmin` and `cmin` say who wrote them.
OPTIONS = """
CREATE OR REPLACE FUNCTION parable_option_keeps_revision_whole() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM annotation_option AS earlier JOIN annotation_option AS this
            ON this.revision_id = earlier.revision_id
        WHERE earlier.revision_id = NEW.revision_id AND earlier.position < NEW.position
            AND this.position = NEW.position
            AND earlier.xmin = this.xmin AND earlier.cmin::text = this.cmin::text
    ) THEN
        PERFORM parable_check_revision(NEW.revision_id);
    END IF;
    RETURN NULL;
END $$;
"""

BY_ID, BY_ITEM = "ORDER BY id DESC LIMIT 1", "ORDER BY id + 0 DESC LIMIT 1"
LAST_MOVES = ("parable_transition_follows", "parable_state_is_last_transition")


INDEXED = _former(import_module("annotation.migrations.0003_search").TEXTS, "parable_index_items")
MADE = "parable_grams(concat_ws(chr(10), ids, stem, options), 1)"
MOST_AT_ONCE = 200
WAITING = INDEXED.replace(MADE, f"CASE WHEN cardinality(indexed) <= {MOST_AT_ONCE} THEN {MADE} END")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_search"), ("corpus", "0004_waiting_grams")]
    operations = [
        migrations.RunSQL(AUTHORS, FORMER_AUTHORS),
        migrations.RunSQL(OPTIONS, _former(FORMER_RULES.WHOLE, "parable_option_keeps_revision_whole")),
        *[
            migrations.RunSQL(
                _changed(FORMER_RULES.CHAIN, name, BY_ID, BY_ITEM), _former(FORMER_RULES.CHAIN, name)
            )
            for name in LAST_MOVES
        ],
        migrations.AlterField(
            model_name="itemtext",
            name="grams",
            field=django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), null=True, size=None),
        ),
        migrations.AddIndex(
            model_name="itemtext",
            index=models.Index(condition=models.Q(("grams", None)), fields=["item"], name="annotation_item_waits"),
        ),
        # last in, first out: before the column may not be null again, every row has its array
        migrations.RunSQL(WAITING, f"UPDATE annotation_itemtext SET grams = {MADE} WHERE grams IS NULL; {INDEXED}"),
    ]
