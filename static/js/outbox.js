/* What could not be sent is kept on this device, one entry a sheet and window, and sent when the server is back.
   Every page of the desk loads this. A save has a number and the draft an id of its own: sent twice it is one. */

const PREFIX = "outbox:";
const ABANDONED_MS = 60000; // a window that has written nothing for so long has gone
const form = document.getElementById("sheet");
const user = document.querySelector("[data-user]")?.dataset.user ?? "";

function read(key) {
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
}

// One name a window, that outlives a reload: two windows of one draft never overwrite each other's entry.
function windowName() {
  try {
    const known = sessionStorage.getItem("window");
    if (known) return known;
    const made = Math.random().toString(36).slice(2);
    sessionStorage.setItem("window", made);
    return made;
  } catch { return "only"; }
}

const here = windowName();
const keyOf = (address) => `${PREFIX}${address}#${here}`;

function keep(address, page, body) {
  try {
    localStorage.setItem(keyOf(address), JSON.stringify({ address, page, body, user, at: Date.now() }));
    return true;
  } catch { return false; }
}

function forget(address) {
  try { localStorage.removeItem(keyOf(address)); } catch { /* nothing was kept then */ }
}

function entries() {
  let keys = [];
  try { keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)); } catch { /* none */ }
  return keys.map((key) => [key, read(key)]).filter(([, entry]) => entry?.user === user);
}

// This window's own entry before a reload, else one that a window which is gone has left.
function waiting(address) {
  const mine = read(keyOf(address));
  if (mine?.user === user) return mine;
  const left = entries().find(([, entry]) => entry.address === address && Date.now() - entry.at > ABANDONED_MS);
  if (!left) return null;
  localStorage.removeItem(left[0]);
  return left[1];
}

function send(address, method, body, more = {}) {
  return fetch(address, {
    method,
    credentials: "same-origin",
    headers: { "Content-Type": "application/json", "X-CSRFToken": window.parable.csrfToken() },
    body: body === null ? null : JSON.stringify(body),
    ...more,
  });
}

// Entries of other sheets, whose windows are gone. One that was overtaken waits until its sheet is opened.
async function flush() {
  for (const [key, entry] of entries()) {
    const mine = key.endsWith(`#${here}`);
    if (form && entry.address === form.dataset.save) continue;
    if (!mine && Date.now() - entry.at < ABANDONED_MS) continue;
    try {
      const answer = await send(entry.address, "PUT", entry.body);
      if (answer.ok) localStorage.removeItem(key);
      else if (answer.status === 409) tellOfKept(entry);
    } catch { return; }
  }
}

function tellOfKept(entry) {
  window.parable.showPrepared("notice-kept");
  document.querySelector("[data-from=notice-kept] a")?.setAttribute("href", entry.page);
}

window.parableOutbox = Object.freeze({ keep, forget, waiting, send });
addEventListener("online", flush);
flush();
