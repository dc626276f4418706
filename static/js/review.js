/* The review pages: an answer or a verdict brings the next step into the page, words save themselves, and
   work extends the lease. What listens, listens on the document: forms come and go. */

const WORDS_WAIT_MS = 1200;
const AWAY_WAIT_MS = 5000;
const LEASE_WAIT_MS = 60000;
const parable = window.parable ?? {};
const SIGN_IN = document.querySelector("#sign-in form")?.getAttribute("action");
const composing = parable.composing ?? ((event) => event.isComposing || event.keyCode === 229);
const STEPS = "#answer, #verdict, #ruling";
const SENT_BY_HTMX = `${STEPS}, #skip-form`;

function send(url, method, body) {
  return fetch(url, {
    method,
    headers: { "Content-Type": "application/json", "X-CSRFToken": parable.csrfToken?.() ?? "" },
    body: body === undefined ? undefined : JSON.stringify(body),
    credentials: "same-origin",
  });
}

/* ---------- words save themselves ---------- */

function clock() {
  return new Date().toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
}

function saveWords(form) {
  const area = form.querySelector("[data-save-words]");
  const saved = document.querySelector("[data-saved]");
  let waiting = 0;
  let composingNow = false;
  const save = async () => {
    if (!form.isConnected) return;
    try {
      const answer = await send(form.dataset.words, "PUT", { comment: area.value });
      if (saved) saved.textContent = answer.ok ? clock() : "";
    } catch { /* The words are still in the form, and go with the verdict. */ }
  };
  const soon = () => {
    clearTimeout(waiting);
    if (!composingNow) waiting = setTimeout(save, WORDS_WAIT_MS);
  };
  area.addEventListener("compositionstart", () => { composingNow = true; clearTimeout(waiting); });
  area.addEventListener("compositionend", () => { composingNow = false; soon(); });
  area.addEventListener("input", (event) => { if (!composing(event)) soon(); });
}

/* ---------- an answer that takes a while saves itself until it is sent ---------- */

const begunKey = (form) => `begun:${form.dataset.begun}`;

function keepBegun(form, content) {
  try { localStorage.setItem(begunKey(form), JSON.stringify({ content, user: document.querySelector("[data-user]")?.dataset.user })); } catch { /* the server has it in a moment */ }
}

function dropBegun(form) {
  try { localStorage.removeItem(begunKey(form)); } catch { /* nothing was kept then */ }
}

function keptBegun(form) {
  try {
    const kept = JSON.parse(localStorage.getItem(begunKey(form)));
    return kept?.user === document.querySelector("[data-user]")?.dataset.user ? kept?.content : null;
  } catch { return null; }
}

// What this device kept of an answer that the server has not got is put back into its form.
function saveAnswer(form) {
  const saved = document.querySelector("[data-saved]");
  let sequence = Number(form.dataset.sequence);
  let waiting = 0;
  const save = async () => {
    const content = window.parableOwn?.read(form);
    if (!form.isConnected || !content) return;
    sequence += 1;
    try {
      const answer = await send(form.dataset.begun, "PUT", { sequence, content });
      if (!answer.ok) throw new Error(answer.statusText);
      const body = await answer.json();
      if (body.sequence > sequence) sequence = body.sequence;
      dropBegun(form);
      if (saved) saved.textContent = clock();
    } catch {
      if (saved) saved.textContent = "";
      waiting = setTimeout(save, AWAY_WAIT_MS);
    }
  };
  const changed = () => {
    keepBegun(form, window.parableOwn?.read(form));
    clearTimeout(waiting);
    waiting = setTimeout(save, WORDS_WAIT_MS);
  };
  form.addEventListener("input", (event) => { if (!composing(event)) changed(); });
  form.addEventListener("compositionend", changed);
  const kept = keptBegun(form);
  if (kept) {
    window.parableOwn?.fill(form, kept);
    changed();
  }
}

/* ---------- work extends the lease ---------- */

function writeLease(words) {
  const lease = document.querySelector("[data-lease-until]");
  if (lease) lease.textContent = words;
}

function showLease({ seconds_left: left, lease_expires_at: until }) {
  document.querySelector("progress[data-lease]")?.dispatchEvent(new CustomEvent("lease", { detail: left }));
  const lease = document.querySelector("[data-lease-until]");
  const at = new Date(until).toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
  if (lease) writeLease(lease.dataset.leaseUntil.replace("{}", at));
}

let lastRenewed = Date.now();

async function renewLease() {
  const form = document.querySelector("form[data-lease-renew]");
  if (!form || Date.now() - lastRenewed < LEASE_WAIT_MS) return;
  lastRenewed = Date.now();
  try {
    const answer = await send(form.dataset.leaseRenew, "POST");
    const body = await answer.json();
    if (!form.isConnected) return;
    if (answer.ok) showLease(body);
    else writeLease(body.detail ?? "");
  } catch { /* Away from the server: the next stir tries again. */ }
}

