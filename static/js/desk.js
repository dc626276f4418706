/* The sheet saves itself: 1.2 seconds after the last key, never while an input method composes. What has not
   arrived yet is kept on this device as well. Without this file the same form is saved by its buttons. */

const SAVES_AFTER_MS = 1200;
const TRIES_AGAIN_MS = 5000;

const form = document.getElementById("sheet");
const saved = document.getElementById("saved");
const lengths = document.getElementById("lengths");
const longest = document.getElementById("longest-key").content.firstElementChild;
const sequence = form.elements.sequence;
let page = form.getAttribute("action");

let timer = 0;
let composing = false;
let saving = false;
let dirty = false;
let halted = false; // another window has overtaken this one, or the form is on its way
let unsure = null; // what was sent without an answer, so that it may have arrived

/* ---------- what the sheet says ---------- */

const rows = () => [...form.querySelectorAll(".option.desk")];

function option(row) {
  const text = row.querySelector("textarea");
  const candidate = form.elements[text.name.replace("option", "candidate")];
  const found = { text: text.value, is_key: isKey(row) };
  const rank = row.querySelector("select[data-rank]");
  if (rank) found.rank = Number(rank.value);
  if (candidate) found.candidate = Number(candidate.value);
  return found;
}

function answers() {
  const given = [...document.querySelectorAll("#lacks [data-answer]")].filter((field) => field.value.trim());
  return Object.fromEntries(given.map((field) => [field.name.replace("answer-", ""), field.value]));
}

function content() {
  const own = window.parableOwn?.read(form);
  return {
    stem: form.elements.stem?.value ?? "",
    options: rows().map(option),
    types: [...form.querySelectorAll("[name=types]")]
      .filter((box) => box.type === "hidden" || box.checked)
      .map((box) => box.value),
    explanation: form.elements.explanation?.value ?? "",
    answered_warnings: answers(),
    ...(own ? { own } : {}),
  };
}

function draft() {
  return {
    project: form.dataset.project,
    story: Number(form.elements.story.value),
    task: form.elements.task.value,
    style: form.elements.style.value,
    item: Number(form.elements.namedItem("item").value) || null, // `elements.item` is a method
    // one further while another save is on its way, so that this one is never taken for it
    sequence: Number(sequence.value) + (saving ? 2 : 1),
    content: content(),
  };
}

/* ---------- counts ---------- */

const lengthOf = (row) => [...row.querySelector("textarea").value.trim()].length;
const isKey = (row) => row.querySelector("[name=key]")?.checked === true;

function showCounts() {
  if (!lengths) return;
  rows().forEach((row) => {
    const words = lengthOf(row) === 1 ? form.dataset.countOne : form.dataset.countMany;
    row.querySelector("[data-count]").textContent = words.replace("{n}", lengthOf(row));
  });
  if (!lengths) return;
  const [key, more] = rows().filter(isKey);
  const others = rows().filter((row) => row !== key).map(lengthOf).filter(Boolean);
  const compared = key && !more && lengthOf(key) > 0 && others.length > 0;
  showLongest(compared && lengthOf(key) > Math.max(...others) ? key : null);
  const mean = Math.round(others.reduce((sum, one) => sum + one, 0) / others.length);
  lengths.textContent = compared ? lengths.dataset.words.replace("{key}", lengthOf(key)).replace("{others}", mean) : "";
}

function showLongest(key) {
  form.querySelectorAll(".option.desk .chip").forEach((chip) => chip.remove());
  key?.querySelector(".count").prepend(longest.cloneNode(true));
}

function say(words, { careful = true } = {}) {
  saved.textContent = words;
  saved.classList.toggle("careful", careful);
}

/* ---------- saving ---------- */

const { forget, waiting, send, said, prepare, offerApart, idOf } = window.parableOutbox;
const lang = form.dataset.lang;
let safe = true; // whether this device keeps what was typed

function keep(body, more) {
  safe = window.parableOutbox.keep(form.dataset.save, page, body, more);
  return safe;
}

function saveSoon(wait = SAVES_AFTER_MS) {
  clearTimeout(timer);
  if (!halted) timer = setTimeout(save, wait);
}

// Says whether everything typed has arrived.
async function save() {
  if (composing || saving || !dirty || halted) return !dirty;
  const body = draft();
  saving = true;
  stuck = false;
  dirty = false;
  try {
    await understand(await send(form.dataset.save, "PUT", body), body);
  } catch {
    unsure = body.content;
    failed();
  } finally {
    saving = false;
    if (dirty && !stuck) saveSoon(away ? TRIES_AGAIN_MS : SAVES_AFTER_MS);
  }
  return !dirty && !halted;
}

let away = false;
let stuck = false; // the server does not take these words; what is typed next is tried again

async function understand(answer, body) {
  away = false;
  if (answer.ok) await settle(await answer.json(), body);
  else if (answer.status === 409) overtaken(await answer.json(), body);
  else if (answer.status === 401 || answer.status === 403) signedOut();
  else if (answer.status === 400 || answer.status === 404) refused(await answer.json(), body);
  else failed();
}

