// The HTML around a page. Links are relative, so the site works from file: URLs and under any path.
import { posix } from "node:path";
import { escapeHtml } from "./markdown.mjs";

const web = (path) => path.replace(/\.md$/, ".html");

export function pageHtml({ path, title, body, outline, menu, order }) {
  const up = "../".repeat(path.split("/").length - 1);
  const to = (target) => posix.relative(posix.dirname(path), web(target)) || posix.basename(web(target));
  const isLanding = path === "index.md";
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
<div class="search"><input type="search" id="search" placeholder="Search (press /)" aria-label="Search the documentation" autocomplete="off"><ol id="found" aria-label="Search results" hidden></ol></div>
</header>
<div class="columns">
<nav id="pages" aria-label="Documentation">${menuHtml(menu, path, to)}</nav>
<main id="content">
${body}${neighborsHtml(order, path, to)}</main>
${outlineHtml(outline)}</div>
</body>
</html>
`;
}

function menuHtml(menu, path, to) {
  const section = path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
  const item = (page) => `<li><a href="${to(page.path)}"${page.path === path ? ' aria-current="page"' : ""}>${escapeHtml(page.title)}</a></li>`;
  return menu
    .map(
      ({ title, folder, pages }) =>
        `<details${folder === section ? " open" : ""}><summary>${escapeHtml(title)}</summary><ul>${pages.map(item).join("")}</ul></details>`,
    )
    .join("\n");
}

/** Links to the pages before and after this one in reading order. */
function neighborsHtml(order, path, to) {
  const at = order.findIndex((page) => page.path === path);
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
