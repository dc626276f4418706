"""What a scripted model answers, one after another: plain, wordy, marked, cut short, undecided, declining.

Where the folder that it is started in has `answers.json`, it answers prompts as that file says, and a script
that loads a release prints what the harness makes of these answers, by task and metric.
"""

import json
from pathlib import Path

_ANSWERS = Path("answers.json")
KNOWN = json.loads(_ANSWERS.read_text(encoding="utf-8")) if _ANSWERS.exists() else {}
SAID = (
    "The answer is A, since the story says so.",
    "B",
    "**C**",
    "",
    "It is A or D, I am not sure.",
    "I cannot answer that.",
    "答案：B",
)


def said(number: int) -> str:
    """Return the answer to the question of this number, from 0."""
    return SAID[number % len(SAID)]
