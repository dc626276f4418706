/* Marking fragments: what is chosen in a text gets a role on a card. The server says which roles and labels there
   are, and what each is called; what is marked is JSON in one hidden field of the form, which saves as all do.
   Without this file the same form has fields for words. */

const { mountText, looksOf, sayPositions } = window.parableTexts;
const COLOURS = { s: "var(--mark-s)", p: "var(--mark-p)", e: "var(--mark-e)", t: "var(--mark-t)", n: "var(--ink-3)" };
const PATTERNS = { s: "solid", p: "dashed", e: "dotted", t: "solid", n: "dashed" };
const MOST_UNDONE = 200;

/* ---------- making parts of a page ---------- */

function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") made.addEventListener("click", value);
    else if (name === "class") made.className = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

const fillIn = (words, values) => words.replace(/\{(\w+)\}/g, (_all, name) => values[name] ?? "");

/* ---------- the texts of a page ---------- */

const textOf = (element) => {
  const exact = element.parentElement.querySelector("script[type='application/json']");
  return exact ? JSON.parse(exact.textContent) : element.textContent;
};

function mountTexts(listeners) {
  const elements = [...document.querySelectorAll("[data-marked-text]")];
  return new Map(elements.map((element) => {
    const name = element.dataset.markedText;
    return [name, mountText(element, { name, text: textOf(element), ...listeners })];
  }));
}

/* ---------- one editor ---------- */

