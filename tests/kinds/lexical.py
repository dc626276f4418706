"""Two plain lexical models that rank proverbs for narratives, in place of language models.

Neither knows what a proverb means: they know the words in which others told its narratives, and so prefer
proverbs whose narratives are about similar things.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.naive_bayes import MultinomialNB

Told = Mapping[str, Sequence[str]]
"""Narratives by proverb."""
Scores = npt.NDArray[np.float64]


def naive_bayes(told: Told, texts: Sequence[str]) -> Scores:
    """Log-probabilities of the proverbs, in their order, for each text, by the words of their narratives.

    A multinomial naive Bayes classifier over words that at least two narratives have, with equal priors and a
    smoothing of 0.1; the words of the proverb count as a narrative.
    """
    words = CountVectorizer(lowercase=True, stop_words="english", min_df=2)
    known = words.fit_transform([" ".join([proverb, *some]) for proverb, some in told.items()])
    model = MultinomialNB(alpha=0.1, fit_prior=False).fit(known, range(len(told)))
    return np.asarray(model.predict_joint_log_proba(words.transform(texts)))


def likeness(told: Told, texts: Sequence[str]) -> Scores:
    """Cosines of each text with the narratives of each proverb, by weighted n-grams of 3 to 5 letters."""
    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True, min_df=2)
    known = letters.fit_transform([" ".join([proverb, *some]) for proverb, some in told.items()])
    return np.asarray((letters.transform(texts) @ known.T).toarray())
