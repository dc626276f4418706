/* What could not be sent is kept on this device, one entry a sheet and window, and sent when the server is back.
   Every page of the desk loads this. A save has a number and the draft an id of its own: sent twice it is one. */

const PREFIX = "outbox:";
const ABANDONED_MS = 60000; // a window that has written nothing for so long has gone
const TRIES_AGAIN_MS = 20000;
const WORTH_TELLING_MS = 10000; // what left with its window a moment ago goes without a word
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

// `left`: this window goes now, so that the next page need not wait before it sends the entry.
function keep(address, page, body, { left = false } = {}) {
  const entry = { address, page, body, user, lang: form?.dataset.lang ?? "", left, at: Date.now() };
  try {
    localStorage.setItem(keyOf(address), JSON.stringify(entry));
    return true;
  } catch { return false; }
}

function drop(key) {
  try { localStorage.removeItem(key); } catch { /* nothing was kept then */ }
}

const forget = (address) => drop(keyOf(address));

function entries() {
  let keys = [];
  try { keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)); } catch { /* none */ }
  return keys.map((key) => [key, read(key)]).filter(([, entry]) => entry?.user === user);
}

const isMine = (key) => key.endsWith(`#${here}`);
const isLiving = (key, entry) => !isMine(key) && !entry.left && Date.now() - entry.at < ABANDONED_MS;

// This window's own entry before a reload, else one that a window which is gone has left: ours from now on.
function waiting(address) {
  const mine = read(keyOf(address));
  if (mine?.user === user) return mine;
  const left = entries().find(([key, entry]) => entry.address === address && !isLiving(key, entry));
  if (!left) return null;
  if (keep(address, left[1].page, left[1].body)) drop(left[0]);
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

/* ---------- two wordings ---------- */

// The same part of a task's own reads the same, whoever wrote its members in which order.
function inOrder(value) {
  if (Array.isArray(value)) return value.map(inOrder);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).filter(([, one]) => one !== "" && !(Array.isArray(one) && !one.length));
  return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, one]) => [name, inOrder(one)]));
}

const said = (words) => JSON.stringify([
  words.stem ?? "",
  (words.options ?? []).map((one) => [one.text ?? "", one.is_key === true, one.rank ?? null]),
  words.types ?? [],
  words.explanation ?? "",
  inOrder(words.own ?? {}),
]);

function showWords(place, words, lang) {
  const lines = [words.stem, ...(words.options ?? []).map((one) => `${one.rank ? `${one.rank}. ` : one.is_key ? "● " : "○ "}${one.text ?? ""}`), ...(window.parableOwn?.lines(words.own) ?? []), words.explanation];
  place.lang = lang;
  place.replaceChildren(...lines.filter(Boolean).map((text) => {
    const line = document.createElement("p");
    line.textContent = text;
    return line;
  }));
}

function prepare(id, mine, other, lang) {
  window.parable.showPrepared(id);
  const notice = document.querySelector(`[data-from=${id}]`);
  if (!notice) return null;
  if (mine) showWords(notice.querySelector("[data-mine]"), mine, lang);
  if (other) showWords(notice.querySelector("[data-other]"), other, lang);
  return notice;
}

// Handed in elsewhere: the words of this window become a draft of their own, or are left.
function offerApart({ address, lang, words, other, leave }) {
  if (document.querySelector("[data-from=notice-late]")) return; // one after the other
  const notice = prepare("notice-late", words().content, other, lang);
  if (!notice) return;
  notice.querySelector("[data-take]").addEventListener("click", leave);
  notice.querySelector("[data-apart]").addEventListener("click", async () => {
    const failed = notice.querySelector("[data-failed]");
    failed.hidden = true;
    try {
      const answer = await send(`${address}separate/`, "POST", words());
      if (!answer.ok) throw new Error(answer.statusText);
      const { page } = await answer.json();
      leave();
      location.assign(page);
    } catch { failed.hidden = false; }
  });
}

/* ---------- sending what windows that are gone have left ---------- */

// Whether it is done with; what is not waits. A newer entry of a window that lives is not taken for this one.
async function deliver(key, entry) {
  const answer = await send(entry.address, "PUT", entry.body);
  const settle = () => { if (JSON.stringify(read(key)) === JSON.stringify(entry)) drop(key); };
  if (answer.ok) {
    settle();
    tellOfSent(key, entry);
  } else if (answer.status === 409) {
    await differ(entry, await answer.json(), settle, key);
  } else if (answer.status === 400 || answer.status === 404) {
    refuse(entry, settle);
  } else {
    return false;
  }
  return true;
}

async function differ(entry, standing, settle, key) {
  if (standing.submitted && standing.same_text) return settle();
  if (!standing.content) return refuse(entry, settle);
  if (said(entry.body.content) === said(standing.content)) return settle();
  if (!standing.submitted) return tellOfKept(entry, standing.client_id, key);
  return offerApart({
    address: entry.address, lang: entry.lang, words: () => entry.body, other: standing.content, leave: settle,
  });
}

const idOf = (address) => address.split("/").at(-2);

// It waits until its sheet is opened. Where another draft of the item stands, that is its sheet.
function tellOfKept(entry, standing, key) {
  const old = idOf(entry.address);
  const moved = { address: entry.address.replace(old, standing), page: entry.page.replace(old, standing) };
  if (standing !== old && keep(moved.address, moved.page, entry.body, { left: true })) drop(key);
  prepare("notice-kept")?.querySelector("a").setAttribute("href", moved.page);
}

const isBlank = () => form.elements.sequence.value === "0"
  && [...form.querySelectorAll("textarea:not([data-marks])")].every((area) => area.value === area.defaultValue);

// Who reloaded a sheet that the server had never seen goes on with it; elsewhere a notice leads to it.
function tellOfSent(key, entry) {
  if (form && isMine(key) && Number(form.elements.story.value) === entry.body.story && isBlank()) {
    location.replace(entry.page);
  } else if (Date.now() - entry.at > WORTH_TELLING_MS) {
    prepare("notice-sent")?.querySelector("a").setAttribute("href", entry.page);
  }
}

function refuse(entry, settle) {
  const notice = prepare("notice-untaken", entry.body.content, null, entry.lang);
  notice?.querySelector("[data-take]").addEventListener("click", () => { settle(); notice.remove(); });
}

let flushing = false;
let timer = 0;

async function flush() {
  if (flushing) return;
  flushing = true;
  clearTimeout(timer);
  let waits = false;
  try {
    for (const [key, entry] of entries()) {
      if (form && entry.address === form.dataset.save) continue; // the sheet sends it itself
      if (isLiving(key, entry) || !(await deliver(key, entry))) waits = true;
    }
  } catch {
    waits = true;
  }
  flushing = false;
  if (waits) timer = setTimeout(flush, TRIES_AGAIN_MS);
}

window.parableOutbox = Object.freeze({ keep, forget, waiting, send, said, prepare, offerApart, idOf });
addEventListener("online", flush);
flush();
