"""Imports tasks into Label Studio with its own client: run_label_studio.py TASKS.jsonl FOLDER.

Runs in the environment of Label Studio. It starts the server on the empty PostgreSQL database in
`DATABASE_URL`; the server stores its files in FOLDER. Prints tasks per second of elapsed time.
"""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from label_studio_sdk import LabelStudio

AT_ONCE = 10_000
"""The number of tasks in one request; Label Studio accepts at most 250 MB."""
PATIENCE = 900.0
"""The maximum number of seconds until the server answers: its migrations take a minute or more."""
USER, PASSWORD = "bench@example.org", "a-password-of-a-bench"
TOKEN = "0123456789abcdef" * 2 + "01234567"
CONFIG = """<View><Text name="story" value="$story"/>
<Choices name="key" toName="story"><Choice value="A"/><Choice value="B"/></Choices></View>"""


def main(tasks: Path, folder: Path) -> None:
    """Start the server, create a project, import all tasks, and print the rate."""
    rows = [json.loads(line) for line in tasks.open(encoding="utf-8")]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("label-studio")), "start", "--no-browser"]
    command += ["--port", str(port)]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, env=settings(folder), stdout=log, stderr=log)  # noqa: S603 - installed here
        try:
            client = client_of(server, port)
            project = client.projects.create(title="bench", label_config=CONFIG).id
            begun = time.perf_counter()
            for start in range(0, len(rows), AT_ONCE):
                some = [{"data": row} for row in rows[start : start + AT_ONCE]]
                client.projects.import_tasks(project, request=some, return_task_ids=False)
            took = time.perf_counter() - begun
            found = client.projects.get(project).task_number
        finally:
            server.terminate()
            server.wait()
    if found != len(rows):
        raise SystemExit(f"{found} of {len(rows)} tasks came in.")
    print(json.dumps({"by_clock": len(rows) / took}))


def settings(folder: Path) -> dict[str, str]:
    """Return the environment of the server, without our own variable for Django's settings."""
    url = urlsplit(os.environ["DATABASE_URL"])
    host = parse_qs(url.query).get("host", [url.hostname or ""])[0]
    own = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return own | {
        "DJANGO_DB": "default",
        "POSTGRE_NAME": url.path.lstrip("/"),
        "POSTGRE_USER": unquote(url.username or ""),
        "POSTGRE_PASSWORD": unquote(url.password or ""),
        "POSTGRE_HOST": unquote(host),
        "POSTGRE_PORT": str(url.port or 5432),
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder),
        "LABEL_STUDIO_USERNAME": USER,
        "LABEL_STUDIO_PASSWORD": PASSWORD,
        "LABEL_STUDIO_USER_TOKEN": TOKEN,
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "COLLECT_ANALYTICS": "false",
    }


def client_of(server: "subprocess.Popen[bytes]", port: int) -> LabelStudio:
    """Return a client as soon as the server answers it."""
    client = LabelStudio(base_url=f"http://127.0.0.1:{port}", api_key=TOKEN, timeout=3_600)
    until = time.monotonic() + PATIENCE
    while True:
        try:
            client.users.whoami()
        except Exception:
            if server.poll() is not None or time.monotonic() > until:
                raise
            time.sleep(1)
        else:
            return client


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
