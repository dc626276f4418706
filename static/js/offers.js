/* Wrong options that models proposed for the stem on the desk: Enter or a click puts one into the first empty
   option, a number into that option. Without this script the same buttons put it into the saved draft. */

const form = document.getElementById("sheet");
const rows = () => [...form.querySelectorAll(".option.desk")];
const textOf = (row) => row.querySelector("textarea");
const isKey = (row) => row.querySelector("input[type=radio]").checked;
const nameOf = (row) => textOf(row).name.replace("option", "candidate");
const sourceOf = (row) => form.elements[nameOf(row)];

function nameSource(row, candidate) {
  sourceOf(row)?.remove();
  if (!candidate) return;
  const field = document.createElement("input");
  Object.assign(field, { type: "hidden", name: nameOf(row), value: candidate });
  row.after(field);
}

function fill(row, text, candidate) {
  const area = textOf(row);
  nameSource(row, candidate);
  area.value = text;
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

/* ---------- what stands where ---------- */

function show() {
  const places = new Map(rows().map((row, place) => [sourceOf(row)?.value, textOf(rows()[place]).getAttribute("aria-label")]));
  document.querySelectorAll("[data-offer]").forEach((card) => {
    const label = places.get(card.dataset.offer);
    const chip = card.querySelector("[data-used]");
    card.classList.toggle("used", Boolean(label));
    chip.hidden = !label;
    chip.querySelector("span").textContent = label ?? "";
  });
  const key = rows().find(isKey);
  window.parableLengths.show(key ? textOf(key).value : "");
}

function say(full) {
  const notice = document.querySelector("#offers [data-full]");
  if (notice) notice.hidden = !full;
}

/* ---------- taking one ---------- */

const holding = (card) => rows().find((row) => sourceOf(row)?.value === card.dataset.offer);
const waiting = () => rows().find((row) => !isKey(row) && !textOf(row).value.trim());

function take(card, row = waiting()) {
  say(!row);
  if (!row || holding(card) === row) return;
  const before = holding(card);
  if (before) fill(before, "", "");
  fill(row, card.querySelector("[data-text]").textContent, card.dataset.offer);
}

document.addEventListener("click", (event) => {
  const pressed = event.target.closest?.("[data-take-offer]");
  if (!pressed) return;
  event.preventDefault();
  const card = pressed.closest("[data-offer]");
  if (!holding(card)) take(card);
});

// Before the page's own keys, to which a number means another key of the item.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || window.parable.composing(event)) return;
  const card = event.target.closest?.("[data-offer]");
  if (!card || event.target !== card) return;
  const row = rows()[Number(event.key.normalize("NFKC")) - 1];
  if (event.key === "Enter") { if (!holding(card)) take(card); }
  else if (event.key === "Backspace" || event.key === "Delete") { if (holding(card)) fill(holding(card), "", ""); }
  else if (row) take(card, row);
  else return;
  event.preventDefault();
}, true);

// What was emptied has come from nowhere; said before the sheet keeps itself.
document.addEventListener("input", (event) => {
  const row = event.target.closest?.("#sheet .option.desk");
  if (row && event.target.matches("textarea") && !event.target.value.trim()) nameSource(row, "");
}, true);

form.addEventListener("input", show);
form.addEventListener("change", show);
document.addEventListener("htmx:load", (event) => { if (event.target.querySelector?.("[data-offer]")) show(); });