["keydown", "pointerdown", "scroll"].forEach((name) => addEventListener(name, renewLease, { passive: true, capture: true }));
// A screen that was locked: the item may have gone back meanwhile, and is taken up again if it is free.
document.addEventListener("visibilitychange", () => { if (!document.hidden) renewLease(); });

/* ---------- the next step ---------- */

// A form that nobody was signed in to send, with its button; it is sent again once after the sign-in.
let unsent = null;
let isSentAgain = false;

function askToSignIn(form, button, isSecond) {
  if (isSecond) { parable.showPrepared("notice-refused"); return; } // no sign-in helps: cookies are off, say
  unsent = button ?? form;
  document.dispatchEvent(new CustomEvent("parable:signed-out"));
}

function sendAgain() {
  const sender = unsent?.isConnected ? unsent : null;
  unsent = null;
  isSentAgain = sender !== null;
  if (sender?.matches("form")) sender.requestSubmit();
  else sender?.click();
}

// Why a form was refused is said in the form, which stays as it is.
function showRefusal(form, html) {
  form.querySelectorAll("[role=alert]").forEach((said) => said.remove());
  form.insertAdjacentHTML("afterbegin", html);
  form.firstElementChild.scrollIntoView({ block: "nearest" });
}

// The session is over where the sign-in page came; where the token is refused, its page says no more than 403.
function takeStep(event) {
  const { xhr, requestConfig: { elt: form, triggeringEvent } } = event.detail;
  if (!form.matches(SENT_BY_HTMX)) return;
  const isSecond = isSentAgain;
  isSentAgain = false;
  const isStep = xhr.responseText.startsWith("<title>");
  const isRefusal = xhr.responseText.startsWith("<p ");
  event.detail.shouldSwap = isStep;
  event.detail.isError = xhr.status >= 500 && !isRefusal;
  if (isRefusal) showRefusal(form, xhr.responseText);
  else if (xhr.status === 403 || new URL(xhr.responseURL).pathname === SIGN_IN) askToSignIn(form, triggeringEvent?.submitter, isSecond);
  else if (!isStep && xhr.status < 500) form.submit();
}

// As where a page begins: at its top, its work read aloud, a lease that has just begun.
function beginStep(event) {
  if (event.target.id !== "main") return;
  lastRenewed = Date.now();
  scrollTo(0, 0);
  document.getElementById("work")?.focus({ preventScroll: true });
  openNewStory();
}

// Back and forward load the item of that address anew; within it, to the story and back, nothing is loaded.
let shown = location.pathname;

function goBack(event) {
  event.stopImmediatePropagation();
  if (location.pathname !== shown) location.reload();
}

document.addEventListener("htmx:beforeSwap", takeStep);
document.addEventListener("parable:signed-in", sendAgain);
document.addEventListener("htmx:afterSwap", beginStep);
document.addEventListener("htmx:pushedIntoHistory", () => { shown = location.pathname; });
addEventListener("popstate", goBack, { capture: true });

/* ---------- keys ---------- */

// Shift and a number: this option, and sent. A number alone only chooses.
function sendByKey(event) {
  if (composing(event) || event.ctrlKey || event.metaKey || event.altKey || !event.shiftKey || event.repeat) return;
  if (parable.typing?.(event.target) || document.querySelector("dialog[open]")) return;
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
  const chosen = digit && document.querySelector(`form.answers label.answer[data-key="${digit}"] input[type=radio]`);
  if (!chosen) return;
  event.preventDefault();
  chosen.checked = true;
  chosen.form.requestSubmit();
}

// Enter sends what is chosen, from anywhere but words and what Enter presses itself. Without this the
// browser would press the first button of the form, which need not be the primary one.
function sendByEnter(event) {
  if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (composing(event) || event.repeat || parable.typing?.(event.target) || document.querySelector("dialog[open]")) return;
  if (event.target.closest?.("a, button, summary") || !document.querySelector(STEPS)) return;
  event.preventDefault();
  [...document.querySelectorAll("[data-primary]")].find((button) => button.checkVisibility())?.click();
}

// A rating chooses the verdict that usually goes with it, as long as the person has chosen none.
function pickVerdict({ target }) {
  const form = target.closest?.("form.verdict");
  if (target.name === "disposition") delete target.dataset.picked;
  if (!form || !target.dataset.picks) return;
  const chosen = form.querySelector("[name=disposition]:checked");
  if (chosen && !("picked" in chosen.dataset)) return;
  const usual = form.querySelector(`[name=disposition][value="${CSS.escape(target.dataset.picks)}"]`);
  usual.checked = true;
  usual.dataset.picked = "";
}

/* ---------- a story that is new to this person ---------- */

