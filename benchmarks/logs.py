"""Logs of 200,000 answers to as many items, scored as a person does it, by `parable score`.

Each log is grown from one that the tool itself wrote (`tests/parable/foreign`): its first answer, with the
words of another item each time. The totals are compared with what the log's own verdicts add up to, where it
has any, else with the letters that it calls gold. Memory is that of the whole command. Time is that of
reading the answers alone and finding their items, on fewer answers, beside Inspect's own reader where its
environment is there (`make harnesses`), else beside Python's `json`, which no promise is about.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch

import zstandard

from benchmarks.lines import Line, line, skipped
from parable.formats.asked_items import Words
from parable.formats.responses import read_responses
from parable.formats.zip_directory import ZSTANDARD, read_directory, read_member

BENCH = "logs"
BASE: Final = Path(__file__).resolve().parent.parent
FILES: Final = BASE / "tests" / "parable" / "foreign"
INSPECT: Final = BASE / ".venv-harnesses" / "inspect_ai" / "bin" / "python"
ANSWERS = int(os.environ.get("PARABLE_BENCH_ANSWERS", "200000"))
COMPARED = 4_000
WINDOWS = 3
MOST_MEGABYTES = 300.0
MOST_SHARE = 0.2
LONGEST = 64 * 1024 * 1024
ITEMS_A_STORY = 8
ITEMS_A_FILE = 50_000
ID, LETTERS = "small-fables-c-{:06}", "ABCD"
MORE = "The day was long and the road was dusty, and neither would give way to the other. " * 3

ANSWER, KEY = "<answer>", "<key>"
RIGHT, IS_RIGHT, VERDICT = "<1 or 0>", "<true or false>", "<C or I>"
"""What stands in a sample for an answer, for the right letter, and for verdicts in each form."""

Sample = dict[str, Any]


def measure() -> Iterator[Line]:
    """Each tool's log is written, read, and removed again, since some take a gigabyte."""
    with TemporaryDirectory() as folder:
        release = Path(folder) / "release"
        write_release(release)
        for log in LOGS:
            place = Path(folder) / log.name
            path = log.write(place, ANSWERS)
            yield from measure_score(log, path, release)
            rmtree(place)
            yield from measure_reading(log, place)


def key_of(number: int) -> int:
    """Return the position of the right option of an item."""
    return number * 7 % 4


def given(number: int) -> int:
    """Return the position that the model chose: two of three are right."""
    return key_of(number) if number % 3 else (key_of(number) + 1 + number % 2) % 4


def total(answers: int) -> int:
    """Return how many answers are right."""
    return sum(given(number) == key_of(number) for number in range(1, answers + 1))


def words(number: int) -> dict[str, str]:
    """Return what stands in an item in place of the words of the first item of the small release."""
    story, place = divmod(number, ITEMS_A_STORY)
    return {
        "crow number 0.": f"crow number {story}. {MORE}",
        "fox 0 do thing 0": f"fox {story} do thing {place}",
        "commonsense 0, 0,": f"commonsense {story}, {place},",
        ID.format(1): ID.format(number),
        "tale-0": f"tale-{story}",
    }


def write_release(folder: Path) -> None:
    """Write as many items as there are answers, all of them different."""
    (folder / "test").mkdir(parents=True)
    for start in range(1, ANSWERS + 1, ITEMS_A_FILE):
        numbers = range(start, min(start + ITEMS_A_FILE, ANSWERS + 1))
        with (folder / "test" / f"commonsense-{start:06}.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(item(number))}\n" for number in numbers)


def item(number: int) -> Sample:
    """Return the line of an item in a release."""
    [text] = grown(json.dumps(ITEM), [number])
    found: Sample = json.loads(text)
    return found


ITEM: Final = {
    "id": ID.format(1),
    "source_id": "",
    "task": "commonsense",
    "split": "test",
    "story_id": "tale-0",
    "title": "A tale",
    "story": "The fox met crow number 0.\nThey spoke of cheese.",
    "question": "Why did fox 0 do thing 0?",
    "choices": [f"because of commonsense 0, 0, {letter}" for letter in "bcda"],
    "answer_letter": KEY,
    "types": ["social"],
    "style": "human",
    "generators": [],
    "explanation": None,
    "language": "en",
    "canary": "dbb442df-1391-5bf1-b025-f6679ba1fa25",
}


def grown(text: str, numbers: range | list[int]) -> Iterator[str]:
    """Yield the JSON of a sample with the words, the answer and the verdict of each of these items."""
    for number in numbers:
        found = text
        for old, new in words(number).items():
            found = found.replace(old, new)
        key, answer = key_of(number), given(number)
        found = found.replace(ANSWER, LETTERS[answer]).replace(KEY, LETTERS[key])
        is_right = answer == key
        for slot, value in ((RIGHT, float(is_right)), (IS_RIGHT, is_right), (VERDICT, "IC"[is_right])):
            found = found.replace(json.dumps(slot), json.dumps(value))
        yield found


