"""Options by confusion are harder than options drawn at random: on the published narratives of ePiC."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from parable.formats.rankings import read_rankings
from parable.kinds.proverb_choice import choose_distractors, confused_pairs, near_proverbs
from parable.psychometrics.results.clusters import share
from parable.psychometrics.retrieval import retrieval
from tests.kinds.lexical import likeness, naive_bayes

OPTIONS = 5


@pytest.mark.drill
def test_confusion_fools_another_model_more_than_chance_does(shared_data: Path, tmp_path: Path) -> None:
    """One model proposes the options, and another one answers, on narratives 9 and 10 of each ten.

    Naive Bayes over words has read narratives 1 to 4 and the likeness of letters 5 to 8, so that neither has
    seen what is asked or what the other has read.
    """
    path = shared_data / "epic" / "published_format" / "full_dataset.json"
    if not path.exists():
        pytest.skip("the narratives of ePiC are not beside this repository")
    told: dict[str, dict[int, str]] = {}
    for record in json.loads(path.read_text(encoding="utf-8")):
        number = int(record["pk"].rpartition("N")[2])
        told.setdefault(record["fields"]["quote"], {})[number] = record["fields"]["narrative"]
    proverbs = list(told)
    asked = [(proverb, n) for proverb in proverbs for n in (9, 10)]
    texts = [told[proverb][n] for proverb, n in asked]
    keys = {f"{proverb}/{n}": proverb for proverb, n in asked}
    scores = naive_bayes({one: [told[one][n] for n in (1, 2, 3, 4)] for one in proverbs}, texts)
    answers = likeness({one: [told[one][n] for n in (5, 6, 7, 8)] for one in proverbs}, texts)

    file = tmp_path / "naive_bayes.jsonl"
    with file.open("w") as out:
        for name, row in zip(keys, scores, strict=True):
            for proverb, score in zip(proverbs, row, strict=True):
                print(json.dumps({"narrative": name, "proverb": proverb, "logprob": score}), file=out)
    ranked = read_rankings(file, name=file.name).ranked
    near = near_proverbs(ranked, keys)
    pairs = [frozenset(pair) for pair in confused_pairs(ranked, keys)]
    chance = random.Random(7)  # noqa: S311 - the same draws each time
    place = {proverb: at for at, proverb in enumerate(proverbs)}
    right: dict[str, list[float]] = {"confusion": [], "random": []}
    for row, (name, key) in zip(answers, keys.items(), strict=True):
        confused = choose_distractors(key, ranked[name], near[key], left_out=pairs, count=OPTIONS - 1)
        drawn = chance.sample([one for one in proverbs if one != key], OPTIONS - 1)
        for how, others in (("confusion", confused), ("random", drawn)):
            assert len(others) == OPTIONS - 1
            right[how].append(float(all(row[place[key]] > row[place[one]] for one in others)))

    clusters = np.array([place[key] for key in keys.values()])
    for how, found in right.items():
        one = share(np.array(found), clusters)
        print(f"{how}: {one.value:.3f} [{one.low:.3f}, {one.high:.3f}] of {len(found)}")
    alone = retrieval((key, ranked[name].index(key) + 1) for name, key in keys.items())
    figures = f"accuracy {alone.accuracy.value:.3f}, mean reciprocal rank {alone.reciprocal_rank.value:.3f}"
    print(f"naive Bayes, all {len(proverbs)}: {figures}")
    print(f"pairs left out as perhaps near-synonyms: {len(pairs)}")
    apart = np.array(right["random"]) - np.array(right["confusion"])
    by_proverb = np.array([apart[clusters == one].mean() for one in range(len(proverbs))])
    error = by_proverb.std(ddof=1) / np.sqrt(len(by_proverb))
    print(f"difference: {apart.mean():.3f} ± {1.96 * error:.3f}")
    assert apart.mean() > 1.96 * error
