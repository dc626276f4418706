"""Small files of our own in the layouts of public repositories, each with the content to be read from it.

The fables and their questions are our own; the repository and file with the same layout are named with each.
"""

import csv
import io
import json
from dataclasses import dataclass
from typing import Any

CROW = "A thirsty crow found a jug with little water. It dropped pebbles into it until it could drink."
HARE = "A hare laughed at a tortoise and slept on the way. The tortoise walked on and came first."
OX = "农夫在田里捡到一只撞树的兔子，从此放下锄头，天天守着树。"
LINES = ("F: The grapes hang too high.", "M: Then say that they are sour.")

Meant = tuple[str, str, tuple[str, ...], int | None]
"""Story, stem, options, and position of the key."""

WHO = (CROW, "Who was thirsty?", ("the hare", "the crow", "the jug", "the tree"), 1)
WHY = (CROW, "Why did it drop pebbles?", ("to raise the water", "to play", "to sleep", "to sing"), 0)
FIRST = (HARE, "Who came first?", ("the hare", "nobody", "the fox", "the tortoise"), 3)
SLEPT = (HARE, "Who slept?", ("the tortoise", "the fox", "the hare", "nobody"), 2)
FARMER = (OX, "农夫后来做了什么？", ("继续种田", "守着树", "去集市", "养兔子"), 1)
RABBIT = (OX, "兔子撞上了什么？", ("石头", "墙", "树", "锄头"), 2)
FOUR = (WHO, WHY, FIRST, SLEPT)
CHINESE = (FARMER, RABBIT)


@dataclass(frozen=True)
class Foreign:
    """A file in another project's layout; `mapping` and `import_mapping` are the `--map` that it needs."""

    name: str
    source: str
    data: bytes
    meant: tuple[Meant, ...]
    mapping: str = ""
    import_mapping: str = ""

    @property
    def for_import(self) -> str:
        return self.import_mapping or self.mapping

    @property
    def row(self) -> str:
        """Its row in the documentation's table."""
        said = [self.mapping, self.import_mapping if self.import_mapping != self.mapping else ""]
        visible = [
            one.partition("story:")[0] + "story:WORDS" if "story:" in one else one for one in said if one
        ]
        return f"| {self.source} | {'; '.join(f'`{one}`' for one in visible) or 'nothing'} |"


def lines(*rows: object) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def whole(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2).encode()


def table(header: str, *rows: tuple[object, ...], separator: str = ",") -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator)
    writer.writerows([header.split(","), *rows] if header else rows)
    return text.getvalue().encode()


def without_story(*meant: Meant) -> tuple[Meant, ...]:
    return tuple(("", *one[1:]) for one in meant)


def letter(one: Meant) -> str:
    return "ABCDEFGH"[one[3] or 0]


def key(one: Meant) -> str:
    return one[2][one[3] or 0]


def wrong(one: Meant) -> list[str]:
    return [text for text in one[2] if text != key(one)]


def right_first(*meant: Meant) -> tuple[Meant, ...]:
    return tuple((one[0], one[1], (key(one), *wrong(one)), 0) for one in meant)


def two(*meant: Meant) -> tuple[Meant, ...]:
    """Return items with only the key and one distractor, in their original order."""
    cut = [(one, sorted([one[3] or 0, (one[3] or 0) + (1 if not one[3] else -1)])) for one in meant]
    return tuple((one[0], one[1], tuple(one[2][n] for n in at), at.index(one[3] or 0)) for one, at in cut)


def _passages() -> list[tuple[str, str, tuple[Meant, ...]]]:
    return [("crow", CROW, (WHO, WHY)), ("hare", HARE, (FIRST, SLEPT))]


def _flat(one: Meant, **more: Any) -> dict[str, Any]:
    return {"question": one[1], **more}


TOLD = "The fables of a jug and of a race."
CONTINUED = "What comes next?"

