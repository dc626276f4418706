"""Search in tables of words that triggers keep: folded texts, and an indexed array of letters and bigrams.

Trigrams find nothing in Chinese. The SQL functions are those of the migration `corpus.0003_search`.

Rows that one statement writes by the hundreds, an import's, have their words at once and their array later: a
search reads the words of those that wait, and so finds them as it finds others, only more slowly. A worker
makes the arrays.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from django.db import connection
from django.db.models import Model, Q
from django.db.models.expressions import RawSQL

MOST_TERMS: Final = 6
_PATTERN: Final = r"('%%' || regexp_replace(parable_fold(%s), '([\\%%_])', '\\\1', 'g') || '%%')"
"""A term as LIKE takes it, wherever it stands: what means something to LIKE is escaped."""


def holding(words: type[Model], terms: Sequence[str], columns: Sequence[str]) -> Q:
    """Rows of which one of these columns of `words` holds each of the terms.

    `words` is a table with a column `grams`, and its key is that of the row that it is about.
    """
    found = Q()
    for term in terms[:MOST_TERMS]:
        found &= Q(pk__in=_holding(words, term, columns))
    return found


def _holding(words: type[Model], term: str, columns: Iterable[str]) -> RawSQL:
    # the index finds what has the same bigrams; that they follow each other is for the text to say
    about = words._meta
    # LIKE, since it is cheaper than `@>` and so comes first, and its share of the rows is known
    said = " OR ".join(f"{column} LIKE {_PATTERN}" for column in columns)
    # two statements, since each has an index of its own, whatever is known of the table
    sql = f"""
        SELECT {about.pk.column} FROM {about.db_table}
        WHERE ({said}) AND grams @> parable_grams(parable_fold(%s), least(2, length(parable_fold(%s))))
        UNION ALL SELECT {about.pk.column} FROM {about.db_table} WHERE ({said}) AND grams IS NULL
    """  # noqa: S608 - columns and tables are names of ours
    terms = [term for _column in columns]
    return RawSQL(sql, [*terms, term, term, *terms])  # noqa: S611 - terms are parameters


def index_waiting(words: type[Model], columns: Sequence[str], most: int) -> int:
    """Make the arrays of so many rows that wait; how many there were. Safe to run twice at once."""
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