async function settle(answer, body) {
  sequence.value = answer.sequence;
  say(answer.saved, { careful: false });
  unsure = null;
  if (dirty) keep(draft()); // with the number of the next save: with an old one it would be dropped
  else forget(form.dataset.save);
  if (location.pathname !== page) history.replaceState(null, "", page);
  if (body.sequence === answer.sequence && !dirty) check().catch(() => {});
}

function failed() {
  dirty = true;
  away = true;
  say(keep(draft()) ? form.dataset.kept : form.dataset.unsaved);
}

// The server says why, in a sentence; the same words again would not do better.
function refused(answer, body) {
  keep(body);
  say(typeof answer.detail === "string" ? answer.detail : form.dataset.refused);
  stuck = true;
  dirty = true;
}

function signedOut() {
  failed();
  document.dispatchEvent(new CustomEvent("parable:signed-out"));
}

/* ---------- two windows ---------- */

function overtaken(answer, body) {
  if (!answer.content) return refused(answer, body);
  if (!answer.submitted && [unsure, body.content].some((mine) => mine && said(mine) === said(answer.content))) {
    sequence.value = answer.sequence; // our own save, whose answer was lost
    unsure = null;
    dirty = true;
    return undefined;
  }
  halted = true;
  dirty = true;
  keep(body);
  return answer.submitted ? handedIn(answer, body) : offerChoice(answer, body);
}

function handedIn(answer, body) {
  say(form.dataset.submitted);
  if (answer.same_text) return leave();
  return offerApart({ address: form.dataset.save, lang, words: draft, other: answer.content, leave });
}

function leave() {
  dirty = false;
  forget(form.dataset.save);
}

function offerChoice(answer, body) {
  const notice = prepare("notice-stale", body.content, answer.content, lang);
  if (!notice) return;
  const take = notice.querySelector("[data-take]");
  if (answer.client_id) take.href = take.getAttribute("href").replace(idOf(form.dataset.save), answer.client_id);
  take.addEventListener("click", leave);
  notice.querySelector("[data-keep]").addEventListener("click", () => {
    becomeDraft(answer.client_id);
    sequence.value = answer.sequence;
    notice.remove();
    halted = false;
    dirty = true;
    save();
  });
}

// An item has one draft: begun in two windows, the one that was saved first is it.
function becomeDraft(standing) {
  const own = idOf(form.dataset.save);
  if (!standing || standing === own) return;
  forget(form.dataset.save);
  for (const name of ["save", "check"]) form.dataset[name] = form.dataset[name].replace(own, standing);
  page = page.replace(own, standing);
  form.setAttribute("action", page);
}

/* ---------- what is wrong with it ---------- */

async function check() {
  const answer = await send(form.dataset.check, "POST", null);
  if (!answer.ok || dirty) return;
  const { problems } = await answer.json();
  renewMessages(problems);
  const list = document.getElementById("lacks");
  if (list.contains(document.activeElement)) return keepAnswering(problems);
  list.replaceChildren(...problems.map(line));
  document.getElementById("lacking").hidden = problems.length === 0;
}

// Somebody types an answer: lines that are gone go, the one they are in stays.
function keepAnswering(problems) {
  const list = document.getElementById("lacks");
  const keys = new Set(problems.map((problem) => problem.key));
  const here = document.activeElement.closest("li");
  const stays = (old) => old === here && keys.has(old.querySelector("[data-answer]")?.name.replace("answer-", ""));
  const lines = problems.map((problem) => {
    const own = here.querySelector("[data-answer]")?.name === `answer-${problem.key}`;
    return own ? here : line(problem);
  });
  [...list.children].filter((old) => !stays(old)).forEach((old) => old.remove());
  let before = true;
  for (const made of lines) {
    if (made === here) before = false;
    else if (before && here.isConnected) here.before(made);
    else list.append(made);
  }
}

function line(problem) {
  const made = document.getElementById("check-line").content.firstElementChild.cloneNode(true);
  made.dataset.severity = problem.severity;
  made.querySelectorAll("[data-as]").forEach((part) => { if (part.dataset.as !== problem.severity) part.remove(); });
  for (const name of ["where", "message", "why", "fix"]) made.querySelector(`[data-${name}]`).textContent = problem[name];
  if (!problem.why) made.querySelector("[data-explained]").remove();
  const field = made.querySelector("[data-answer]");
  if (field) {
    field.name = `answer-${problem.key}`;
    field.value = problem.reason;
  }
  return made;
}

/* ---------- what a submission left beside the fields ---------- */

function removeMessage(message) {
  if (!message) return;
  form.querySelectorAll(`[aria-describedby="${message.id}"]`).forEach((field) => {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  });
  message.remove();
}

// What is right by now goes; what is still wrong says how. Whether the guideline was read, no check knows.
function renewMessages(problems) {
  document.querySelectorAll("[data-error]:not([data-error=guideline])").forEach((message) => {
    const place = message.dataset.error;
    const unanswered = ({ severity, reason }) => severity === "warning" && !reason.trim();
    const wrong = ({ severity, field }) => severity === "error" && field === place;
    const found = problems.find(place === "warnings" ? unanswered : wrong);
    if (!found) removeMessage(message);
    else if (place !== "warnings") message.querySelector("span").textContent = found.message;
  });
}

