"""The answer file of `evaluate`: JSON lines, read by the next run so that no question is asked twice.

`NAME.asked.json` beside it records how questions were asked: model, server, prompts, orders, parameters.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from parable.formats.responses import served_of
from parable.system import lock_alone

Place = tuple[str, int, int]
"""The item id, the repeat (from 1) and the rotation (from 0) of an answer."""


BEGINNING: Final = b'{"model": '
"""The first bytes of each line; an incomplete last line is removed only if it begins with them."""


class UnusableFileError(Exception):
    """Raised if a file cannot be continued; the message names the file and, if known, the line."""


@dataclass(frozen=True, slots=True)
class Given:
    """An answer in the file; `outcome` is "refused" if the server's filter stopped it.

    `served` has the server's report on the answer, with the fields of `parable.formats.responses.SERVED`.
    """

    item: str
    repeat: int
    rotation: int
    order: tuple[int, ...]
    text: str
    outcome: str = ""
    served: Mapping[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> Place:
        """The question's identity: item, repeat and rotation."""
        return self.item, self.repeat, self.rotation

    def as_json(self, model: str, asked: str) -> dict[str, object]:
        """Return the answer as the object of its line.

        `asked` is the hash of the settings, from `way_of`.
        """
        line: dict[str, object] = {
            "model": model,
            "item_id": self.item,
            "repeat": self.repeat,
            "rotation": self.rotation,
            "order": list(self.order),
            "text": self.text,
            "asked": asked,
        }
        return line | ({"outcome": self.outcome} if self.outcome else {}) | dict(self.served)


def way_of(settings: Mapping[str, Any]) -> str:
    """Return a short hash of the settings except the server's address, which may change."""
    data = {name: value for name, value in settings.items() if name != "base_url"}
    canonical = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


class AnswerFile:
    """A file of answers that a later run can continue; only one process may write to it at a time."""

    def __init__(self, path: Path, *, model: str, settings: Mapping[str, Any]) -> None:
        self.path = path
        self._model = model
        self._settings = settings
        self._asked = way_of(settings)
        self.given: dict[Place, Given] = {}

    def __enter__(self) -> Self:
        """Open the file, read its answers, and remove a last line that a killed run left half-written.

        Raise UnusableFileError for lines that Parable did not write, for answers to other settings, or if the
        file cannot be written.
        """
        with ExitStack() as opened:
            try:
                self._file = opened.enter_context(self.path.open("a+b"))
                lock_alone(self._file.fileno())
                self._read()
                settings = json.dumps(self._settings, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
                self.path.with_suffix(".asked.json").write_text(settings, encoding="utf-8", newline="\n")
            except BlockingIOError as error:
                raise UnusableFileError(f"{self.path}: another run is writing to this file.") from error
            except OSError as error:
                raise UnusableFileError(f"{self.path}: cannot be written: {error.strerror}.") from error
            opened.pop_all()  # the context manager closes it
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, given: Given) -> None:
        """Append an answer to the file; it is stored even if the process is killed afterwards."""
        line = json.dumps(given.as_json(self._model, self._asked), ensure_ascii=False) + "\n"
        self._file.write(line.encode("utf-8", "replace"))
        self._file.flush()
        self.given[given.place] = given

    def _read(self) -> None:
        self._file.seek(0)
        content = self._file.read()
        whole = content[: content.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), start=1):
            given = self._given(number, line)
            self.given[given.place] = given
        if rest := content[len(whole) :]:
            if not rest.startswith(BEGINNING[: len(rest)]):
                raise UnusableFileError(
                    f"{self.path}: its last line is none that evaluate began. Name another file with --out."
                )
            self._file.truncate(len(whole))
        self._file.seek(0, os.SEEK_END)

    def _given(self, number: int, line: bytes) -> Given:
        try:
            row = json.loads(line)
            given = Given(
                item=str(row["item_id"]),
                repeat=int(row["repeat"]),
                rotation=int(row["rotation"]),
                order=tuple(int(place) for place in row["order"]),
                text=str(row["text"]),
                outcome=str(row.get("outcome", "")),
                served=served_of(row),
            )
            model, asked = row["model"], row["asked"]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise UnusableFileError(
                f"{self.path}, line {number}: this is no answer that evaluate wrote. Name another file with"
                " --out."
            ) from error
        if (model, asked) != (self._model, self._asked):
            raise UnusableFileError(
                f"{self.path}, line {number}: this was asked in another way (model, prompt, order, seed or"
                " parameters). Ask in the same way to go on, or name another file with --out."
            )
        return given

    def of_places(self, places: Iterator[Place] | list[Place]) -> list[Given]:
        """Return the stored answers to these questions, in the same order.

        Unanswered questions are skipped.
        """
        return [self.given[place] for place in places if place in self.given]
