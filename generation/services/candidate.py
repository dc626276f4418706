"""Service that parses a model's answer and saves its candidates.

Many answers arrive per second, so nothing is queried twice.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from django.db import connection
from django.utils import timezone

from corpus.models import StoryRevision
from generation.models import PromptTemplate, Purpose, StemQuestion
from generation.similarity import flags
from jobs.errors import NO_CANDIDATES
from jobs.models import Call, EndpointKind
from parable.formats.options import normalise_option
from parable.llm.proposals import parse_candidates

# A batch processes stories in order, and stories imported together have consecutive ids.
BLOCK: Final = 64
# A wording never changes, but a story's language may be corrected.
BLOCK_SECONDS: Final = 60.0
CUT: Final = "length"

# One row for each proposal, in the order given.
_KEEP: Final = """
INSERT INTO generation_candidate (project_id, story_id, story_revision_id, template_id, endpoint_id, call_id,
                                  generator, created_at, position, text, normalised, flags)
SELECT %(project)s, %(story)s, %(revision)s, %(template)s, %(endpoint)s, %(call)s,
       %(generator)s, %(now)s, one.place - 1, one.text, one.normalised, one.flags::jsonb
FROM unnest(%(texts)s::text[], %(normalised)s::text[], %(flags)s::text[])
     WITH ORDINALITY AS one(text, normalised, flags, place)
"""


@dataclass(frozen=True, slots=True)
class Wording:
    """The parts of a story revision with which candidates are compared."""

    revision: int
    story: int
    project: int
    language: str
    text: str
    moral: str


def keep_candidates(call: Call) -> str:
    """Save the candidates in a call's answer. Return "", or the code of the reason if there are none.

    A call is answered once, so it has no candidates yet; the database would refuse further ones.
    """
    template, pk = _template(call.subject["template"]), call.subject["story_revision"]
    # the revision is read and cached together with those of neighbouring ids
    known = _block(pk // BLOCK, int(time.monotonic() / BLOCK_SECONDS)).get(pk)
    wording = known or _read_wordings(pk, pk)[pk]
    is_cut = call.subject.get("finish_reason") == CUT
    parsed = parse_candidates(call.raw_response, wanted=template.wanted, is_cut=is_cut)
    if not parsed.candidates:
        return NO_CANDIDATES
    right = wording.moral
    if template.purpose == Purpose.WRONG_OPTIONS:  # compared with the key of their stem
        right = StemQuestion.objects.filter(call=call).values_list("key", flat=True).first() or ""
    is_manual = call.endpoint.kind == EndpointKind.MANUAL  # then the user entered the model's name
    values: dict[str, Any] = {
        "project": wording.project,
        "story": wording.story,
        "revision": wording.revision,
        "template": template.pk,
        "endpoint": call.endpoint_id,
        "call": call.pk,
        "generator": str(call.subject["answered_by"]) if is_manual else call.model,
        "now": timezone.now(),
        "texts": list(parsed.candidates),
        "normalised": [normalise_option(text) for text in parsed.candidates],
        "flags": [json.dumps(_flags(text, right, wording)) for text in parsed.candidates],
    }
    with connection.cursor() as cursor:
        cursor.execute(_KEEP, values)
    return ""


def _flags(text: str, right: str, wording: Wording) -> list[Mapping[str, str | int]]:
    found = flags(text, moral=right, story=wording.text, language=wording.language)
    return [{"code": flag.code} | ({"number": flag.number} if flag.number else {}) for flag in found]


@lru_cache(maxsize=100)
def _template(pk: int) -> PromptTemplate:
    """Return a version of a template. It is cached, as versions never change."""
    return PromptTemplate.objects.get(pk=pk)


@lru_cache(maxsize=16)
def _block(number: int, _period: int) -> dict[int, Wording]:
    return _read_wordings(number * BLOCK, number * BLOCK + BLOCK - 1)


def _read_wordings(first: int, last: int) -> dict[int, Wording]:
    rows = StoryRevision.objects.filter(pk__gte=first, pk__lte=last).values_list(
        "pk", "story_id", "story__project_id", "story__language", "text", "moral"
    )
    return {row[0]: Wording(*row) for row in rows}
