/* What a narrative shares with its proverb, as it is typed: n-grams of words, as `grams.py` counts them. */

const ENDINGS = /n't\b|'(?:s|m|re|ve|ll|d)\b/g;
const words = (text) => text.toLowerCase().replaceAll("’", "'").replace(ENDINGS, " ").match(/\p{L}+/gu) ?? [];
const grams = (tokens, length) => new Set(tokens.slice(length - 1).map((_one, at) => tokens.slice(at, at + length).join(" ")));

function count(proverb, narrative, length) {
  const [first, second] = [grams(words(proverb), length), grams(words(narrative), length)];
  const shared = [...first].filter((gram) => second.has(gram));
  const together = first.size + second.size - shared.length;
  return { shared, jaccard: together ? shared.length / together : 0 };
}

function show(table, proverb, narrative) {
  for (const row of table.querySelectorAll("[data-length]")) {
    const { shared, jaccard } = count(proverb, narrative, Number(row.dataset.length));
    row.querySelector("[data-shared]").textContent = shared.length;
    row.querySelector("[data-jaccard]").textContent = jaccard.toFixed(4);
    row.querySelector("[data-grams]").textContent = shared.join(", ");
  }
}

const table = document.querySelector("[data-overlap]");
const field = document.getElementById("narrative");
if (table && field) {
  field.addEventListener("input", () => show(table, table.dataset.overlap, field.value));
  show(table, table.dataset.overlap, field.value);
}

window.parableOverlap = Object.freeze({ count });
