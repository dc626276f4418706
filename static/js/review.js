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

function extendLease(form) {
  let last = Date.now();
  const work = async () => {
    if (Date.now() - last < LEASE_WAIT_MS) return;
    last = Date.now();
    try {
      const answer = await send(form.dataset.leaseRenew, "POST");
      if (!answer.ok) return;
      const { seconds_left: left } = await answer.json();
      const line = document.querySelector("progress[data-lease]");
      if (line) line.dispatchEvent(new CustomEvent("lease", { detail: left }));
    } catch { /* Away from the server: the next stir tries again. */ }
  };
  ["keydown", "pointerdown", "scroll"].forEach((name) => addEventListener(name, work, { passive: true, capture: true }));
}

document.querySelectorAll("form[data-words]").forEach(saveWords);
document.querySelectorAll("form[data-lease-renew]").forEach(extendLease);
