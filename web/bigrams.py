"""Full-text search in tables that triggers fill with case-folded texts and arrays of letters and bigrams.

Trigrams are of no use for Chinese. The SQL functions are those of the migration `corpus.0003_search`.

Rows inserted in bulk, as by imports, get their texts at once and their array later, from a worker; until
then, searches read their texts, which is slower.
"""

from collections.abc import Sequence
from typing import Final

from django.db import connection
from django.db.models import Model, Q
from django.db.models.expressions import RawSQL

MOST_TERMS: Final = 6
_PATTERN: Final = r"('%%' || regexp_replace(parable_fold(%s), '([\\%%_])', '\\\1', 'g') || '%%')"
"""SQL for a LIKE pattern that matches a term anywhere in a text; LIKE's special characters are escaped."""
_GRAMS: Final = "grams @> parable_grams(parable_fold(%s), least(2, length(parable_fold(%s))))"
"""SQL for a condition that the index answers: that a row has all bigrams of a term."""


def holding(words: type[Model], terms: Sequence[str], columns: Sequence[str]) -> Q:
    """Return a condition (`Q`) for rows whose texts contain all search terms.

    Each term must be in at least one of these columns of `words`, a model with the field `grams` and the same
    primary key as the rows. Only the first `MOST_TERMS` terms count.
    """
    return Q(pk__in=_holding(words, terms[:MOST_TERMS], columns)) if terms else Q()


def _holding(words: type[Model], terms: Sequence[str], columns: Sequence[str]) -> RawSQL:
    # the index finds rows with the bigrams of all terms, each of which alone may be in every row; their order
    # is checked in the text
    about = words._meta
    # LIKE, since it is cheaper than `@>` and so runs first, with a known selectivity
    one = " OR ".join(f"{column} LIKE {_PATTERN}" for column in columns)
    said, indexed = " AND ".join([f"({one})"] * len(terms)), " AND ".join([_GRAMS] * len(terms))
    # two statements, so that each uses its index, whatever the statistics
    sql = f"""
        SELECT {about.pk.column} FROM {about.db_table} WHERE {said} AND {indexed}
        UNION ALL SELECT {about.pk.column} FROM {about.db_table} WHERE {said} AND grams IS NULL
    """  # noqa: S608 - columns and tables are names of ours
    texts = [term for term in terms for _column in columns]
    grams = [term for term in terms for _twice in range(2)]
    return RawSQL(sql, [*texts, *grams, *texts])  # noqa: S611 - terms are parameters


def index_waiting(words: type[Model], columns: Sequence[str], most: int) -> int:
    """Compute the missing arrays of at most `most` rows; return the number of rows.

    May run twice, even concurrently.
    """
    about = words._meta
    said = ", ".join(columns)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            UPDATE {about.db_table} SET grams = parable_grams(concat_ws(chr(10), {said}), 1)
            WHERE {about.pk.column} = ANY(ARRAY(
                SELECT {about.pk.column} FROM {about.db_table} WHERE grams IS NULL
                ORDER BY 1 LIMIT %s FOR UPDATE SKIP LOCKED
            ))
            """,  # noqa: S608 - columns and tables are names of ours
            [most],
        )
        return int(cursor.rowcount)
