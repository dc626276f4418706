#!/usr/bin/env bash
# Writes potato_*.jsonl beside it: two people answer items of ours on a server of Potato 2.12.1, and it exports.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install potato-annotation==2.12.1

cat >config.yaml <<'YAML'
annotation_task_name: fables
task_dir: .
output_annotation_dir: annotation_output
data_files: [items.jsonl]
item_properties: {id_key: id, text_key: text}
require_password: false
authentication: {method: in_memory}
user_config: {allow_all_users: true, users: []}
alert_time_each_instance: 100000
annotation_schemes:
  - {annotation_type: radio, name: answer, description: "Why?", labels: [A, B]}
  - {annotation_type: multiselect, name: birds, description: "Which are birds?", labels: [crow, fox, hen]}
  - {annotation_type: likert, name: clear, description: "How clear?", min_label: "no", max_label: "yes", size: 5}
  - {annotation_type: slider, name: good, description: "How good?", min_value: 0, max_value: 10, starting_value: 5}
  - {annotation_type: text, name: why, description: "Explain"}
  - {annotation_type: span, name: marks, description: "Mark", labels: [S1, P1, E1]}
YAML
cat >items.jsonl <<'JSONL'
{"id": "crow-1", "text": "A thirsty crow 🐦 dropped pebbles into a pitcher.", "question": "Why?", "A": "To play", "B": "To drink", "answer": "B"}
{"id": "lamp-1", "text": "灯挂在墙上，他把灯放在桌上。", "question": "谁？", "A": "他", "B": "灯", "answer": "A"}
JSONL
tools/bin/python -m potato.flask_server start config.yaml -p 8111 >server.txt 2>&1 &
server=$!

cat >annotate.py <<'PYTHON'
import time

import requests

BASE = "http://127.0.0.1:8111"
for _ in range(100):
    try:
        requests.get(BASE, timeout=5)
        break
    except requests.ConnectionError:
        time.sleep(0.5)
for user, answers in {"ann": {"crow-1": "B", "lamp-1": "A"}, "bo": {"crow-1": "A"}}.items():
    with requests.Session() as web:
        web.post(f"{BASE}/auth", data={"email": user, "pass": ""})
        web.get(f"{BASE}/annotate")
        for item, letter in answers.items():
            start, end = (10, 14) if item == "crow-1" else (0, 1)
            span = {"schema": "marks", "name": "S1", "title": "S1", "start": start, "end": end, "value": "true"}
            given = {f"answer:::{letter}": letter, "birds:::crow": "crow", "birds:::hen": "hen"}
            given |= {"clear:::4": "4", "why:::text_box": "so"}
            body = {"instance_id": item, "annotations": given, "span_annotations": [span]}
            web.post(f"{BASE}/updateinstance", json=body).raise_for_status()
            web.post(f"{BASE}/annotate", data={"action": "next_instance"})
PYTHON
tools/bin/python annotate.py
tools/bin/python -m potato.export --config config.yaml --format jsonl --output exported
cp exported/annotations.jsonl "$here/potato_annotations.jsonl"
cp items.jsonl "$here/potato_items.jsonl"