function mountEditor(root) {
  const config = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  const { words } = config;
  const sink = root.querySelector("[data-marks]");
  const parts = Object.fromEntries(["palette", "tray", "cards", "say", "heard"].map((name) => [name, root.querySelector(`[data-${name}]`)]));
  const here = document.querySelector("[data-here]");
  const layers = new Map(config.layers.map((layer) => [layer.code, layer]));
  const everywhere = root.dataset.marking === "page";

  // Everything that a person can change; groups and marks are never changed, only replaced.
  let state = { value: config.value, layer: config.layers[0].code, group: 0 };
  let role = null; // whose turn it is
  let pending = null; // marked, but without a role yet
  let appending = false;
  let undone = [];
  let lastPlace = null; // where the pointer or the caret is
  let focused = null; // the mark that is pointed at
  let last = null; // the mark that can be moved by single characters

  const layer = () => layers.get(state.layer);
  const groups = () => state.value[state.layer] ?? [];
  const group = () => groups()[state.group] ?? [];
  const roleOf = (code) => layer().roles.find((one) => one.code === code);
  const orderOf = (code) => layer().roles.findIndex((one) => one.code === code);
  const markAt = (code) => group().find((mark) => mark.role === code);

  // What happened is read and heard; where the caret is stands beside the text, and is heard alone.
  function say(sentence) { parts.say.textContent = sentence; }
  function tell(sentence) { parts.heard.textContent = sentence; }

  /* --- changing --- */

  function change(value, more = {}) {
    undone = [...undone.slice(1 - MOST_UNDONE), state];
    state = { ...state, ...more, value };
    write();
    render();
  }

  function write() {
    sink.value = JSON.stringify(state.value);
    sink.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function undo() {
    if (!undone.length) return;
    state = undone.at(-1);
    undone = undone.slice(0, -1);
    [pending, last] = [null, null];
    write();
    render();
    say(words.undone);
  }

  const withGroups = (made) => ({ ...state.value, [state.layer]: made });
  const withGroup = (made) => (groups().length ? groups().map((one, at) => (at === state.group ? made : one)) : [made]);
  const sorted = (marks) => (layer().repeats ? marks : [...marks].sort((one, other) => orderOf(one.role) - orderOf(other.role)));

  function setMark(mark) {
    const others = layer().repeats ? group().filter((one) => one !== last) : group().filter((one) => one.role !== mark.role);
    last = mark;
    change(withGroups(withGroup(sorted([...others, mark]))));
  }

  function removeMark(mark) {
    last = null;
    change(withGroups(withGroup(group().filter((one) => one !== mark))));
  }

  function addGroup(made = []) {
    if (groups().length >= layer().most) return say(fillIn(words.most, { n: layer().most }));
    const at = groups().length ? state.group + 1 : 0;
    [pending, last] = [null, null];
    change(withGroups([...groups().slice(0, at), made, ...groups().slice(at)]), { group: at });
    return say(fillIn(words.begun, { card: nameOf(at) }));
  }

  function removeGroup(at) {
    [pending, last] = [null, null];
    const left = groups().filter((_one, place) => place !== at);
    change(withGroups(left), { group: Math.max(0, Math.min(state.group - (at < state.group), left.length - 1)) });
    say(fillIn(words.removed, { card: nameOf(at) }));
  }

  function sortGroups() {
    const by = layer().roles[0].code;
    const start = (one) => one.find((mark) => mark.role === by)?.positions ?? [];
    const compare = (one, other) => {
      const [a, b] = [start(one), start(other)];
      const differs = a.findIndex((position, at) => position !== b[at]);
      return differs < 0 ? a.length - b.length : a[differs] - (b[differs] ?? -1);
    };
    const current = group();
    const made = [...groups()].sort(compare);
    change(withGroups(made), { group: Math.max(0, made.indexOf(current)) });
  }

  function goTo(at, code = state.layer) {
    [pending, last, appending] = [null, null, false];
    state = { ...state, layer: code, group: at };
    render();
  }

  /* --- marking --- */

  function chosen({ name, positions, text, append }) {
    const own = layer().roles.find((one) => one.target && one.target === name)?.code;
    const more = append || appending;
    const code = layer().repeats ? layer().roles[0].code : own ?? role ?? (more ? roleToExtend() : null);
    if (layer().repeats && !more) last = null;
    const before = more && (code === null ? pending : markToExtend(code));
    const whole = before ? [...before.positions, ...positions.filter((one) => !before.positions.includes(one))] : positions;
    const made = { text: before ? texts.get(name).spell(whole) : text, positions: whole };
    if (name) made.target = name;
    appending = false;
    if (code === null || roleOf(code)?.labels_only) {
      pending = made;
      render();
      return say(fillIn(words.pending, { text: made.text, positions: sayPositions(whole) }));
    }
    return give(code, made, before);
  }

  const roleToExtend = () => (!pending && group().includes(last) ? last.role : null);
  const markToExtend = (code) => (layer().repeats ? last : markAt(code));

  // A role is given once and let go: what is selected next never takes the place of this mark unasked.
  function give(code, fragment, extended = null) {
    const old = layer().repeats || extended ? null : markAt(code);
    const label = layer().repeats ? "" : markAt(code)?.label ?? "";
    const mark = { role: code, ...fragment };
    if (label) mark.label = label;
    [pending, role] = [null, null];
    setMark(mark);
    say(fillIn(old?.text ? words.replaced : words.marked, { role: roleOf(code).name, text: mark.text, positions: sayPositions(mark.positions), before: old?.text }));
  }

  function takeRole(code) {
    if (pending && !roleOf(code).labels_only) return give(code, pending);
    const { labels: named, labels_only: alone } = roleOf(code);
    if (alone && named.length === 1) return setLabel(code, markAt(code) ? "" : named[0]);
    role = role === code ? null : code;
    last = markAt(role) ?? null;
    render();
    return say(role === null ? words.no_role : fillIn(words.role, { role: roleOf(code).name }));
  }

  function setLabel(code, label) {
    const before = markAt(code) ?? { role: code, text: "", positions: [] };
    const { label: _old, ...rest } = before;
    const made = label ? { ...rest, label } : rest;
    const others = group().filter((one) => one.role !== code);
    last = made;
    change(withGroups(withGroup(sorted(label || made.positions.length ? [...others, made] : others))));
  }

  // One character more or less at either end: for fingers, which are wider than a character.
  function nudge(end, step) {
    const target = last ?? pending;
    if (!target?.positions.length) return;
    const text = texts.get(target.target ?? "");
    const positions = [...target.positions];
    if (end === "first") {
      if (step < 0) positions.unshift(positions[0] - 1);
      else positions.shift();
    } else if (step > 0) {
      positions.push(positions.at(-1) + 1);
    } else {
      positions.pop();
    }
    if (!positions.length || positions.some((one) => one < 0 || one >= text.length)) return;
    const made = { ...target, positions, text: text.spell(positions) };
    if (target === pending) {
      pending = made;
      render();
    } else {
      const replaced = group().map((one) => (one === target ? made : one));
      last = made;
      change(withGroups(withGroup(replaced)));
    }
    say(fillIn(words.marked, { role: made.role ? roleOf(made.role)?.name ?? "" : "", text: made.text, positions: sayPositions(positions) }));
  }

  /* --- showing --- */

  const nameOf = (at) => fillIn(layer().one, { n: at + 1 });
  const describe = (mark) => [mark.text, mark.label].filter(Boolean).join(" · ");

  function lookOf(mark) {
    const found = roleOf(mark.role);
    const family = found?.family ?? "n";
    return { colour: COLOURS[family], pattern: PATTERNS[family], tag: found?.short ?? "", classes: mark === focused ? "focused" : "" };
  }

  function paint() {
    const shown = pending ? [...group(), { role: "", ...pending }] : group();
    for (const [name, text] of texts) {
      const { looks, count } = looksOf(shown.filter((mark) => (mark.target ?? "") === name && mark.positions.length), lookOf);
      text.paint(looks, count);
    }
  }

  function focusOn(mark) {
    if (focused === mark) return;
    focused = mark;
    paint();
  }

  function chip(mark) {
    const found = roleOf(mark.role);
    const positions = sayPositions(mark.positions);
    const press = () => {
      if (!layer().repeats) role = mark.role;
      last = mark;
      render();
    };
    const button = make(
      "button",
      { type: "button", class: `mark family-${found?.family ?? "n"}`, "data-focus": `mark:${mark.role}:${positions}`, on: press, title: positions },
      make("span", { class: "tag" }, found?.name ?? mark.role),
      make("span", { class: "set", lang: config.lang }, describe(mark)),
      make("span", { class: "at num" }, positions),
    );
    button.addEventListener("pointerenter", () => focusOn(mark));
    button.addEventListener("focus", () => focusOn(mark));
    button.addEventListener("pointerleave", () => focusOn(null));
    button.addEventListener("blur", () => focusOn(null));
    const remove = make(
      "button",
      { type: "button", class: "button quiet small icon-only", "data-focus": `remove:${mark.role}:${positions}`, "aria-label": fillIn(words.remove, { role: found?.name ?? mark.role, text: describe(mark) }), on: () => removeMark(mark) },
      "×",
    );
    return make("span", { class: "mark-of" }, button, remove, found?.labels?.length ? labels(found, mark.label ?? "") : null);
  }

  function labels(found, value) {
    const field = make("select", { "aria-label": fillIn(words.label, { role: found.name }), "data-focus": `label:${found.code}` });
    for (const one of ["", ...found.labels]) {
      const option = make("option", { value: one }, one || words.no_label);
      option.selected = one === value;
      field.append(option);
    }
    field.addEventListener("change", (event) => { event.stopPropagation(); setLabel(found.code, field.value); });
    field.addEventListener("input", (event) => event.stopPropagation());
    return field;
  }

  function openCard(at, marks) {
    const asked = role && !layer().repeats ? roleOf(role) : null;
    const empty = asked?.labels?.length && !markAt(role) ? make("span", { class: "mark-of" }, make("span", { class: "tag" }, asked.name), labels(asked, "")) : null;
    return [
      make("button", { type: "button", class: "card-name", "data-focus": "name", "data-move": true, "aria-current": "true" }, nameOf(at)),
      marks.length || empty ? make("span", { class: "marks" }, ...marks.map(chip), empty) : make("span", { class: "faint" }, words.empty),
      make(
        "span",
        { class: "row close card-does" },
        make("button", { type: "button", class: "button quiet small", "data-focus": "clone", "data-key": "y", on: () => addGroup(group().map((mark) => ({ ...mark }))) }, words.clone),
        make("button", { type: "button", class: "button quiet small", "data-focus": "drop", "aria-label": fillIn(words.drop, { card: nameOf(at) }), on: () => removeGroup(at) }, words.drop_short),
      ),
    ];
  }

  function closedCard(at, marks) {
    const summary = marks.map((mark) => `${roleOf(mark.role)?.short ?? ""} ${describe(mark)}`.trim()).join("　");
    return [make(
      "button",
      { type: "button", class: "card-name", "data-focus": "name", "data-move": true, on: () => { goTo(at); focusCard(at, "name"); } },
      make("span", {}, nameOf(at)),
      make("span", { class: "summary set", lang: config.lang }, summary || words.empty),
    )];
  }

  const cards = [];

  function focusCard(at, name) {
    const card = cards[at]?.element;
    (card?.querySelector(`[data-focus="${CSS.escape(name)}"]`) ?? card?.querySelector("[data-focus=name]"))?.focus({ preventScroll: false });
  }

  function renderCards() {
    const active = document.activeElement?.closest?.("[data-focus]");
    const within = active && parts.cards.contains(active) ? active.dataset.focus : null;
    const shown = groups();
    while (cards.length > shown.length) cards.pop().element.remove();
    shown.forEach((marks, at) => {
      const open = at === state.group;
      const key = open ? `${role}` : "";
      const known = cards[at];
      if (known && known.marks === marks && known.open === open && known.key === key && known.layer === state.layer && !open) return;
      const element = known?.element ?? make("li", { class: "mark-card" });
      element.classList.toggle("open", open);
      element.replaceChildren(...(open ? openCard(at, marks) : closedCard(at, marks)));
      if (!known) parts.cards.append(element);
      cards[at] = { element, marks, open, key, layer: state.layer };
    });
    if (within && !parts.cards.contains(document.activeElement)) focusCard(state.group, within);
  }

  function renderPalette() {
    const tabs = layers.size > 1
      ? [make("span", { class: "row close", role: "group", "aria-label": words.layers }, ...[...layers.values()].map((one) => make(
        "button",
        { type: "button", class: "button quiet small", "aria-pressed": String(one.code === state.layer), "data-focus": `layer:${one.code}`, on: () => { role = null; cards.splice(0).forEach((card) => card.element.remove()); goTo(0, one.code); } },
        fillIn("{name} ({n})", { name: one.name, n: (state.value[one.code] ?? []).length }),
      )))]
      : [];
    const roles = layer().repeats || layer().roles.every((one) => one.target) ? [] : layer().roles.map((one) => make(
      "button",
      { type: "button", class: `role family-${one.family}`, "aria-pressed": String(role === one.code), "aria-keyshortcuts": one.key || null, "data-role": one.code, "data-filled": markAt(one.code) ? true : null, "data-focus": `role:${one.code}`, title: one.hint || null, on: () => takeRole(one.code) },
      make("kbd", { class: "key-cap", "aria-hidden": "true" }, one.key),
      one.name,
    ));
    redraw(parts.palette, [...tabs, roles.length ? make("span", { class: "roles", role: "group", "aria-label": words.roles }, ...roles) : null]);
  }

  // Puts new buttons in the place of old ones and the focus back on the one that had it.
  function redraw(part, children) {
    const active = part.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    part.replaceChildren(...children.filter(Boolean));
    if (active) part.querySelector(`[data-focus="${CSS.escape(active)}"]`)?.focus();
  }

  function renderTray() {
    const target = last && group().includes(last) ? last : pending;
    const step = (end, by, label) => make("button", { type: "button", class: "button small icon-only", "data-focus": `step:${end}:${by}`, "aria-label": label, disabled: !target?.positions.length, on: () => nudge(end, by) }, by < 0 ? "‹" : "›");
    redraw(parts.tray, [
      make("button", { type: "button", class: "button small", "aria-pressed": String(appending), "data-focus": "append", "data-key": "+", "aria-keyshortcuts": "+", disabled: !(target?.positions.length), on: () => { appending = !appending; render(); say(appending ? words.appending : ""); } }, words.append),
      make("span", { class: "steps-of", role: "group", "aria-label": words.first_character }, make("span", { class: "label", "aria-hidden": "true" }, words.first_short), step("first", -1, words.first_back), step("first", 1, words.first_on)),
      make("span", { class: "steps-of", role: "group", "aria-label": words.last_character }, make("span", { class: "label", "aria-hidden": "true" }, words.last_short), step("last", -1, words.last_back), step("last", 1, words.last_on)),
      pending ? make("span", { class: "pending" }, make("span", { class: "set", lang: config.lang }, pending.text), make("span", { class: "at num" }, sayPositions(pending.positions)), make("button", { type: "button", class: "button quiet small icon-only", "data-focus": "forget", "aria-label": words.forget, on: () => { pending = null; render(); } }, "×")) : null,
      make("button", { type: "button", class: "button quiet small", "data-focus": "undo", disabled: !undone.length, on: undo }, words.undo),
      groups().length > 1 && !layer().repeats ? make("button", { type: "button", class: "button quiet small", "data-focus": "sort", on: sortGroups }, words.sort) : null,
    ]);
  }

  function render() {
    renderPalette();
    renderTray();
    renderCards();
    paint();
    here.textContent = sayHere(lastPlace && { ...lastPlace, first: false });
  }

  /* --- where the pointer or the caret is --- */

  function sayHere(place) {
    if (!place) return "";
    const found = group().filter((mark) => (mark.target ?? "") === place.name && mark.positions.includes(place.position));
    const roles = found.map((mark) => roleOf(mark.role)?.name ?? mark.role).filter(Boolean).join(", ");
    return fillIn(place.first ? words.first : words.here, { char: place.char?.trim() ? place.char : words.space, position: place.position, roles });
  }

  function pass(place) {
    lastPlace = place;
    here.textContent = sayHere(place);
    if (place?.spoken || place?.first) tell(here.textContent);
  }

  function focusNextText(from) {
    const all = [...texts.values()];
    const here = all.findIndex((text) => text.element.contains(from));
    all[(here + 1) % all.length]?.focus();
  }

  /* --- a text that is still being typed: marks stay on their characters --- */

  function follow({ name, follows }) {
    const field = document.getElementById(follows);
    field?.addEventListener("input", () => {
      const before = Array.from(texts.get(name).text);
      const after = Array.from(field.value);
      let start = 0;
      while (start < before.length && before[start] === after[start]) start += 1;
      let end = 0;
      while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
      const moved = (position) => (position < start ? position : position >= before.length - end ? position + after.length - before.length : null);
      texts.get(name).fill(field.value);
      state = { ...state, value: mapMarks((mark) => ((mark.target ?? "") === name ? moveMark(mark, moved, after) : mark)) };
      write();
      render();
    });
  }

  const mapMarks = (change) => Object.fromEntries(Object.entries(state.value).map(
    ([code, made]) => [code, made.map((marks) => marks.map(change).filter(Boolean))],
  ));

  // None where nothing is left of it.
  function moveMark(mark, moved, chars) {
    const positions = mark.positions.map(moved).filter((position) => position !== null);
    return positions.length ? { ...mark, positions, text: positions.map((position) => chars[position]).join("") } : null;
  }

  /* --- keys: a role by its own, the rest by letters that no page uses --- */

  function onKey(event) {
    if (window.parable.composing(event) || event.defaultPrevented || window.parable.typing(event.target) || document.querySelector("dialog[open]")) return undefined;
    if (!root.checkVisibility() || !(everywhere || inside(event.target))) return undefined;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !event.shiftKey) {
      event.preventDefault();
      return undo();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !window.parable.singleKeysOn()) return undefined;
    const digit = event.shiftKey && /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
    const labelled = role ?? roleToExtend();
    const label = digit && labelled && roleOf(labelled)?.labels?.[digit - 1];
    if (label) {
      event.preventDefault();
      return setLabel(labelled, label);
    }
    const key = event.key.normalize("NFKC").toLowerCase();
    const byKey = layer().repeats ? null : layer().roles.find((one) => one.key === key && !one.target);
    if (byKey) takeRole(byKey.code);
    else if (key === "[") goTo(Math.max(0, state.group - 1));
    else if (key === "]") goTo(Math.min(groups().length - 1, state.group + 1));
    else if (key === "f") focusNextText(event.target);
    else return undefined;
    event.preventDefault();
    return undefined;
  }

  const texts = mountTexts({ choose: chosen, pass });
  const inside = (target) => root.contains(target) || [...texts.values()].some((text) => text.element.contains(target));
  config.texts.filter((one) => one.follows).forEach(follow);
  root.querySelector("[data-new]")?.addEventListener("click", () => addGroup());
  sink.name = config.field; // from now on the form sends what is marked, and not the fields for words
  sink.value = JSON.stringify(state.value);
  root.dataset.ready = "";
  document.addEventListener("keydown", onKey, { capture: true });
  document.addEventListener("parable:unmount", () => document.removeEventListener("keydown", onKey, { capture: true }), { once: true });
  render();

  return {
    root,
    texts,
    paint,
    read: () => state.value,
    fill(value) {
      state = { ...state, value, group: 0 };
      [pending, last, role, undone] = [null, null, null, []];
      sink.value = JSON.stringify(value);
      render();
    },
    retext(name, text) {
      texts.get(name)?.fill(text);
      paint();
    },
  };
}

