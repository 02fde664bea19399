// Sliders beside number fields: each slider moves through the server's stops, and sets the number in the field.
// The stop "" empties its field, which means no limit.

const field = (slider) => document.getElementById(slider.dataset.for);
let waiting = 0;

document.addEventListener("input", (event) => {
  const slider = event.target.closest("input[data-stops]");
  if (!slider) return;
  const number = field(slider);
  number.value = JSON.parse(slider.dataset.stops)[slider.value];
  slider.setAttribute("aria-valuetext", number.value || number.placeholder);
  // While the slider is dragged, the answer is requested only after a pause of 120 ms.
  clearTimeout(waiting);
  waiting = setTimeout(() => number.dispatchEvent(new Event("change", { bubbles: true })), 120);
});

// A typed number moves the slider.
document.addEventListener("change", (event) => {
  if (event.target.type === "range") event.stopPropagation();
  const slider = document.querySelector(`input[data-for="${CSS.escape(event.target.id)}"]`);
  if (!slider) return;
  const wanted = event.target.value;
  const stops = JSON.parse(slider.dataset.stops);
  const away = stops.map((stop) => (stop === "" || wanted === "" ? (stop === wanted ? 0 : Infinity) : Math.abs(stop - wanted)));
  slider.value = away.indexOf(Math.min(...away));
}, true);
