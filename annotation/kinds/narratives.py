"""The kind of narratives that illustrate a proverb, with pairs of corresponding spans in both texts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from django.http import QueryDict
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from annotation.content import ItemContent
from annotation.kinds.base import PlaceWords
from annotation.kinds.layers import LayerForm, Role, groups_in
from annotation.kinds.spans import SpanKind
from annotation.models import Narrative as NarrativeRow
from annotation.models import Revision
from parable.formats.limits import MAX_STORY_CHARS
from parable.kinds.mark_json import write_groups
from parable.kinds.marks import ALIGNMENT, Group, Groups
from parable.kinds.proverb import (
    LENGTHS,
    NARRATIVE,
    PROVERB,
    SLOTS,
    Narrative,
    anchored,
    from_marks,
    grams,
    likeness,
    overlap_of,
    score,
    split_letters,
)
from web.forms import stored_text
from web.rows import Columns, Row

CAPTION: Final = 80
"""The number of characters of a narrative that are its caption in a list."""
_NARRATIVE: Final = Columns(NarrativeRow, "revision_id", "text")

PAIRS: Final = LayerForm(
    code=ALIGNMENT,
    name=_("Aligned spans"),
    one=_("Pair {n}"),
    place="pair",
    roles=(
        Role(PROVERB, _("in the proverb"), "", "s", target=PROVERB),
        Role(NARRATIVE, _("in the narrative"), "", "p", target=NARRATIVE),
    ),
    most=SLOTS,
    spare=SLOTS,
)


class NarrativeKind(SpanKind):
    """The kind of narratives for a proverb. The story of an item is the proverb.

    The field `own` has the narrative and the pairs of spans.
    """

    look: ClassVar[str] = "narratives"
    folders: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("form_keys", "blind_keys", "blind_scripts", "ruling"), "spans"
    )
    prefetched: ClassVar[tuple[str, ...]] = ("spans", "narrative")
    layers: ClassVar[tuple[LayerForm, ...]] = (PAIRS,)

    def template(self, name: str) -> str:
        """Return the path of this kind's template; some templates are those of the kinds of marked spans."""
        return f"kinds/{self.folders.get(name, self.look)}/{name}.html"

    def value(self, story: str, own: Mapping[str, Any]) -> Narrative:
        """Return the proverb, the narrative and the pairs as a value for the checks."""
        return Narrative("", story, own.get(NARRATIVE, ""), from_marks(groups_in(own, ALIGNMENT)))

    def likeness(self, first: Group, second: Group) -> float:
        """Return the agreement of two pairs of spans over both texts, from 0 to 1."""
        return likeness(first, second)

    def score(self, gold: Groups, given: Groups, own: Mapping[str, Any]) -> float:
        """Return the F1 of the spans in the narrative.

        Spans are compared pair by pair, as sets of tokens.
        """
        del own
        return score(gold, given)

    def caption(self, content: ItemContent) -> str:
        """Return the beginning of the narrative."""
        return Truncator(content.own.get(NARRATIVE, "")).chars(CAPTION)

    # --- the narrative, and marks that follow it ---

    def read_own(self, data: QueryDict, layers: Sequence[LayerForm]) -> dict[str, Any]:
        """Return the posted pairs and, if the form has a field for it, the narrative."""
        own = super().read_own(data, layers)
        written = stored_text(data.get(NARRATIVE, ""))[:MAX_STORY_CHARS]
        return own | {NARRATIVE: written} if written else own

    def texts(self, data: QueryDict) -> dict[str, str]:
        """Return the posted proverb and narrative, by name of the text."""
        written = data.get(NARRATIVE) or data.get("marked_narrative", "")
        return {PROVERB: stored_text(data.get("marked_text", "")), NARRATIVE: stored_text(written)}

    def clean(self, own: object) -> dict[str, Any]:
        """Return the pairs and the narrative of a draft's JSON, without malformed parts."""
        written = own.get(NARRATIVE) if isinstance(own, Mapping) else None
        kept = {NARRATIVE: written[:MAX_STORY_CHARS]} if isinstance(written, str) and written else {}
        return super().clean(own) | kept

    def tidy(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """Return the pairs and the narrative as they are submitted."""
        return super().tidy(own) | ({NARRATIVE: own[NARRATIVE]} if own.get(NARRATIVE, "").strip() else {})

    def editor(
        self, own: Mapping[str, Any], layers: Sequence[LayerForm], *, story: str, language: str
    ) -> dict[str, Any]:
        """Return the context of the editor, with both texts and the overlap of their words."""
        written = own.get(NARRATIVE, "")
        form = super().editor(own, layers, story=story, language=language)
        form["marking"]["texts"] = [{"name": PROVERB}, {"name": NARRATIVE, "follows": "narrative"}]
        return form | {"narrative": written, "overlap": overlap_rows(story, written)}

    def plain_texts(self, own: Mapping[str, Any], story: str) -> dict[str, str]:
        """Return the saved proverb and narrative, by name of the text."""
        return {PROVERB: story, NARRATIVE: own.get(NARRATIVE, "")}

    def answer_form(
        self, content: ItemContent, own: Mapping[str, Any], *, story: str, language: str
    ) -> dict[str, Any]:
        """Return the context of the answer form: the narrative and the reviewer's pairs."""
        begun = {**own, NARRATIVE: content.own.get(NARRATIVE, "")}
        return self.editor(begun, self.layers, story=story, language=language)

    def blind(self, content: ItemContent, drawn: Sequence[int]) -> dict[str, Any]:
        """Return the blind context with the narrative but without the pairs."""
        return super().blind(content, drawn) | {NARRATIVE: content.own.get(NARRATIVE, "")}

    def rows(self, revision: Revision, content: ItemContent) -> Iterator[Row]:
        """Yield the narrative's row, then the rows of the pairs.

        The positions of the pairs are determined again.
        """
        written = content.own.get(NARRATIVE, "")
        yield _NARRATIVE, (revision.pk, written)
        texts = {PROVERB: revision.story_revision.text, NARRATIVE: written}
        own = {**content.own, ALIGNMENT: write_groups(anchored(groups_in(content.own, ALIGNMENT), texts))}
        yield from super().rows(revision, ItemContent(own=own))

    def own_of(self, revision: Revision) -> dict[str, Any]:
        """Return the pairs and the narrative of a revision."""
        return super().own_of(revision) | {NARRATIVE: revision.narrative.text}

    def compared(self, before: ItemContent, after: ItemContent) -> Iterator[PlaceWords]:
        """Yield the narrative of both contents, then each pair of both."""
        yield PlaceWords(NARRATIVE, 0, before.own.get(NARRATIVE, ""), after.own.get(NARRATIVE, ""))
        yield from super().compared(before, after)

    def solved_context(self, content: ItemContent, given: Any) -> dict[str, Any]:
        """Return the context of `SpanKind`, plus the narrative."""
        return super().solved_context(content, given) | {NARRATIVE: content.own.get(NARRATIVE, "")}


def overlap_rows(proverb: str, narrative: str) -> list[tuple[int, int, float]]:
    """Return (n, number of shared n-grams, Jaccard index) of two texts for each n."""
    first, second = split_letters(proverb), split_letters(narrative)
    found = [(length, overlap_of(grams(first, length), grams(second, length))) for length in LENGTHS]
    return [(length, int(one.shared), one.jaccard) for length, one in found]


NARRATIVE_KIND: Final = NarrativeKind()
