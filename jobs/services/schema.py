"""Structured output: asked for where the server takes a schema, and remembered where it does not."""

from collections.abc import Mapping

from jobs.models import AnswerFormat, Call, Endpoint
from parable.llm.replies import Answer


def schema_for(endpoint: Endpoint, call: Call) -> Mapping[str, object] | None:
    """The schema to send with a call; None where it has none, or its server is known to refuse them."""
    if endpoint.takes_schema is False or call.asked_as == AnswerFormat.PLAIN:
        return None
    schema: Mapping[str, object] | None = call.schema
    return schema


def learn_from(endpoint: Endpoint, call: Call, answer: Answer) -> None:
    """Remember what an answer shows, so that no other call has to find it out.

    `call` is as it was sent: one with a schema that was sent in plain words had it refused before.
    """
    if call.schema is None or endpoint.takes_schema is False:
        return
    takes = answer.structured
    if takes == endpoint.takes_schema or not (takes or call.asked_as == AnswerFormat.PLAIN):
        return
    # Unless somebody has pointed it elsewhere meanwhile.
    same = Endpoint.objects.filter(pk=endpoint.pk, base_url=endpoint.base_url, model=endpoint.model)
    same.update(takes_schema=takes)
    endpoint.takes_schema = takes
