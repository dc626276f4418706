/* Texts whose characters can be chosen, by pointer, by touch and by keys, and under which fragments are drawn.
   A text knows its characters by position, as the server counts them, and nothing of what fragments mean. */

const LANE_PX = 5;
const EDGE = 0.25; // so much of a character a mouse crosses without meaning it
const PATTERNS = { solid: 100, dashed: 72, dotted: 36 };

/* ---------- what is where ---------- */

const placeOf = (node) => {
  const found = (node instanceof Element ? node : node?.parentElement)?.closest?.("[data-p]");
  return found ? Number(found.dataset.p) : null;
};

// The character nearest in the line above or below, as a caret moves.
function acrossLines(boxes, from, step) {
  const here = boxes[from].getBoundingClientRect();
  const middle = here.left + here.width / 2;
  let line = null;
  let best = from;
  let apart = Infinity;
  for (let at = from + step; at >= 0 && at < boxes.length; at += step) {
    const box = boxes[at].getBoundingClientRect();
    if (Math.abs(box.top - here.top) < here.height / 2) continue;
    line ??= box.top;
    if (Math.abs(box.top - line) > here.height / 2) break;
    const distance = Math.abs(box.left + box.width / 2 - middle);
    if (distance < apart) { apart = distance; best = at; }
  }
  return best;
}

function endOfLine(boxes, from, step) {
  const { top, height } = boxes[from].getBoundingClientRect();
  let at = from;
  while (boxes[at + step] && Math.abs(boxes[at + step].getBoundingClientRect().top - top) < height / 2) at += step;
  return at;
}

/* ---------- one text ---------- */

