// All chapters were once on this page. Links to their anchors, in mails, reports and bookmarks, are redirected to the
// page of the chapter, or to the word in the glossary.

const hash = decodeURIComponent(window.location.hash);
const word = hash.startsWith("#word-");
const chapter = word ? "glossary" : hash.slice(1);
const link = chapter && document.querySelector(`[data-chapter="${CSS.escape(chapter)}"] a`);
if (link) window.location.replace(word ? link.href + hash : link.href);
