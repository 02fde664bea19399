// Pickers submit themselves when changed (without script their button does), commands are copied, pages printed.

document.addEventListener("change", (event) => {
  event.target.closest("form[data-auto-submit]")?.requestSubmit();
});

// Empty fields would only lengthen the address.
document.addEventListener("submit", (event) => {
  if (event.target.method !== "get") return;
  const empty = [...event.target.elements].filter((field) => field.name && field.value === "" && !field.disabled);
  for (const field of empty) field.disabled = true;
  // By then the browser has read the form. A form that htmx sends stays on the page, and its fields in use.
  setTimeout(() => { for (const field of empty) field.disabled = false; });
});
document.addEventListener("htmx:configRequest", (event) => {
  const { verb, formData } = event.detail;
  if (verb !== "get") return;
  for (const [name, value] of [...formData.entries()]) if (value === "") formData.delete(name);
});
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-copy-from]");
  if (!button) return;
  const { copy, copyFrom } = button.dataset;
  await navigator.clipboard.writeText(copy ?? document.getElementById(copyFrom).textContent);
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = before; }, 1500);
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) window.print();
});

// What is folded on a phone, so that the answer stands before the question's fields, is open on wider screens.
const narrow = window.matchMedia("(max-width: 600px)");
function fold() {
  for (const part of document.querySelectorAll("details[data-fold]")) part.open = !narrow.matches;
}
fold();
narrow.addEventListener("change", fold);
