// Loaded before the page is painted: sets the chosen theme, and the mark that scripts run.
"use strict";

(() => {
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const current = () => root.dataset.theme ?? (system.matches ? "dark" : "light");
  const announce = () => document.dispatchEvent(new CustomEvent("themechange", { detail: current() }));

  root.dataset.script = "";
  const stored = localStorage.getItem("theme");
  if (stored === "light" || stored === "dark") root.dataset.theme = stored;
  system.addEventListener("change", announce);

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-switch]")) return;
    const wanted = current() === "dark" ? "light" : "dark";
    // If the chosen theme is that of the system, follow the system again.
    if (wanted === (system.matches ? "dark" : "light")) {
      delete root.dataset.theme;
      localStorage.removeItem("theme");
    } else {
      root.dataset.theme = wanted;
      localStorage.setItem("theme", wanted);
    }
    announce();
  });
})();
