"""Candidates are found by any part of their text.

Triggers keep `generation_candidatetext`, so that no way of keeping a proposal leaves it out.
"""

from django.db import migrations

TEXTS = """
CREATE FUNCTION parable_index_candidates(indexed bigint[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO generation_candidatetext (candidate_id, text, grams)
    SELECT id, parable_fold(text), parable_grams(parable_fold(text), 1)
    FROM generation_candidate WHERE id = ANY(indexed)
    ON CONFLICT (candidate_id) DO UPDATE SET text = excluded.text, grams = excluded.grams
$$;

CREATE FUNCTION parable_candidates_have_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM parable_index_candidates(ARRAY(SELECT id FROM changed));
    RETURN NULL;
END $$;

-- By statement, so that an answer of many proposals pays once.
CREATE TRIGGER have_text AFTER INSERT ON generation_candidate REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION parable_candidates_have_text();
CREATE TRIGGER keep_text AFTER UPDATE ON generation_candidate REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION parable_candidates_have_text();
"""

NO_TEXTS = """
DROP TRIGGER keep_text ON generation_candidate;
DROP TRIGGER have_text ON generation_candidate;
DROP FUNCTION parable_candidates_have_text();
DROP FUNCTION parable_index_candidates(bigint[]);
"""


class Migration(migrations.Migration):
    dependencies = [("generation", "0001_initial"), ("corpus", "0003_search")]
    operations = [migrations.RunSQL(TEXTS, NO_TEXTS)]
