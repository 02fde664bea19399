// Keys on every page: / finds, j and k move through the rows of tables with data-rows, Enter opens the row's link, ? lists
// the keys of the page.

const typing = (target) => target.closest("input, select, textarea, [contenteditable], dialog");

function walk(step) {
  const rows = [...document.querySelectorAll("table[data-rows] tbody tr")];
  if (!rows.length) return;
  const at = rows.findIndex((row) => row.classList.contains("current"));
  const next = rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
  rows[at]?.classList.remove("current");
  next.classList.add("current");
  next.querySelector("a")?.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

function find() {
  const field = document.querySelector("[data-find-here]") ?? document.querySelector("[data-find]");
  field?.focus();
  field?.select();
}

// In the search field, the arrow keys move through the results found so far.
document.addEventListener("keydown", (event) => {
  const form = event.target.closest(".find");
  if (!form || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
  const stops = [form.querySelector("[data-find]"), ...form.querySelectorAll(".found a")];
  const next = stops[stops.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1)];
  next?.focus();
  event.preventDefault();
});

// Only keys that have an effect on this page are listed.
function showKeys() {
  const list = document.getElementById("keys");
  const has = (selector) => Boolean(selector && document.querySelector(selector));
  for (const group of list?.querySelectorAll("[data-keys-for]") ?? []) {
    group.hidden = !has(group.dataset.keysFor) || has(group.dataset.keysUnless);
  }
  list?.showModal();
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-keys-open]")) showKeys();
});

const actions = { "/": find, j: () => walk(1), k: () => walk(-1), "?": showKeys };

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      // The focus must not stay on an element that is no longer visible.
      if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
      menu.removeAttribute("open");
    }
    if (typing(event.target) || event.target.closest(".find")) event.target.blur();
    return;
  }
  const action = actions[event.key];
  if (!action || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  event.preventDefault();
  action();
});

// A click elsewhere closes an open menu.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.removeAttribute("open");
  }
});
