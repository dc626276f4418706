/* What every page needs, and nothing else: scheme, keys, dialogs, copying, messages.
   Pages with more to do load their own module after this one and use `window.parable`. */

const root = document.documentElement;
const YEAR_IN_SECONDS = 31536000;
const GO_WAITS_MS = 1500;
const LEASE_TICK_MS = 5000;
const TOAST_STAYS_MS = 8000;
const PAGE_COMES_MS = 5000; // parts that come after the page push down what stands below them
const SENT_ONCE_MS = 5000; // a form that only fetches a file can be sent again after that

/* ---------- remembered on this device ---------- */

function recall(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}

function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch { /* A browser that keeps nothing still works for this page. */ }
}

/* ---------- light and dark ---------- */

const systemDark = matchMedia("(prefers-color-scheme: dark)");

// The cookie lets the server write data-theme into the page, so that nothing flashes.
function keepTheme(theme) {
  remember("theme", theme);
  const [prefix, secure] = location.protocol === "https:" ? ["__Host-", "; Secure"] : ["", ""];
  const age = theme === null ? 0 : YEAR_IN_SECONDS;
  document.cookie = `${prefix}theme=${theme ?? ""}; Path=/; Max-Age=${age}; SameSite=Lax${secure}`;
}

function currentTheme() {
  return root.dataset.theme || (systemDark.matches ? "dark" : "light");
}

// Choosing what the system has anyway means following the system again.
function toggleTheme() {
  const wanted = currentTheme() === "dark" ? "light" : "dark";
  const asSystem = wanted === (systemDark.matches ? "dark" : "light");
  if (asSystem) delete root.dataset.theme;
  else root.dataset.theme = wanted;
  keepTheme(asSystem ? null : wanted);
}

function restoreTheme() {
  const stored = recall("theme");
  if (root.dataset.theme || !["light", "dark"].includes(stored)) return;
  root.dataset.theme = stored;
  keepTheme(stored);
}

/* ---------- messages ---------- */

function show(notice) {
  const place = document.getElementById("messages");
  if (place && notice) place.append(notice);
  putAwayGood();
}

// Over a page that fits the screen, what only says that something was done goes by itself; what is read stays.
function putAwayGood() {
  document.querySelectorAll(".fits > .messages > .notice.good:not([data-goes], :has(a))").forEach((notice) => {
    notice.dataset.goes = "";
    const go = () => { if (notice.matches(":hover, :focus-within")) setTimeout(go, TOAST_STAYS_MS); else notice.remove(); };
    setTimeout(go, TOAST_STAYS_MS);
  });
}

// Shows one of the page's prepared notices (<template id="notice-...">), once at a time.
function showPrepared(id) {
  const template = document.getElementById(id);
  if (!template || document.querySelector(`[data-from="${id}"]`)) return;
  const notice = template.content.firstElementChild.cloneNode(true);
  notice.dataset.from = id;
  show(notice);
}

/* ---------- the token that every POST carries ---------- */

function csrfToken() {
  const headers = document.body.getAttribute("hx-headers");
  return headers ? JSON.parse(headers)["X-CSRFToken"] : "";
}

/* ---------- copying, on plain HTTP too ---------- */

function select(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}

async function copyFrom(element) {
  if (navigator.clipboard && isSecureContext) {
    try { await navigator.clipboard.writeText(element.textContent); return true; } catch { /* fall through */ }
  }
  select(element);
  try { return document.execCommand("copy"); } catch { return false; }
}

async function pressCopy(button) {
  const source = document.getElementById(button.dataset.copy);
  const label = button.querySelector("span") || button;
  const before = button.dataset.label ?? (button.dataset.label = label.textContent);
  const done = source && await copyFrom(source);
  label.textContent = done ? button.dataset.done : button.dataset.failed;
  setTimeout(() => { label.textContent = before; }, 2500);
}

/* ---------- keys ---------- */

const KEYS_OFF = "single-keys-off";
const SECOND_DIGIT_WAITS_MS = 800;
let goUntil = 0;
let firstDigit = null;

// While an input method composes, every key belongs to it.
const composing = (event) => event.isComposing || event.keyCode === 229;

const TYPED = 'textarea, select, [contenteditable]:not([contenteditable="false"]), ' +
  "input:not([type=radio], [type=checkbox], [type=button], [type=submit], [type=file], [type=range])";
const typing = (target) => target instanceof Element && target.closest(TYPED) !== null;

const singleKeysOn = () => recall(KEYS_OFF) === null;

