// The one script of a release's public page, which works in a folder on a disk, too: a button that copies code.

async function copied(element) {
  if (navigator.clipboard && isSecureContext) {
    try { await navigator.clipboard.writeText(element.textContent); return true; } catch { /* fall through */ }
  }
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  try { return document.execCommand("copy"); } catch { return false; }
}

addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  const label = button.querySelector("span");
  const before = button.dataset.label ?? (button.dataset.label = label.textContent);
  label.textContent = await copied(document.getElementById(button.dataset.copy)) ? button.dataset.done : button.dataset.failed;
  setTimeout(() => { label.textContent = before; }, 2500);
});
