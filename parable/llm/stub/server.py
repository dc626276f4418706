"""The stub server: threads on the loopback interface, a log of requests, and counters for tests."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from types import TracebackType
from typing import Self

from parable.llm.stub.behaviours import OK, Behaviour, Faults, read_behaviour
from parable.llm.stub.replies import Question, Reply, make_reply

LARGEST_REQUEST = 4_000_000
# Seconds after which a client that sends no further request is disconnected.
_IDLE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as logged by the stub; `time` is in seconds since the epoch."""

    time: float
    path: str
    model: str
    prompt: str
    behaviour: str
    headers: tuple[tuple[str, str], ...]
    body: str


class StubServer:
    """A server on the loopback interface, started by `with` or `start()`; port 0 takes any free port.

    A request gets the next behaviour of `programme`, then, once that is used up, the one that the model's
    name gives, else `default`. `latency` is the delay in seconds before every answer. `base_url` is for an
    endpoint, `log` and `counts` are for tests.
    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        programme: Iterable[str] = (),
        default: str = "ok",
        faults: Faults | None = None,
        latency: float = 0.0,
        models: tuple[str, ...] = ("stub-ok",),
    ) -> None:
        self.faults = faults
        self.latency = latency
        self.models = models
        self._programme = deque(_must_read(text) for text in programme)
        self._default = _must_read(default)
        self._lock = threading.Lock()
        self._log: list[Seen] = []
        self._counts: Counter[str] = Counter()
        self._in_flight = 0
        self._most_in_flight = 0
        self.stopping = threading.Event()
        self._http = _Server((host, port), _Handler)
        self._http.stub = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        """The base URL to enter for an endpoint."""
        host, port = self._http.server_address[:2]
        return f"http://{host!s}:{port}/v1"

    @property
    def port(self) -> int:
        """The port on which the server listens."""
        return int(self._http.server_address[1])

    @property
    def log(self) -> tuple[Seen, ...]:
        """All requests so far, in order of arrival."""
        with self._lock:
            return tuple(self._log)

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each behaviour was used, by name without the number."""
        with self._lock:
            return dict(self._counts)

    @property
    def most_in_flight(self) -> int:
        """The highest number of requests that were being answered at once."""
        with self._lock:
            return self._most_in_flight

    def start(self) -> Self:
        """Start serving in a thread and return at once; connections made from now on are accepted."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop serving, end all slow answers, and free the port."""
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=5)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def choose(self, model: str) -> Behaviour:
        """Return the behaviour for the next request to a model."""
        with self._lock:
            planned = self._programme.popleft() if self._programme else None
        behaviour = planned or read_behaviour(model) or self._default
        if behaviour.name == "mix":
            return self.faults.draw() if self.faults else OK
        return behaviour

    def note(self, seen: Seen, behaviour: Behaviour) -> None:
        """Add a request to the log and to the counters."""
        with self._lock:
            self._log.append(seen)
            self._counts[behaviour.name] += 1

    def enter(self) -> None:
        """Count a request as being answered, and update the maximum."""
        with self._lock:
            self._in_flight += 1
            self._most_in_flight = max(self._most_in_flight, self._in_flight)

    def leave(self) -> None:
        """Count a request as no longer being answered."""
        with self._lock:
            self._in_flight -= 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256
    stub: StubServer

    def server_bind(self) -> None:
        # Not HTTPServer's own method, which looks up this machine's full name in the network.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "stub", int(self.server_address[1])

    def handle_error(self, request: object, client_address: object) -> None:
        # Half of the behaviours make clients disconnect first; this is no error.
        return


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_SECONDS
    # Head and body are sent separately; without this, the second would wait for the first's receipt.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        stub = self.server.stub
        if self.path == "/v1/models":
            rows = [{"id": name, "object": "model", "owned_by": "stub"} for name in stub.models]
            self._send(_json_reply({"object": "list", "data": rows}))
        elif self.path == "/log":
            self._send(_json_reply([asdict(seen) for seen in stub.log]))
        elif self.path == "/counts":
            self._send(_json_reply(stub.counts))
        elif self.path == "/flight":
            self._send(_json_reply({"most": stub.most_in_flight}))
        else:
            self._note_stray()

    def do_POST(self) -> None:
        body = self._read_body()
        if self.path != "/v1/chat/completions":
            self._note_stray()
            return
        question = _read_question(body, self.headers.get("Authorization", ""))
        if question is None:
            self._send(_json_reply({"error": {"message": "not a chat request"}}, status=400))
            return
        stub = self.server.stub
        behaviour = stub.choose(question.model)
        stub.note(self._seen(question, behaviour, body), behaviour)
        stub.enter()
        try:
            self._answer(behaviour, question)
        finally:
            stub.leave()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- as it is called
        return

    def _answer(self, behaviour: Behaviour, question: Question) -> None:
        stub = self.server.stub
        self._wait(stub.latency)
        if behaviour.name in ("drop", "hang"):
            self._wait_for_the_caller(behaviour.number or 0.0)
            self.close_connection = True
        elif behaviour.name == "trickle":
            reply = make_reply(behaviour, question)
            seconds = behaviour.number or 0.2
            self.close_connection = True
            self.send_response(reply.status)
            self.send_header("Content-Length", str(10**9))
            self.end_headers()
            while not self.server.stub.stopping.wait(seconds):
                self.wfile.write(b" ")
        else:
            self._wait(behaviour.number or 0.0 if behaviour.name == "slow" else 0.0)
            self._send(make_reply(behaviour, question))

    def _wait(self, seconds: float) -> None:
        if seconds > 0:
            self.server.stub.stopping.wait(seconds)

    def _wait_for_the_caller(self, seconds: float) -> None:
        """Wait for some seconds, or until the caller closes the connection or the server stops."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self.server.stub.stopping.is_set():
            readable, _, _ = select.select([self.connection], [], [], min(left, 0.2))
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                return

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    def _note_stray(self) -> None:
        nowhere = Behaviour("nowhere")
        question = Question(model="", prompt="", schema=None, key="")
        self.server.stub.note(self._seen(question, nowhere, b""), nowhere)
        self._send(_json_reply({"error": {"message": "no such page"}}, status=404))

    def _read_body(self) -> bytes:
        announced = self.headers.get("Content-Length", "")
        size = int(announced) if announced.isdigit() else 0
        if size > LARGEST_REQUEST:
            self.close_connection = True
            return b""
        return self.rfile.read(size)

    def _seen(self, question: Question, behaviour: Behaviour, body: bytes) -> Seen:
        headers = tuple((name.lower(), value) for name, value in self.headers.items())
        return Seen(
            time=time.time(),
            path=self.path,
            model=question.model,
            prompt=question.prompt,
            behaviour=str(behaviour),
            headers=headers,
            body=body.decode("utf-8", "replace"),
        )


def _read_question(body: bytes, authorization: str) -> Question | None:
    try:
        asked = json.loads(body)
        texts = [message["content"] for message in asked["messages"]]
        prompt = "\n\n".join(text for text in texts if isinstance(text, str))
        model = str(asked["model"])
    except (ValueError, KeyError, TypeError):
        return None
    wished = asked.get("response_format") or {}
    schema = (wished.get("json_schema") or {}).get("schema") if isinstance(wished, dict) else None
    return Question(model, prompt, schema, authorization.removeprefix("Bearer "))


def _json_reply(value: object, *, status: int = 200) -> Reply:
    return Reply(status, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _must_read(text: str) -> Behaviour:
    behaviour = read_behaviour(text)
    if behaviour is None:
        raise ValueError(f"no such behaviour: {text}")
    return behaviour