/* ---------- what kept it from being submitted ---------- */

const blocked = document.getElementById("blocked");

function goToBlocked(event) {
  const named = document.getElementsByName(blocked.dataset.field ?? "");
  const field = [...named].find((one) => one.type !== "hidden");
  if (!field) return;
  event?.preventDefault();
  field.focus({ preventScroll: true });
  field.scrollIntoView({ block: "center" });
}

blocked?.addEventListener("click", goToBlocked);

/* ---------- listening ---------- */

function changed() {
  dirty = true;
  blocked?.parentElement.remove();
  showCounts();
  keep(draft());
  if (!composing) saveSoon();
}

// Answers stand outside of the form and belong to it.
function listen(part) {
  part.addEventListener("compositionstart", () => { composing = true; });
  part.addEventListener("compositionend", () => { composing = false; changed(); });
  part.addEventListener("input", (event) => {
    removeMessage(document.getElementById(`${event.target.name}_error`));
    if (event.target.name === "read_guideline") return;
    composing = event.isComposing === true;
    changed();
  });
}

listen(form);
listen(document.getElementById("lacking"));

// Nothing leaves the page before what was typed has arrived: away or signed out, the sheet stays as it is.
form.addEventListener("submit", async (event) => {
  const { submitter } = event;
  if (!dirty && !saving) {
    halted = true;
    clearTimeout(timer);
    return;
  }
  event.preventDefault();
  clearTimeout(timer);
  while (saving) await new Promise((done) => setTimeout(done, 50));
  if (await save()) form.requestSubmit(submitter);
  else if (away) window.parable.showPrepared("notice-unreachable");
});

addEventListener("pageshow", (event) => { if (event.persisted) halted = false; });
addEventListener("pagehide", () => {
  if (!dirty) return;
  const body = draft();
  keep(body, { left: true });
  if (halted) return;
  unsure = body.content; // the page may come back as it was left
  send(form.dataset.save, "PUT", body, { keepalive: true }).catch(() => {});
});
// A question only where words would really be lost: this device keeps nothing, and the server has not got them.
addEventListener("beforeunload", (event) => { if (dirty && !safe) event.preventDefault(); });
addEventListener("online", () => { if (dirty) saveSoon(0); });
document.addEventListener("parable:signed-in", () => { if (dirty) saveSoon(0); });

/* ---------- keys within text: to the next item ---------- */

document.addEventListener("keydown", (event) => {
  if (window.parable.composing(event) || event.defaultPrevented) return;
  if (event.altKey && !event.ctrlKey && !event.metaKey && ["ArrowUp", "ArrowDown"].includes(event.key)) {
    const link = document.querySelector(event.key === "ArrowUp" ? "[data-key=p]" : "[data-key=n]");
    if (link) { event.preventDefault(); link.click(); }
  }
});

/* ---------- what this device kept of an earlier visit ---------- */

function nameSource(row, candidate) {
  const name = row.querySelector("textarea").name.replace("option", "candidate");
  form.elements[name]?.remove();
  if (!candidate) return;
  const field = document.createElement("input");
  Object.assign(field, { type: "hidden", name, value: candidate });
  row.after(field);
}

function fill(words) {
  if (form.elements.stem) form.elements.stem.value = words.stem;
  window.parableOwn?.fill(form, words.own ?? {});
  if (form.elements.explanation) form.elements.explanation.value = words.explanation;
  rows().forEach((row, place) => {
    const one = words.options[place];
    row.querySelector("textarea").value = one?.text ?? "";
    const mark = row.querySelector("[name=key]");
    if (mark) mark.checked = one?.is_key === true;
    const rank = row.querySelector("select[data-rank]");
    if (rank) rank.value = String(one?.rank ?? place + 1);
    nameSource(row, one?.candidate);
  });
  form.querySelectorAll("[name=types][type=checkbox]").forEach((box) => { box.checked = words.types.includes(box.value); });
  for (const [key, reason] of Object.entries(words.answered_warnings ?? {})) {
    const field = form.elements[`answer-${key}`];
    if (field) field.value = reason;
  }
}

const answered = (words) => Object.entries(words.answered_warnings ?? {})
  .every(([key, reason]) => !form.elements[`answer-${key}`] || form.elements[`answer-${key}`].value === reason);

const left = waiting(form.dataset.save);
if (left && (said(left.body.content) !== said(content()) || !answered(left.body.content))) {
  const overtakenSince = Number(left.body.sequence) <= Number(sequence.value);
  const there = content();
  fill(left.body.content);
  dirty = true;
  showCounts();
  if (overtakenSince) {
    halted = true;
    offerChoice({ sequence: Number(sequence.value), content: there }, left.body);
  } else {
    save();
  }
} else if (left) {
  forget(form.dataset.save);
}

// On a slow line somebody types before this file has come.
if (!left && [...form.querySelectorAll("textarea:not([data-marks])")].some((area) => area.value !== area.defaultValue)) changed();
if (blocked) goToBlocked();
