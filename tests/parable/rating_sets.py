"""Ratings and answers as the models of raters say they arise, and the published ones."""

from dataclasses import dataclass

import numpy as np

from parable.psychometrics.raters.keys import Answer

ANAESTHETISTS = """
111,1,1,1,1 333,4,3,3,4 112,2,1,2,2 222,3,1,2,1 222,3,2,2,2 222,3,3,2,2 122,2,1,1,1 333,3,4,3,3 222,2,2,2,3
232,2,2,2,3 444,4,4,4,4 222,3,3,4,3 111,1,1,1,1 222,3,2,1,2 121,1,1,1,1 111,2,1,1,1 111,1,1,1,1 111,1,1,1,1
222,2,2,2,1 222,1,3,2,2 222,2,2,2,2 222,2,2,2,1 222,3,2,2,2 221,2,2,2,2 111,1,1,1,1 111,1,1,1,1 232,2,2,2,2
111,1,1,1,1 111,1,1,1,1 112,1,1,2,1 111,1,1,1,1 333,3,2,3,3 111,1,1,1,1 222,2,2,2,2 222,3,2,3,2 433,4,3,4,3
221,2,2,3,2 232,3,2,3,3 333,3,4,3,2 111,1,1,1,1 111,1,1,1,1 121,2,1,1,1 232,2,2,2,2 121,1,1,1,1 222,2,2,2,2
"""
"""Table 1 of Dawid and Skene (1979): a patient a word, the grades of five observers; the first's thrice."""


def anaesthetists() -> np.ndarray:
    """How often each observer gave each patient each grade, shape (45, 5, 4)."""
    counts = np.zeros((45, 5, 4))
    for patient, word in enumerate(ANAESTHETISTS.split()):
        for observer, grades in enumerate(word.split(",")):
            for grade in grades:
                counts[patient, observer, int(grade) - 1] += 1
    return counts


@dataclass(frozen=True)
class Simulated:
    """Rows (unit, rater, rating), the story of each unit, and the severities, whose mean is 0."""

    rows: list[tuple[int, int, int]]
    stories: dict[int, int]
    severity: np.ndarray


def simulate_ratings(
    seed: int,
    *,
    raters: int,
    stories: int,
    each: int = 2,
    by_story: float = 0.0,
    thresholds: tuple[float, ...] = (-1.0, 1.0),
) -> Simulated:
    """Five units a story, each rated by `each` raters drawn; `by_story`: spread of rater by story."""
    rng = np.random.default_rng(seed)
    severity = rng.normal(0, 0.6, raters)
    severity -= severity.mean()
    own = rng.normal(0, by_story, (raters, stories)) if by_story else np.zeros((raters, stories))
    rows, of_story = [], {}
    for unit in range(5 * stories):
        story = unit // 5
        of_story[unit] = story
        quality = rng.normal(0.3, 1.2)
        for rater in rng.permutation(raters)[:each]:
            steps = quality - severity[rater] - own[rater, story] - np.array(thresholds)
            chances = np.exp([0.0, *np.cumsum(steps)])
            rating = int(np.searchsorted(np.cumsum(chances / chances.sum()), rng.random()))
            rows.append((unit, int(rater), min(rating, len(thresholds))))
    return Simulated(rows, of_story, severity)


def simulate_answers(
    seed: int, *, people: int, stories: int, each: int, options: int = 4
) -> tuple[list[Answer], dict[int, int], dict[int, int], np.ndarray]:
    """Blind answers to five items a story, their stories and keys, and how often each person is right."""
    rng = np.random.default_rng(seed)
    accuracy = rng.uniform(0.6, 0.95, people)
    rows, of_story, keys = [], {}, {}
    for item in range(5 * stories):
        of_story[item], keys[item] = item // 5, int(rng.integers(options))
        for person in rng.permutation(people)[:each]:
            wrong = (keys[item] + int(rng.integers(1, options))) % options
            choice = keys[item] if rng.random() < accuracy[person] else wrong
            rows.append(Answer(item, int(person), choice, options))
    return rows, of_story, keys, accuracy
