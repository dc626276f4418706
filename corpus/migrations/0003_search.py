"""Stories are found by any part of their title, text, id or source.

Triggers keep `corpus_storytext`, so that no way of writing a story leaves it out. The functions for folding and
bigrams serve the search of items and candidates, too: trigrams find nothing in Chinese. They are in PL/pgSQL,
whose plans a connection keeps: PostgreSQL plans a function of SQL anew with each call.
"""

from django.db import migrations

TEXTS = """
CREATE FUNCTION parable_fold(said text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT lower(normalize(coalesce(said, ''), NFKC))
$$;

-- the letters and bigrams of a text that hold no space, without letters where `shortest` is 2. Each is a number made
-- of code points, since arrays of numbers are compared three times as fast as those of texts; where two are the
-- same number, the text tells which is meant
CREATE FUNCTION parable_grams(said text, shortest integer) RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT coalesce(array_agg(DISTINCT gram), '{}') FROM (
            SELECT unnest(ARRAY[
                CASE WHEN shortest = 1 THEN code << 15 END,
                (code << 15) # lead(code) OVER (ORDER BY place)
            ]) AS gram
            FROM (
                SELECT CASE WHEN letter !~ '\\s' THEN ascii(letter) END AS code, place
                FROM unnest(string_to_array(said, NULL)) WITH ORDINALITY AS letters(letter, place)
            ) AS codes
        ) AS parts WHERE gram IS NOT NULL
    );
END $$;

CREATE FUNCTION parable_index_stories(indexed bigint[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO corpus_storytext (story_id, ids, title, text, grams)
    SELECT story_id, ids, title, text, parable_grams(concat_ws(chr(10), ids, title, text), 1)
    FROM (
        SELECT story.id AS story_id,
            parable_fold(concat_ws(' ', '#' || story.id, story.ref, story.source)) AS ids,
            parable_fold(revision.title) AS title,
            parable_fold(revision.text) AS text
        FROM corpus_story AS story
        LEFT JOIN corpus_storyrevision AS revision ON revision.id = story.current_id
        WHERE story.id = ANY(indexed)
    ) AS words
    ON CONFLICT (story_id) DO UPDATE SET ids = excluded.ids, title = excluded.title, text = excluded.text,
        grams = excluded.grams
$$;

CREATE FUNCTION parable_story_has_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM parable_index_stories(ARRAY[NEW.id]);
    RETURN NULL;
END $$;

CREATE TRIGGER has_text AFTER UPDATE OF current_id, ref, source ON corpus_story
    FOR EACH ROW WHEN (
        OLD.current_id IS DISTINCT FROM NEW.current_id OR OLD.ref <> NEW.ref OR OLD.source <> NEW.source
    ) EXECUTE FUNCTION parable_story_has_text();

CREATE FUNCTION parable_story_revisions_have_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM parable_index_stories(ARRAY(
        SELECT story.id FROM added JOIN corpus_story AS story ON story.current_id = added.id
    ));
    RETURN NULL;
END $$;

-- New stories come before their first revision, by statement, so that an import of many pays once.
CREATE TRIGGER have_text AFTER INSERT ON corpus_storyrevision REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION parable_story_revisions_have_text();
"""

NO_TEXTS = """
DROP TRIGGER have_text ON corpus_storyrevision;
DROP TRIGGER has_text ON corpus_story;
DROP FUNCTION parable_story_revisions_have_text();
DROP FUNCTION parable_story_has_text();
DROP FUNCTION parable_index_stories(bigint[]);
DROP FUNCTION parable_grams(text, integer);
DROP FUNCTION parable_fold(text);
"""


class Migration(migrations.Migration):
    dependencies = [("corpus", "0002_rules")]
    operations = [migrations.RunSQL(TEXTS, NO_TEXTS)]
