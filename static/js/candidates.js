/* A story's candidates: Enter, a click or a drag puts one into the next free slot; lengths are shown while
   typing, what is typed is kept, and the server answers what it changes and what is wrong with it. Without
   this script the same form works by reloading. */

const SAVE_AFTER_MS = 900;
const JUDGE_AFTER_MS = 350;
const TRIES_AGAIN_MS = 5000;
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
  const missing = document.querySelector("[data-missing]");
  const empty = lengths.filter((length) => length === 0).length;
  document.querySelectorAll("[data-slot-link]").forEach((link, place) => {
    link.querySelector("[data-slot-count]").textContent = lengths[place] || "–";
    link.toggleAttribute("data-filled", lengths[place] > 0);
  });
  missing.hidden = empty === 0;
  missing.querySelector(".num").textContent = empty;
  window.parableLengths.show(textOf(slots[KEY_PLACE]).value);
}

function refresh(slot) {
  slot.querySelector("[data-count]").textContent = lengthOf(textOf(slot).value);
  slot.querySelector("[data-clear]").hidden = !textOf(slot).value;
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

// The slot that a candidate stands in.
const holding = (card) => slots.find((slot) => candidateOf(slot).value === card.dataset.candidate);

function takeOut(card) {
  const slot = holding(card);
  if (slot) fill(slot, "", "");
  return Boolean(slot);
}

// Answers whether it was done here; where no slot waits, the server says so in words.
function use(card, slot = waitingFor(card)) {
  if (holding(card)) return true;
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
  const fields = [...form.querySelectorAll("[data-restored]"), ...document.querySelectorAll("#checks [data-answer]")];
  const given = fields.filter((field) => field.value.trim());
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
      // What was typed meanwhile is kept with the number of the next save: with an old one it would be dropped.
      if (dirty) keep();
      else window.parableOutbox.forget(form.dataset.save);
      say(`${saved.dataset.kept} ${new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false })}`);
    } else if (answer.status === 409) {
      stopped = true;
      say(saved.dataset.stale);
      const standing = await answer.json();
      if (standing.submitted && standing.same_text) {
        window.parableOutbox.forget(form.dataset.save);
        location.reload(); // a new item begins with empty slots
      }
    } else {
      dirty = true;
      say(saved.dataset.away);
      if (answer.status === 401 || answer.status === 403) {
        document.dispatchEvent(new CustomEvent("parable:signed-out"));
      }
    }
  } catch {
    dirty = true;
    say(saved.dataset.away);
  }
  sending = false;
  if (dirty) saveSoon(stopped ? null : TRIES_AGAIN_MS);
}

function saveSoon(wait) {
  clearTimeout(timer);
  if (wait !== null) timer = setTimeout(save, wait);
}

function keep() {
  window.parableOutbox.keep(form.dataset.save, location.pathname, body());
}

// On this device at once, on the server in a moment.
function keepSoon() {
  dirty = true;
  keep();
  saveSoon(SAVE_AFTER_MS);
}

addEventListener("online", () => { if (dirty) saveSoon(0); });
document.addEventListener("parable:signed-in", () => { if (dirty) saveSoon(0); });

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
  else if (pressed.matches("[data-used]")) takeOut(pressed.closest("[data-candidate]"));
  else if (pressed.matches("[data-clear]")) { fill(slot, "", ""); textOf(slot).focus(); event.preventDefault(); }
  else if (pressed.matches("[data-use-moral]")) {
    fill(slot, document.getElementById("moral").textContent.trim(), "");
    event.preventDefault();
  }
});

// On a candidate: Enter puts it into the slot that waits, a number into that slot, Backspace takes it out.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || window.parable.composing(event)) return;
  const card = event.target.closest?.("[data-candidate]");
  if (!card || event.target !== card) return;
  const slot = slots[Number(event.key.normalize("NFKC")) - 1];
  if (event.key === "Enter") {
    if (!use(card)) card.querySelector("[data-use]").click();
  } else if (event.key === "Backspace" || event.key === "Delete") takeOut(card);
  else if (slot) { takeOut(card); use(card, slot); }
  else return;
  event.preventDefault();
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

/* ---------- what this device kept of an earlier visit ---------- */

const left = window.parableOutbox.waiting(form.dataset.save);
const stood = Number(form.elements.sequence.value);
const isSame = left?.body.client_id === form.elements.client_id.value;
if (left && (isSame ? left.body.sequence > stood : stood === 0)) {
  form.elements.client_id.value = left.body.client_id;
  form.elements.sequence.value = left.body.sequence - 1; // the same save sent twice is one
  left.body.slots.forEach((kept, place) => {
    if (slots[place]) { textOf(slots[place]).value = kept.text; candidateOf(slots[place]).value = kept.candidate ?? ""; }
  });
  for (const [key, reason] of Object.entries(left.body.answered_warnings ?? {})) {
    const asked = document.querySelector(`#checks [data-answer][name="${CSS.escape(`answer-${key}`)}"]`);
    if (asked) { asked.value = reason; continue; }
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name: `answer-${key}`, value: reason });
    field.dataset.restored = "";
    form.append(field); // before the list of checks, whose own fields count more
  }
  slots.forEach(refresh);
  keepSoon();
  judgeSoon();
}