FOREIGN = (
    Foreign(
        "race.json",
        "RACE: dev/high/1.txt, lists side by side (as read by the repository race-AR-baselines)",
        whole(
            [
                {
                    "answers": [letter(one) for one in meant],
                    "options": [list(one[2]) for one in meant],
                    "questions": [one[1] for one in meant],
                    "article": story,
                    "id": f"{name}.txt",
                }
                for name, story, meant in _passages()
            ]
        ),
        FOUR,
    ),
    Foreign(
        "dream.json",
        "DREAM (nlpdata, dream): data/dev.json, a list of three for each dialogue, the key by its words",
        whole(
            [
                [
                    list(LINES),
                    [
                        {
                            "question": "What hangs high?",
                            "choice": ["a jug", "the grapes", "a crow"],
                            "answer": "the grapes",
                        }
                    ],
                    "1-7",
                ],
                [
                    list(LINES[::-1]),
                    [
                        {
                            "question": "What are they called?",
                            "choice": ["sweet", "sour", "old"],
                            "answer": "sour",
                        }
                    ],
                    "2-9",
                ],
            ]
        ),
        (
            ("\n".join(LINES), "What hangs high?", ("a jug", "the grapes", "a crow"), 1),
            ("\n".join(LINES[::-1]), "What are they called?", ("sweet", "sour", "old"), 1),
        ),
    ),
    Foreign(
        "c3-m-dev.json",
        "C3 (nlpdata, c3): data/c3-m-dev.json, a list of three for each passage",
        whole(
            [
                [
                    [OX],
                    [{"question": one[1], "choice": list(one[2]), "answer": key(one)} for one in CHINESE],
                    "m-1",
                ]
            ]
        ),
        CHINESE,
    ),
    Foreign(
        "cosmos.csv",
        "Cosmos QA (wilburOne, cosmosqa): data/valid.csv, options from 0",
        table(
            "id,context,question,answer0,answer1,answer2,answer3,label",
            *((f"q{n}", one[0], one[1], *one[2], one[3]) for n, one in enumerate(FOUR)),
        ),
        FOUR,
    ),
    Foreign(
        "social.jsonl",
        "Social IQa (as in many repositories with its lines and labels joined): answerA to answerC",
        lines(
            *(
                {
                    "context": one[0],
                    "question": one[1],
                    "answerA": one[2][0],
                    "answerB": one[2][1],
                    "answerC": one[2][2],
                    "label": str((one[3] or 0) + 1),
                }
                for one in (WHO, WHY, SLEPT)
            )
        ),
        tuple((one[0], one[1], one[2][:3], one[3]) for one in (WHO, WHY, SLEPT)),
    ),
    Foreign(
        "logiqa.txt",
        "LogiQA (lgw863, LogiQA-dataset): Test.txt, blocks of lines",
        "".join(
            f"\n{letter(one).lower()}\n{one[0]}\n{one[1]}\n"
            + "".join(f"{mark}.{text}\n" for mark, text in zip("ABCD", one[2], strict=True))
            for one in FOUR
        ).encode(),
        FOUR,
    ),
    Foreign(
        "logiqa2.txt",
        "LogiQA 2.0 (csitfun, LogiQA2.0): logiqa/DATA/LOGIQA/dev.txt, lines with a number from 0",
        lines(
            *(
                {
                    "id": n,
                    "answer": one[3],
                    "text": one[0],
                    "type": {"Categorical Reasoning": True},
                    "question": one[1],
                    "options": list(one[2]),
                }
                for n, one in enumerate(FOUR)
            )
        ),
        FOUR,
    ),
    Foreign(
        "reclor.json",
        "ReClor (yuweihao, reclor): val.json, options called answers",
        whole(
            [
                {
                    "context": one[0],
                    "question": one[1],
                    "answers": list(one[2]),
                    "label": one[3],
                    "id_string": f"val_{n}",
                }
                for n, one in enumerate(FOUR)
            ]
        ),
        FOUR,
    ),
    Foreign(
        "mctest.tsv",
        "MCTest (mcobzarenco, mctest): data/MCTest/mc160.dev.tsv, keys in another file",
        table(
            "",
            *(
                (
                    f"mc.dev.{n}",
                    "Author: 1;Work Time(s): 9",
                    story.replace(". ", ".\\newline"),
                    *(cell for one in meant for cell in (f"multiple: {one[1]}", *one[2])),
                )
                for n, (_name, story, meant) in enumerate(_passages())
            ),
            separator="\t",
        ),
        tuple((one[0].replace(". ", ".\n"), one[1], one[2], None) for one in FOUR),
    ),
    Foreign(
        "quail.jsonl",
        "QuAIL (text-machine-lab, quail): quail_v1.3/json/challenge.jsonl, an id of the option from 0",
        lines(
            *(
                {
                    "id": f"f1_{n}",
                    "question_type": "Factual",
                    "question": one[1],
                    "answers": list(one[2]),
                    "correct_answer_id": str(one[3]),
                    "metadata": {"author": "us", "title": "A fable", "url": "none"},
                    "domain": "fiction",
                    "context_id": "f1" if one[0] == CROW else "f2",
                    "context": one[0],
                }
                for n, one in enumerate(FOUR)
            )
        ),
        FOUR,
    ),
    Foreign(
        "quality.jsonl",
        "QuALITY (nyu-mll, quality): data/v1.0.1 dev, a passage a line with a list of questions, from 1",
        lines(
            *(
                {
                    "article_id": name,
                    "set_unique_id": f"{name}_X",
                    "title": f"The {name}",
                    "article": story,
                    "questions": [
                        {
                            "question": one[1],
                            "question_unique_id": f"{name}_{n}",
                            "options": list(one[2]),
                            "writer_label": 1,
                            "gold_label": (one[3] or 0) + 1,
                            "difficult": 0,
                        }
                        for n, one in enumerate(meant)
                    ],
                }
                for name, story, meant in _passages()
            )
        ),
        FOUR,
    ),
    Foreign(
        "ceval.csv",
        "C-Eval (hkust-nlp, ceval): dev CSV with explanation; no passages",
        table(
            "id,question,A,B,C,D,answer,explanation",
            *((n, one[1], *one[2], letter(one), "见原文。") for n, one in enumerate(CHINESE)),
        ),
        without_story(*CHINESE),
        import_mapping=f"story:{OX}",
    ),
    Foreign(
        "cmmlu.csv",
        "CMMLU (haonan-li, CMMLU): data/dev, the first column without a name; no passages",
        table(
            ",Question,A,B,C,D,Answer", *((n, one[1], *one[2], letter(one)) for n, one in enumerate(CHINESE))
        ),
        without_story(*CHINESE),
        import_mapping=f"story:{OX}",
    ),
    Foreign(
        "gaokao.json",
        "GAOKAO-Bench (OpenLMLab): Data/Objective_Questions, options within the question, the key in a list",
        whole(
            {
                "keywords": "fables",
                "example": [
                    {
                        "year": "2026",
                        "category": "（甲卷）",
                        "question": f"{one[1]}\n"
                        + "\n".join(f"{mark}．{text}" for mark, text in zip("ABCD", one[2], strict=True))
                        + "\n",
                        "answer": [letter(one)],
                        "analysis": "见原文。",
                        "index": n,
                        "score": 2,
                    }
                    for n, one in enumerate(CHINESE)
                ],
            }
        ),
        without_story(*CHINESE),
        import_mapping=f"story:{OX}",
    ),
    Foreign(
        "agieval.jsonl",
        "AGIEval (ruixiangcui, AGIEval): data/v1, letters typed before the options, the key as label",
        lines(
            *(
                {
                    "passage": one[0],
                    "question": one[1],
                    "options": [f"({m}){text}" for m, text in zip("ABCD", one[2], strict=True)],
                    "label": letter(one),
                    "answer": None,
                    "other": None,
                }
                for one in FOUR
            )
        ),
        FOUR,
    ),
    Foreign(
        "arc.jsonl",
        "ARC and OpenBookQA (allenai): a question with stem and choices of text and label, some from 1",
        lines(
            *(
                {
                    "id": f"a{n}",
                    "question": {
                        "stem": one[1],
                        "choices": [
                            {"text": t, "label": "1234"[k] if n % 2 else "ABCD"[k]}
                            for k, t in enumerate(one[2])
                        ],
                    },
                    "answerKey": str((one[3] or 0) + 1) if n % 2 else letter(one),
                }
                for n, one in enumerate(FOUR)
            )
        ),
        without_story(*FOUR),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "arc_hub.jsonl",
        "ARC as the Hub writes it: choices as two lists",
        lines(
            *(
                {
                    "id": f"a{n}",
                    "question": one[1],
                    "choices": {"text": list(one[2]), "label": list("ABCD")},
                    "answerKey": letter(one),
                }
                for n, one in enumerate(FOUR)
            )
        ),
        without_story(*FOUR),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "hellaswag.jsonl",
        "HellaSwag (rowanz, hellaswag): data/hellaswag_val.jsonl, endings of a context; no stems",
        lines(
            *(
                {
                    "ind": n,
                    "activity_label": "Fables",
                    "ctx_a": one[0],
                    "ctx_b": "",
                    "ctx": one[0],
                    "split": "val",
                    "split_type": "indomain",
                    "label": one[3],
                    "endings": list(one[2]),
                    "source_id": f"own~{n}",
                }
                for n, one in enumerate(FOUR)
            )
        ),
        tuple((one[0], CONTINUED, one[2], one[3]) for one in FOUR),
        mapping=f"stem:{CONTINUED}",
    ),
    Foreign(
        "swag.csv",
        "SWAG (rowanz, swagaf): data/val.csv, a nameless first column and endings from 0; no stems",
        table(
            ",video-id,fold-ind,startphrase,sent1,sent2,gold-source,ending0,ending1,ending2,ending3,label",
            *((n, f"own{n}", n, one[0], one[0], "", "gold", *one[2], one[3]) for n, one in enumerate(FOUR)),
        ),
        tuple((one[0], CONTINUED, one[2], one[3]) for one in FOUR),
        mapping=f"stem:{CONTINUED}",
    ),
    Foreign(
        "piqa.jsonl",
        "PIQA (ybisk, its pages): a goal and two solutions, with the label joined; no passages",
        lines(
            *({"goal": one[1], "sol1": one[2][0], "sol2": one[2][1], "label": one[3]} for one in two(*FOUR))
        ),
        without_story(*two(*FOUR)),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "cloze.csv",
        "Story Cloze (as in repositories that read its CSV): four sentences, two endings, from 1; no stems",
        table(
            "InputStoryid,InputSentence1,InputSentence2,InputSentence3,InputSentence4,RandomFifthSentenceQuiz1,RandomFifthSentenceQuiz2,AnswerRightEnding",
            *(
                (
                    f"s{n}",
                    "A crow was thirsty.",
                    "It found a jug.",
                    f"It had {n + 3} pebbles.",
                    "It dropped them in.",
                    "It flew on thirsty.",
                    "It drank.",
                    2,
                )
                for n in range(2)
            ),
        ),
        tuple(
            (
                f"A crow was thirsty. It found a jug. It had {n + 3} pebbles. It dropped them in.",
                CONTINUED,
                ("It flew on thirsty.", "It drank."),
                1,
            )
            for n in range(2)
        ),
        mapping=f"stem:{CONTINUED}",
    ),
    Foreign(
        "copa.jsonl",
        "COPA of SuperGLUE (nyu-mll, jiant): val.jsonl, a premise and two choices, from 0",
        lines(
            *(
                {
                    "premise": one[0],
                    "choice1": one[2][0],
                    "choice2": one[2][1],
                    "question": "cause" if n % 2 else "effect",
                    "label": one[3],
                    "idx": n,
                }
                for n, one in enumerate(two(*FOUR))
            )
        ),
        tuple((one[0], "cause" if n % 2 else "effect", one[2], one[3]) for n, one in enumerate(two(*FOUR))),
    ),
    Foreign(
        "mmlu_dev.csv",
        "MMLU (hendrycks, test): data/dev, no header at all; no passages",
        table("", *((one[1], *one[2], letter(one)) for one in FOUR)),
        without_story(*FOUR),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "sciq.json",
        "SciQ (as in many repositories): the right answer apart from distractor1 to distractor3",
        whole(
            [
                {
                    "question": one[1],
                    "distractor1": wrong(one)[0],
                    "distractor2": wrong(one)[1],
                    "distractor3": wrong(one)[2],
                    "correct_answer": key(one),
                    "support": one[0],
                }
                for one in FOUR
            ]
        ),
        right_first(*FOUR),
    ),
    Foreign(
        "medmcqa.json",
        "MedMCQA (medmcqa): dev.json, opa to opd and cop from 1; no passages",
        lines(
            *(
                {
                    "question": one[1],
                    "exp": "By the fable.",
                    "cop": (one[3] or 0) + 1,
                    "opa": one[2][0],
                    "opb": one[2][1],
                    "opc": one[2][2],
                    "opd": one[2][3],
                    "subject_name": "Fables",
                    "id": f"m{n}",
                    "choice_type": "single",
                }
                for n, one in enumerate(FOUR)
            )
        ),
        without_story(*FOUR),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "truthful.json",
        "TruthfulQA (sylinrl): data/mc_task.json, options as names with 0 or 1; no passages",
        whole(
            [
                {"question": one[1], "mc1_targets": {text: int(n == one[3]) for n, text in enumerate(one[2])}}
                for one in FOUR
            ]
        ),
        without_story(*FOUR),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "mutual_dev_1.txt",
        "MuTual (Nealcly): data/mutual/dev/dev_1.txt, one object a file, its letter called answers; no stems",
        lines({"answers": letter(WHO), "options": list(WHO[2]), "article": WHO[0], "id": "dev_1"}),
        ((WHO[0], CONTINUED, WHO[2], WHO[3]),),
        mapping=f"stem:{CONTINUED}",
    ),
    Foreign(
        "bigbench_task.json",
        "BIG-bench (google): task.json, examples with target_scores; no passages",
        whole(
            {
                "name": "fables",
                "description": "Our fables.",
                "metrics": ["multiple_choice_grade"],
                "examples": [
                    {
                        "input": one[1],
                        "target_scores": {text: int(n == one[3]) for n, text in enumerate(one[2])},
                    }
                    for one in FOUR
                ],
            }
        ),
        without_story(*FOUR),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "bbh.json",
        "BIG-Bench Hard (suzgunmirac): bbh/ruin_names.json, options in the input, key as (B); no passages",
        whole(
            {
                "examples": [
                    {
                        "input": f"{one[1]}\nOptions:\n"
                        + "\n".join(f"({m}) {t}" for m, t in zip("ABCD", one[2], strict=True)),
                        "target": f"({letter(one)})",
                    }
                    for one in FOUR
                ]
            }
        ),
        without_story(*FOUR),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "opentdb.json",
        "Open Trivia DB as quiz apps keep it: results with correct_answer and incorrect_answers; no passages",
        whole(
            {
                "response_code": 0,
                "results": [
                    {
                        "type": "multiple",
                        "difficulty": "easy",
                        "category": "Fables",
                        "question": one[1],
                        "correct_answer": key(one),
                        "incorrect_answers": wrong(one),
                    }
                    for one in FOUR
                ],
            }
        ),
        right_first(*FOUR)[:0] or without_story(*right_first(*FOUR)),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "quiz_flags.json",
        "Quiz services (QuestionService of several): questions within a quiz, options with isCorrect",
        whole(
            {
                "quiz": {
                    "title": "Fables",
                    "questions": [
                        {
                            "id": f"q{n}",
                            "type": "single_choice",
                            "prompt": one[1],
                            "passage": one[0],
                            "options": [
                                {"id": m, "text": t, "isCorrect": k == one[3]}
                                for k, (m, t) in enumerate(zip("abcd", one[2], strict=True))
                            ],
                        }
                        for n, one in enumerate(FOUR)
                    ],
                }
            }
        ),
        FOUR,
    ),
    Foreign(
        "scienceqa.json",
        "ScienceQA (lupantech): problems.json, an object for each id, with hint, split and a number from 0",
        whole(
            {
                str(n): {
                    "question": one[1],
                    "choices": list(one[2]),
                    "answer": one[3],
                    "hint": one[0],
                    "image": None,
                    "task": "closed choice",
                    "grade": "grade2",
                    "split": "train" if n else "val",
                    "solution": "By the fable.",
                }
                for n, one in enumerate(FOUR)
            }
        ),
        FOUR,
    ),
    Foreign(
        "belebele.jsonl",
        "Belebele (facebookresearch): one file a language, mc_answer1 to mc_answer4, numbers from 1",
        lines(
            *(
                {
                    "link": "https://example.org",
                    "question_number": n,
                    "flores_passage": one[0],
                    "question": one[1],
                    **{f"mc_answer{k}": t for k, t in enumerate(one[2], start=1)},
                    "correct_answer_num": str((one[3] or 0) + 1),
                    "dialect": "eng_Latn",
                    "ds": "2026-11-28",
                }
                for n, one in enumerate(FOUR, start=1)
            )
        ),
        FOUR,
    ),
    Foreign(
        "aqua.json",
        "AQuA (deepmind): dev.json, letters typed before options, rationale and correct; no passages",
        lines(
            *(
                {
                    "question": one[1],
                    "options": [f"{m}){t}" for m, t in zip("ABCD", one[2], strict=True)],
                    "rationale": "By the fable.",
                    "correct": letter(one),
                }
                for one in FOUR
            )
        ),
        without_story(*FOUR),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "mathqa.json",
        "MathQA: dev.json, all options in one text, the letter small; no passages",
        whole(
            [
                {
                    "Problem": one[1],
                    "Rationale": "by the fable",
                    "options": " , ".join(f"{m} ) {t}" for m, t in zip("abcd", one[2], strict=True)),
                    "correct": letter(one).lower(),
                    "category": "general",
                }
                for one in FOUR
            ]
        ),
        without_story(*FOUR),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "jecqa.jsonl",
        "JEC-QA (thunlp): lines with statement, option_list by letter and the answer in a list; no passages",
        lines(
            *(
                {
                    "id": f"3_{n}",
                    "statement": one[1],
                    "option_list": dict(zip("ABCD", one[2], strict=True)),
                    "answer": [letter(one)],
                    "subject": None,
                    "type": "0",
                }
                for n, one in enumerate(CHINESE)
            )
        ),
        without_story(*CHINESE),
        import_mapping=f"story:{OX}",
    ),
    Foreign(
        "tiku.json",
        "Chinese question banks of exam apps: 题干, 选项1 to 选项4, 正确答案, with 材料 above the questions",
        whole(
            [
                {
                    "材料": OX,
                    "题目列表": [
                        {
                            "题干": one[1],
                            **{f"选项{k}": t for k, t in enumerate(one[2], start=1)},
                            "正确答案": letter(one),
                            "解析": "见原文。",
                        }
                        for one in CHINESE
                    ],
                }
            ]
        ),
        CHINESE,
    ),
    Foreign(
        "tiku.csv",
        "Chinese question banks as tables: 题目 with all options in one cell, 答案 as a letter",
        table(
            "序号,材料,题目,选项,答案,解析",
            *(
                (
                    n,
                    one[0],
                    one[1],
                    "|".join(f"{m}.{t}" for m, t in zip("ABCD", one[2], strict=True)),
                    letter(one),
                    "见原文。",
                )
                for n, one in enumerate(CHINESE, start=1)
            ),
        ),
        CHINESE,
    ),
    Foreign(
        "react_quiz.json",
        "React quiz apps: questions with options and correctOption from 0; no passages",
        whole(
            {
                "questions": [
                    {"question": one[1], "options": list(one[2]), "correctOption": one[3], "points": 10}
                    for one in FOUR
                ]
            }
        ),
        without_story(*FOUR),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "race.jsonl",
        "RACE as the Hub writes it: a line a question, with the article in each",
        lines(
            *(
                {
                    "example_id": f"high{n}.txt",
                    "article": one[0],
                    "answer": letter(one),
                    "question": one[1],
                    "options": list(one[2]),
                }
                for n, one in enumerate(FOUR)
            )
        ),
        FOUR,
    ),
    Foreign(
        "c3.jsonl",
        "C3 as the Hub writes it: an object of lists side by side within a passage",
        lines(
            {
                "id": "m-1",
                "context": [OX],
                "questions": {
                    "question": [one[1] for one in CHINESE],
                    "choice": [list(one[2]) for one in CHINESE],
                    "answer": [key(one) for one in CHINESE],
                },
            }
        ),
        CHINESE,
    ),
    Foreign(
        "musr.json",
        "MuSR (Zayne-sprague): a narrative called context with its questions, from 0, and trees beside them",
        whole(
            [
                {
                    "context": story,
                    "questions": [
                        {
                            "question": one[1],
                            "answer": one[3],
                            "choices": list(one[2]),
                            "intermediate_trees": [{"nodes": [{"value": "fable", "children": []}]}],
                        }
                        for one in meant
                    ],
                }
                for _name, story, meant in _passages()
            ]
        ),
        FOUR,
    ),
    Foreign(
        "anli.jsonl",
        "Abductive NLI (allenai): two observations, two hypotheses, with the label joined, from 1; no stems",
        lines(
            *(
                {
                    "story_id": f"s{n}",
                    "obs1": "A crow was thirsty.",
                    "obs2": f"It drank {n + 2} times.",
                    "hyp1": ("It dropped pebbles.", "It flew away.")[n],
                    "hyp2": ("It flew away.", "It dropped pebbles.")[n],
                    "label": str(1 + n),
                }
                for n in range(2)
            )
        ),
        (
            ("A crow was thirsty. It drank 2 times.", CONTINUED, ("It dropped pebbles.", "It flew away."), 0),
            ("A crow was thirsty. It drank 3 times.", CONTINUED, ("It flew away.", "It dropped pebbles."), 1),
        ),
        mapping=f"stem:{CONTINUED}",
    ),
    Foreign(
        "figqa.csv",
        "Fig-QA (nightingal3): dev.csv, startphrase, two endings and labels from 0; no stems",
        table(
            "startphrase,ending1,ending2,labels,valid,qid",
            *((one[0], *one[2], one[3], 1, n) for n, one in enumerate(two(*FOUR))),
        ),
        tuple((one[0], CONTINUED, one[2], one[3]) for one in two(*FOUR)),
        mapping=f"stem:{CONTINUED}",
    ),
    Foreign(
        "winogrande.jsonl",
        "WinoGrande (allenai): a sentence with a gap, two options, the answer as text from 1; no passages",
        lines(
            *(
                {
                    "qID": f"w{n}",
                    "sentence": f"_ {end}",
                    "option1": "The crow",
                    "option2": "The hare",
                    "answer": n,
                }
                for n, end in (("1", "was thirsty."), ("2", "was fast."))
            )
        ),
        (
            ("", "_ was thirsty.", ("The crow", "The hare"), 0),
            ("", "_ was fast.", ("The crow", "The hare"), 1),
        ),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "mmlu_pro.jsonl",
        "MMLU-Pro (TIGER-Lab): options, a letter and its number from 0; no passages",
        lines(
            *(
                {
                    "question_id": 70 + n,
                    "question": one[1],
                    "options": list(one[2]),
                    "answer": letter(one),
                    "answer_index": one[3],
                    "cot_content": "",
                    "category": "fables",
                    "src": "own",
                }
                for n, one in enumerate(FOUR)
            )
        ),
        without_story(*FOUR),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "gpqa.csv",
        "GPQA (idavidrein): Correct Answer, Incorrect Answer 1 to 3, older wordings beside them; no passages",
        table(
            "Pre-Revision Question,Pre-Revision Correct Answer,Pre-Revision Incorrect Answer 1,Question,"
            "Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3,Explanation,Record ID",
            *(
                (
                    f"Old: {one[1]}",
                    f"Old: {key(one)}",
                    "Old",
                    one[1],
                    key(one),
                    *wrong(one),
                    "By the fable.",
                    n,
                )
                for n, one in enumerate(FOUR)
            ),
        ),
        without_story(*right_first(*FOUR)),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "headqa.json",
        "HEAD-QA (aghie): exams by name, qtext, answers with aid and atext, the right one as ra; no passages",
        whole(
            {
                "version": "1.0",
                "language": "en",
                "exams": {
                    "fables_1": {
                        "name": "fables_1",
                        "year": "2026",
                        "data": [
                            {
                                "qid": str(n),
                                "qtext": one[1],
                                "ra": str((one[3] or 0) + 1),
                                "answers": [{"aid": k, "atext": t} for k, t in enumerate(one[2], start=1)],
                                "image": "",
                            }
                            for n, one in enumerate(FOUR, start=1)
                        ],
                    }
                },
            }
        ),
        without_story(*FOUR),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "made_mcqs.json",
        "Quizzes that models write for apps: an object for each number, mcq, options by letter; no passages",
        whole(
            {
                str(n): {
                    "no": str(n),
                    "mcq": one[1],
                    "options": dict(zip("abcd", one[2], strict=True)),
                    "correct": letter(one).lower(),
                }
                for n, one in enumerate(FOUR, start=1)
            }
        ),
        without_story(*FOUR),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "kahoot.csv",
        "Kahoot's template: Answer 1 to 4, a time limit, Correct answer(s) from 1; no passages",
        table(
            "Question,Answer 1,Answer 2,Answer 3,Answer 4,Time limit (sec),Correct answer(s)",
            *((one[1], *one[2], 20, (one[3] or 0) + 1) for one in FOUR),
        ),
        without_story(*FOUR),
        import_mapping=f"story:{TOLD}",
    ),
    Foreign(
        "gimkit.csv",
        "Gimkit's template: Correct Answer apart, Incorrect Answer 2 (Optional); no passages",
        table(
            "Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2 (Optional),"
            "Incorrect Answer 3 (Optional)",
            *((one[1], key(one), *wrong(one)) for one in FOUR),
        ),
        without_story(*right_first(*FOUR)),
        import_mapping=f"story:{TOLD}",
    ),
)
