"""Items are found by any word of theirs.

`annotation_itemtext` holds the folded words of each item, and their letters and bigrams. Triggers keep it, so that
no way of writing an item leaves it out; items that one statement writes get their words in one step.
"""

from django.db import migrations

TEXTS = """
CREATE FUNCTION parable_index_items(indexed bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(indexed) > 0 THEN
        INSERT INTO annotation_itemtext (item_id, ids, stem, options, key, grams)
        SELECT item_id, ids, stem, options, key, parable_grams(concat_ws(chr(10), ids, stem, options), 1)
        FROM (
            SELECT item.id AS item_id,
                parable_fold(concat_ws(' ', '#' || item.id, item.ref)) AS ids,
                parable_fold(coalesce(revision.stem, draft.content ->> 'stem')) AS stem,
                parable_fold(coalesce(said.options, marked.words, (
                    SELECT string_agg(words #>> '{}', chr(10)) FROM (
                        SELECT option -> 'text' AS words
                        FROM jsonb_path_query(draft.content, '$.options[*]') AS option
                        UNION ALL
                        SELECT jsonb_path_query(draft.content, '$.own.*[*][*].text')
                        UNION ALL
                        SELECT jsonb_path_query(draft.content, '$.own.* ? (@.type() == "string")')
                    ) AS typed
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
                SELECT string_agg(text, chr(10)) AS words FROM (
                    SELECT text FROM annotation_span WHERE revision_id = item.current_id
                    UNION ALL
                    SELECT second_text FROM annotation_scenejudgement WHERE revision_id = item.current_id
                    UNION ALL
                    SELECT text FROM annotation_narrative WHERE revision_id = item.current_id
                ) AS marks
            ) AS marked ON true
            LEFT JOIN LATERAL (
                SELECT content FROM annotation_itemdraft
                WHERE item_id = item.id AND item.current_id IS NULL AND deleted_at IS NULL ORDER BY id LIMIT 1
            ) AS draft ON true
            WHERE item.id = ANY(indexed)
        ) AS words
        ON CONFLICT (item_id) DO UPDATE SET ids = excluded.ids, stem = excluded.stem,
            options = excluded.options, key = excluded.key, grams = excluded.grams;
    END IF;
END $$;

CREATE FUNCTION parable_options_have_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM parable_index_items(ARRAY(
        SELECT DISTINCT item.id FROM added JOIN annotation_item AS item ON item.current_id = added.revision_id
    ));
    RETURN NULL;
END $$;

-- Options and marks mostly come before their revision is the current one; an import of them may come after.
CREATE TRIGGER have_text AFTER INSERT ON annotation_option REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION parable_options_have_text();
CREATE TRIGGER have_text AFTER INSERT ON annotation_span REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION parable_options_have_text();
CREATE TRIGGER have_text AFTER INSERT ON annotation_scenejudgement REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION parable_options_have_text();
CREATE TRIGGER have_text AFTER INSERT ON annotation_narrative REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION parable_options_have_text();

CREATE FUNCTION parable_draft_has_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM parable_index_items(ARRAY(
        SELECT id FROM annotation_item WHERE id = NEW.item_id AND current_id IS NULL
    ));
    RETURN NULL;
END $$;

CREATE FUNCTION parable_items_have_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM parable_index_items(ARRAY(SELECT id FROM added));
    RETURN NULL;
END $$;

CREATE FUNCTION parable_items_have_new_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM parable_index_items(ARRAY(
        SELECT changed.id FROM changed JOIN former ON former.id = changed.id
        WHERE changed.current_id IS DISTINCT FROM former.current_id OR changed.ref <> former.ref
    ));
    RETURN NULL;
END $$;

CREATE FUNCTION parable_drafts_have_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM parable_index_items(ARRAY(
        SELECT DISTINCT item.id FROM added JOIN annotation_item AS item ON item.id = added.item_id
        WHERE item.current_id IS NULL
    ));
    RETURN NULL;
END $$;

CREATE TRIGGER have_text AFTER INSERT ON annotation_item REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION parable_items_have_text();
CREATE TRIGGER have_new_text AFTER UPDATE ON annotation_item
    REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION parable_items_have_new_text();
CREATE TRIGGER have_text AFTER INSERT ON annotation_itemdraft REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION parable_drafts_have_text();
CREATE TRIGGER has_new_text AFTER UPDATE OF content ON annotation_itemdraft
    FOR EACH ROW WHEN (NEW.item_id IS NOT NULL) EXECUTE FUNCTION parable_draft_has_text();
"""

NO_TEXTS = """
DROP TRIGGER has_new_text ON annotation_itemdraft;
DROP TRIGGER have_text ON annotation_itemdraft;
DROP TRIGGER have_new_text ON annotation_item;
DROP TRIGGER have_text ON annotation_item;
DROP TRIGGER have_text ON annotation_narrative;
DROP TRIGGER have_text ON annotation_scenejudgement;
DROP TRIGGER have_text ON annotation_span;
DROP TRIGGER have_text ON annotation_option;
DROP FUNCTION parable_drafts_have_text();
DROP FUNCTION parable_items_have_new_text();
DROP FUNCTION parable_items_have_text();
DROP FUNCTION parable_draft_has_text();
DROP FUNCTION parable_options_have_text();
DROP FUNCTION parable_index_items(bigint[]);
"""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0002_rules"), ("corpus", "0003_search")]
    operations = [migrations.RunSQL(TEXTS, NO_TEXTS)]
