/* What a task has beside stem, options and explanation, as JSON: the marks of its editor, and fields named by
   `data-own`. The sheet and the review pages save it; they need not know what it is. */

const fieldsOf = (form) => [...(form?.querySelectorAll("[data-own]") ?? [])];

function valueOf(field) {
  if (field.type === "radio") return field.checked ? field.value : undefined;
  if (field.type === "checkbox") return field.checked;
  return field.value;
}

// Nothing where the form has neither: then its task has no part of its own.
function read(form) {
  const own = { ...window.parableMarks?.read() };
  for (const field of fieldsOf(form)) {
    const value = valueOf(field);
    if (value !== undefined) own[field.dataset.own] = value;
  }
  return Object.keys(own).length ? own : null;
}

function fill(form, own) {
  for (const field of fieldsOf(form)) {
    const value = own[field.dataset.own] ?? "";
    if (field.type === "radio") field.checked = field.value === String(value);
    else if (field.type === "checkbox") field.checked = value === true;
    else field.value = value;
  }
  window.parableMarks?.fill(own);
}

// A line for each group and field, to be read beside another version.
function lines(own) {
  const said = (mark) => [mark.role, mark.text, mark.label].filter(Boolean).join(" ");
  return Object.values(own ?? {}).flatMap((value) => {
    if (Array.isArray(value)) return value.map((group) => group.map(said).join(" · "));
    return typeof value === "string" ? [value] : [];
  }).filter(Boolean);
}

window.parableOwn = Object.freeze({ read, fill, lines });