// On a phone the story lies in a sheet: it is open where it has not been read yet.
function openNewStory() {
  const first = document.querySelector("[data-story-first]");
  const sheet = document.querySelector(".sheet-tab");
  if (first && sheet?.checkVisibility()) location.replace("#story");
}

// Under a story that was just read the options stand once more: a tap on one chooses it and closes the sheet.
function pickFromSheet({ target }) {
  const pick = target.closest?.("[data-pick]");
  const option = pick && document.querySelector(`form.answers [name=position][value="${pick.dataset.pick}"]`);
  if (!option) return;
  option.checked = true;
  option.dispatchEvent(new Event("change", { bubbles: true }));
  document.querySelector(".sheet-close").click();
}

const SECOND_DIGIT_WAITS_MS = 800;
let firstMark = null;

// Past nine options the rest has a letter: 1 and 0 are an option's number.
const restKey = () => (document.querySelectorAll("[data-mark]").length > 9 ? "f" : "0");

// The row of a number; of two digits one after the other, where the first one's mark is taken back.
function markedRow(key) {
  const row = (number) => document.querySelector(`[data-mark="${CSS.escape(number)}"]`);
  const first = performance.now() < firstMark?.until ? firstMark : null;
  const whole = first && row(first.key + key);
  if (!whole) {
    const found = row(key);
    firstMark = found && { key, row: found, before: found.querySelector(":checked"), until: performance.now() + SECOND_DIGIT_WAITS_MS };
    return found;
  }
  for (const mark of first.row.querySelectorAll("input")) mark.checked = mark === first.before;
  firstMark = null;
  return whole;
}

// A verifier's number says that an option is right, and once more that it is wrong; 0 says so of the rest.
function markByKey(event) {
  if (composing(event) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat) return;
  if (parable.singleKeysOn?.() === false || parable.typing?.(event.target) || document.querySelector("dialog[open]")) return;
  const key = event.key.normalize("NFKC");
  const isRest = key === restKey(), row = !isRest && /^\d$/.test(key) && markedRow(key);
  const rows = isRest ? [...document.querySelectorAll("[data-mark]")].filter((one) => !one.querySelector(":checked")) : row ? [row] : [];
  for (const row of rows) {
    const isRight = row.querySelector("[value=right]").checked;
    row.querySelector(isRest || isRight ? "[value=wrong]" : "[value=right]").click();
  }
  if (rows.length) event.preventDefault();
}

// Where several criteria are rated, a number rates by the one in focus, else by the first that has no mark yet.
function rateByKey(event) {
  if (composing(event) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat) return;
  if (parable.singleKeysOn?.() === false || parable.typing?.(event.target) || document.querySelector("dialog[open]")) return;
  const scales = [...document.querySelectorAll("form.verdict .scale")].filter((one) => !one.querySelector("[data-key]"));
  const scale = scales.find((one) => one.contains(event.target)) ?? scales.find((one) => !one.querySelector(":checked"));
  const mark = scale?.querySelector(`input[value="${CSS.escape(event.key.normalize("NFKC"))}"]`);
  if (!mark) return;
  event.preventDefault();
  mark.click();
}

// What a refused form lacked is no longer said once it is there. A flaw is a reason, too.
function settleComplaint({ target }) {
  const form = target.closest?.("#verdict, #ruling");
  if (!form || !target.name || !target.value.trim()) return;
  const marks = [...form.querySelectorAll("[data-mark]")];
  const answered = [target.name];
  if (target.name === "flaws" && target.value !== "other") answered.push("comment");
  if (marks.length && marks.every((row) => row.querySelector(":checked"))) answered.push("option_marks");
  form.querySelectorAll("[data-complaint]").forEach((said) => { if (answered.includes(said.dataset.complaint)) said.remove(); });
}

// Who wants to edit goes on typing at once.
function editAtOnce({ target }) {
  const stem = target.closest?.("form.verdict")?.querySelector("#edit-stem");
  if (target.name !== "disposition" || target.value !== "edit" || !stem) return;
  stem.focus();
  stem.setSelectionRange(stem.value.length, stem.value.length);
}

document.addEventListener("keydown", sendByKey);
document.addEventListener("keydown", sendByEnter);
document.addEventListener("keydown", markByKey);
document.addEventListener("keydown", rateByKey);
document.addEventListener("click", pickFromSheet);
document.addEventListener("input", settleComplaint);
document.addEventListener("change", editAtOnce);
document.addEventListener("change", pickVerdict);
openNewStory();
function listenToForms(part) {
  part.querySelectorAll("form[data-words]").forEach(saveWords);
  part.querySelectorAll("form[data-begun]").forEach((form) => setTimeout(saveAnswer, 0, form)); // once its editor is there
}

listenToForms(document);
document.addEventListener("htmx:load", (event) => {
  if (event.target !== document.body) listenToForms(event.target);
});
