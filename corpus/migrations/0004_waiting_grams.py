"""An import leaves the arrays of letters and bigrams to a worker, and they are made in a third of the time.

Stories that one statement writes by the hundreds have the words that they are searched by at once, and no array
until a worker makes it. The arrays hold the same as before: white space is looked for once a text in place of once
a letter, and pairs are read from two arrays side by side, without a window.
"""

from importlib import import_module

import django.contrib.postgres.fields
from django.db import migrations, models

FORMER = import_module("corpus.migrations.0003_search").TEXTS
START, END = "CREATE FUNCTION parable_grams", "END $$;"
FORMER_GRAMS = FORMER[FORMER.index(START) : FORMER.index(END) + len(END)]

GRAMS = r"""
CREATE OR REPLACE FUNCTION parable_grams(said text, shortest integer) RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    letters text[] := string_to_array(regexp_replace(said, '\s', ' ', 'g'), NULL);
BEGIN
    RETURN (
        SELECT coalesce(array_agg(DISTINCT gram), '{}') FROM (
            SELECT ascii(letter) << 15 AS gram FROM unnest(letters) AS letter
                WHERE shortest = 1 AND letter <> ' '
            UNION ALL
            SELECT (ascii(letter) << 15) # ascii(following)
                FROM unnest(letters, letters[2:]) AS pairs(letter, following)
                WHERE letter <> ' ' AND following <> ' '
        ) AS parts
    );
END $$;
"""


INDEXED = FORMER[FORMER.index("CREATE FUNCTION parable_index_stories") : FORMER.index("CREATE FUNCTION parable_story_has_text")]
INDEXED = INDEXED.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
MADE = "parable_grams(concat_ws(chr(10), ids, title, text), 1)"
MOST_AT_ONCE = 200
WAITING = INDEXED.replace(MADE, f"CASE WHEN cardinality(indexed) <= {MOST_AT_ONCE} THEN {MADE} END")


class Migration(migrations.Migration):
    dependencies = [("corpus", "0003_search")]
    operations = [
        migrations.RunSQL(GRAMS, FORMER_GRAMS.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")),
        migrations.AlterField(
            model_name="storytext",
            name="grams",
            field=django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), null=True, size=None),
        ),
        migrations.AddIndex(
            model_name="storytext",
            index=models.Index(condition=models.Q(("grams", None)), fields=["story"], name="corpus_story_waits"),
        ),
        # last in, first out: before the column may not be null again, every row has its array
        migrations.RunSQL(
            WAITING,
            f"UPDATE corpus_storytext SET grams = {MADE} WHERE grams IS NULL; {INDEXED}",
        ),
    ]
