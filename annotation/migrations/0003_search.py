"""Items are found by any word of theirs, and a manager can take back what was done to many at once.

- `annotation_itemtext` holds the folded words of each item, and their letters and bigrams: trigrams find
  nothing in Chinese. Triggers keep it, so that no way of writing an item leaves it out.
- A verified item that was sent to review or retired may go back, as long as that was its last move.
"""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


TEXTS = """
CREATE FUNCTION parable_fold(said text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT lower(normalize(coalesce(said, ''), NFKC))
$$;

-- the parts of a text that hold no space, of `shortest` to two characters each
CREATE FUNCTION parable_grams(said text, shortest integer) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(DISTINCT gram), '{}') FROM (
        SELECT unnest(ARRAY[letter, letter || lead(letter) OVER (ORDER BY place)]) AS gram
        FROM unnest(string_to_array(said, NULL)) WITH ORDINALITY AS letters(letter, place)
    ) AS parts WHERE gram !~ '\\s' AND length(gram) >= shortest
$$;

CREATE FUNCTION parable_index_items(indexed bigint[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO annotation_itemtext (item_id, ids, stem, options, key, grams)
    SELECT item_id, ids, stem, options, key, parable_grams(concat_ws(chr(10), ids, stem, options), 1)
    FROM (
        SELECT item.id AS item_id,
            parable_fold(concat_ws(' ', '#' || item.id, item.ref)) AS ids,
            parable_fold(coalesce(revision.stem, draft.content ->> 'stem')) AS stem,
            parable_fold(coalesce(said.options, (
                SELECT string_agg(option ->> 'text', chr(10))
                FROM jsonb_path_query(draft.content, '$.options[*]') AS option
            ))) AS options,
            parable_fold(said.key) AS key
        FROM annotation_item AS item
        LEFT JOIN annotation_revision AS revision ON revision.id = item.current_id
        LEFT JOIN LATERAL (
            SELECT string_agg(text, chr(10) ORDER BY position) AS options,
                string_agg(text, chr(10)) FILTER (WHERE is_key) AS key
            FROM annotation_option WHERE revision_id = item.current_id
        ) AS said ON true
        LEFT JOIN LATERAL (
            SELECT content FROM annotation_itemdraft
            WHERE item_id = item.id AND item.current_id IS NULL AND deleted_at IS NULL ORDER BY id LIMIT 1
        ) AS draft ON true
        WHERE item.id = ANY(indexed)
    ) AS words
    ON CONFLICT (item_id) DO UPDATE SET ids = excluded.ids, stem = excluded.stem,
        options = excluded.options, key = excluded.key, grams = excluded.grams
$$;

CREATE FUNCTION parable_item_has_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM parable_index_items(ARRAY[NEW.id]);
    RETURN NULL;
END $$;

CREATE TRIGGER has_text AFTER INSERT ON annotation_item
    FOR EACH ROW EXECUTE FUNCTION parable_item_has_text();
CREATE TRIGGER has_new_text AFTER UPDATE OF current_id, ref ON annotation_item
    FOR EACH ROW WHEN (OLD.current_id IS DISTINCT FROM NEW.current_id OR OLD.ref <> NEW.ref)
    EXECUTE FUNCTION parable_item_has_text();

CREATE FUNCTION parable_options_have_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM parable_index_items(ARRAY(
        SELECT DISTINCT item.id FROM added JOIN annotation_item AS item ON item.current_id = added.revision_id
    ));
    RETURN NULL;
END $$;

-- Options mostly come before their revision is the current one; an import of them may come after.
CREATE TRIGGER have_text AFTER INSERT ON annotation_option REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION parable_options_have_text();

CREATE FUNCTION parable_draft_has_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM parable_index_items(ARRAY(
        SELECT id FROM annotation_item WHERE id = NEW.item_id AND current_id IS NULL
    ));
    RETURN NULL;
END $$;

CREATE TRIGGER has_text AFTER INSERT OR UPDATE OF content ON annotation_itemdraft
    FOR EACH ROW WHEN (NEW.item_id IS NOT NULL) EXECUTE FUNCTION parable_draft_has_text();
"""

