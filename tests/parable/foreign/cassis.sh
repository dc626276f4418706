#!/usr/bin/env bash
# Writes cas.xmi and cas.json beside it: a text of ours, marked and written by dkpro-cassis 0.12.0.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install dkpro-cassis==0.12.0

cat >mark.py <<'PYTHON'
import sys
from pathlib import Path

from cassis import Cas, TypeSystem

types = TypeSystem()
Span = types.create_type("custom.Span", supertypeName="uima.tcas.Annotation")
types.create_feature(Span, "label", "uima.cas.String")
Relation = types.create_type("custom.Relation", supertypeName="uima.tcas.Annotation")
types.create_feature(Relation, "Governor", Span)
types.create_feature(Relation, "Dependent", Span)
Sentence = types.create_type("custom.Sentence", supertypeName="uima.tcas.Annotation")
cas = Cas(typesystem=types)
cas.sofa_string = " A thirsty crow 🐦 dropped\npebbles into a pitcher."


def mark(words, label):
    start = cas.sofa_string.index(words)
    made = Span(begin=start, end=start + len(words), label=label)
    cas.add(made)
    return made


pairs = [(mark("crow", "S1"), mark("dropped", "E1")), (mark("pebbles", "S1"), mark("pitcher", "P1"))]
for one, other in pairs:
    cas.add(Relation(begin=one.begin, end=one.end, Governor=one, Dependent=other))
cas.add(Sentence(begin=1, end=len(cas.sofa_string)))
cas.to_xmi(Path(sys.argv[1]) / "cas.xmi", pretty_print=True)
cas.to_json(Path(sys.argv[1]) / "cas.json", pretty_print=True)
PYTHON
tools/bin/python mark.py "$here"
