"""What the site must know of a kind of item: its form, its rows, what is solved blind, what is released."""

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
    """A blind answer as its form sent it.

    `answer` is one of `review.models.Answer`, "" where none was chosen. Positions count from 0 in the order
    drawn for the reviewer. `own`: an answer that is no positions, as the kind cleans it.
    """

    answer: str = ""
    position: int | None = None
    several: tuple[int, ...] = ()
    own: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class AnswerRows:
    """An answer that is no positions, as rows have it: marks, or a judgement; by the names of columns."""

    spans: Sequence[Mapping[str, Any]] = ()
    judgement: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a blind answer compares with the item's own: the same or not, and from 0 to 1 how near."""

    is_correct: bool
    score: float


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """What a reviewer is shown of the comparison, and its tone: `good` or `careful`."""

    label: str
    tone: str


class PlaceWords(NamedTuple):
    """What two contents say at one place of the form; `number` from 1 where the place has several."""

    place: str
    number: int
    before: str
    after: str


class ItemKind(ABC):
    """How items of one kind are written, kept, solved and released. It has no state: one instance serves all.

    What items of all kinds have is in `ItemContent` itself: stem, types, explanation, answers to warnings.
    What a kind has beside options is in its `own`, a mapping that JSON can hold: the kind cleans it when a
    draft is saved, makes rows of it when the draft is submitted, and reads it back from those rows.

    Templates are in `templates/kinds/<look>/`, a fragment each, included with the context of its page,
    which has the kind's `form_context`, `blind.shown` or `shown`. Every kind has: `form` on the desk and
    `form_keys`, its single keys; `words`, what a sheet says beside another; `wording`, a revision to be read
    with its key; `blind` to be answered and `blind_keys`; `solved` after the answer. It may have:
    `form_scripts`, `blind_scripts`; `edit`, where a reviewer may propose a wording (`read_edit`); `picks`, to
    choose under a new story.
    """

    look: ClassVar[str]
    """The folder of its templates."""
    borrowed: ClassVar[Mapping[str, str]] = {}
    """By fragment, the folder of another kind's template that it has in place of its own."""
    fragments: ClassVar[tuple[str, ...]] = (
        "form", "form_keys", "words", "wording", "blind", "blind_keys", "solved",
    )  # fmt: skip
    """The templates that it has."""
    is_compared_with_words: ClassVar[bool] = True
    """Whether `compare` reads more of the content than which options are keys."""
    merges: ClassVar[bool] = False
    """Whether an adjudicator may put an answer together of the item's own and those of its reviewers."""
    prefetched: ClassVar[tuple[str, ...]] = ()
    """The relations of a revision that `own_of` and `wording.html` read beside options and types."""

    def template(self, name: str) -> str:
        """The path of one of its templates."""
        return f"kinds/{self.borrowed.get(name, self.look)}/{name}.html"

    @property
    def paths(self) -> dict[str, str]:
        """The paths of all its templates by their names, for the pages that include them."""
        return {name: self.template(name) for name in self.fragments}

    # --- the desk ---

    def begun(self, story: str) -> dict[str, object]:
        """The kind's part of a sheet on which nothing is typed."""
        del story
        return {}

    @abstractmethod
    def read_form(self, data: QueryDict) -> ItemContent:
        """What the form of the desk says, whole or not."""

    def form_context(self, content: ItemContent, *, story: str, language: str) -> dict[str, object]:
        """What `form.html` needs beside the sheet: plain values."""
        del content, story, language
        return {}

    def clean(self, own: object) -> dict[str, object]:
        """The kind's part of a draft's JSON, read leniently: what is not of its shape counts as not there."""
        del own
        return {}

    def is_blank(self, content: ItemContent) -> bool:
        """Whether nothing was typed, the stem aside."""
        return not (content.explanation or content.own or any(option.text for option in content.options))

    def caption(self, content: ItemContent) -> str:
        """What names an item in a list and gives nothing of its answer away; "" where nothing does."""
        return content.stem

    def find(self, item: ItemView, content: ItemContent) -> Iterable[Finding]:
        """What is wrong with an item of this kind beside what the checks of `parable.quality.item` find."""
        del item, content
        return ()

    # --- the rows of a revision ---

    @abstractmethod
    def rows(self, revision: Revision, content: ItemContent) -> Iterable[Row]:
        """The rows that belong to a revision, not written yet, those that others point at first."""

    def own_of(self, revision: Revision) -> dict[str, object]:
        """The kind's part of the content, read back from the rows of a revision."""
        del revision
        return {}

    @abstractmethod
    def compared(self, before: ItemContent, after: ItemContent) -> Iterable[PlaceWords]:
        """What two contents say place by place, in the order of the form, whether it differs or not."""

    # --- review ---

    @abstractmethod
    def places(self, content: ItemContent) -> int:
        """How many things are shown to each reviewer in an order drawn for them; 0 where nothing is."""

    @abstractmethod
    def blind(self, content: ItemContent, drawn: Sequence[int]) -> dict[str, object]:
        """What `blind.html` may show before the answer, in the drawn order: never what is to be found out."""

    def answer_form(
        self, content: ItemContent, own: Mapping[str, Any], *, story: str, language: str
    ) -> dict[str, object]:
        """What `blind.html` needs of an answer that is no positions, begun as `own`, to go on with it."""
        del content, own, story, language
        return {}

    @abstractmethod
    def read_answer(self, data: QueryDict) -> GivenAnswer:
        """The blind answer that a form sent."""

    @abstractmethod
    def refuse_answer(self, given: GivenAnswer, places: int) -> None:
        """Raise `core.errors.Unusable`, naming the field, where this is no answer."""

    def refuse_marks(self, given: GivenAnswer, content: ItemContent, story: str) -> None:
        """Raise `core.errors.Unusable` where an answer does not fit the item's texts."""
        del given, content, story

    def answer_rows(self, own: Mapping[str, Any]) -> AnswerRows:
        """The rows of an answer that is no positions."""
        del own
        return AnswerRows()

    def read_rows(self, rows: AnswerRows) -> dict[str, object]:
        """The answer that these rows are, as `read_answer` gave it."""
        del rows
        return {}

    def kept_positions(self, given: GivenAnswer) -> Sequence[int]:
        """The positions of an answer that names several, as they are kept."""
        return sorted(set(given.several))

    @abstractmethod
    def compare(self, given: GivenAnswer, content: ItemContent, drawn: Sequence[int]) -> Comparison:
        """A blind answer beside the item's own."""

    @abstractmethod
    def answer_sentence(self, given: GivenAnswer, *, is_correct: bool) -> AnswerSentence:
        """How the answer compares, said kindly, in the reader's language."""

    def shown(self, content: ItemContent, given: GivenAnswer | None) -> dict[str, object]:
        """What `solved.html` shows beside options: the item's own answer beside the one given, if any was."""
        del content, given
        return {}

    def read_edit(self, data: QueryDict, before: ItemContent, drawn: Sequence[int]) -> ItemContent:
        """The wording that a reviewer proposes, back in the writer's order."""
        raise NotImplementedError

    def merged(self, answers: Sequence[Mapping[str, Any]], picks: Iterable[Pick]) -> dict[str, object]:
        """The kind's part of the content with what was picked of these answers, the item's own first.

        Raises ValueError where a pick names something that there is not.
        """
        raise NotImplementedError

    def beside(
        self, answers: Sequence[tuple[str, Mapping[str, Any]]], picked: Collection[Pick]
    ) -> dict[str, object]:
        """What `ruling.html` shows of answers by the names of who gave them, the item's own first."""
        del answers, picked
        return {}

    @abstractmethod
    def changes_answer(self, before: ItemContent, after: ItemContent) -> bool:
        """Whether an edit changes what is to be found out, so that nobody has solved the item yet."""

    # --- release and import ---

    @abstractmethod
    def answer_fields(self, content: ItemContent) -> dict[str, Any]:
        """The fields of `ItemRecord` that say what a release asks and what is right."""

    @abstractmethod
    def content_of(self, record: ItemRecord) -> ItemContent:
        """What a file says of an item, as its content."""
