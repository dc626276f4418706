/* “12 characters longer” on a candidate follows the key as it is typed. Pages say what the key is:
   parableLengths.show(key). */

const lengthOf = (text) => [...text.trim()].length;

function said(words, ours, theirs) {
  const { longest, shortest } = words.dataset;
  if (!theirs || (ours <= theirs * Number(longest) && ours >= theirs * Number(shortest))) return "";
  const [name, n] = ours > theirs ? ["longer", ours - theirs] : ["shorter", theirs - ours];
  return words.dataset[n === 1 ? `${name}One` : name].replace("{n}", n);
}

// While no key is written the page's own `right` counts: the moral, where there is one.
function show(key) {
  const words = document.querySelector("[data-length-words]");
  if (!words) return;
  const theirs = lengthOf(key.trim() ? key : words.dataset.right);
  document.querySelectorAll("[data-length]").forEach((chip) => {
    const card = chip.closest("[data-candidate], [data-offer]");
    const difference = said(words, lengthOf(card.querySelector("[data-text]").textContent), theirs);
    chip.hidden = !difference;
    chip.querySelector("span").textContent = difference;
  });
}

window.parableLengths = Object.freeze({ show });
