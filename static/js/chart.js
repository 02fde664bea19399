// Draws every <figure class="chart" data-chart='{"data": …, "layout": …}'> with Plotly in the portal's theme.
//
// If a key's name contains "color" and its value begins with "--", the value names a colour of tokens.css. It is
// resolved for the current theme, and again when the theme is switched. A figure that htmx renews keeps its drawing area, so it does not flicker.
//
// Plotly is loaded after the page: first only the part for flat charts, which is a third of it, and the rest only for a
// surface that can be rotated. Visible charts are drawn first, the others one by one while the browser is idle.

// Touching a chart scrolls the page; only a mouse can zoom.
const TOUCHED = window.matchMedia("(pointer: coarse)").matches;

const CONFIG = {
  displaylogo: false,
  responsive: true,
  // On touch screens Plotly's buttons would always cover a part of the chart, and charts cannot be zoomed.
  displayModeBar: TOUCHED ? false : "hover",
  // Plotly would show text in dollar signs as a formula, for which a library is missing; names may contain such signs.
  typesetMath: false,
  modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", "toImage"]],
};
const TURNABLE = [["orbitRotation", "zoom3d", "resetCameraDefault3d", "toImage"]];
const MARGIN = { l: 64, r: 24, t: 16, b: 48 };
const PHONE = 480;
const WIDE = 880;

const figures = () => [...document.querySelectorAll("figure.chart[data-chart]")];

const { flat: FLAT, whole: WHOLE } = document.getElementById("chart-libraries").dataset;
const asked = {};
const loaded = {};

// Both files define window.Plotly; the name is kept for the one with flat charts.
function library(source) {
  asked[source] ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = source;
    script.onload = () => {
      loaded[source] = window.Plotly;
      if (loaded[FLAT]) window.Plotly = loaded[FLAT];
      resolve(loaded[source]);
    };
    script.onerror = reject;
    document.head.append(script);
  });
  return asked[source];
}

// A kernel may be called --main--, so only values that name a colour are resolved.
function resolved(value, colour, key = "") {
  if (typeof value === "string") return key.includes("color") && value.startsWith("--") ? colour(value) : value;
  if (Array.isArray(value)) return value.map((part) => resolved(part, colour, key));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolved(part, colour, name)]));
}

const merged = (base, more) => {
  if (!more || typeof more !== "object" || Array.isArray(more)) return more === undefined ? base : more;
  const result = { ...(typeof base === "object" ? base : {}) };
  for (const [key, value] of Object.entries(more)) result[key] = merged(result[key], value);
  return result;
};

const axis = () => ({
  automargin: true,
  zeroline: false,
  gridcolor: "--line",
  linecolor: "--control-line",
  tickcolor: "--control-line",
  tickfont: { color: "--muted" },
  title: { font: { color: "--muted", size: 13 }, standoff: 8 },
  fixedrange: TOUCHED,
});

function layoutOf(layout, area, style) {
  const theme = {
    font: { family: style.getPropertyValue("--sans"), size: 12.5, color: "--ink" },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    margin: area.clientWidth < PHONE ? { ...MARGIN, l: 44, r: 20 } : MARGIN,
    showlegend: false,
    hovermode: "closest",
    ...(TOUCHED ? { dragmode: false } : {}),
    hoverlabel: { bgcolor: "--surface", bordercolor: "--control-line", align: "left", font: { color: "--ink", size: 13 } },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: "--muted", activecolor: "--accent" },
  };
  for (const key of Object.keys(layout)) if (/^[xy]axis\d*$/.test(key)) theme[key] = axis();
  return merged(merged({ ...theme, xaxis: axis(), yaxis: axis() }, layout), { autosize: true });
}

// Width of the printed area: A4 without the margins of print.css, in CSS pixels.
const PAPER = 700;
let onPaper = false;

// A figure may have other labels and margins where there is less or more room.
const fit = (width) => (width < PHONE ? "narrow" : width >= WIDE ? "wide" : "usual");

const isTurned = (figure) => figure.querySelector("[data-chart-switch]")?.getAttribute("aria-pressed") === "true";

function draw(figure) {
  const area = figure.querySelector(".chart-area");
  const turned = isTurned(figure);
  if (turned && !figure.surface) return fetchSurface(figure);
  const source = turned ? WHOLE : FLAT;
  // Flat charts and surfaces share no elements, so the old drawing must be removed, or it would cover the new one.
  if (area.drawnBy && area.drawnBy !== source) loaded[area.drawnBy].purge(area);
  area.drawnBy = source;
  const { data, layout } = turned ? figure.surface : JSON.parse(figure.dataset.chart);
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const fitting = onPaper ? layout : merged(layout, layout.meta?.[fit(area.clientWidth)]);
  area.setAttribute("aria-label", figure.querySelector("figcaption").textContent.trim());
  const drawn = layoutOf(fitting, area, style);
  if (onPaper) Object.assign(drawn, { autosize: false, width: PAPER, height: area.clientHeight });
  return loaded[source].react(area, resolved(data, colour), resolved(drawn, colour), {
    ...CONFIG,
    ...(turned ? { modeBarButtons: TURNABLE } : {}),
    toImageButtonOptions: { format: "svg", filename: figure.dataset.name, width: 1200, height: area.clientHeight },
  });
}

// Few readers rotate a chart, so its data and script are loaded only when they do.
async function fetchSurface(figure) {
  try {
    await library(WHOLE);
    figure.surface = await (await fetch(figure.dataset.surface)).json();
  } catch {
    figure.querySelector("[data-chart-switch]").setAttribute("aria-pressed", "false");
  }
  return draw(figure);
}

const drawAll = () => { if (loaded[FLAT]) figures().forEach((figure) => draw(figure)); };

// Safari has no requestIdleCallback.
const free = () => new Promise((resolve) => {
  if (window.requestIdleCallback) window.requestIdleCallback(resolve, { timeout: 200 });
  else setTimeout(resolve);
});
const inSight = (figure) => {
  const box = figure.getBoundingClientRect();
  return box.bottom > 0 && box.top < window.innerHeight;
};
const isBlank = (figure) => figure.isConnected && !figure.querySelector(".chart-area").children.length;

async function drawInTurn() {
  if (!figures().length) return;
  await library(FLAT);
  // Charts are drawn one by one, so that a click or a scroll need not wait for all of them.
  for (const figure of [...figures().filter(inSight), ...figures()]) {
    await free();
    if (isBlank(figure)) draw(figure);
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-chart-switch]");
  if (!button || !loaded[FLAT]) return;
  const figure = button.closest("figure");
  button.setAttribute("aria-pressed", !isTurned(figure));
  draw(figure);
});

drawInTurn();
document.addEventListener("themechange", drawAll);
document.addEventListener("htmx:afterSettle", () => (loaded[FLAT] ? drawAll() : drawInTurn()));

// The browser changes the layout for paper only after this event, so the width is set here. The light theme is used.
let theme;
window.addEventListener("beforeprint", () => {
  const { dataset } = document.documentElement;
  theme = dataset.theme;
  dataset.theme = "light";
  onPaper = true;
  drawAll();
});
window.addEventListener("afterprint", () => {
  const { dataset } = document.documentElement;
  if (theme) dataset.theme = theme;
  else delete dataset.theme;
  onPaper = false;
  drawAll();
});
