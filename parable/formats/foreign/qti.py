"""QTI 2.1 and 2.2: a content package (ZIP with `imsmanifest.xml`), or one item as XML.

Items with one choice interaction are read: with one key, or several if the response is `multiple`. An order
interaction is an item of ordering, an inline choice a cloze. The key is the correct response, or else the
responses to which the mapping gives a score above 0. The prompt is the stem, and the text before the
interaction is the story, as is a stimulus that the item refers to (3.0). Without a prompt, the text is the
stem. Feedback for a right answer is the explanation. Texts become plain text; remarks name the pictures,
sounds and formulas that are lost. Items of other kinds, and files that the package lacks although the
manifest or an item refers to them, are named and left out. Tests, sections, scores and shuffling are not
read.

Made by a platform that exports QTI 2.1 or 2.2. Tried with files of our own, valid by the schema of QTI 2.1.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final
from xml.etree.ElementTree import Element

from parable.formats.errors import ErrorList, InputError
from parable.formats.format import Content, Format, Rows, Values, Writer
from parable.formats.markup import (
    MarkedTexts,
    Parts,
    as_html,
    inner_html,
    parse_xml,
    remark_kind,
    remark_missing,
    root_name,
)
from parable.formats.option_marks import LETTERS
from parable.formats.records import ItemRecord
from parable.formats.source_file import SourceFile
from parable.formats.zip_parts import zip_parts

MANIFEST: Final = "imsmanifest.xml"
ITEM_TYPE: Final = re.compile(r"imsqti_item_xmlv[23]p\d")
IN_3: Final = "imsqti_item_xmlv3p0"
"""The type of an item of QTI 3.0 in a manifest."""
_INTERACTIONS: Final = {
    "choiceinteraction": "simplechoice",
    "orderinteraction": "simplechoice",
    "inlinechoiceinteraction": "inlinechoice",
}


def _plain_name(name: str) -> str:
    """Return a name in the form that QTI 2 (`choiceInteraction`) and 3 (`qti-choice-interaction`) share."""
    return name.removeprefix("qti-").replace("-", "").lower()


def version(file: SourceFile) -> int:
    """Return the major version of a QTI file, 2 or 3; 0 for any other file."""
    if MANIFEST not in file.parts:
        name = root_name(file.plain)
        return 0 if _plain_name(name) != "assessmentitem" else 3 if name.startswith("qti-") else 2
    try:
        found = ITEM_TYPE.search(Parts(file.raw).read(MANIFEST).decode("utf-8", "replace"))
    except InputError:
        return 0
    return 0 if found is None else 3 if found[0] == IN_3 else 2


def rows(file: SourceFile, errors: ErrorList) -> Rows:
    """Yield the items of a package or a single file as rows for the mapping of columns.

    QTI may have any version.
    """
    parts = Parts(file.raw) if file.parts else None
    for number, (name, text) in enumerate(_items(parts, file, errors), start=1):
        root = _renamed(parse_xml(text))
        read = MarkedTexts(errors, number)
        found = [one for one in root.iter() if one.tag.endswith("interaction")]
        if len(found) != 1 or found[0].tag not in _INTERACTIONS:
            kinds = ", ".join(sorted({one.tag for one in found})) or "?"
            remark_kind(errors, number, kinds)
            continue
        stimulus, missing = _stimulus(root, name, parts, read)
        for one in missing:
            remark_missing(errors, number, one, name or root.get("identifier", ""))
        yield number, _item(root, found[0], read, stimulus)


def _items(parts: Parts | None, file: SourceFile, errors: ErrorList) -> Iterator[tuple[str, str | bytes]]:
    """Yield the name and XML of each item, in the order of the manifest; a single file has no name."""
    if parts is None:
        yield "", file.text
        return
    number = 1
    for resource in parse_xml(parts.read(MANIFEST)).iter("resource"):
        href = resource.get("href") or next((one.get("href", "") for one in resource.iter("file")), "")
        if not ITEM_TYPE.fullmatch(resource.get("type", "")):
            continue
        if (name := posixpath.normpath(href)) in parts:
            yield name, parts.read(name)
            number += 1
        else:
            remark_missing(errors, number, href, MANIFEST)


def _renamed(root: Element) -> Element:
    for element in root.iter():
        element.tag = _plain_name(element.tag)
        for name in [one for one in element.attrib if "-" in one and "}" not in one]:
            element.attrib[name.replace("-", "")] = element.attrib[name]
        element.attrib |= {name.lower(): value for name, value in element.attrib.items()}
    return root


def _stimulus(root: Element, name: str, parts: Parts | None, read: MarkedTexts) -> tuple[str, list[str]]:
    """Return the text of an item's stimuli, and the addresses of the stimuli that are missing.

    An address is relative to the item or, for some tools, to the package.
    """
    texts, missing = [], []
    for one in root.iter("assessmentstimulusref"):
        folders = (posixpath.dirname(name), "")
        href = one.get("href", "")
        places = [posixpath.normpath(posixpath.join(folder, href)) for folder in folders]
        place = next((place for place in places if parts is not None and place in parts), None)
        if parts is not None and place is not None:
            body = _renamed(parse_xml(parts.read(place))).find(".//stimulusbody")
            texts += [] if body is None else [read("story", inner_html(body))]
        else:
            missing.append(href)
    return "\n\n".join(texts), missing


def _item(root: Element, interaction: Element, read: MarkedTexts, stimulus: str) -> Values:
    choices = list(interaction.iter(_INTERACTIONS[interaction.tag]))
    names = {one.get("identifier", ""): letter for one, letter in zip(choices, LETTERS, strict=False)}
    right, is_several = _right(root, interaction.get("responseidentifier", ""))
    body = root.find(".//itembody")
    prompt = interaction.find("prompt")
    stem = "" if prompt is None else read("question", inner_html(prompt))
    is_inline = interaction.tag == "inlinechoiceinteraction"
    before = "" if body is None else _around(body, interaction, "____" if is_inline else "")
    story = read("story" if stem else "question", before)
    if not stem:
        stem, story = story, ""
    feedback = [inner_html(one) for one in root.iter() if one.tag in ("modalfeedback", "feedbackblock")]
    is_order = interaction.tag == "orderinteraction"
    task = "ordering" if is_order else "cloze" if is_inline else "multiple" if is_several else None
    letters = [names[one] for one in right if one in names]
    values: dict[str, object] = {
        "id": root.get("label") or root.get("identifier") or None,
        "title": root.get("title") or None,
        "story": "\n\n".join(filter(None, (stimulus, story))) or None,
        "question": stem,
        "answer": ", ".join(letters if is_order else sorted(letters)) or None,
        "explanation": read("explanation", feedback[0]) if feedback else None,
        "task": task,
        "language": root.get("lang"),
    }
    for one, letter in zip(choices, LETTERS, strict=False):
        for part in [*one.iter("feedbackinline")]:
            part.clear()
        values[letter] = read(letter, inner_html(one))
    return {name: value for name, value in values.items() if value is not None}


def _right(root: Element, identifier: str) -> tuple[list[str], bool]:
    """Return the identifiers of the right choices, in their order, and whether several may be chosen."""
    for declared in root.iter("responsedeclaration"):
        if declared.get("identifier", "") != identifier:
            continue
        right = [(one.text or "").strip() for one in declared.iterfind("correctresponse/value")]
        if not right:
            entries = (
                (one.get("mapkey", ""), one.get("mappedvalue", "0")) for one in declared.iter("mapentry")
            )
            right = [
                key for key, value in entries if re.fullmatch(r"\+?\d*\.?\d+", value) and float(value) > 0
            ]
        return right, declared.get("cardinality") == "multiple"
    return [], False


def _around(body: Element, interaction: Element, gap: str) -> str:
    """Return the HTML of an item's body, with `gap` in place of the interaction."""
    for parent in body.iter():
        for child in parent:
            if child is interaction:
                tail = child.tail
                child_copy = Element("span")
                child_copy.text, child_copy.tail = gap, tail
                parent[list(parent).index(child)] = child_copy
                html = inner_html(body)
                parent[list(parent).index(child_copy)] = child
                return html
    return inner_html(body)


