"""Structured output: requested if the server supports schemas; refusals are remembered."""

from collections.abc import Mapping

from jobs.models import AnswerFormat, Call, Endpoint
from parable.llm.replies import Answer


def schema_for(endpoint: Endpoint, call: Call) -> Mapping[str, object] | None:
    """Return the schema to send with a call, or None if it has none or the server refuses schemas."""
    if endpoint.takes_schema is False or call.asked_as == AnswerFormat.PLAIN:
        return None
    schema: Mapping[str, object] | None = call.schema
    return schema


def learn_from(endpoint: Endpoint, call: Call, answer: Answer) -> None:
    """Record whether the endpoint supports schemas, as the answer shows, for later calls.

    `call` is as it was sent: one with a schema that was sent without it had the schema refused before.
    """
    if call.schema is None or endpoint.takes_schema is False:
        return
    takes = answer.structured
    if takes == endpoint.takes_schema or not (takes or call.asked_as == AnswerFormat.PLAIN):
        return
    # Unless the endpoint was changed to another server meanwhile.
    same = Endpoint.objects.filter(pk=endpoint.pk, base_url=endpoint.base_url, model=endpoint.model)
    same.update(takes_schema=takes)
    endpoint.takes_schema = takes
