/* The item beside the list of items, where the screen is wide enough; else a link opens its page. Each item that is shown
   is asked of the server, which records who saw its key: so moving waits a moment before it loads. */

const panel = document.getElementById("beside");
const list = document.getElementById("main");
const wide = matchMedia("(min-width: 1200px)");
const MOVES_ON_MS = 200;
let here = "";
let waiting = 0;
let asked = 0;

const rows = () => [...document.querySelectorAll("tr[data-item]")];
const rowOf = (number) => rows().find((row) => row.dataset.item === number);
const linkOf = (number) => rowOf(number)?.querySelector("[data-open]")?.href ?? `${panel.dataset.pages}${number}`;
const isOpen = () => !panel.hidden && wide.matches;

function addressWith(number) {
  const address = new URL(location);
  if (number) address.searchParams.set("item", number);
  else address.searchParams.delete("item");
  return address;
}

function mark() {
  for (const row of rows()) {
    if (row.dataset.item === here) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
  rowOf(here)?.scrollIntoView({ block: "nearest" });
}

// What is done to the item comes back here, and not to the item's own page; its history is filtered on that page.
function comeBack(page) {
  for (const field of panel.querySelectorAll('[name="next"]')) field.value = location.pathname + location.search;
  for (const link of panel.querySelectorAll('a[href^="?"]')) {
    const address = new URL(link.getAttribute("href"), new URL(page, location));
    address.searchParams.delete("beside");
    link.href = address;
  }
}

async function load(number) {
  const mine = ++asked, link = linkOf(number), address = new URL(link, location);
  address.searchParams.set("beside", "1");
  panel.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { credentials: "same-origin" });
    const text = answer.ok && !answer.redirected ? await answer.text() : null;
    if (mine !== asked) return;
    if (text === null) { location.assign(link); return; }
    panel.innerHTML = text;
    panel.scrollTop = 0;
    comeBack(link);
  } catch {
    if (mine === asked) window.parable.showPrepared("notice-unreachable");
  } finally {
    if (mine === asked) panel.removeAttribute("aria-busy");
  }
}

function open(number) {
  if (number === here && isOpen()) { panel.focus(); return; }
  const isFirst = !isOpen();
  here = number;
  panel.hidden = false;
  list.dataset.panel = "";
  if (isFirst) history.pushState(null, "", addressWith(number));
  else history.replaceState(null, "", addressWith(number));
  mark();
  load(number);
}

function leave() {
  const row = rowOf(here);
  asked += 1;
  here = "";
  panel.hidden = true;
  panel.replaceChildren();
  delete list.dataset.panel;
  mark();
  if (row) { row.tabIndex = -1; row.focus(); }
}

function close() {
  leave();
  history.replaceState(null, "", addressWith(""));
}

function step(by) {
  const all = rows(), at = all.findIndex((row) => row.dataset.item === here);
  const row = all[Math.min(Math.max(at + by, 0), all.length - 1)];
  if (!row) return;
  row.tabIndex = -1;
  row.focus();
}

// As the address says: after going back, too. On a small screen the item has its own page.
function follow() {
  const number = new URL(location).searchParams.get("item") ?? "";
  if (!/^\d+$/.test(number)) { if (isOpen()) leave(); return; }
  if (!wide.matches) { location.replace(linkOf(number)); return; }
  if (number === here) return;
  here = number;
  panel.hidden = false;
  list.dataset.panel = "";
  mark();
  load(number);
}

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = event.target.closest?.("[data-open]"), by = event.target.closest?.("[data-step]");
  if (link && wide.matches) { event.preventDefault(); open(link.closest("tr").dataset.item); }
  else if (by) step(Number(by.dataset.step));
  else if (event.target.closest?.("[data-leave]")) close();
});

document.addEventListener("focusin", (event) => {
  const row = event.target.matches?.("tr[data-item]") ? event.target : null;
  if (!row || !isOpen() || row.dataset.item === here) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => { if (isOpen() && row.contains(document.activeElement)) open(row.dataset.item); }, MOVES_ON_MS);
});

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || !isOpen() || window.parable.composing(event) || window.parable.typing(event.target)) return;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open], :popover-open")) return;
  const isRow = event.target.matches?.("tr[data-item], body, main");
  if (event.key === "Escape") close();
  else if (isRow && event.key === "ArrowDown") step(1);
  else if (isRow && event.key === "ArrowUp") step(-1);
  else return;
  event.preventDefault();
});

addEventListener("popstate", follow);
follow();