def first_line(path: Path) -> Sample:
    """Return the first sample of a file of lines."""
    with path.open(encoding="utf-8") as file:
        found: Sample = json.loads(file.readline())
    return found


def write_lines(path: Path, sample: Sample, answers: int) -> Path:
    """Write a file of lines, one an answer."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{one}\n" for one in grown(json.dumps(sample), range(1, answers + 1)))
    return path


def write_members(path: Path, ends: tuple[str, str], sample: Sample, answers: int, name: str = "") -> Path:
    """Write a list of samples between two ends, or of members named by their number, indented."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.write(ends[0])
        for number, one in enumerate(grown(json.dumps(sample, indent=2), range(1, answers + 1))):
            file.write(",\n" * bool(number) + (name % number if name else "") + one)
        file.write(ends[1])
    return path


def write_lm_eval(folder: Path, answers: int) -> Path:
    """Write the samples of lm-evaluation-harness, generated."""
    [source] = FILES.glob("samples_*_gen_*.jsonl")
    sample = first_line(source) | {"resps": [[ANSWER]], "filtered_resps": [ANSWER], "target": KEY}
    return write_lines(folder / source.name, sample | {"acc": RIGHT}, answers)


def write_evalscope(folder: Path, answers: int) -> Path:
    """Write the reviews of EvalScope."""
    source = next((FILES / "evalscope" / "reviews").rglob("*.jsonl"))
    sample = first_line(source)
    score = sample["sample_score"]["score"]
    score |= {"value": {"accuracy": RIGHT}, "prediction": ANSWER, "extracted_prediction": ANSWER}
    sample["messages"][-1]["content"] = ANSWER
    return write_lines(folder / "reviews" / "letter" / source.name, sample, answers)


def write_helm(folder: Path, answers: int) -> Path:
    """Write the state of a run of HELM, and the statistics of its instances beside it."""
    held = json.loads((FILES / "helm" / "scenario_state.json").read_text(encoding="utf-8"))
    sample = held.pop("request_states")[0]
    sample["result"]["completions"][0]["text"] = ANSWER
    before = json.dumps(held)[:-1] + ', "request_states": ['
    statistics = json.loads((FILES / "helm" / "per_instance_stats.json").read_text(encoding="utf-8"))[0]
    for one in statistics["stats"]:
        if one["name"]["name"] == "exact_match":
            one |= {"mean": RIGHT, "sum": RIGHT}
    write_members(folder / "per_instance_stats.json", ("[", "]"), statistics, answers)
    return write_members(folder / "scenario_state.json", (before, "]}"), sample, answers)


def write_opencompass(folder: Path, answers: int) -> Path:
    """Write the predictions of OpenCompass."""
    source = next((FILES / "opencompass").rglob("*.json"))
    sample = json.loads(source.read_text(encoding="utf-8"))["0"] | {"prediction": ANSWER, "gold": KEY}
    path = folder / "predictions" / "letter-7b" / source.name
    return write_members(path, ("{", "}"), sample, answers, name='"%d": ')


def write_every_eval_ever(folder: Path, answers: int) -> Path:
    """Write records of Every Eval Ever."""
    [source] = (FILES / "every_eval_ever").glob("*_samples.jsonl")
    sample = first_line(source)
    sample["output"]["raw"], sample["input"]["reference"] = [ANSWER], [KEY]
    sample["evaluation"] |= {"score": RIGHT, "is_correct": IS_RIGHT}
    return write_lines(folder / source.name, sample, answers)


def write_inspect(folder: Path, answers: int) -> Path:
    """Write a log of Inspect, each sample a member compressed by Zstandard; `zipfile` does it from 3.14."""
    source = FILES / "inspect_moral.eval"
    folder.mkdir(parents=True, exist_ok=True)
    header, sample = unpacked(source)
    text = json.dumps(sample | {"id": ID.format(1)}).replace(str(sample["id"]), ID.format(1))
    text = text.replace("moral 0, 0,", "commonsense 0, 0,").replace(
        str(sample["output"]["completion"]), ANSWER
    )
    text = text.replace('"value": "I"', f'"value": {json.dumps(VERDICT)}')
    path = folder / source.name
    packed = patch.multiple(
        zipfile,
        _check_compression=lambda _method: None,
        _get_compressor=lambda *_method: zstandard.ZstdCompressor().compressobj(),
    )
    with packed, zipfile.ZipFile(path, "w", ZSTANDARD) as archive:
        archive.writestr("header.json", json.dumps(header))
        for number, one in enumerate(grown(text, range(1, answers + 1)), start=1):
            archive.writestr(f"samples/{ID.format(number)}_epoch_1.json", one)
    return path


