"""A revision is checked once, when the transaction that wrote it ends, not again for its options.

- Options of one statement cost no event each. A revision that was whole before it must be whole after it; of any
  other the check is still to come, since one that had passed it would have been whole.
- What a check of a revision or of an item's state reads, it reads by one query.
- No index repeats the beginning of another one, and none holds the places of options that have none.
"""

from importlib import import_module

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

RULES = import_module("annotation.migrations.0002_rules")
BY_STATEMENT = import_module("annotation.migrations.0004_by_statement")
LAST_MOVE = "parable_state_is_last_transition"

WHOLE = """
DROP FUNCTION parable_check_revision(bigint);

-- `late`: options to be left out of account.
CREATE FUNCTION parable_check_revision(checked bigint, late bigint[] DEFAULT '{}') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    asked text;
    imported boolean;
    typed boolean;
    options integer;
    keys integer;
    ranked integer;
    last_rank integer;
    first_rank integer;
    answered text;
BEGIN
    -- No place is given twice, by a unique index.
    SELECT item.task, item.ref <> '', said.*,
            EXISTS (SELECT 1 FROM annotation_revisiontype WHERE revision_id = checked)
        INTO asked, imported, options, keys, ranked, first_rank, last_rank, typed
        FROM (
            SELECT count(*), count(*) FILTER (WHERE is_key), count(rank), min(rank), max(rank)
            FROM annotation_option WHERE revision_id = checked AND id <> ALL (late)
        ) AS said
        LEFT JOIN annotation_revision AS revision ON revision.id = checked
        LEFT JOIN annotation_item AS item ON item.id = revision.item_id;
    IF asked IS NULL THEN
        RAISE EXCEPTION 'revision % has no item', checked USING ERRCODE = 'foreign_key_violation';
    END IF;
    answered := parable_answered_by(asked);
    IF answered = 'either' THEN  -- a kind that has no rule of its own here
        answered := CASE WHEN options > 0 THEN 'options' ELSE 'own' END;
    END IF;
    IF answered <> 'options' THEN
        PERFORM parable_check_own_answer(checked, answered, options);
        RETURN;
    END IF;
    IF asked = 'ordering' THEN
        PERFORM parable_check_order(checked, options, keys, ranked, first_rank, last_rank);
    ELSE
        PERFORM parable_check_keys(checked, asked, imported, options, keys, ranked);
    END IF;
    IF options < 2 OR options > 26 THEN
        RAISE EXCEPTION 'revision % has % options, it needs 2 to 26', checked, options
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_two_to_26_options';
    END IF;
    IF asked = 'commonsense' AND NOT typed THEN
        RAISE EXCEPTION 'revision % has no commonsense type', checked
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_commonsense_has_a_type';
    END IF;
END $$;
"""

OPTIONS = """
DROP TRIGGER whole ON annotation_option;
DROP FUNCTION parable_option_keeps_revision_whole();

CREATE FUNCTION parable_has_been_whole(checked bigint, late bigint[]) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM parable_check_revision(checked, late);
    RETURN true;
EXCEPTION WHEN check_violation OR foreign_key_violation THEN
    RETURN false;
END $$;

-- Looked up by key for each revision: a join would be planned by tables that have no statistics yet.
CREATE FUNCTION parable_options_keep_revisions_whole() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM parable_check_revision(revision_id)
        FROM (SELECT revision_id, array_agg(id) AS options FROM added GROUP BY revision_id) AS given
        WHERE CASE
            -- the first options of a revision that cannot be whole without any
            WHEN cardinality(options) = (SELECT count(*) FROM annotation_option WHERE revision_id = given.revision_id)
                AND (
                    SELECT parable_answered_by(task) = 'options' FROM annotation_item
                    WHERE id = (SELECT item_id FROM annotation_revision WHERE id = given.revision_id)
                ) IS NOT FALSE
            THEN false
            ELSE parable_has_been_whole(revision_id, options)
        END;
    RETURN NULL;
END $$;

CREATE TRIGGER whole AFTER INSERT ON annotation_option REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION parable_options_keep_revisions_whole();
"""

FORMER_CHECK = BY_STATEMENT._former(RULES.WHOLE, "parable_check_revision")
FORMER = f"""
DROP TRIGGER whole ON annotation_option;
DROP FUNCTION parable_options_keep_revisions_whole();
DROP FUNCTION parable_has_been_whole(bigint, bigint[]);
DROP FUNCTION parable_check_revision(bigint, bigint[]);

{FORMER_CHECK}

{BY_STATEMENT.OPTIONS}

CREATE CONSTRAINT TRIGGER whole AFTER INSERT ON annotation_option DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION parable_option_keeps_revision_whole();
"""

STATE = """
CREATE OR REPLACE FUNCTION parable_state_is_last_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    stands_at text;
    last_move text;
BEGIN
    SELECT state, (
        SELECT to_state FROM annotation_transition WHERE item_id = NEW.id ORDER BY id + 0 DESC LIMIT 1
    ) INTO stands_at, last_move FROM annotation_item WHERE id = NEW.id;
    IF stands_at IS NOT NULL AND stands_at IS DISTINCT FROM last_move THEN
        RAISE EXCEPTION 'item % is said to be %, but its last transition went to %',
            NEW.id, stands_at, last_move
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_state_is_last_transition';
    END IF;
    RETURN NULL;
END $$;
"""


def _without_index(model: str, name: str, to: str, related_name: str, on_delete=django.db.models.deletion.PROTECT):
    field = models.ForeignKey(db_index=False, on_delete=on_delete, related_name=related_name, to=to)
    return migrations.AlterField(model_name=model, name=name, field=field)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0004_by_statement"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.RunSQL(WHOLE + OPTIONS, FORMER),
        migrations.RunSQL(
            STATE,
            BY_STATEMENT._changed(RULES.CHAIN, LAST_MOVE, BY_STATEMENT.BY_ID, BY_STATEMENT.BY_ITEM),
        ),
        _without_index("draftcontributor", "draft", "annotation.itemdraft", "contributors", models.CASCADE),
        _without_index("item", "writer", settings.AUTH_USER_MODEL, "items"),
        _without_index("itemdraft", "writer", settings.AUTH_USER_MODEL, "drafts"),
        _without_index("keyexposure", "user", settings.AUTH_USER_MODEL, "+"),
        _without_index("option", "revision", "annotation.revision", "options"),
        _without_index("revision", "item", "annotation.item", "revisions"),
        _without_index("revisiontype", "revision", "annotation.revision", "type_links"),
        migrations.RemoveConstraint(model_name="option", name="annotation_option_rank"),
        migrations.AddConstraint(
            model_name="option",
            constraint=models.UniqueConstraint(
                condition=models.Q(("rank__isnull", False)), fields=("revision", "rank"), name="annotation_option_rank"
            ),
        ),
    ]
