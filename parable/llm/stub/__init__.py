"""A server that speaks the chat protocol over HTTP and fails on demand, for tests and demos.

    with StubServer() as stub:
        ask(EndpointSpec(base_url=stub.base_url, model="stub-429(2)", allow_private=True), ...)

The model's name, a given sequence (`programme`) or a seeded mix of faults decides how it behaves; see
`behaviours`. `python -m parable.llm.stub --port 9000` runs it as a process of its own.
"""

from parable.llm.stub.behaviours import Behaviour, Faults, read_behaviour
from parable.llm.stub.server import Seen, StubServer

__all__ = ["Behaviour", "Faults", "Seen", "StubServer", "read_behaviour"]
