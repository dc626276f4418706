/* The palette: a combobox over what the server finds. Ctrl+K or / opens it; without this script the same
   link leads to the page of search. */

const palette = document.getElementById("palette");
const query = document.getElementById("palette-query");
const list = document.getElementById("palette-list");
const status = document.getElementById("palette-status");

// From a key until its answer the list is of something else: Enter waits for the answer.
let isStale = false;
let goesOn = false;

const options = () => [...list.querySelectorAll("[role=option]:not([aria-disabled])")];
const chosen = () => list.querySelector("[aria-selected=true]");

function choose(option) {
  chosen()?.setAttribute("aria-selected", "false");
  if (!option) { query.removeAttribute("aria-activedescendant"); return; }
  option.setAttribute("aria-selected", "true");
  query.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}

function step(by) {
  const all = options();
  if (!all.length) return;
  const here = all.indexOf(chosen());
  choose(all[(here + by + all.length) % all.length]);
}

function open() {
  if (palette.open) { query.select(); return; }
  document.querySelectorAll(":popover-open").forEach((each) => each.hidePopover());
  query.value = "";
  isStale = true;
  list.replaceChildren();
  palette.showModal();
  query.dispatchEvent(new CustomEvent("look"));
}

function onKey(event) {
  if (window.parable.composing(event)) return;
  const isK = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if (isK && !document.querySelector("dialog[open]:not(#palette)")) { event.preventDefault(); open(); }
}

function onQueryKey(event) {
  if (window.parable.composing(event)) return;
  if (event.key === "ArrowDown") step(1);
  else if (event.key === "ArrowUp") step(-1);
  else if (event.key === "Escape") palette.close();
  else if (event.key === "Enter" && isStale) goesOn = true;
  else if (event.key === "Enter" && chosen()) chosen().click();
  else return;
  event.preventDefault();
}

// Who is no longer signed in gets a whole page in answer: it is opened as one.
function onAnswer(event) {
  if (event.detail.target !== list) return;
  const from = new URL(event.detail.xhr.responseURL || location.href);
  if (from.pathname === new URL(query.form.action).pathname) return;
  event.detail.shouldSwap = false;
  location.assign(from);
}

// Without an answer Enter sends the form, to the page of search.
function onSilence(event) {
  if (event.detail.target !== list) return;
  isStale = false;
  goesOn = false;
}

// An answer to what was typed before is shown, but nothing of it is pressed by an Enter meant for what follows.
function onList(event) {
  if (event.target !== list) return;
  const asked = new URL(event.detail.xhr?.responseURL || location.href).searchParams.get("q");
  if (isStale && asked !== query.value) return;
  isStale = false;
  choose(options()[0]);
  if (goesOn) chosen()?.click();
  goesOn = false;
  status.textContent = list.querySelector("[data-none]")?.textContent ?? "";
}

if (palette) {
  document.addEventListener("keydown", onKey);
  query.addEventListener("keydown", onQueryKey);
  query.addEventListener("input", () => { isStale = true; choose(null); });
  document.addEventListener("htmx:beforeSwap", onAnswer);
  document.addEventListener("htmx:afterSettle", onList);
  for (const name of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) document.addEventListener(name, onSilence);
  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !event.target.closest?.("[data-palette]")) return;
    event.preventDefault();
    open();
  });
}
