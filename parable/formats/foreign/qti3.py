"""QTI 3.0: a content package (ZIP with `imsmanifest.xml`), or one item as XML; read as QTI 2 is.

The elements and attributes of QTI 2.1 have other names here (`qti-choice-interaction`,
`response-identifier`), which are also written. A separate stimulus is read as the story.

Made by a platform that exports QTI 3. Tried with incept-qti-sdk 0.6.2 and files of our own.
"""

from __future__ import annotations

import re
from typing import Final

from parable.formats.foreign import qti
from parable.formats.format import Content, Format, Writer
from parable.formats.records import ItemRecord

_ELEMENT: Final = re.compile(
    "(</?)(assessmentItem|responseDeclaration|correctResponse|value|outcomeDeclaration|itemBody|choiceInteraction"
    r"|orderInteraction|prompt|simpleChoice|responseProcessing|modalFeedback)\b"
)
_ATTRIBUTE: Final = re.compile(
    r'(?<= )(timeDependent|baseType|responseIdentifier|maxChoices|outcomeIdentifier|showHide)(?==")'
)
_CAPITAL: Final = re.compile("[A-Z]")
_NAMES: Final = {
    "http://www.imsglobal.org/xsd/imsqti_v2p1": "http://www.imsglobal.org/xsd/imsqtiasi_v3p0",
    "http://www.imsglobal.org/question/qti_v2p1/rptemplates/": "https://purl.imsglobal.org/spec/qti/v3p0/rptemplates/",
}


def _item_xml(item: ItemRecord) -> str:
    """Return an item as QTI 3.0: the XML of QTI 2.1 with other names.

    No escaped text contains these names.
    """
    text = qti.item_xml(item)
    for old, new in _NAMES.items():
        text = text.replace(f'"{old}', f'"{new}')
    text = _ELEMENT.sub(lambda found: f"{found[1]}qti-{_kebab(found[2])}", text)
    text = _ATTRIBUTE.sub(lambda found: _kebab(found[1]), text)
    body = re.compile("(<qti-modal-feedback [^>]*>)(.*)(</qti-modal-feedback>)", re.DOTALL)
    return body.sub(r"\1<qti-content-body>\2</qti-content-body>\3", text)


def _kebab(name: str) -> str:
    return _CAPITAL.sub(lambda found: f"-{found[0].lower()}", name)


FORMAT: Final = Format(
    code="qti3",
    label="QTI 3",
    label_zh="QTI 3",
    contents=frozenset({Content.ARCHIVE, Content.MARKUP}),
    detect=lambda file: qti.version(file) == 3,
    rows=qti.rows,
    writer=Writer(
        suffix=".qti3.zip",
        parts=lambda items: qti.package(map(_item_xml, items), "3.0", qti.IN_3),
        kinds=lambda kind: kind.has_options and kind.has_keys,
        holds=frozenset({"id", "title", "story", "explanation", "language", "lines"}),
    ),
)
