// Shows the name and size of the chosen or dropped file; the input itself accepts both.

const area = document.querySelector("[data-drop]");
const input = area?.querySelector("input[type=file]");
const name = area?.querySelector("[data-drop-name]");

const UNITS = ["B", "kB", "MB", "GB"];
function size(bytes) {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes || 1) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${UNITS[power]}`;
}
function show() {
  const file = input.files[0];
  name.textContent = file ? `${file.name}, ${size(file.size)}` : "";
}
input?.addEventListener("change", show);
if (input) show(); // The file may have been chosen before this script was loaded.
for (const type of ["dragenter", "dragover"]) area?.addEventListener(type, () => area.classList.add("over"));
for (const type of ["dragleave", "drop"]) area?.addEventListener(type, () => area.classList.remove("over"));
