// Keys of the inbox: x chooses a change, a button's letter presses the button for the chosen changes or else for the
// current one, and u undoes the last step. The keys j, k and ? are the same on every page.

const typing = (target) => target.closest("input:not([type=checkbox]), select, textarea, [contenteditable], dialog");
const rows = () => [...document.querySelectorAll("table.changes tbody tr")];
const current = () => document.querySelector("table.changes tr.current");
const box = (row) => row?.querySelector("input[type=checkbox]");

// The reader's row before a step replaced the list.
let place = -1;

function choose() {
  const found = box(current());
  if (found) found.checked = !found.checked;
}

function press(key) {
  const form = document.getElementById("triage");
  const button = form?.querySelector(`button[data-key="${CSS.escape(key)}"]`);
  if (!button) return false;
  const chosen = rows().some((row) => box(row)?.checked);
  if (!chosen) {
    const own = box(current());
    if (!own) return false;
    own.checked = true;
  }
  button.click(); // htmx then knows the pressed button, unlike after requestSubmit
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (event.key === "x") choose();
  else if (event.key === "u") document.getElementById("undo")?.requestSubmit();
  else if (!press(event.key)) return;
  event.preventDefault();
});

document.addEventListener("htmx:beforeSwap", () => { place = rows().indexOf(current()); });
// At once after the swap, not when htmx has settled 20 ms later: a key pressed in between would start at the first row.
document.addEventListener("htmx:afterSwap", () => {
  const all = rows();
  if (place < 0 || !all.length || current()) return;
  const row = all[Math.min(place, all.length - 1)];
  row.classList.add("current");
  row.querySelector("a")?.focus({ preventScroll: true });
});
