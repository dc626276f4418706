"""The interface of a kind of item: its form, rows, blind view and release fields."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from django.http import QueryDict

from annotation.content import ItemContent
from annotation.models import Revision
from parable.formats.records import ItemRecord
from parable.kinds.comparison import Pick
from parable.quality.item import Finding, ItemView
from web.rows import Row


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """A blind answer as the form posted it.

    `answer` is a value of `review.models.Answer`, or "" if nothing was chosen. Positions count from 0 in the
    order drawn for the reviewer. `own`: an answer that is not a choice of options, cleaned by the kind.
    """

    answer: str = ""
    position: int | None = None
    several: tuple[int, ...] = ()
    own: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class AnswerRows:
    """The rows of an answer that consists of spans or of a judgement, as values by column."""

    spans: Sequence[Mapping[str, Any]] = ()
    judgement: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of comparing a blind answer with the item's answer; `score` is from 0 to 1."""

    is_correct: bool
    score: float


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A sentence for the reviewer that compares the answers, and its tone: `good` or `careful`."""

    label: str
    tone: str


class PlaceWords(NamedTuple):
    """The text of one part of an item before and after a change; `number` counts repeated parts from 1."""

    place: str
    number: int
    before: str
    after: str


class ItemKind(ABC):
    """The interface of a kind: how its items are written, stored, solved and released.

    One stateless instance serves all items.

    `ItemContent` has the fields common to all kinds: stem, types, explanation, reasons for warnings. Its
    field `own` has the fields of this kind alone, as a JSON mapping. The kind cleans `own` when a draft is
    saved, converts it to database rows when the draft is submitted, and reads it back from these rows.

    Templates are fragments in `templates/kinds/<look>/`. They are included with the context of their page and
    the kind's `form_context`, `blind.shown` or `shown`. Required are `form` for writing and `form_keys`, its
    shortcut keys; `words`, which compares two drafts; `wording`, a revision with its key; `blind` for
    answering and `blind_keys`; `solved`, displayed after the answer. Optional are `form_scripts` and
    `blind_scripts`; `edit`, if reviewers may propose a wording (`read_edit`); `picks`, suggestions to choose
    from below a new story.
    """

    look: ClassVar[str]
    """The folder of the kind's templates."""
    borrowed: ClassVar[Mapping[str, str]] = {}
    """The folders of other kinds whose templates this kind uses, by name of the template."""
    fragments: ClassVar[tuple[str, ...]] = (
        "form", "form_keys", "words", "wording", "blind", "blind_keys", "solved",
    )  # fmt: skip
    """The names of the kind's templates."""
    is_compared_with_words: ClassVar[bool] = True
    """Whether `compare` needs the texts of the content, and not only which options are keys."""
    merges: ClassVar[bool] = False
    """Whether an adjudicator may merge an answer from the item's answer and the reviewers' answers."""
    prefetched: ClassVar[tuple[str, ...]] = ()
    """The relations of a revision, besides options and types, that `own_of` and `wording.html` read."""

    def template(self, name: str) -> str:
        """Return the path of one of the kind's templates."""
        return f"kinds/{self.borrowed.get(name, self.look)}/{name}.html"

    @property
    def paths(self) -> dict[str, str]:
        """The paths of all templates of the kind, by name."""
        return {name: self.template(name) for name in self.fragments}

    # --- the desk ---

    def begun(self, story: str) -> dict[str, object]:
        """Return the initial `own` of a new draft."""
        del story
        return {}

    @abstractmethod
    def read_form(self, data: QueryDict) -> ItemContent:
        """Return the content posted by the writing form, complete or not."""

    def form_context(self, content: ItemContent, *, story: str, language: str) -> dict[str, object]:
        """Return the context that `form.html` needs besides the draft, as plain values."""
        del content, story, language
        return {}

    def clean(self, own: object) -> dict[str, object]:
        """Return the field `own`, as read from a draft's JSON, without malformed parts."""
        del own
        return {}

    def is_blank(self, content: ItemContent) -> bool:
        """Return whether everything except the stem is empty."""
        return not (content.explanation or content.own or any(option.text for option in content.options))

    def caption(self, content: ItemContent) -> str:
        """Return the caption of an item in lists, or "". It must not reveal the answer."""
        return content.stem

    def find(self, item: ItemView, content: ItemContent) -> Iterable[Finding]:
        """Return the findings of the kind's own checks, in addition to those of `parable.quality.item`."""
        del item, content
        return ()

    # --- the rows of a revision ---

    @abstractmethod
    def rows(self, revision: Revision, content: ItemContent) -> Iterable[Row]:
        """Return the unsaved rows of a revision; rows come after the rows to which they refer."""

    def own_of(self, revision: Revision) -> dict[str, object]:
        """Read the field `own` of a revision from its rows."""
        del revision
        return {}

    @abstractmethod
    def compared(self, before: ItemContent, after: ItemContent) -> Iterable[PlaceWords]:
        """Return the texts of each part in both contents, in the order of the form.

        Equal parts are included.
        """

    # --- review ---

    @abstractmethod
    def places(self, content: ItemContent) -> int:
        """Return the number of options or parts that are shuffled for each reviewer."""

    @abstractmethod
    def blind(self, content: ItemContent, drawn: Sequence[int]) -> dict[str, object]:
        """Return the context of `blind.html`, with parts in the order `drawn`.

        It must not reveal the answer.
        """

    def answer_form(
        self, content: ItemContent, own: Mapping[str, Any], *, story: str, language: str
    ) -> dict[str, object]:
        """Return the context that `blind.html` needs to continue the draft answer `own`."""
        del content, own, story, language
        return {}

    def answer_layers(self) -> list[dict[str, object]]:
        """Return the layers of marks that an answer can have, with their roles; none by default."""
        return []

    @abstractmethod
    def read_answer(self, data: QueryDict) -> GivenAnswer:
        """Return the blind answer posted by a form."""

    @abstractmethod
    def refuse_answer(self, given: GivenAnswer, places: int) -> None:
        """Raise `core.errors.Unusable`, naming the field, if the answer is missing or malformed.

        `places` is the number of options or parts.
        """

    def refuse_marks(self, given: GivenAnswer, content: ItemContent, story: str) -> None:
        """Raise `core.errors.Unusable` if the answer does not fit the texts of the item."""
        del given, content, story

    def answer_rows(self, own: Mapping[str, Any]) -> AnswerRows:
        """Return the rows of an answer that is not a choice of options.

        By default there are no rows.
        """
        del own
        return AnswerRows()

    def read_rows(self, rows: AnswerRows) -> dict[str, object]:
        """Return the answer stored in these rows, in the form of `GivenAnswer.own`."""
        del rows
        return {}

    def stored_positions(self, given: GivenAnswer) -> Sequence[int]:
        """Return the positions to store for an answer that consists of several options."""
        return sorted(set(given.several))

    @abstractmethod
    def compare(self, given: GivenAnswer, content: ItemContent, drawn: Sequence[int]) -> Comparison:
        """Return the result of comparing a blind answer with the item's answer."""

    @abstractmethod
    def answer_sentence(self, given: GivenAnswer, *, is_correct: bool) -> AnswerSentence:
        """Return a friendly sentence that compares the answer with the item's answer.

        It is in the reader's language.
        """

    def solved_context(self, content: ItemContent, given: GivenAnswer | None) -> dict[str, object]:
        """Return the context of `solved.html` besides options: the item's and the reviewer's answer."""
        del content, given
        return {}

    def read_edit(self, data: QueryDict, before: ItemContent, drawn: Sequence[int]) -> ItemContent:
        """Return the wording that a reviewer proposes, with options in the writer's order.

        Only kinds with the fragment `edit` are asked.
        """
        raise NotImplementedError

    def proposed(self, sent: Mapping[str, Any], before: ItemContent) -> ItemContent:
        """Return the wording that a program proposes: `before`, with the parts that it sends.

        `sent` may have `stem`, `options`, `explanation` and `own`. Options are in the order of `before`.
        Raise `core.errors.Unusable` if their number differs. Only kinds with the fragment `edit` are asked.
        """
        raise NotImplementedError

    def merged(self, answers: Sequence[Mapping[str, Any]], picks: Iterable[Pick]) -> dict[str, object]:
        """Return `own` with an answer merged from the picked groups.

        `answers` begins with the item's answer. Raise `ValueError` if a pick names an answer or group that
        does not exist. Only kinds that merge are asked.
        """
        raise NotImplementedError

    def beside(
        self, answers: Sequence[tuple[str, Mapping[str, Any]]], picked: Collection[Pick]
    ) -> dict[str, object]:
        """Return the context of `ruling.html`.

        `answers` are pairs of an author's name and an answer, the item's answer first.
        """
        del answers, picked
        return {}

    @abstractmethod
    def changes_answer(self, before: ItemContent, after: ItemContent) -> bool:
        """Return whether an edit changes the answer, so that the item must be solved again."""

    # --- release and import ---

    @abstractmethod
    def answer_fields(self, content: ItemContent) -> dict[str, Any]:
        """Return the fields of `ItemRecord` that hold the question's parts and the answer."""

    @abstractmethod
    def content_of(self, record: ItemRecord) -> ItemContent:
        """Return the content of an imported item."""
