"""What a scripted model answers, one after another: plain, wordy, marked, cut short, undecided, declining."""

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
