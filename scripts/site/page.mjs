// The frame around a page. Links are relative, so that the site works from a folder and below any address.
import { posix } from "node:path";
import { escapeHtml } from "./markdown.mjs";

const web = (path) => path.replace(/\.md$/, ".html");

export function pageHtml({ path, title, body, menu }) {
  const up = "../".repeat(path.split("/").length - 1);
  const to = (target) => posix.relative(posix.dirname(path), web(target)) || posix.basename(web(target));
  const section = path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
  const groups = menu.map(
    ({ title: name, folder, pages }) =>
      `<details${folder === section ? " open" : ""}><summary>${escapeHtml(name)}</summary><ul>${pages
        .map((page) => `<li><a href="${to(page.path)}"${page.path === path ? ' aria-current="page"' : ""}>${escapeHtml(page.title)}</a></li>`)
        .join("")}</ul></details>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}${title === "Sluice" ? "" : " · Sluice"}</title>
<link rel="stylesheet" href="${up}site.css">
<script defer src="${up}search-index.js"></script>
<script defer src="${up}site.js" data-up="${up}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="name" href="${up}index.html">Sluice</a>
<div class="search"><input type="search" id="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off"><ol id="found" hidden></ol></div>
</header>
<div class="columns">
<nav aria-label="Documentation">${groups.join("\n")}</nav>
<main id="content">
${body}</main>
</div>
</body>
</html>
`;
}
