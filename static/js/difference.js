/* Two texts and their one difference: found as the second is typed, marked in both, and put into the reason. */

const first = Array.from(document.querySelector("[data-first-text]")?.textContent ?? "");
const second = document.getElementById("second");
const place = document.querySelector("[data-difference]");
const parts = document.querySelector("[data-reason-parts]");

function shared(one, other) {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
}

// As short as it can be and as early as it can be, as `find_difference` says.
function difference(one, other) {
  const end = shared([...one].reverse(), [...other].reverse());
  const start = Math.min(shared(one, other), one.length - end, other.length - end);
  return [one, other].map((text) => [text.slice(0, start), text.slice(start, text.length - end), text.slice(text.length - end)].map((piece) => piece.join("")));
}

const isEqual = (other) => first.join("") === other.join("");

function show() {
  const typed = Array.from(second.value);
  const pairs = isEqual(typed) ? [[second.value, "", ""], [second.value, "", ""]] : difference(first, typed);
  place.querySelectorAll("p.words").forEach((line, at) => {
    const [before, piece, after] = pairs[at];
    const marked = document.createElement("mark");
    marked.textContent = piece;
    line.replaceChildren(before, ...(piece ? [marked] : []), after);
  });
  ["first_form", "second_form"].forEach((name, at) => follow(document.getElementById(name), pairs[at][1]));
}

// A form of words that somebody typed is left as it is.
function follow(field, piece) {
  if (field.value && field.value !== field.dataset.found) return;
  field.value = piece;
  field.dataset.found = piece;
}

function compose() {
  const judged = document.querySelector("[name=same]:checked")?.value;
  const values = [...parts.querySelectorAll("input")].map((field) => field.value.trim());
  const missing = [...parts.querySelectorAll("input")].find((field) => !field.value.trim());
  if (!judged) return document.querySelector("[name=same]").focus();
  if (missing) return missing.focus();
  const explanation = document.getElementById("explanation");
  explanation.value = parts.dataset[judged].replace(/\{(\d)\}/g, (_all, number) => values[number]);
  explanation.dispatchEvent(new Event("input", { bubbles: true }));
  return explanation.focus();
}

if (second && place) {
  second.addEventListener("input", show);
  document.querySelector("[data-compose]")?.addEventListener("click", compose);
  show();
}
