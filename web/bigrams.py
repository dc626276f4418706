"""Search in tables of words that triggers keep: folded texts, and an indexed array of letters and bigrams.

Trigrams find nothing in Chinese. The SQL functions are those of the migration `annotation.0003_search`.
"""

from collections.abc import Iterable, Sequence
from typing import Final

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
    sql = f"""
        SELECT {about.pk.column} FROM {about.db_table}
        WHERE ({said}) AND grams @> parable_grams(parable_fold(%s), least(2, length(parable_fold(%s))))
    """  # noqa: S608 - columns and tables are names of ours
    return RawSQL(sql, [*(term for _column in columns), term, term])  # noqa: S611 - terms are parameters