function mountText(element, { name, text, choose = null, pass = () => {} }) {
  let chars = [];
  let boxes = [];
  let painted = [];
  let caret = 0;
  let start = null;
  let dragged = false;
  let down = null; // where the mouse went down

  function fill(words) {
    chars = Array.from(words);
    painted = [];
    boxes = chars.map((char, position) => {
      const box = document.createElement("span");
      box.className = "ch";
      box.dataset.p = position;
      box.textContent = char;
      return box;
    });
    element.replaceChildren(...boxes);
    caret = Math.min(caret, Math.max(0, chars.length - 1));
    start = null;
  }

  const spell = (positions) => positions.map((position) => chars[position] ?? "").join("");

  /* --- painting: each lane is a line below the characters, so that overlaps are read one under the other --- */

  function line({ lane, colour, pattern, through }) {
    const width = PATTERNS[pattern] ?? 100;
    const shade = through ? `color-mix(in srgb, ${colour} 45%, transparent)` : colour;
    const image = `linear-gradient(90deg, ${shade} ${width}%, transparent ${width}%)`;
    return { image, size: `100% ${through ? 1 : 3}px`, place: `0 calc(100% - ${lane * LANE_PX}px)` };
  }

  function draw(box, { lines = [], tag = "", classes = "" }) {
    const drawn = lines.map(line);
    box.style.backgroundImage = drawn.map((one) => one.image).join(",");
    box.style.backgroundSize = drawn.map((one) => one.size).join(",");
    box.style.backgroundPosition = drawn.map((one) => one.place).join(",");
    const passing = ["caret", "picking"].filter((name) => box.classList.contains(name));
    box.className = ["ch", classes, ...passing].filter(Boolean).join(" ");
    if (tag) box.dataset.tag = tag;
    else delete box.dataset.tag;
  }

  // `looks`: by position what is drawn there. Only what changed is touched.
  function paint(looks, lanes) {
    element.style.setProperty("--lanes", lanes);
    boxes.forEach((box, position) => {
      const look = looks.get(position) ?? {};
      const key = JSON.stringify(look);
      if (painted[position] === key) return;
      painted[position] = key;
      draw(box, look);
    });
  }

  function showPicking(to) {
    const [low, high] = start === null ? [1, 0] : [Math.min(start, to), Math.max(start, to)];
    boxes.forEach((box, position) => box.classList.toggle("picking", position >= low && position <= high));
  }

  function showCaret() {
    element.querySelector(".caret")?.classList.remove("caret");
    if (document.activeElement === element) boxes[caret]?.classList.add("caret");
  }

  /* --- choosing: first character, last character --- */

  function finish(from, to, more) {
    start = null;
    showPicking(0);
    const low = Math.min(from, to);
    const positions = Array.from({ length: Math.abs(to - from) + 1 }, (_one, step) => low + step);
    choose({ name, positions, text: spell(positions), append: more });
  }

  function pick(position, more) {
    caret = position;
    showCaret();
    if (start !== null) return finish(start, position, more);
    start = position;
    showPicking(position);
    pass({ name, position, char: chars[position], first: true });
  }

  function cancel() {
    const had = start !== null;
    start = null;
    showPicking(0);
    return had;
  }

  function move(position, { extend = false } = {}) {
    if (extend && start === null) start = caret;
    caret = Math.min(Math.max(position, 0), chars.length - 1);
    showCaret();
    showPicking(caret);
    boxes[caret]?.scrollIntoView({ block: "nearest" });
    pass({ name, position: caret, char: chars[caret], spoken: true });
  }

  // Beside white space, where the text has any; elsewhere one character.
  function nextWord(step) {
    let at = caret + step;
    while (chars[at + step] !== undefined && !/\s/.test(chars[at + (step < 0 ? -1 : 0)] ?? " ")) at += step;
    return chars.some((char) => char === " ") ? at : caret + step;
  }

  function target(event) {
    const far = event.ctrlKey || event.metaKey;
    if (event.key === "ArrowRight") return far ? nextWord(1) : caret + 1;
    if (event.key === "ArrowLeft") return far ? nextWord(-1) : caret - 1;
    if (event.key === "ArrowDown") return acrossLines(boxes, caret, 1);
    if (event.key === "ArrowUp") return acrossLines(boxes, caret, -1);
    if (event.key === "Home") return far ? 0 : endOfLine(boxes, caret, -1);
    if (event.key === "End") return far ? chars.length - 1 : endOfLine(boxes, caret, 1);
    return null;
  }

  function onKey(event) {
    if (event.altKey || event.isComposing || !chars.length) return;
    const to = target(event);
    if (to !== null) move(to, { extend: event.shiftKey && choose !== null });
    else if (choose && [" ", "Enter"].includes(event.key) && !event.ctrlKey && !event.metaKey) pick(caret, event.shiftKey);
    else if (event.key !== "Escape" || !cancel()) return;
    event.preventDefault();
    event.stopPropagation(); // Enter would send the form, Escape would leave the page's sheet
  }

  /* --- pointers: two taps, or one stroke of a mouse --- */

  // The character under the mouse, and how far in it the mouse is, from 0 to 1.
  function under(event) {
    const at = element.contains(event.target) ? placeOf(event.target) : null;
    if (at === null) return null;
    const box = boxes[at].getBoundingClientRect();
    return { at, part: (event.clientX - box.left) / box.width };
  }

  // From one character to another: both of them, but for one of which the mouse has crossed a mere edge.
  function between(one, other) {
    const [low, high] = one.at < other.at ? [one, other] : [other, one];
    const from = low.part > 1 - EDGE ? low.at + 1 : low.at;
    const to = high.part < EDGE ? high.at - 1 : high.at;
    return from <= to ? [from, to] : [low.at, high.at];
  }

  // What the browser has selected, where the mouse began or ended beside the characters.
  function covered() {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    const box = document.createRange();
    const taken = [...boxes.keys()].filter((position) => {
      box.selectNodeContents(boxes[position]);
      return range.compareBoundaryPoints(Range.START_TO_END, box) > 0 && range.compareBoundaryPoints(Range.END_TO_START, box) < 0;
    });
    return taken.length ? [taken[0], taken.at(-1)] : null;
  }

  function stroke(event) {
    const up = under(event);
    if (down && up && down.at === up.at) return null; // a click
    return down && up ? between(down, up) : covered();
  }

  function onDown(event) {
    dragged = false;
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    down = under(event);
    document.addEventListener("pointerup", onUp, { once: true });
  }

  function onUp(event) {
    const drawn = stroke(event);
    getSelection().removeAllRanges();
    if (!drawn) return;
    dragged = true; // the click that follows is none
    caret = drawn[1];
    showCaret();
    finish(drawn[0], drawn[1], event.shiftKey);
  }

  function onClick(event) {
    const position = placeOf(event.target);
    if (dragged || position === null) { dragged = false; return; }
    pick(position, event.shiftKey);
  }

  function onOver(event) {
    const position = placeOf(event.target);
    if (position === null) return;
    if (start !== null && event.pointerType === "mouse") showPicking(position);
    pass({ name, position, char: chars[position] });
  }

  fill(text);
  element.classList.add("is-marked");
  element.tabIndex = 0;
  element.setAttribute("role", "application");
  element.addEventListener("keydown", onKey);
  element.addEventListener("focus", () => { showCaret(); pass({ name, position: caret, char: chars[caret], spoken: true }); });
  element.addEventListener("blur", showCaret);
  element.addEventListener("pointerover", onOver);
  element.addEventListener("pointerleave", () => pass(null));
  if (choose) {
    element.addEventListener("mousedown", (event) => { if (event.shiftKey || event.detail > 1) event.preventDefault(); });
    element.addEventListener("pointerdown", onDown);
    element.addEventListener("click", onClick);
  }
  return {
    name,
    element,
    spell,
    paint,
    fill,
    cancel,
    get text() { return chars.join(""); },
    get length() { return chars.length; },
    get isPicking() { return start !== null; },
    focus: () => element.focus(),
  };
}

