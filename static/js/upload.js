// Says which file was chosen or dropped; the input itself takes both.

const area = document.querySelector("[data-drop]");
const input = area?.querySelector("input[type=file]");
const name = area?.querySelector("[data-drop-name]");

input?.addEventListener("change", () => {
  const file = input.files[0];
  name.textContent = file ? `${file.name}, ${(file.size / 1e6).toPrecision(2)} MB` : "";
});
for (const type of ["dragenter", "dragover"]) area?.addEventListener(type, () => area.classList.add("over"));
for (const type of ["dragleave", "drop"]) area?.addEventListener(type, () => area.classList.remove("over"));
