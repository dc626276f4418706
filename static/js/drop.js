/* Zones into which a file is dropped: it is sent at once, also when it is chosen, or when rows are pasted. */

function send(form) {
  const note = form.querySelector("[data-drop-note]");
  note.textContent = form.querySelector("[data-drop-sending]").textContent;
  form.requestSubmit();
}

function put(form, files) {
  const input = form.querySelector("input[type=file]");
  const held = new DataTransfer();
  for (const file of files) held.items.add(file);
  input.files = held.files;
  if (input.files.length) send(form);
}

for (const form of document.querySelectorAll("[data-drop]")) {
  form.querySelector("input[type=file]").addEventListener("change", (event) => {
    if (event.target.files.length) send(form);
  });
  for (const kind of ["dragover", "dragleave", "drop"]) {
    form.addEventListener(kind, (event) => {
      event.preventDefault();
      form.classList.toggle("over", kind === "dragover");
      if (kind === "drop") put(form, event.dataTransfer.files);
    });
  }
}

// Rows copied in a spreadsheet are text with tabs. Only a page that is there for files takes them.
const only = document.querySelector("[data-drop] [name=example]")?.form;
document.addEventListener("paste", (event) => {
  if (!only || event.target.closest?.("input, textarea, [contenteditable]")) return;
  const text = event.clipboardData.getData("text/plain");
  if (event.clipboardData.files.length) put(only, event.clipboardData.files);
  else if (text.includes("\t") && text.includes("\n")) put(only, [new File([text], "pasted.tsv", { type: "text/tab-separated-values" })]);
});
