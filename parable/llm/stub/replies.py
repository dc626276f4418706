"""The responses of behaviours that answer at once: status, headers and body."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from parable.llm.stub.behaviours import Behaviour
from parable.llm.stub.morals import is_chinese, make_morals, wanted_count
from parable.llm.stub.servers import SERVERS
from parable.llm.tokens import estimate_tokens

HUGE_BYTES = 9_000_000
_BROKEN_BY = {
    "no_none_of_the_above": re.compile(
        r"^[A-H]\. (?:none of the above|以上都不对)", re.MULTILINE | re.IGNORECASE
    ),
    "no_absolute_terms": re.compile(r"^[A-H]\. .*(?:\balways\b|总是)", re.MULTILINE | re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class Question:
    """The parts of a request on which an answer depends; `key` is used only for echoing it."""

    model: str
    prompt: str
    schema: Mapping[str, object] | None
    key: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete HTTP response."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)


def make_reply(behaviour: Behaviour, question: Question) -> Reply:
    """Return the response to a request; behaviours that only delay get the response of `ok`."""
    if behaviour.name.isdigit():
        return _status(int(behaviour.name), question, behaviour.number)
    if said := SERVERS.get(behaviour.name):
        text = json.dumps(said.body, ensure_ascii=False).replace("@MODEL@", question.model)
        return Reply(said.status, text.encode("utf-8", "replace"))
    return _REPLIES.get(behaviour.name, _ok)(question)


def _ok(question: Question) -> Reply:
    morals = _morals(question)
    if question.schema is None:
        return _chat(question, _numbered(morals))
    properties = question.schema.get("properties")
    name = next(iter(properties), "candidates") if isinstance(properties, Mapping) else "candidates"
    return _chat(question, json.dumps({name: morals}, ensure_ascii=False))


def _json(question: Question) -> Reply:
    if is_chinese(question.prompt):
        before, after = "好的，以下是我拟的寓意：", "希望对你有帮助！"
    else:
        before, after = "Sure! Here are the morals you asked for:", "Let me know if you need more."
    text = json.dumps({"morals": _morals(question)}, ensure_ascii=False, indent=2)
    return _chat(question, f"{before}\n\n```json\n{text}\n```\n\n{after}")


def _think(question: Question) -> Reply:
    return _chat(
        question, f"<think>\n1. Read the story.\n2. List.\n</think>\n\n{_numbered(_morals(question))}"
    )


def _truncated(question: Question) -> Reply:
    text = json.dumps({"morals": _morals(question)}, ensure_ascii=False)
    return _chat(question, text[: len(text) - 8], finish="length")


def _letter(question: Question) -> Reply:
    """Return an answer with a letter.

    The prompt decides which: it is right about as often as by chance.
    """
    on_lines = re.findall(r"^([A-H])\. ", question.prompt, re.MULTILINE)
    letters = on_lines or re.findall(r"[\s:]([A-H])\. ", question.prompt) or ["A"]
    drawn = hashlib.sha256(f"{question.model}\n{question.prompt}".encode()).digest()[0]
    return _chat(question, letters[drawn % len(letters)])


def _judge(question: Question) -> Reply:
    """Return a judgement of an item: two rules are checked, and the prompt decides the rating."""
    broken = [rule for rule, option in _BROKEN_BY.items() if option.search(question.prompt)]
    if "yes or no" in question.prompt or "“是”或“否”" in question.prompt:
        return _chat(question, "yes" if broken else "no")
    drawn = hashlib.sha256(f"{question.model}\n{question.prompt}".encode()).digest()[0]
    return _chat(question, json.dumps({"broken": broken, "rating": drawn % 3}))


def _cut(question: Question) -> Reply:
    text = _numbered(_morals(question))
    return _chat(question, text[: len(text) - 8], finish="length")


def _status(status: int, question: Question, number: float | None) -> Reply:
    messages = {
        400: "This request cannot be taken: a parameter is out of range.",
        401: f"Incorrect API key provided: {question.key}.",
        402: "Insufficient Balance",
        403: "This key may not use the model.",
        404: f"The model `{question.model}` does not exist.",
        429: "Rate limit reached for requests.",
    }
    reply = _error(status, messages.get(status, "The server had an error."))
    if number is None:
        return reply
    return Reply(status, reply.body, (*reply.headers, ("Retry-After", f"{number:g}")))


def _quota(_: Question) -> Reply:
    reply = _error(429, "You exceeded your current quota.", "insufficient_quota")
    return Reply(reply.status, reply.body, (*reply.headers, ("Retry-After", "0")))


def _plain(question: Question) -> Reply:
    if question.schema is not None:
        return _error(400, "response_format of type json_schema is not supported")
    return _ok(question)


def _garbage(_: Question) -> Reply:
    page = b"<!doctype html><title>Welcome</title><p>Please sign in to the campus network."
    return Reply(200, page, (("Content-Type", "text/html"),))


def _morals(question: Question) -> tuple[str, ...]:
    return make_morals(question.prompt, question.model, wanted_count(question.prompt))


def _numbered(morals: tuple[str, ...]) -> str:
    return "\n".join(f"{number}. {moral}" for number, moral in enumerate(morals, start=1))


def _chat(question: Question, text: str | None, *, finish: str = "stop", refusal: str | None = None) -> Reply:
    prompt_tokens = estimate_tokens(question.prompt)
    completion_tokens = estimate_tokens(text or "")
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return _as_json(
        200,
        {
            "id": "stub",
            "object": "chat.completion",
            "created": 0,
            "model": question.model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {
                "prompt_tokens": prompt_tokens,
                "completion_tokens": completion_tokens,
                "total_tokens": prompt_tokens + completion_tokens,
            },
        },
    )


def _error(status: int, message: str, code: str | None = None) -> Reply:
    return _as_json(status, {"error": {"message": message, "type": "stub", "param": None, "code": code}})


def _as_json(status: int, value: object) -> Reply:
    return Reply(status, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


_REPLIES: Mapping[str, Callable[[Question], Reply]] = {
    "json": _json,
    "letter": _letter,
    "judge": _judge,
    "think": _think,
    "truncated": _truncated,
    "cut": _cut,
    "empty": lambda question: _chat(question, None, finish="length"),
    "quota": _quota,
    "plain": _plain,
    "garbage": _garbage,
    "notchat": lambda _: _as_json(200, {"hello": "world"}),
    "notjson": lambda _: Reply(200, b'{"id": "stub", "choices": [{"mess'),
    "refusal": lambda question: _chat(question, "", finish="content_filter"),
    "filter400": lambda _: _error(400, "Content Exists Risk", "content_filter"),
    "declined": lambda question: _chat(question, None, refusal="I cannot help with that."),
    "redirect": lambda _: Reply(302, b"", (("Location", "/elsewhere"),)),
    "huge": lambda _: Reply(200, b'{"choices": "' + b"a" * HUGE_BYTES),
}