/* ---------- which lane each fragment has ---------- */

// Fragments that overlap, gaps included, lie in lanes of their own; the first ones uppermost.
function lanesOf(marks) {
  const ends = [];
  const sorted = [...marks].sort((one, other) => Math.min(...one.positions) - Math.min(...other.positions));
  const lanes = new Map();
  for (const mark of sorted) {
    const first = Math.min(...mark.positions);
    let lane = ends.findIndex((end) => end < first);
    if (lane < 0) lane = ends.length;
    ends[lane] = Math.max(...mark.positions);
    lanes.set(mark, lane);
  }
  return { lanes, count: ends.length };
}

// By position what is drawn: lines of fragments, thin ones through their gaps, tags where pieces begin.
function looksOf(marks, lookOf) {
  const drawn = marks.filter((mark) => mark.positions.length);
  const { lanes, count } = lanesOf(drawn);
  const looks = new Map();
  const at = (position) => {
    if (!looks.has(position)) looks.set(position, { lines: [], tag: "", classes: "" });
    return looks.get(position);
  };
  for (const mark of drawn) {
    const { colour, pattern, tag, classes = "" } = lookOf(mark);
    const own = new Set(mark.positions);
    const lane = count - 1 - lanes.get(mark);
    for (let position = Math.min(...own); position <= Math.max(...own); position += 1) {
      at(position).lines.push({ lane, colour, pattern, through: !own.has(position) });
    }
    for (const position of own) {
      if (classes) at(position).classes = `${at(position).classes} ${classes}`.trim();
      if (!own.has(position - 1) && tag) at(position).tag = [at(position).tag, tag].filter(Boolean).join(" ");
    }
  }
  return { looks, count };
}

// 3–5, 9: as people count pieces, in the order in which they were marked.
function sayPositions(positions) {
  const pieces = [];
  for (const position of positions) {
    const last = pieces.at(-1);
    if (last && position === last[1] + 1) last[1] = position;
    else pieces.push([position, position]);
  }
  return pieces.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}

window.parableTexts = Object.freeze({ mountText, looksOf, sayPositions });
