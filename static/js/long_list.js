/* A long list: what is selected, on all its pages, what can be done to it, and its keys. Which buttons show is said by
   the stylesheet. What is ticked is kept in this tab until something is done to it or the filter changes. */

const boxes = [...document.querySelectorAll("[data-row]")];
const whole = document.querySelector("[data-rows]");
const bulk = document.getElementById("bulk");
const counted = document.querySelector("[data-count]");
const selectAll = document.querySelector("[data-select-all]");
let last = null;

// What is ticked on other pages of the same list stands in the form as boxes that nobody sees.
const away = () => [...document.querySelectorAll("[data-away]")];
const selected = () => boxes.filter((box) => box.checked);

// Of all that fit only the server knows how many an action can change.
function showSelection() {
  const onPage = selected();
  const chosen = [...onPage, ...away()];
  const all = selectAll?.checked ?? false;
  for (const place of document.querySelectorAll("[data-for]")) {
    const verb = place.dataset.for;
    const able = verb ? chosen.filter((box) => box.dataset.can.split(" ").includes(verb)) : chosen;
    place.textContent = all || !verb ? "" : able.length; // what every row can take counts as many as are selected
    place.closest("button").disabled = !all && able.length === 0;
  }
  if (counted) counted.textContent = all ? counted.dataset.all : counted.dataset.count.replace("{n}", chosen.length);
  if (whole) {
    whole.checked = onPage.length > 0 && onPage.length === boxes.length;
    whole.indeterminate = onPage.length > 0 && onPage.length < boxes.length;
  }
}

const of = () => `${bulk.dataset.done} ${bulk.elements.query.value}`;

function keep() {
  const rows = [...selected(), ...away()].map((box) => [box.value, box.dataset.can]);
  sessionStorage.setItem(location.pathname, JSON.stringify({ of: of(), rows }));
}

function kept() {
  const found = JSON.parse(sessionStorage.getItem(location.pathname) ?? "null");
  return new Map(found?.of === of() ? found.rows : []);
}

function hiddenBox([value, can]) {
  const box = document.createElement("input");
  Object.assign(box, { type: "checkbox", name: "row", value, hidden: true, checked: true });
  Object.assign(box.dataset, { row: "", away: "", can });
  return box;
}

// Also of a page that a browser that goes back has kept as it was.
function restore() {
  if (!bulk) return;
  const rows = kept();
  for (const box of away()) box.remove();
  for (const box of boxes) {
    box.checked = rows.has(box.value);
    rows.delete(box.value);
  }
  bulk.append(...[...rows].map(hiddenBox));
  if (selectAll) selectAll.checked = false;
  showSelection();
}

function changed() {
  if (selectAll) selectAll.checked = false;
  if (bulk) keep();
  showSelection();
}

function between(from, to) {
  const [first, end] = [boxes.indexOf(from), boxes.indexOf(to)].sort((a, b) => a - b);
  return first < 0 ? [to] : boxes.slice(first, end + 1);
}

function toggle(box, shift) {
  const on = !box.checked;
  for (const each of shift ? between(last, box) : [box]) each.checked = on;
  last = box;
  changed();
}

// A click has turned the box by now; with Shift the boxes since the last one follow it.
function onBox(event) {
  const box = event.target.closest("[data-row]");
  if (!box) return;
  if (event.shiftKey) for (const each of between(last, box)) each.checked = box.checked;
  last = box;
  changed();
}

function onKey(event) {
  const row = event.target.closest?.("tr[data-move]");
  if (!row || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || window.parable.composing(event)) return;
  const box = row.querySelector("[data-row]");
  if (event.key === "Enter" && event.target === row) row.querySelector("[data-open]")?.click();
  else if (event.key.toLowerCase() === "x" && box && window.parable.singleKeysOn()) toggle(box, event.shiftKey);
  else return;
  event.preventDefault();
}

whole?.addEventListener("change", () => {
  for (const box of boxes) box.checked = whole.checked;
  changed();
});
selectAll?.addEventListener("change", showSelection);
document.querySelector("[data-select-none]")?.addEventListener("click", () => {
  for (const box of boxes) box.checked = false;
  for (const box of away()) box.remove();
  changed();
});
document.addEventListener("click", onBox);
document.addEventListener("keydown", onKey);
addEventListener("pageshow", restore);
restore();