NO_TEXTS = """
DROP TRIGGER has_text ON annotation_itemdraft;
DROP TRIGGER have_text ON annotation_option;
DROP TRIGGER has_new_text ON annotation_item;
DROP TRIGGER has_text ON annotation_item;
DROP FUNCTION parable_draft_has_text();
DROP FUNCTION parable_options_have_text();
DROP FUNCTION parable_item_has_text();
DROP FUNCTION parable_index_items(bigint[]);
DROP FUNCTION parable_grams(text, integer);
DROP FUNCTION parable_fold(text);
"""

FILL = """
UPDATE annotation_item AS item SET changed_at = coalesce(
    (SELECT at FROM annotation_transition WHERE item_id = item.id ORDER BY id DESC LIMIT 1), item.created_at
);
SELECT parable_index_items(ARRAY(SELECT id FROM annotation_item));
"""

FOLLOWS = """
CREATE OR REPLACE FUNCTION parable_transition_follows() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    stands_at text;
    came_from text;
BEGIN
    PERFORM 1 FROM annotation_item WHERE id = NEW.item_id FOR UPDATE;
    SELECT to_state, from_state INTO stands_at, came_from FROM annotation_transition
        WHERE item_id = NEW.item_id ORDER BY id DESC LIMIT 1;
    IF coalesce(stands_at, '') <> NEW.from_state THEN
        RAISE EXCEPTION 'item % stands at %, not at %', NEW.item_id, coalesce(stands_at, ''), NEW.from_state
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_transition_follows';
    END IF;
    IF NOT parable_move_exists(NEW.from_state, NEW.to_state)%(or_else)s THEN
        RAISE EXCEPTION 'there is no move from % to %', NEW.from_state, NEW.to_state
            USING ERRCODE = 'check_violation', CONSTRAINT = 'annotation_move_exists';
    END IF;
    RETURN NEW;
END $$;
"""
TAKING_BACK = """
        AND NOT (NEW.cause = 'taken_back' AND came_from = NEW.to_state
            AND (NEW.from_state, NEW.to_state) IN (('in_review', 'verified'), ('retired', 'verified')))"""


def _follows(or_else: str) -> str:
    return FOLLOWS.replace("%(or_else)s", or_else)


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0002_rules'),
        ('corpus', '0003_upload'),
        ('projects', '0003_archive'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ItemText',
            fields=[
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='annotation.item')),
                ('ids', models.TextField()),
                ('stem', models.TextField()),
                ('options', models.TextField()),
                ('key', models.TextField()),
                ('grams', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
            ],
        ),
        migrations.AddField(
            model_name='item',
            name='changed_at',
            field=models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='updated'),
        ),
        migrations.AlterField(
            model_name='transition',
            name='cause',
            field=models.CharField(choices=[('written', 'submitted by the writer'), ('revised', 'revised by the writer'), ('imported', 'imported'), ('reworded_by_import', 'changed by an import'), ('withdrawn', 'withdrawn'), ('retired', 'retired'), ('another_look', 'sent for re-review'), ('taken_back', 'bulk action undone'), ('contested', 'rejection contested by the writer'), ('contested_edit', "reviewer's edit contested by the writer"), ('wrong_blind_answer', 'a blind answer differed from the key'), ('all_reject', 'rejected in review'), ('all_return', 'returned to the writer'), ('all_pass', 'passed in review'), ('below_pass_rating', 'a rating was below the pass mark'), ('edit_adopted', "a reviewer's edit was adopted"), ('split', 'the reviewers disagreed'), ('verifier_pass', 'confirmed in verification'), ('verifier_reject', 'rejected in verification'), ('verifier_return', 'returned in verification'), ('ruled_pass', 'adjudicated: upheld'), ('ruled_send_on', 'adjudicated: sent to verification'), ('ruled_return', 'adjudicated: returned to the writer'), ('ruled_reject', 'adjudicated: rejected')], max_length=30),
        ),
        migrations.AddIndex(
            model_name='item',
            index=models.Index(fields=['project', '-changed_at', '-id'], name='annotation_item_by_change'),
        ),
        migrations.AddIndex(
            model_name='itemtext',
            index=django.contrib.postgres.indexes.GinIndex(fields=['grams'], name='annotation_item_grams'),
        ),
        migrations.RunSQL(TEXTS, NO_TEXTS),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.RunSQL(_follows(TAKING_BACK), _follows("")),
    ]