def unpacked(path: Path) -> tuple[Sample, Sample]:
    """Return the header and the first sample of a log of Inspect."""
    with path.open("rb") as file:
        found = {one.name: one.numbers for one in read_directory(file)}
        names = ("header.json", next(name for name in found if name.startswith("samples/")))
        header, sample = (json.loads(read_member(file, found[name], LONGEST)) for name in names)
    return header, sample


@dataclass(frozen=True, slots=True)
class Log:
    """A tool's log: who writes it, and how the tool's own reader, or `json`, reads it.

    `imports` and `call` are run by `python` with the path in `path`; `is_tool` where they are the tool's.
    """

    name: str
    write: Callable[[Path, int], Path]
    imports: str = "import json"
    call: str = "[json.loads(line) for line in open(path, encoding='utf-8')]"
    python: Path = Path(sys.executable)
    has_verdicts: bool = True
    is_tool: bool = False


WHOLE: Final = "json.load(open(path, encoding='utf-8'))"
LOGS: Final = (
    Log("lm_eval", write_lm_eval),
    Log(
        "inspect_ai",
        write_inspect,
        imports="from inspect_ai.log import read_eval_log",
        call="read_eval_log(path)",
        python=INSPECT,
        is_tool=True,
    ),
    Log("evalscope", write_evalscope),
    Log("helm", write_helm, call=WHOLE),
    Log("opencompass", write_opencompass, call=WHOLE, has_verdicts=False),
    Log("every_eval_ever", write_every_eval_ever),
)


def measure_score(log: Log, path: Path, release: Path) -> Iterator[Line]:
    """The whole command: its totals beside those of the log, its memory and its time."""
    program = (
        "import sys, time; from parable.__main__ import main; from benchmarks.site import most_memory;"
        " code = main(sys.argv[1:]); print(most_memory(), time.process_time(), file=sys.stderr);"
        " sys.exit(code)"
    )
    command = [sys.executable, "-c", program, "score", str(path), "--release", str(release), "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=BASE)  # noqa: S603 - ours
    memory, seconds = map(float, done.stderr.split()[-2:])
    said = json.loads(done.stdout.splitlines()[-1])
    [scores] = said["models"].values()
    found = scores["commonsense"]
    apart = abs(found["correct"] - total(ANSWERS)) + abs(found["n"] - ANSWERS)
    yield line(BENCH, log.name, "totals_apart", apart, "answers", most=0)
    if log.has_verdicts:
        [judged] = said["tool_judged"].values()
        alike = judged["judged"] - len(judged["differences"])
        yield line(BENCH, log.name, "judged_alike", alike, "answers", least=ANSWERS)
    yield line(BENCH, log.name, "peak_memory", round(memory), "MB", most=MOST_MEGABYTES)
    yield line(BENCH, log.name, "score_processor_time", round(seconds, 1), "s")


def measure_reading(log: Log, folder: Path) -> Iterator[Line]:
    """Reading a shorter log of the tool, in turns; imports are not counted."""
    if not log.python.is_file():
        yield skipped(BENCH, log.name, "its environment is not there (make harnesses)")
        return
    path = log.write(folder, COMPARED)
    ours, theirs = [], []
    for _window in range(WINDOWS):
        call = f"read({COMPARED}, path)"
        ours.append(processor_time(Path(sys.executable), "from benchmarks.logs import read", call, path))
        theirs.append(processor_time(log.python, log.imports, log.call, path))
    shares = [one / other for one, other in zip(ours, theirs, strict=True)]
    each = [round(median(times) / COMPARED * 1e6) for times in (ours, theirs)]
    yield line(BENCH, log.name, "reading", each[0], "us an answer", beside=each[1])
    if log.is_tool:
        yield line(BENCH, log.name, "share_of_tool", round(median(shares), 3), "share", most=MOST_SHARE)


def read(answers: int, path: str) -> None:
    """Read the answers of a log, and find their items."""
    items = [item(number) for number in range(1, answers + 1)]
    words = [Words(one["id"], one["story"], one["question"], tuple(one["choices"])) for one in items]
    found = read_responses(
        [Path(path)], options={one["id"]: len(one["choices"]) for one in items}, words=words
    )
    assert len(found.records) == answers, found.errors


def processor_time(python: Path, imports: str, call: str, path: Path) -> float:
    """Return the seconds of the processor that a call takes in a process of its own."""
    program = (
        f"import sys, time; {imports}; path = sys.argv[1]; begun = time.process_time(); {call};"
        " print(time.process_time() - begun)"
    )
    done = subprocess.run(  # noqa: S603 - a program of ours
        [python, "-c", program, str(path)], check=True, capture_output=True, text=True, cwd=BASE
    )
    return float(done.stdout.split()[-1])
