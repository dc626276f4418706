#!/usr/bin/env bash
# huggingface_hub with hf-xet sends a large file to no hub that lacks Xet, though that hub offers Git LFS.
#
# Expected: a hub answers to `preupload` that a file is to go by LFS, and has no Xet (404 for its token): the client
# sends the file by LFS, as it does where hf-xet is not installed.
# What happens: version 2.4.0 with hf-xet 1.8.0 asks for the token of Xet alone, some seconds long, and ends with the
# 404 of that address; the address of LFS is never asked. With HF_HUB_DISABLE_XET=1 the file arrives. Teams with a hub
# of their own must set that variable.
# Output seen on 29 November 2026 (Python 3.11, x86-64):
#   huggingface_hub 2.4.0, hf-xet 1.8.0, as installed: not sent; LFS asked: no
#   huggingface_hub 2.4.0, hf-xet 1.8.0, HF_HUB_DISABLE_XET=1: sent; LFS asked: yes
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install huggingface_hub==2.4.0 hf-xet==1.8.0 2>pip.txt || {
    tail -5 pip.txt
    exit 1
}

cat >send.py <<'PYTHON'
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from threading import Thread

asked = []


class Hub(BaseHTTPRequestHandler):
    """A hub of one data set: large files by LFS, no Xet."""

    def answer(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        place = self.path.partition("?")[0]
        asked.append(place)
        here = f"http://127.0.0.1:{self.server.server_port}"
        status, said = 200, {}
        if "xet" in place:
            status = 404
        elif "/preupload/" in place:
            said = {"files": [{"path": "a.bin", "uploadMode": "lfs", "shouldIgnore": False}]}
        elif place.endswith("/objects/batch"):
            said = {"transfer": "basic", "objects": [
                one | {"actions": {"upload": {"href": f"{here}/upload"}}} for one in json.loads(body)["objects"]
            ]}
        elif "/commit/" in place:
            said = {"success": True, "commitOid": "0" * 40, "commitUrl": f"{here}/datasets/lab/set/commit/{'0' * 40}"}
        data = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *words):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
Thread(target=server.serve_forever, daemon=True).start()

from huggingface_hub import CommitOperationAdd, HfApi

hub = HfApi(endpoint=f"http://127.0.0.1:{server.server_port}", token="hf_none")
try:
    hub.create_commit(
        "lab/set", [CommitOperationAdd("a.bin", b"0" * 5000)], repo_type="dataset", commit_message="A file"
    )
    done = "sent"
except Exception:
    done = "not sent"
way = "HF_HUB_DISABLE_XET=1" if os.environ.get("HF_HUB_DISABLE_XET") else "as installed"
lfs = "yes" if any(place.endswith("/objects/batch") for place in asked) else "no"
names = f"huggingface_hub {version('huggingface_hub')}, hf-xet {version('hf-xet')}"
print(f"{names}, {way}: {done}; LFS asked: {lfs}")
raise SystemExit(0 if (done, lfs) == tuple(sys.argv[1:]) else "this has changed")
PYTHON
export HF_HOME=$folder HF_HUB_DISABLE_TELEMETRY=1 HF_HUB_DISABLE_PROGRESS_BARS=1
tools/bin/python send.py "not sent" no 2>errors.txt || { cat errors.txt; exit 1; }
HF_HUB_DISABLE_XET=1 tools/bin/python send.py sent yes 2>errors.txt || { cat errors.txt; exit 1; }
