#!/usr/bin/env bash
# mlcroissant changes texts of digits in JSON lines, although the field is declared a text.
#
# Expected: a field of the type `sc:Text` has the text that stands in the file: an id "0001" is "0001".
# What happens: version 1.1.1 reads the lines with pandas, which makes numbers of strings of digits before the type of
# the field is looked at, and turns the number into text again. Leading zeros and the last zeros of decimals are lost:
# ids no longer fit those of other files, and options that are numbers are other texts.
# Output seen on 29 November 2026 (Python 3.11, x86-64):
#   mlcroissant 1.1.1, in the file: {"id": "0001", "size": "2.50"}
#   mlcroissant 1.1.1, read as sc:Text: {'rows/id': b'1', 'rows/size': b'2.5'}
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install mlcroissant==1.1.1 2>pip.txt || { tail -5 pip.txt; exit 1; }

cat >load.py <<'PYTHON'
import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import mlcroissant as mlc

ROWS = [{"id": "0001", "size": "2.50"}, {"id": "0002", "size": "3.00"}]
Path("rows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in ROWS))
fields = [
    mlc.Field(
        id=f"rows/{name}",
        name=name,
        data_types=mlc.DataType.TEXT,
        source=mlc.Source(file_object="file", extract=mlc.Extract(column=name)),
    )
    for name in ROWS[0]
]
file = mlc.FileObject(
    id="file",
    name="file",
    content_url="rows.jsonl",
    encoding_formats=["application/jsonlines"],
    sha256=hashlib.sha256(Path("rows.jsonl").read_bytes()).hexdigest(),
)
sets = [mlc.RecordSet(id="rows", name="rows", fields=fields)]
about = mlc.Metadata(name="rows", url="https://example.org", distribution=[file], record_sets=sets)
Path("croissant.json").write_text(json.dumps(about.to_json(), default=str))
first = next(iter(mlc.Dataset(jsonld="croissant.json").records("rows")))
print(f"mlcroissant {version('mlcroissant')}, in the file: {json.dumps(ROWS[0])}")
print(f"mlcroissant {version('mlcroissant')}, read as sc:Text: {first}")
raise SystemExit(0 if first == {"rows/id": b"1", "rows/size": b"2.5"} else "this has changed")
PYTHON
tools/bin/python load.py 2>errors.txt || { tail -5 errors.txt; exit 1; }
