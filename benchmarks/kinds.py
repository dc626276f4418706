"""Reading and scoring the answers to 10,000 texts of each published kind.

The texts are simulated, with at least as many fragments, tuples and words as the published sets have on
average. Elapsed time and processor time are printed, as other programs may run meanwhile.
"""

import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.lines import Line, line

BENCH = "kinds"
TEXTS = 10_000
MOST_SECONDS = 10.0
SIGNS = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏"

Scored = int
Kind = tuple[list[bytes], Any, Callable[..., Scored]]
"""The files, their layout, and a function that scores the records of all files."""


def measure() -> Iterator[Line]:
    """Yield the seconds of reading and of scoring for each kind."""
    from parable.formats.kind_files import read_answers

    chance = random.Random(7)  # noqa: S311 - the same texts each time
    for case, make in (("anomaly", _anomaly), ("step", _step), ("scene", _scene), ("proverb", _proverb)):
        files, layout, score = make(chance)
        start = time.perf_counter(), time.process_time()
        read = [read_answers(data, name="made", layout=layout).records for data in files]
        yield from _lines(case, "read", start, None)
        start = time.perf_counter(), time.process_time()
        assert score(*read) == TEXTS
        yield from _lines(case, "score", start, MOST_SECONDS)


def _lines(case: str, step: str, start: tuple[float, float], limit: float | None) -> Iterator[Line]:
    seconds, busy = time.perf_counter() - start[0], time.process_time() - start[1]
    yield line(BENCH, case, f"{step}_seconds", round(seconds, 2), "s", most=limit)
    yield line(BENCH, case, f"{step}_processor_seconds", round(busy, 2), "s", most=limit)


def _anomaly(chance: random.Random) -> Kind:
    from parable.formats.space import ANOMALY
    from parable.kinds.anomaly import MEASURES, score_item
    from parable.kinds.averages import score_all

    def alternative() -> list[Any]:
        return [{"role": role, **_span(chance)} for role in ("S1", "P1", "E1")]

    def score(gold: Any, given: Any) -> Scored:
        for one in MEASURES.values():
            found = score_all(gold, given, lambda a, b: score_item(a.alternatives, b.alternatives, one))  # noqa: B023 - called at once
        return len(found)

    return [_records([[alternative(), alternative()] for _ in range(TEXTS)]) for _ in "ab"], ANOMALY, score


def _step(chance: random.Random) -> Kind:
    from parable.formats.space import STEP
    from parable.kinds.averages import score_all
    from parable.kinds.step import ENTITY, ROLES, score_item

    def results() -> list[Any]:
        return [[{"role": role, "fragment": _span(chance)} for role in roles()] for _ in range(6)]

    def roles() -> list[str]:
        return [ENTITY, *chance.sample(ROLES[1:], 3)]

    def corefs() -> list[Any]:
        return [[_span(chance), _span(chance)]]

    def score(gold: Any, given: Any) -> Scored:
        return len(score_all(gold, given, lambda a, b: score_item(a.tuples, b.tuples, a.corefs)))

    return [_records([results() for _ in range(TEXTS)], more) for more in (corefs, None)], STEP, score


def _scene(chance: random.Random) -> Kind:
    from parable.formats.space import SCENE
    from parable.kinds.scene import score_all

    judged = [
        [{"judge": chance.choice(("true", "false")), "reason": _text(chance, 60)}] for _ in range(TEXTS)
    ]
    grades = {str(number): (5, 4) for number in range(TEXTS)}

    def score(gold: Any, given: Any) -> Scored:
        right, answers = (
            {name: one.judgements[0].is_same for name, one in side.items()} for side in (gold, given)
        )
        return score_all(right, answers, grades).n

    return [_records(judged), _records(judged[::-1])], SCENE, score


def _proverb(chance: random.Random) -> Kind:
    from parable.formats.epic import NARRATIVES
    from parable.kinds.proverb import LENGTHS, narrative_counts, score_alignment, split_letters
    from parable.kinds.proverb_overlap import mean_overlap

    words = ["".join(chance.choices("abcdefghij", k=5)) for _ in range(5000)]

    def row(number: int) -> dict[str, Any]:
        text, proverb = " ".join(chance.choices(words, k=65)), " ".join(chance.choices(words, k=8))
        spans = {f"span_{side}_{n}": "" for side in ("quote", "narrative") for n in range(1, 6)}
        spans |= {"span_quote_1": proverb[:12], "span_narrative_1": text[:60]}
        return {"pk": str(number), "fields": {"quote": proverb, "narrative": text, **spans}}

    def score(found: Any) -> Scored:
        pairs = [(one.proverb, one.text) for one in found.values()]
        for length in LENGTHS:
            mean_overlap(pairs, length, split_letters)
        scored = [score_alignment(one, one) for one in found.values()]
        return min(len(scored), narrative_counts(found.values()).narratives)

    return [json.dumps([row(number) for number in range(TEXTS)]).encode()], NARRATIVES, score


def _span(chance: random.Random) -> dict[str, Any]:
    first = chance.randrange(110)
    return {"text": _text(chance, 3), "idxes": [first, first + 1, first + 2]}


def _text(chance: random.Random, length: int) -> str:
    return "".join(chance.choices(SIGNS, k=length))


def _records(results: list[Any], corefs: Callable[[], Any] | None = None) -> bytes:
    lines = [
        {"qid": str(number), "results": one, **({"corefs": corefs()} if corefs else {})}
        for number, one in enumerate(results)
    ]
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines).encode()
