/* The sheet saves itself: 1.2 seconds after the last key, never while an input method composes.
   Without this file the same form is saved and submitted by its buttons. */

const SAVES_AFTER_MS = 1200;
const TRIES_AGAIN_MS = 5000;

const form = document.getElementById("sheet");
const saved = document.getElementById("saved");
const sequence = form.elements.sequence;
const page = form.getAttribute("action");

let timer = 0;
let composing = false;
let saving = false;
let dirty = false;
let halted = false; // another window has overtaken this one, or the form is on its way

/* ---------- what the sheet says ---------- */

const rows = () => [...form.querySelectorAll(".option.desk")];

function option(row) {
  const text = row.querySelector("textarea");
  const candidate = form.elements[text.name.replace("option", "candidate")];
  const found = { text: text.value, is_key: row.querySelector("input[type=radio]").checked };
  if (candidate) found.candidate = Number(candidate.value);
  return found;
}

function content() {
  return {
    stem: form.elements.stem.value,
    options: rows().map(option),
    types: [...form.querySelectorAll("[name=types]")]
      .filter((box) => box.type === "hidden" || box.checked)
      .map((box) => box.value),
    explanation: form.elements.explanation?.value ?? "",
  };
}

function draft() {
  return {
    project: form.dataset.project,
    story: Number(form.elements.story.value),
    task: form.elements.task.value,
    style: form.elements.style.value,
    item: form.elements.item.value ? Number(form.elements.item.value) : null,
    // one further while another save is on its way, so that this one is never taken for it
    sequence: Number(sequence.value) + (saving ? 2 : 1),
    content: content(),
  };
}

/* ---------- counts ---------- */

function showCounts() {
  const lengths = rows().map((row) => [...row.querySelector("textarea").value.trim()].length);
  const longest = Math.max(...lengths);
  const alone = lengths.filter((length) => length === longest).length === 1 && lengths.filter(Boolean).length > 1;
  rows().forEach((row, place) => {
    const count = row.querySelector(".count");
    const words = lengths[place] === 1 ? form.dataset.countOne : form.dataset.countMany;
    row.querySelector("[data-count]").textContent = words.replace("{n}", lengths[place]);
    count.querySelector(".chip")?.remove();
    const isKey = row.querySelector("input[type=radio]").checked;
    if (isKey && alone && lengths[place] === longest) {
      count.prepend(document.getElementById("longest-key").content.cloneNode(true));
    }
  });
}

/* ---------- saving ---------- */

function send(address, method, body, more = {}) {
  return fetch(address, {
    method,
    credentials: "same-origin",
    headers: { "Content-Type": "application/json", "X-CSRFToken": window.parable.csrfToken() },
    body: body === null ? null : JSON.stringify(body),
    ...more,
  });
}

function saveSoon(wait = SAVES_AFTER_MS) {
  clearTimeout(timer);
  if (!halted) timer = setTimeout(save, wait);
}

async function save() {
  if (composing || saving || !dirty || halted) return;
  const body = draft();
  saving = true;
  dirty = false;
  try {
    const answer = await send(form.dataset.save, "PUT", body);
    if (answer.ok) await settle(await answer.json(), body);
    else if (answer.status === 409) overtaken(await answer.json());
    else failed();
  } catch {
    failed();
  } finally {
    saving = false;
    if (dirty) saveSoon();
  }
}

async function settle(answer, body) {
  sequence.value = answer.sequence;
  saved.textContent = answer.saved;
  if (location.pathname !== page) history.replaceState(null, "", page);
  if (body.sequence === answer.sequence && !dirty) await check();
}

function failed() {
  dirty = true;
  saved.textContent = form.dataset.unsaved;
  saveSoon(TRIES_AGAIN_MS);
}

function overtaken(answer) {
  halted = true;
  if (answer.submitted) {
    saved.textContent = form.dataset.submitted;
    return;
  }
  window.parable.showPrepared("notice-stale");
  const notice = document.querySelector("[data-from=notice-stale]");
  if (!notice) return;
  notice.querySelector("[data-other]").textContent = answer.content.stem ?? "";
  notice.querySelector("[data-take]").href = page;
  notice.querySelector("[data-keep]").addEventListener("click", () => {
    sequence.value = answer.sequence;
    notice.remove();
    halted = false;
    dirty = true;
    save();
  });
}

/* ---------- what it still lacks ---------- */

async function check() {
  const answer = await send(form.dataset.check, "POST", null);
  if (!answer.ok) return;
  const { problems } = await answer.json();
  document.getElementById("lacks").replaceChildren(
    ...problems.map((problem) => {
      const line = document.createElement("li");
      line.textContent = problem.message;
      return line;
    }),
  );
  document.getElementById("lacking").hidden = problems.length === 0;
}

/* ---------- listening ---------- */

function changed() {
  dirty = true;
  showCounts();
  if (!composing) saveSoon();
}

form.addEventListener("compositionstart", () => { composing = true; });
form.addEventListener("compositionend", () => { composing = false; changed(); });
form.addEventListener("input", (event) => {
  if (event.target.name === "read_guideline") return;
  composing = event.isComposing === true;
  changed();
});
form.addEventListener("submit", () => {
  if (saving) sequence.value = Number(sequence.value) + 1;
  halted = true;
  clearTimeout(timer);
});
addEventListener("pageshow", (event) => { if (event.persisted) halted = false; });
addEventListener("pagehide", () => {
  if (!dirty || halted) return;
  const body = draft();
  sequence.value = body.sequence; // the page may come back as it was left
  dirty = false;
  send(form.dataset.save, "PUT", body, { keepalive: true }).catch(() => {});
});
addEventListener("online", () => { if (dirty) saveSoon(0); });