def package(texts: Iterable[str], number: str, kind: str) -> Iterator[bytes]:
    """Yield a package with a file for each item, and a manifest.

    `number` is the version of QTI, `kind` the type of items in the manifest.
    """
    names: list[str] = []

    def files() -> Iterator[tuple[str, Iterable[bytes]]]:
        for count, text in enumerate(texts, start=1):
            names.append(f"items/{count:06}.xml")
            yield names[-1], [text.encode()]
        yield MANIFEST, [_manifest(names, number, kind).encode()]

    return zip_parts(files())


def _manifest(names: Sequence[str], number: str, kind: str) -> str:
    resources = "\n".join(
        f'<resource identifier="r{count}" type="{kind}" href="{name}"><file href="{name}"/></resource>'
        for count, name in enumerate(names, start=1)
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" identifier="parable">
<metadata><schema>QTIv{number} Package</schema><schemaversion>1.0.0</schemaversion></metadata>
<organizations/>
<resources>
{resources}
</resources>
</manifest>
"""


def item_xml(item: ItemRecord) -> str:
    """Return an item as a document of QTI 2.1."""
    identifier = re.sub(r"[^\w.-]", "_", item.id if re.match(r"[A-Za-z_]", item.id) else f"_{item.id}")
    right = [item.answer] if item.answer is not None else list(item.answers)
    is_order = item.task == "ordering"
    cardinality = "ordered" if is_order else "multiple" if item.answers else "single"
    keys = "".join(f"<value>{LETTERS[place]}</value>" for place in right)
    correct = f"<correctResponse>{keys}</correctResponse>" if right else ""
    choices = "\n".join(
        f'<simpleChoice identifier="{letter}" fixed="true">{_lines(choice)}</simpleChoice>'
        for letter, choice in zip(LETTERS, item.choices, strict=False)
    )
    name = "orderInteraction" if is_order else "choiceInteraction"
    most = "" if is_order else f' maxChoices="{0 if item.answers else 1}"'
    language = f' xml:lang="{escape(item.language)}"' if item.language else ""
    story = f"<p>{_lines(item.story)}</p>" if item.story else ""
    feedback = (
        '<modalFeedback outcomeIdentifier="FEEDBACK" identifier="why" showHide="show">'
        f"<p>{_lines(item.explanation)}</p></modalFeedback>"
        if item.explanation
        else ""
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="{identifier}"
 title="{escape(item.title)}" label="{escape(item.id)}" adaptive="false" timeDependent="false"{language}>
<responseDeclaration identifier="RESPONSE" cardinality="{cardinality}" baseType="identifier">
{correct}</responseDeclaration>
<outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float"/>
<outcomeDeclaration identifier="FEEDBACK" cardinality="single" baseType="identifier"/>
<itemBody>{f"<div>{story}</div>" if story else ""}
<{name} responseIdentifier="RESPONSE" shuffle="false"{most}>
<prompt>{_lines(item.question)}</prompt>
{choices}
</{name}>
</itemBody>
<responseProcessing template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct"/>
{feedback}
</assessmentItem>
"""


def _lines(text: str) -> str:
    return as_html(text).replace("<br>", "<br/>")


FORMAT: Final = Format(
    code="qti",
    label="QTI 2",
    label_zh="QTI 2",
    contents=frozenset({Content.ARCHIVE, Content.MARKUP}),
    detect=lambda file: version(file) == 2,
    rows=rows,
    writer=Writer(
        suffix=".qti.zip",
        parts=lambda items: package(map(item_xml, items), "2.1", "imsqti_item_xmlv2p1"),
        kinds=lambda kind: kind.has_options and kind.has_keys,
        holds=frozenset({"id", "title", "story", "explanation", "language", "lines"}),
    ),
)
