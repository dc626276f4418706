"""A model for Inspect that says what it is given, else always A, and asks nobody."""

from inspect_ai.model import ModelAPI, ModelOutput, modelapi
from scripted import KNOWN


@modelapi("always")
class AlwaysA(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):  # noqa: A002 - the harness calls it so
        said = KNOWN.get(input[-1].text, "The answer is A, since the story says so.")
        return ModelOutput.from_content("always/a", said)

    async def count_tokens(self, *_what, **_how):
        return 1  # what counts tokens else would be fetched from the net
