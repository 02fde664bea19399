// A click on "?" explains its term in place. Without a script, or if the explanation cannot be fetched, the link
// opens the help.

const box = document.getElementById("in-short");
const GAP = 6;
let opener = null;

function place() {
  const at = opener.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const room = document.documentElement.clientWidth;
  box.style.left = `${Math.max(GAP, Math.min(at.left, room - width - GAP))}px`;
  const below = at.bottom + GAP;
  const fits = below + height <= window.innerHeight || at.top < height;
  box.style.top = `${fits ? below : at.top - height - GAP}px`;
}

// The subject of a link: the anchor if it leads to the glossary, otherwise the last part of the chapter's address.
function subject(link) {
  return decodeURIComponent(link.hash.slice(1) || link.pathname.split("/").at(-2));
}

async function explain(link) {
  const answer = await fetch(`${box.dataset.address}?of=${encodeURIComponent(subject(link))}`);
  if (!answer.ok) throw new Error(`no explanation: ${answer.status}`);
  box.innerHTML = await answer.text();
  opener = link;
  box.showPopover();
  place();
  box.focus();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.help");
  if (!link || !box?.showPopover || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  explain(link).catch(() => { window.location.assign(link.href); });
});

// The explanation stays next to its term when the page scrolls.
window.addEventListener("scroll", () => { if (box?.matches(":popover-open")) place(); }, { passive: true });
window.addEventListener("resize", () => { if (box?.matches(":popover-open")) place(); });
box?.addEventListener("toggle", (event) => { if (event.newState === "closed") opener?.focus({ preventScroll: true }); });

// On a phone the groups of a long chapter are closed, so that their titles can be seen together.
if (window.matchMedia("(max-width: 600px)").matches) {
  for (const group of document.querySelectorAll("details[data-folds]")) group.open = group.querySelector(":target") !== null;
}
