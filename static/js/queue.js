/* A form with a password may have to wait for its turn: it is sent again, with all that was typed, until it is
   taken. Without this script the page that says so has the form again, but for the password. */

const waiting = new WeakSet();

function say(form, isQueued) {
  form.querySelectorAll("[data-queue]").forEach((words) => { words.hidden = !isQueued; });
}

function show(page) {
  const found = new DOMParser().parseFromString(page, "text/html");
  const main = document.querySelector("main");
  main.replaceChildren(...found.querySelector("main").childNodes);
  document.title = found.title;
  (main.querySelector("[aria-invalid=true], [name=password]") ?? main).focus();
}

async function send(event) {
  const form = event.target;
  if (!form.matches?.("form[data-queued]")) return;
  if (waiting.has(form)) event.preventDefault();
  if (event.defaultPrevented) return;
  event.preventDefault();
  waiting.add(form);
  const body = new URLSearchParams(new FormData(form));
  const more = { method: "POST", body, headers: { "X-Queued-Form": "yes" } };
  try {
    const answer = await parable.sendUntilTaken(form.action, more, () => say(form, true));
    const next = answer.headers.get("X-Location");
    if (next) location.assign(next);
    else show(await answer.text());
  } catch {
    parable.showPrepared("notice-unreachable");
  }
  say(form, false);
  waiting.delete(form);
}

document.addEventListener("submit", send);
