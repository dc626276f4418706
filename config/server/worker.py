"""Gunicorn's worker process: an event loop for connections, and a fixed number of request threads."""

import asyncio
import logging
import os
from typing import Any, Final

from gunicorn.workers.gasgi import ASGIWorker

from config import settings
from config.server.connection import Connection
from parable.system import allow_files

logger = logging.getLogger(__name__)

FILES: Final = 4096
"""The open files that a worker needs: a connection may have a temporary file besides its socket."""


class Worker(ASGIWorker):  # type: ignore[misc]  # gunicorn has no annotations
    """A gunicorn worker that runs the WSGI application behind `Front`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.alive: bool
        self.connections: dict[Connection, None] = {}
        """The open connections, in order of arrival."""

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Accept the configuration. Gunicorn's own worker would warn about the number of threads."""

    def load_wsgi(self) -> None:
        """Load the WSGI application, and put `Front` before it."""
        application = self.app.wsgi()
        from config.server.front import Front  # its imports need Django's apps, which are loaded now

        self.asgi = Front(application, threads=self.cfg.threads)

    def admit(self, connection: Connection) -> None:
        """Register a new connection. Beyond the limit, drop the oldest one without a complete request."""
        self.connections[connection] = None
        if len(self.connections) > self.worker_connections:
            oldest = next((one for one in self.connections if one.is_incomplete), connection)
            del self.connections[oldest]
            oldest.drop()

    async def _serve(self) -> None:
        allow_files(FILES)
        for listener in self.sockets:
            server = await self.loop.create_server(
                lambda: Connection(self), sock=listener.sock, backlog=self.cfg.backlog
            )
            self.servers.append(server)
        if self.age == 1 and self.cfg.proc_name in ("web", self.cfg.default_proc_name):
            host = "localhost" if settings.BIND in ("127.0.0.1", "::1", "0.0.0.0", "::") else settings.BIND  # noqa: S104 - compared, not bound
            said = f"Parable is at http://{host}:{settings.PORT} - stop it with Ctrl-C."
            if settings.LOG_FORMAT == "json":
                logger.info(said)
            else:
                print(said, flush=True)
        while self.alive and self.ppid == os.getppid():
            self.notify()
            await asyncio.sleep(0.5)
        self.alive = False
        await self._shutdown()

    async def _shutdown(self) -> None:
        """Close idle connections at once, and wait for the requests in flight."""
        for server in self.servers:
            server.close()
        for connection in [one for one in self.connections if one.is_idle]:
            connection.drop()
        await super()._shutdown()
