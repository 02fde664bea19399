// Submits pickers when they change (without a script their button does so), copies commands, and prints pages.

document.addEventListener("change", (event) => {
  event.target.closest("form[data-auto-submit]")?.requestSubmit();
});

// Empty fields are disabled, because they would only lengthen the address.
document.addEventListener("submit", (event) => {
  if (event.target.method !== "get") return;
  const empty = [...event.target.elements].filter((field) => field.name && field.value === "" && !field.disabled);
  for (const field of empty) field.disabled = true;
  // The browser has read the form by then. A form that htmx sends stays on the page, so its fields must work again.
  setTimeout(() => { for (const field of empty) field.disabled = false; });
});
document.addEventListener("htmx:configRequest", (event) => {
  const { verb, formData } = event.detail;
  if (verb !== "get") return;
  for (const [name, value] of [...formData.entries()]) if (value === "") formData.delete(name);
});
// A form with which data are changed is sent once: a second click on "Delete for good" would ask for what no longer exists.
document.addEventListener("submit", (event) => {
  if (event.target.method !== "post" || event.defaultPrevented) return; // htmx and scripts send forms themselves
  const buttons = [...event.target.elements].filter((field) => field.type === "submit" && !field.disabled);
  // The form must be read first, with the name of the button that sent it.
  setTimeout(() => { for (const button of buttons) button.disabled = true; });
  // After a step back in the browser's history the page is as it was left.
  addEventListener("pageshow", () => { for (const button of buttons) button.disabled = false; }, { once: true });
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

// These sections are open on wide screens, and closed on phones, where the answer should come before the question's fields.
const narrow = window.matchMedia("(max-width: 600px)");
function fold() {
  for (const part of document.querySelectorAll("details[data-fold]")) part.open = !narrow.matches;
}
fold();
narrow.addEventListener("change", fold);
// Nobody can open a closed section on paper.
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details[data-fold]")) part.open = true;
});
addEventListener("afterprint", fold);