// What lies on top takes the keys: an open dialog, else the page.
const scope = () => [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;

function visible(element) {
  return element.checkVisibility ? element.checkVisibility({ visibilityProperty: true }) : element.offsetParent !== null;
}

const pressable = (selector) => [...scope().querySelectorAll(selector)].find((found) => visible(found) && !found.disabled);

function press(selector) {
  const element = pressable(selector);
  if (element) element.click();
  return Boolean(element);
}

// Where somebody fills in a form, its own button is meant: the page's red one may lead away from what was typed.
function pressPrimary(target) {
  const form = target.matches?.("input, select, textarea") ? target.form : null;
  const buttons = form ? [...form.elements].filter((found) => found.type === "submit" && visible(found) && !found.disabled) : [];
  const own = buttons.find((found) => found.matches("[data-primary]")) ?? buttons[0];
  if (own) own.click();
  return Boolean(own) || press("[data-primary]");
}

function move(step) {
  const items = [...scope().querySelectorAll("[data-move]")].filter(visible);
  if (!items.length) return false;
  const here = items.findIndex((item) => item.contains(document.activeElement));
  const next = here < 0 ? (step > 0 ? 0 : items.length - 1) : Math.min(Math.max(here + step, 0), items.length - 1);
  const item = items[next];
  if (item.tabIndex < 0 && !item.hasAttribute("tabindex")) item.tabIndex = -1;
  item.focus();
  item.scrollIntoView({ block: "nearest" });
  return true;
}

function go(letter) {
  goUntil = 0;
  const link = [...document.querySelectorAll("[data-go]")].find((found) => found.dataset.go === letter);
  if (link) link.click();
  return Boolean(link);
}

function openDialog(id) {
  const dialog = document.getElementById(id);
  if (dialog && !dialog.open) dialog.showModal();
  return Boolean(dialog);
}

// A number from 10 on is typed digit by digit. What its first digit has pressed is taken back: a dot gives way by
// itself, a box or a place in an order is pressed once more.
function number(digit) {
  const first = performance.now() < firstDigit?.until ? firstDigit : null;
  const whole = first && pressable(`[data-key="${first.digit}${digit}"]`);
  const found = whole || pressable(`[data-key="${digit}"]`);
  if (whole && first.found && !first.found.querySelector("[type=radio]") && first.found.type !== "radio") first.found.click();
  firstDigit = whole ? null : { digit, found, until: performance.now() + SECOND_DIGIT_WAITS_MS };
  found?.click();
  return Boolean(found);
}

function singleKey(key) {
  if (performance.now() < goUntil) return go(key);
  if (/^\d$/.test(key)) return number(key);
  if (key === "?") return openDialog("keys");
  if (key === "j") return move(1);
  if (key === "k") return move(-1);
  if (key === "g") { goUntil = performance.now() + GO_WAITS_MS; return true; }
  return press(`[data-key="${CSS.escape(key)}"]`) || key === "/" && press("[data-palette]");
}

function onKey(event) {
  if (composing(event) || event.defaultPrevented || event.repeat && event.key === "Enter") return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.altKey) {
    if (pressPrimary(event.target)) event.preventDefault();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || !singleKeysOn() || typing(event.target)) return;
  // Full-width digits and letters count as themselves.
  const key = event.key.normalize("NFKC").toLowerCase();
  if (key.length === 1 && key !== " " && singleKey(key)) event.preventDefault();
}

/* ---------- a form is sent once ---------- */

// Who presses a button twice, by hand or by keys, means it once: the page that follows is on its way. Another
// button of the form may mean another file.
const sentAt = new WeakMap();

function sendOnce(event) {
  const { target: form, submitter } = event, pressed = submitter ?? form;
  if (event.defaultPrevented || form.getAttribute("method") !== "post") return;
  const isAgain = performance.now() - sentAt.get(pressed) < SENT_ONCE_MS;
  if (isAgain) event.preventDefault();
  else sentAt.set(pressed, performance.now());
}

/* ---------- a form waits for its turn ---------- */

const QUEUED_AT_MOST_MS = 180000;

// Some come back a little earlier, some later, so that not all who were told to wait come at the same moment.
async function sendUntilTaken(address, more, whenQueued) {
  const until = performance.now() + QUEUED_AT_MOST_MS;
  for (;;) {
    const answer = await fetch(address, { credentials: "same-origin", ...more });
    if (answer.status !== 429 || performance.now() > until) return answer;
    whenQueued();
    const seconds = Number(answer.headers.get("Retry-After")) || 5;
    await new Promise((done) => { setTimeout(done, seconds * (500 + 1000 * Math.random())); });
  }
}

/* ---------- the story's sheet on a phone ---------- */

let sheetOpenedHere = false;

// Going back puts the form exactly where it was; the link's own target would scroll to its top.
function closeSheet() {
  if (sheetOpenedHere) history.back();
  else location.hash = "work";
  sheetOpenedHere = false;
}

