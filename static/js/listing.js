/* A long list: what is selected, what can be done to it, and its keys. Which buttons show is said by the stylesheet. */

const boxes = [...document.querySelectorAll("[data-row]")];
const whole = document.querySelector("[data-rows]");
const bulk = document.getElementById("bulk");
const counted = document.querySelector("[data-count]");
const selectAll = document.querySelector("[data-select-all]");
let last = null;

const selected = () => boxes.filter((box) => box.checked);

// Of all that fit only the server knows how many an action can change.
function tell() {
  const chosen = selected();
  const all = bulk?.elements.all.value === "1";
  for (const place of document.querySelectorAll("[data-for]")) {
    const verb = place.dataset.for;
    const able = verb ? chosen.filter((box) => box.dataset.can.split(" ").includes(verb)) : chosen;
    place.textContent = all ? "" : able.length;
    place.closest("button").disabled = !all && able.length === 0;
  }
  if (counted) counted.textContent = all ? counted.dataset.all : counted.dataset.count.replace("{n}", chosen.length);
  if (selectAll) selectAll.hidden = all;
  if (whole) {
    whole.checked = chosen.length > 0 && chosen.length === boxes.length;
    whole.indeterminate = chosen.length > 0 && chosen.length < boxes.length;
  }
}

function changed() {
  if (bulk) bulk.elements.all.value = "";
  tell();
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
selectAll?.addEventListener("click", () => {
  bulk.elements.all.value = "1";
  tell();
});
document.querySelector("[data-select-none]")?.addEventListener("click", () => {
  for (const box of boxes) box.checked = false;
  changed();
});
document.addEventListener("click", onBox);
document.addEventListener("keydown", onKey);
addEventListener("pageshow", changed); // a browser that goes back may have kept what was ticked
changed();
