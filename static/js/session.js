/* Who was signed out while typing signs in over the page; the form stays as it is.
   A page says `parable:signed-out`; once the same person is back, `parable:signed-in` is said. */

const dialog = document.getElementById("sign-in");
const user = document.querySelector("[data-user]")?.dataset.user ?? "";
const fields = dialog?.querySelector("form");

async function pageAt(address, more = {}) {
  const answer = await parable.sendUntilTaken(address, more, () => complain("queue"));
  const found = new DOMParser().parseFromString(await answer.text(), "text/html");
  const asks = (name) => found.querySelector(`[name=${name}]`) !== null;
  return { answer, found, isForm: asks("password"), isCode: asks("code") };
}

function tokenOf(found) {
  const headers = found.body.getAttribute("hx-headers");
  if (headers) return JSON.parse(headers)["X-CSRFToken"];
  return found.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
}

function renewToken(found) {
  const token = tokenOf(found);
  if (!token) return;
  document.body.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": token }));
  document.querySelectorAll("[name=csrfmiddlewaretoken]").forEach((field) => { field.value = token; });
}

function complain(kind) {
  dialog.querySelectorAll("[data-wrong]").forEach((words) => { words.hidden = words.dataset.wrong !== kind; });
}

// Somebody else's session must not take this person's words into their own drafts.
function welcome(found) {
  if (found.querySelector("[data-user]")?.dataset.user !== user) {
    complain("other");
    if (!dialog.open) dialog.showModal();
    return;
  }
  renewToken(found);
  complain("");
  dialog.close();
  fields.reset();
  askForCode(false);
  document.dispatchEvent(new CustomEvent("parable:signed-in"));
}

// Who has a second factor is asked for its code after the password.
function askForCode(isAsked) {
  dialog.querySelector("[data-code]").hidden = !isAsked;
  fields.elements.code.disabled = !isAsked;
  if (isAsked) fields.elements.code.focus();
}

// Perhaps only the token has changed, since they signed in again in another window.
async function signedOut() {
  if (!dialog || dialog.open) return;
  try {
    const { found, isForm } = await pageAt(dialog.dataset.home);
    if (!isForm) { welcome(found); return; }
  } catch { return; }
  complain("");
  dialog.showModal();
  fields.elements.password.focus();
}

async function signIn(event) {
  event.preventDefault();
  const hasCode = !fields.elements.code.disabled;
  try {
    const { found, isForm, isCode } = await pageAt(hasCode ? dialog.dataset.second : fields.action);
    if (!isForm && !isCode) { welcome(found); return; }
    const body = new URLSearchParams(new FormData(fields));
    body.set("csrfmiddlewaretoken", tokenOf(found));
    const done = await pageAt(isForm ? fields.action : dialog.dataset.second, { method: "POST", body });
    if (done.isForm) complain("password");
    else if (done.isCode) complain(hasCode && isCode ? "code" : "");
    else welcome(done.found);
    if (done.isForm || done.isCode) askForCode(done.isCode);
  } catch {
    complain("away");
  }
}

document.addEventListener("parable:signed-out", signedOut);
fields?.addEventListener("submit", signIn);
