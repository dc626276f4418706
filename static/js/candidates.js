/* A story's candidates: Enter, a click or a drag puts one into the slot that waits; lengths and changes are
   shown while typing, and what is typed is kept. Without this script the same form works by reloading. */

const SAVE_AFTER_MS = 900;
const JUDGE_AFTER_MS = 350;
const KEY_PLACE = 0;

const form = document.getElementById("slots");
const list = document.getElementById("slot-list");
const slots = [...list.querySelectorAll("[data-place]")];
const saved = document.querySelector("[data-saved]");

const textOf = (slot) => slot.querySelector("textarea");
const candidateOf = (slot) => slot.querySelector("input[type=hidden]");
const cardOf = (id) => document.querySelector(`[data-candidate="${CSS.escape(id)}"]`);
const wordsOf = (card) => card.querySelector("[data-text]").textContent;
const lengthOf = (text) => [...text.trim()].length;

/* ---------- what a slot shows ---------- */

function part(tag, text) {
  if (tag === null) return document.createTextNode(text);
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

// What stayed at both ends and what changed between: enough while one types; the server draws it finely.
function changes(before, after) {
  const old = [...before];
  const now = [...after];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const piece = (letters, from, to) => letters.slice(from, to).join("");
  return [
    part(null, piece(old, 0, start)),
    part("del", piece(old, start, old.length - end)),
    part("ins", piece(now, start, now.length - end)),
    part(null, piece(old, old.length - end, old.length)),
  ].filter((node) => node.textContent);
}

function showDiff(slot) {
  const place = slot.querySelector("[data-diff]");
  const card = candidateOf(slot).value && cardOf(candidateOf(slot).value);
  const before = card ? wordsOf(card) : "";
  const after = textOf(slot).value;
  place.hidden = !before || !after || before === after;
  if (!place.hidden) place.querySelector(".diff").replaceChildren(...changes(before, after));
}

function showSource(slot) {
  const card = candidateOf(slot).value && cardOf(candidateOf(slot).value);
  const text = textOf(slot).value.trim();
  const moral = document.getElementById("moral").textContent.trim();
  const byHand = text === moral ? list.dataset.moral : list.dataset.written;
  slot.querySelector("[data-source]").textContent = card ? card.dataset.source : text ? byHand : "";
}

function showUsed() {
  const places = new Map(slots.map((slot) => [candidateOf(slot).value, slot.dataset.label]));
  document.querySelectorAll("[data-candidate]").forEach((card) => {
    const label = places.get(card.dataset.candidate);
    card.classList.toggle("used", Boolean(label));
    const chip = card.querySelector("[data-used]");
    chip.hidden = !label;
    chip.querySelector("span").textContent = label ?? "";
  });
}

function showLengths() {
  const lengths = slots.map((slot) => lengthOf(textOf(slot).value));
  const others = lengths.filter((length, place) => place !== KEY_PLACE && length > 0);
  const key = slots[KEY_PLACE].querySelector("[data-longest]");
  key.hidden = !others.length || lengths[KEY_PLACE] <= Math.max(...others);
  const missing = document.querySelector("[data-missing]");
  const empty = lengths.filter((length) => length === 0).length;
  missing.hidden = empty === 0;
  missing.querySelector(".num").textContent = empty;
}

function refresh(slot) {
  slot.querySelector("[data-count]").textContent = lengthOf(textOf(slot).value);
  slot.querySelector("[data-clear]").hidden = !textOf(slot).value;
  showDiff(slot);
  showSource(slot);
  showUsed();
  showLengths();
}

/* ---------- putting something into a slot ---------- */

function fill(slot, text, candidate) {
  const area = textOf(slot);
  area.value = text;
  candidateOf(slot).value = candidate;
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

function waitingFor(card) {
  if (card.dataset.slot === "key") return slots[KEY_PLACE];
  return slots.find((slot, place) => place !== KEY_PLACE && !textOf(slot).value.trim());
}

// Answers whether it was done here; where no slot waits, the server says so in words.
function use(card, slot = waitingFor(card)) {
  if (!slot) return false;
  fill(slot, wordsOf(card), card.dataset.candidate);
  slot.scrollIntoView({ block: "nearest" });
  return true;
}

/* ---------- keeping ---------- */

let timer = 0;
let sending = false;
let dirty = false;
let stopped = false;
let leaving = false;

function body() {
  const kept = slots.map((slot) => ({
    text: textOf(slot).value,
    candidate: candidateOf(slot).value ? Number(candidateOf(slot).value) : null,
  }));
  return {
    client_id: form.elements.client_id.value,
    sequence: Number(form.elements.sequence.value) + 1,
    slots: kept,
    answered_warnings: answers(),
  };
}

function answers() {
  const given = [...document.querySelectorAll("#checks [data-answer]")].filter((field) => field.value.trim());
  return Object.fromEntries(given.map((field) => [field.name.replace("answer-", ""), field.value]));
}

function say(words) {
  saved.textContent = words;
}

async function save() {
  if (composing || sending || stopped || leaving) return;
  sending = true;
  dirty = false;
  const sent = body();
  try {
    const answer = await fetch(form.dataset.save, {
      method: "PUT",
      headers: { "Content-Type": "application/json", "X-CSRFToken": window.parable.csrfToken() },
      body: JSON.stringify(sent),
      keepalive: true,
    });
    if (answer.ok) {
      form.elements.sequence.value = sent.sequence;
      say(`${saved.dataset.kept} ${new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false })}`);
    } else if (answer.status === 409) {
      stopped = true;
      say(saved.dataset.stale);
    } else say(saved.dataset.away);
  } catch {
    dirty = true;
    say(saved.dataset.away);
  }
  sending = false;
  if (dirty) keepSoon();
}

function keepSoon() {
  dirty = true;
  clearTimeout(timer);
  timer = setTimeout(save, SAVE_AFTER_MS);
}

/* ---------- what is wrong with it ---------- */

let composing = false;
let judging = 0;

function judgeSoon() {
  clearTimeout(judging);
  judging = setTimeout(() => document.getElementById("checks")?.dispatchEvent(new Event("judge")), JUDGE_AFTER_MS);
}

// While somebody types an answer the list stays as it is; it is asked for anew when they have left it.
document.addEventListener("htmx:beforeSwap", (event) => {
  const list = event.detail.target;
  if (list.id === "checks" && (composing || list.contains(document.activeElement))) event.detail.shouldSwap = false;
});
document.addEventListener("focusout", (event) => {
  if (event.target.matches("#checks [data-answer]")) judgeSoon();
});
document.addEventListener("input", (event) => {
  if (!event.target.matches("#checks [data-answer]")) return;
  composing = event.isComposing === true;
  if (!composing) keepSoon();
});

/* ---------- hands ---------- */

const typedHere = (event) => event.target.matches?.("#slot-list textarea, #checks [data-answer]");
document.addEventListener("compositionstart", (event) => { if (typedHere(event)) composing = true; });
document.addEventListener("compositionend", (event) => {
  composing = false;
  if (typedHere(event)) keepSoon();
  if (list.contains(event.target)) judgeSoon();
});

list.addEventListener("input", (event) => {
  const slot = event.target.closest("[data-place]");
  if (!slot) return;
  if (!textOf(slot).value.trim()) candidateOf(slot).value = "";
  refresh(slot);
  if (!composing) { keepSoon(); judgeSoon(); }
});

document.addEventListener("click", (event) => {
  const pressed = event.target.closest?.("button");
  if (!pressed) return;
  const slot = pressed.closest("[data-place]");
  if (pressed.matches("[data-use]") && use(pressed.closest("[data-candidate]"))) event.preventDefault();
  else if (pressed.matches("[data-clear]")) { fill(slot, "", ""); textOf(slot).focus(); event.preventDefault(); }
  else if (pressed.matches("[data-use-moral]")) {
    fill(slot, document.getElementById("moral").textContent.trim(), "");
    event.preventDefault();
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.ctrlKey || event.metaKey || window.parable.composing(event)) return;
  const card = event.target.closest?.("[data-candidate]");
  if (card && event.target === card) {
    event.preventDefault();
    if (!use(card)) card.querySelector("[data-use]").click();
  }
});

// The form's own save counts on from the last one that this script sent, and none is sent beside it.
form.addEventListener("submit", () => { leaving = true; clearTimeout(timer); });

document.addEventListener("dragstart", (event) => {
  const card = event.target.closest?.("[data-candidate]");
  if (card) event.dataTransfer.setData("text/x-candidate", card.dataset.candidate);
});
list.addEventListener("dragover", (event) => {
  if (event.dataTransfer.types.includes("text/x-candidate")) event.preventDefault();
});
list.addEventListener("drop", (event) => {
  const card = cardOf(event.dataTransfer.getData("text/x-candidate"));
  const slot = event.target.closest("[data-place]");
  if (!card || !slot) return;
  event.preventDefault();
  use(card, slot);
});

document.addEventListener("visibilitychange", () => { if (document.hidden && dirty) save(); });
