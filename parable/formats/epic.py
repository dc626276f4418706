"""The layouts of the published files of ePiC: proverbs, and narratives with aligned spans."""

from typing import Final

from parable.formats.layouts import Layout, Written
from parable.formats.nodes import Node
from parable.kinds.proverb import SLOTS, Narrative, Proverb, SpanPair

_NUMBERS: Final = range(1, SLOTS + 1)


def _read_narrative(row: Node) -> Narrative:
    fields = row.member("fields")
    return Narrative(
        id=row.member("pk").line(),
        proverb=fields.member("quote").text(),
        text=fields.member("narrative").text(),
        slots=tuple(
            SpanPair(fields.member(f"span_quote_{n}").text(), fields.member(f"span_narrative_{n}").text())
            for n in _NUMBERS
        ),
    )


def _write_narrative(one: Narrative) -> Written:
    fields: Written = {"quote": one.proverb, "narrative": one.text}
    fields |= {f"span_quote_{n}": one.slots[n - 1].proverb for n in _NUMBERS}
    fields |= {f"span_narrative_{n}": one.slots[n - 1].narrative for n in _NUMBERS}
    return {"pk": one.id, "fields": fields}


PROVERBS: Final[Layout[Proverb]] = Layout(
    "epic-proverbs",
    ("quote_id", "quote"),
    lambda row: Proverb(row.member("quote_id").line(), row.member("quote").text()),
    lambda one: {"quote_id": one.id, "quote": one.text},
    is_list=True,
)
NARRATIVES: Final = Layout(
    "epic-narratives", ("pk", "fields"), _read_narrative, _write_narrative, is_list=True
)
