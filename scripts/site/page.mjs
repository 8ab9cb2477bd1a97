// The HTML around a page. Links are relative, so the site works from file: URLs and under any path.
import { relativeAddress } from "./addresses.mjs";
import { escapeHtml } from "./markdown.mjs";

const web = (path) => path.replace(/\.md$/, ".html");

export function pageHtml({ path, title, body, outline, menu, order }) {
  const up = "../".repeat(path.split("/").length - 1);
  const to = (target) => relativeAddress(web(target), path);
  const isLanding = path === "index.md";
  const at = order.findIndex((page) => page.path === path);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${isLanding ? "Sluice: the integration runtime for Node" : `${escapeHtml(title)} · Sluice`}</title>
<link rel="icon" href="${up}icon.svg">
<link rel="stylesheet" href="${up}site.css">
<script defer src="${up}search.js"></script>
<script defer src="${up}site.js" data-up="${up}"></script>
</head>
<body${isLanding ? ' class="landing"' : ""}>
<a class="skip" href="#content">Skip to content</a>
<header>
<button type="button" id="menu" aria-expanded="false" aria-controls="pages">Menu</button>
<a class="name" href="${up}index.html"><img src="${up}icon.svg" alt="" width="24" height="24">Sluice</a>
<div class="search"><input type="search" id="search" placeholder="Search" aria-label="Search the documentation (press /)" autocomplete="off"><ol id="found" aria-label="Search results" hidden></ol></div>
</header>
<div class="columns">
<nav id="pages" aria-label="Documentation">${menuHtml(menu, path, to)}</nav>
<main id="content">
${trailHtml(order[at], to)}${body}${neighborsHtml(order, at, to)}</main>
${outlineHtml(outline)}</div>
</body>
</html>
`;
}

function menuHtml(menu, path, to) {
  const link = ({ path: target, title }) => `<a href="${to(target)}"${target === path ? ' aria-current="page"' : ""}>${escapeHtml(title)}</a>`;
  const contains = (page) => page.path === path || page.pages.some(contains);
  // The pages of a subfolder, which may be sixty, are listed only on one of them.
  const item = (page) => `<li>${link(page)}${contains(page) && page.pages.length > 0 ? `<ul>${page.pages.map(item).join("")}</ul>` : ""}</li>`;
  const group = ({ title, pages }) => `${title === "" ? "" : `<p>${escapeHtml(title)}</p>`}<ul>${pages.map(item).join("")}</ul>`;
  return menu
    .map((section) => {
      if (section.path !== undefined) return link(section);
      const isOpen = section.groups.some(({ pages }) => pages.some(contains));
      return `<details${isOpen ? " open" : ""}><summary>${escapeHtml(section.title)}</summary>${section.groups.map(group).join("")}</details>`;
    })
    .join("\n");
}

/** The section and the pages that contain this one. */
function trailHtml(page, to) {
  if (page === undefined || page.parents.length === 0) return "";
  const items = page.parents.map(({ title, path }) => (path === undefined ? escapeHtml(title) : `<a href="${to(path)}">${escapeHtml(title)}</a>`));
  return `<nav class="trail" aria-label="Position">${items.join(" › ")}</nav>\n`;
}

/** Links to the pages before and after this one in reading order. */
function neighborsHtml(order, at, to) {
  if (at === -1) return "";
  const link = (page, rel, label) => (page === undefined ? "" : `<a rel="${rel}" href="${to(page.path)}"><small>${label}</small>${escapeHtml(page.title)}</a>`);
  return `<nav class="neighbors" aria-label="Previous and next page">${link(order[at - 1], "prev", "Previous")}${link(order[at + 1], "next", "Next")}</nav>\n`;
}

const minHeadings = 2;

function outlineHtml(outline) {
  const headings = outline.filter(({ level }) => level === 2 || level === 3);
  if (headings.length < minHeadings) return "";
  const items = headings.map(({ id, level, title }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(title)}</a></li>`);
  return `<aside><nav aria-label="On this page"><p>On this page</p><ul>${items.join("")}</ul></nav></aside>\n`;
}