/* ---------- marks that are only shown: over one, or in it, its characters are seen in the text ---------- */

function mountShown(texts, back) {
  const read = (button) => ({
    positions: JSON.parse(button.dataset.positions), target: button.dataset.target ?? "", family: button.dataset.family, tag: button.dataset.short ?? "", button,
  });
  const show = (buttons, focused) => {
    const marks = buttons.map(read);
    const look = (mark) => ({
      colour: COLOURS[mark.family] ?? COLOURS.n, pattern: PATTERNS[mark.family], tag: mark.tag, classes: mark.button === focused ? "focused" : "",
    });
    for (const [name, text] of texts) {
      const { looks, count } = looksOf(marks.filter((mark) => mark.target === name && mark.positions.length), look);
      text.paint(looks, count);
    }
  };
  const buttonsOf = (part) => [...part.querySelectorAll("[data-positions]")];
  for (const part of document.querySelectorAll("[data-shown-group]:not([data-watched])")) {
    const enter = (event) => show(buttonsOf(part), event.target.closest("[data-positions]"));
    part.dataset.watched = "";
    part.addEventListener("pointerover", enter);
    part.addEventListener("focusin", enter);
    part.addEventListener("click", enter);
    if (back) part.addEventListener("pointerleave", back);
    if (back) part.addEventListener("focusout", back);
  }
  const first = document.querySelector("[data-shown-group]");
  if (first && !back) show(buttonsOf(first), null);
}

/* ---------- start, also of a step that came into the page ---------- */

let editor = null;

function start() {
  if (document.querySelector(".is-marked")) return; // the page has its texts already
  document.dispatchEvent(new CustomEvent("parable:unmount"));
  const root = document.querySelector("[data-marking]");
  editor = root ? mountEditor(root) : null;
  const here = document.querySelector("[data-here]");
  const pass = (place) => { if (here) here.textContent = place ? `${place.position} ${place.char}` : ""; };
  if (editor) mountShown(editor.texts, editor.paint);
  else mountShown(mountTexts({ pass }), null);
}

start();
document.addEventListener("htmx:afterSettle", start);

window.parableMarks = Object.freeze({
  read: () => editor?.read() ?? null,
  fill: (value) => editor?.fill(value),
  retext: (name, text) => editor?.retext(name, text),
});
