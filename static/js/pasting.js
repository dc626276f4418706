/* Pasting at the desk: what cannot be seen is left out, with a notice; "A．… B．… C．… D．…" fills the options. */

const INVISIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const MOST = 40000; // more than a whole item holds: a book in the clipboard must not freeze the page
const form = document.getElementById("sheet");

function clean(text) {
  const lines = text.replace(/\r\n?|[\u2028\u2029]/g, "\n");
  const seen = lines.replace(INVISIBLE, "");
  return { text: seen, removed: [...lines].length - [...seen].length };
}

const wide = (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0);

// The words before the first letter, and those after each letter; null where this is no list of options.
function splitOptions(text) {
  const marks = [];
  for (const letter of LETTERS) {
    const mark = new RegExp(`(?<![A-Za-z])[（(]?[${letter}${wide(letter)}]\\s*[.．、:：)）]`, "g");
    mark.lastIndex = marks.at(-1)?.end ?? 0;
    const found = mark.exec(text);
    if (!found) break;
    marks.push({ start: found.index, end: mark.lastIndex });
  }
  if (marks.length < 2) return null;
  const options = marks.map(({ end }, place) => text.slice(end, marks[place + 1]?.start).trim());
  return options.every(Boolean) ? { before: text.slice(0, marks[0].start).trim(), options } : null;
}

// What fits into a field beside what is kept of it; a character of two halves stays whole.
function fitting(area, text, kept) {
  const room = area.maxLength < 0 ? MOST : Math.max(area.maxLength - kept, 0);
  if (text.length <= room) return text;
  window.parable.showPrepared("notice-cut");
  return text.slice(0, room).replace(/[\ud800-\udbff]$/, "");
}

function put(area, text) {
  area.value = fitting(area, text, 0);
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

const insert = (area, pasted) => {
  const text = fitting(area, pasted, area.value.length - (area.selectionEnd - area.selectionStart));
  if (!text) return;
  // keeps the browser's own undo; deprecated, but nothing else does
  if (!document.execCommand("insertText", false, text)) {
    area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
};

// Only where nothing that was typed is lost by it.
function fillOptions(area, parts) {
  const rows = [...form.querySelectorAll(".option.desk textarea")];
  const isOption = rows.includes(area);
  if (!parts || parts.options.length > rows.length) return false;
  if (rows.some((row) => row.value.trim()) || isOption && parts.before) return false;
  if (!isOption && area.id !== "stem") return false;
  if (!isOption && parts.before) insert(area, parts.before);
  parts.options.forEach((text, place) => put(rows[place], text));
  window.parable.showPrepared("notice-filled");
  return true;
}

form.addEventListener("paste", (event) => {
  const area = event.target;
  if (area.tagName !== "TEXTAREA" || event.clipboardData === null) return;
  const pasted = event.clipboardData.getData("text/plain");
  if (!pasted) return;
  event.preventDefault();
  const { text, removed } = clean(pasted.slice(0, MOST));
  if (pasted.length > MOST) window.parable.showPrepared("notice-cut");
  if (!fillOptions(area, splitOptions(text))) insert(area, text);
  if (removed) window.parable.showPrepared("notice-cleaned");
});