// Out of what is typed, back to the page and its keys; what lies on top is closed by the browser.
function leaveField(target) {
  if (!typing(target) || target.closest("dialog, [popover]")) return false;
  target.blur();
  return true;
}

function onEscape(event) {
  if (event.key !== "Escape" || event.defaultPrevented || composing(event)) return;
  if (!leaveField(event.target) && location.hash === "#story") closeSheet();
}

/* ---------- clicks on what a page marks ---------- */

function onClick(event) {
  const on = (selector) => event.target.closest?.(selector);
  let found;
  if ((found = on("[data-dialog]"))) openDialog(found.dataset.dialog);
  else if ((found = on("[data-close]"))) found.closest("dialog")?.close();
  else if ((found = on("[data-dismiss]"))) found.closest(".notice")?.remove();
  else if ((found = on("[data-copy]"))) pressCopy(found);
  else if (on("[data-print]")) window.print();
  else if (on("[data-theme-toggle]")) toggleTheme();
  else if (on(".sheet-tab")) sheetOpenedHere = true;
  else if (on(".sheet-close")) { event.preventDefault(); closeSheet(); }
  else if (event.target.tagName === "DIALOG") event.target.close();
}

function bindShortcutSwitch(box) {
  box.checked = singleKeysOn();
  box.addEventListener("change", () => remember(KEYS_OFF, box.checked ? null : "1"));
}

/* ---------- small services to what is on the page ---------- */

// Browsers without field-sizing: a ruled line grows with what is typed.
function grow(area) {
  if (CSS.supports("field-sizing", "content")) return;
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight}px`;
}

// The line shortens by the page's own clock, so a wrong clock on the device does no harm.
function countDown(lease) {
  let opened = performance.now();
  let left = lease.value;
  const tick = () => {
    lease.value = Math.max(0, left - (performance.now() - opened) / 1000);
    lease.classList.toggle("late", lease.value < lease.max * 0.15);
    if (!lease.isConnected) clearInterval(timer);
  };
  lease.addEventListener("lease", (event) => { opened = performance.now(); left = event.detail; tick(); });
  const timer = setInterval(tick, LEASE_TICK_MS);
  tick();
}

// The browser's own words beside a file field are in its language; ours stand in the page's.
function nameFiles(input) {
  const place = document.querySelector(`[data-chosen="${CSS.escape(input.id)}"]`);
  if (!place) return;
  place.dataset.none ??= place.textContent;
  place.textContent = [...input.files].map((file) => file.name).join(", ") || place.dataset.none;
}

function dress(part) {
  part.querySelectorAll("textarea").forEach(grow);
  part.querySelectorAll("progress[data-lease]").forEach(countDown);
}

// What was refused says why where it is seen: on a phone the complaint may stand far below the fold.
function showComplaint() {
  const complaint = document.querySelector("main :is(.errorlist, [role=alert])");
  const box = complaint?.getBoundingClientRect();
  if (box && (box.top < 0 || box.bottom > innerHeight * 0.75)) complaint.scrollIntoView({ block: "center" });
}

// A suggestion that was asked for before somebody typed never replaces what they have typed since.
function keepTyped(event) {
  const { target, requestConfig } = event.detail;
  if (!target?.matches?.("[data-keep-typed]")) return;
  const sent = requestConfig.formData;
  const typed = [...target.querySelectorAll("input:not([type=hidden])")].some((field) => field.value !== (sent.get(field.name) ?? ""));
  if (typed) event.detail.shouldSwap = false;
}

/* ---------- start ---------- */

restoreTheme();
dress(document);
showComplaint();
putAwayGood();
document.addEventListener("htmx:afterSettle", (event) => {
  putAwayGood();
  if (performance.now() < PAGE_COMES_MS || event.target.id === "main") showComplaint();
});
document.querySelectorAll("[data-shortcut-switch]").forEach(bindShortcutSwitch);
document.addEventListener("click", onClick);
document.addEventListener("keydown", onKey);
document.addEventListener("submit", sendOnce);
document.addEventListener("keydown", onEscape);
document.addEventListener("input", (event) => { if (event.target.matches?.("textarea")) grow(event.target); });
document.addEventListener("change", (event) => { if (event.target.matches?.(".upload input")) nameFiles(event.target); });
document.addEventListener("htmx:load", (event) => { if (event.target !== document.body) dress(event.target); });
document.addEventListener("htmx:beforeSwap", keepTyped);
document.addEventListener("htmx:sendError", () => showPrepared("notice-unreachable"));
document.addEventListener("htmx:timeout", () => showPrepared("notice-unreachable"));
document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status >= 500) showPrepared("notice-refused");
});

window.parable = Object.freeze({ csrfToken, composing, typing, singleKeysOn, showPrepared, openDialog, sendUntilTaken });
