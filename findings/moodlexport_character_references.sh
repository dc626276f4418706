#!/usr/bin/env bash
# moodlexport resolves one level of character references in the HTML of questions and answers.
#
# Expected: texts are HTML (the file says format="html"), so that `x &lt;b&gt; y`, which a browser shows as
# "x <b> y", stands in the Moodle XML as it was given.
# What happens: version 0.0.32 writes the text with its references resolved: `x &lt;b&gt; y` becomes an element
# `<b>`, which Moodle does not show, and `x &amp;lt; y` becomes `x &lt; y`. An item about code or mathematics loses
# words without a warning; who writes by it escapes twice, and who reads such files cannot tell what was meant.
# Output seen on 29 November 2026 (Python 3.11, x86-64):
#   moodlexport 0.0.32, given: x &lt;b&gt; y     written: <p>x <b> y</p>
#   moodlexport 0.0.32, given: x &amp;lt; y      written: <p>x &lt; y</p>
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install moodlexport==0.0.32 2>pip.txt || {
    tail -5 pip.txt
    exit 1
}

cat >write.py <<'PYTHON'
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

from moodlexport import Category, Question

GIVEN = {"x &lt;b&gt; y": "<p>x <b> y</p>", "x &amp;lt; y": "<p>x &lt; y</p>"}

category = Category("Comparisons")
question = Question("multichoice")
question.text("Which is shown?")
for number, text in enumerate(GIVEN):
    question.answer(text, number == 0)
question.addto(category)
category.savexml("written")
[file] = Path().glob("*.xml")
written = [answer.findtext("text") for answer in ElementTree.parse(file).iter("answer")]
for given, found in zip(GIVEN, written, strict=True):
    print(f"moodlexport {version('moodlexport')}, given: {given:<16} written: {found}")
raise SystemExit(0 if written == list(GIVEN.values()) else "this has changed")
PYTHON
tools/bin/python write.py
