/* The review pages: words save themselves, and work extends the lease. */

const WORDS_WAIT_MS = 1200;
const LEASE_WAIT_MS = 60000;
const parable = window.parable ?? {};
const composing = parable.composing ?? ((event) => event.isComposing || event.keyCode === 229);

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
  const told = document.querySelector("[data-saved]");
  let waiting = 0;
  let composingNow = false;
  const save = async () => {
    try {
      const answer = await send(form.dataset.words, "PUT", { comment: area.value });
      if (told) told.textContent = answer.ok ? clock() : "";
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

/* ---------- work extends the lease ---------- */

function tellLease(words) {
  const told = document.querySelector("[data-lease-until]");
  if (told) told.textContent = words;
}

function showLease({ seconds_left: left, lease_expires_at: until }) {
  document.querySelector("progress[data-lease]")?.dispatchEvent(new CustomEvent("lease", { detail: left }));
  const told = document.querySelector("[data-lease-until]");
  const at = new Date(until).toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
  if (told) tellLease(told.dataset.leaseUntil.replace("{}", at));
}

function extendLease(form) {
  let last = Date.now();
  const renew = async () => {
    last = Date.now();
    try {
      const answer = await send(form.dataset.leaseRenew, "POST");
      const body = await answer.json();
      if (answer.ok) showLease(body);
      else tellLease(body.detail ?? "");
    } catch { /* Away from the server: the next stir tries again. */ }
  };
  const work = () => { if (Date.now() - last >= LEASE_WAIT_MS) renew(); };
  ["keydown", "pointerdown", "scroll"].forEach((name) => addEventListener(name, work, { passive: true, capture: true }));
  // A screen that was locked: the place may have gone back meanwhile, and is taken up again if it is free.
  document.addEventListener("visibilitychange", () => { if (!document.hidden) work(); });
}

/* ---------- keys ---------- */

// Shift and a number: this option, and sent. A number alone only chooses.
function sendByKey(form) {
  document.addEventListener("keydown", (event) => {
    if (composing(event) || event.ctrlKey || event.metaKey || event.altKey || !event.shiftKey || event.repeat) return;
    if (parable.typing?.(event.target) || document.querySelector("dialog[open]")) return;
    const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
    const chosen = digit && form.querySelector(`label.answer[data-key="${digit}"] input`);
    if (!chosen) return;
    event.preventDefault();
    chosen.checked = true;
    form.requestSubmit();
  });
}

// Who wants to edit goes on typing at once.
function editAtOnce(form) {
  form.addEventListener("change", (event) => {
    const stem = form.querySelector("#edit-stem");
    if (event.target.name !== "disposition" || event.target.value !== "edit" || !stem) return;
    stem.focus();
    stem.setSelectionRange(stem.value.length, stem.value.length);
  });
}

// Away from the server the browser's own page would take this one's place, and the words with it.
function stayWhileAway(form) {
  form.addEventListener("submit", (event) => {
    if (navigator.onLine) return;
    event.preventDefault();
    parable.showPrepared?.("notice-unreachable");
  });
}

document.querySelectorAll("#answer, #verdict, #ruling").forEach(stayWhileAway);
document.querySelectorAll("form.answers").forEach(sendByKey);
document.querySelectorAll("form.verdict").forEach(editAtOnce);
document.querySelectorAll("form[data-words]").forEach(saveWords);
document.querySelectorAll("form[data-lease-renew]").forEach(extendLease);
