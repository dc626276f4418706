"""Structured output: a JSON schema is only sent to servers that are not known to reject schemas."""

from collections.abc import Mapping

from jobs.models import AnswerFormat, Call, Endpoint
from parable.llm.replies import Answer


def schema_for(endpoint: Endpoint, call: Call) -> Mapping[str, object] | None:
    """Return the JSON schema to send with a call; None if the call has none or the server rejects schemas."""
    if endpoint.takes_schema is False or call.asked_as == AnswerFormat.PLAIN:
        return None
    schema: Mapping[str, object] | None = call.schema
    return schema


def learn_from(endpoint: Endpoint, call: Call, answer: Answer) -> None:
    """Save whether the server supports JSON schemas, as its answer shows, for later calls.

    `call` is the call as sent: if it has a schema but was sent as plain text, the server had refused the
    schema.
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
