/* Places in an order: where all have one, two change places; where they are given one after the other, a tap or a
   key gives the next free one. What listens, listens on the document: forms come and go. */

const others = (select) => [...select.form.querySelectorAll("select[data-rank]")].filter((one) => one !== select);

// Before a list opens, its place is noted, so that the option that has the new one can take the old.
function note({ target }) {
  if (target.matches?.("select[data-rank]")) target.dataset.before = target.value;
}

function swap({ target }) {
  if (!target.matches?.("select[data-rank]")) return;
  const same = others(target).find((one) => one.value === target.value);
  if (same && target.dataset.before) same.value = target.dataset.before;
  target.dataset.before = target.value;
}

function give(select) {
  const all = [...select.form.querySelectorAll("[data-ranks] select")];
  const taken = all.map((one) => Number(one.value));
  const free = all.map((_one, place) => place + 1).find((place) => !taken.includes(place));
  select.value = select.value ? "" : String(free);
  select.dispatchEvent(new Event("change", { bubbles: true }));
}

function take({ target }) {
  const row = target.closest?.("[data-ranks] .option");
  if (row && !target.closest("select")) give(row.querySelector("select"));
}

document.addEventListener("focusin", note);
document.addEventListener("change", swap);
document.addEventListener("click", take);
