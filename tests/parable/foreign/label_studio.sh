#!/usr/bin/env bash
# Writes label_studio_*.json beside it: items of ours, annotated on a server of Label Studio 1.23.0, as it exports.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install label-studio==1.23.0
token=0123456789abcdef0123456789abcdef01234567
env LABEL_STUDIO_BASE_DATA_DIR="$folder" LABEL_STUDIO_USERNAME=ann@example.org LABEL_STUDIO_PASSWORD=a-password \
    LABEL_STUDIO_USER_TOKEN=$token LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN=true COLLECT_ANALYTICS=false \
    tools/bin/label-studio start --no-browser --port 8112 >server.txt 2>&1 &
server=$!

cat >annotate.py <<'PYTHON'
import json
import sys
import time
from pathlib import Path

import requests

BASE = "http://127.0.0.1:8112/api"
web = requests.Session()
web.headers["Authorization"] = "Token 0123456789abcdef0123456789abcdef01234567"
for _ in range(600):
    try:
        if web.get(f"{BASE}/version", timeout=5).ok:
            break
    except requests.ConnectionError:
        pass
    time.sleep(1)
CROW = "A thirsty crow 🐦 dropped pebbles into a pitcher."
LAMP = "灯挂在墙上，他把灯放在桌上。"


def result(name, to, kind, value, **more):
    return {"from_name": name, "to_name": to, "type": kind, "value": value, **more}


def span(text, words, role, number):
    start = text.index(words)
    value = {"start": start, "end": start + len(words), "text": words, "labels": [role]}
    return result("marks", "story", "labels", value, id=f"r{number}")


def export(name, config, tasks):
    made = web.post(f"{BASE}/projects", json={"title": name, "label_config": config})
    made.raise_for_status()
    project = made.json()["id"]
    web.post(f"{BASE}/projects/{project}/import", json=[{"data": data} for data, _given in tasks]).raise_for_status()
    listed = web.get(f"{BASE}/projects/{project}/export", params={"exportType": "JSON", "download_all_tasks": "true"})
    for task, (_data, given) in zip(sorted(listed.json(), key=lambda one: one["id"]), tasks, strict=True):
        for annotation in given:
            body = annotation if isinstance(annotation, dict) else {"result": annotation}
            web.post(f"{BASE}/tasks/{task['id']}/annotations/", json=body).raise_for_status()
    found = web.get(f"{BASE}/projects/{project}/export", params={"exportType": "JSON", "download_all_tasks": "true"})
    found.raise_for_status()
    text = json.dumps(sorted(found.json(), key=lambda one: one["id"]), ensure_ascii=False, indent=1)
    Path(sys.argv[1], f"label_studio_{name}.json").write_text(text + "\n", encoding="utf-8")


export(
    "items",
    """<View><HyperText name="story" value="$story"/><Text name="question" value="$question"/>
    <Choices name="answer" toName="question"><Choice value="A"/><Choice value="B"/></Choices>
    <Rating name="clear" toName="question"/><Taxonomy name="why" toName="question">
    <Choice value="sense"><Choice value="cause"/></Choice></Taxonomy></View>""",
    [
        (
            {"id": "crow-1", "story": f"<p>{CROW}</p>", "question": "Why?", "A": "To play", "B": "To drink", "key": "B"},
            [
                [
                    result("answer", "question", "choices", {"choices": ["A"]}),
                    result("clear", "question", "rating", {"rating": 4}),
                    result("why", "question", "taxonomy", {"taxonomy": [["sense", "cause"]]}),
                ],
                {"result": [], "was_cancelled": True},
            ],
        )
    ],
)
EVENTS = [{"id": "e1", "title": "It drank."}, {"id": "e2", "title": "It saw a pitcher."}, {"id": "e3", "title": "It dropped stones."}]
export(
    "ranks",
    """<View><Text name="story" value="$story"/><List name="events" value="$events"/>
    <Ranker name="order" toName="events"/></View>""",
    [
        (
            {"id": "order-1", "story": CROW, "question": "In which order?", "events": EVENTS},
            [[result("order", "events", "ranker", {"ranker": {"order": ["e2", "e3", "e1"]}})]],
        )
    ],
)
export(
    "spans",
    """<View><Labels name="marks" toName="story"><Label value="S1"/><Label value="P1"/><Label value="E1"/></Labels>
    <Text name="story" value="$text"/></View>""",
    [
        (
            {"id": "text-1", "source": "a fable", "text": CROW},
            [
                [
                    span(CROW, "crow", "S1", 1),
                    span(CROW, "dropped", "E1", 2),
                    span(CROW, "pebbles", "S1", 3),
                    span(CROW, "pitcher", "P1", 4),
                    {"type": "relation", "from_id": "r1", "to_id": "r2", "direction": "right"},
                    {"type": "relation", "from_id": "r3", "to_id": "r4", "direction": "right"},
                ]
            ],
        ),
        ({"id": "text-2", "text": LAMP}, [[span(LAMP, "灯", "S1", 1)], [span(LAMP, "墙上", "P1", 1)]]),
    ],
)
PYTHON
tools/bin/python annotate.py "$here"
