// `npm run docs:site`: builds a static site from docs/ that needs no server, in docs-site/ or the given folder.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { root } from "./run-command.mjs";
import { outsideLinks, sitePath, webPath } from "./site/addresses.mjs";
import { navigation, readingOrder } from "./site/navigation.mjs";
import { renderPage, titleOf } from "./site/markdown.mjs";
import { pageHtml } from "./site/page.mjs";
import { searchIndex } from "./site/search-index.mjs";

const source = join(root, "docs");
const target = resolve(process.argv[2] ?? join(root, "docs-site"));

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

if (existsSync(target) && readdirSync(target).length > 0 && !existsSync(join(target, ".sluice-site"))) {
  console.error(`${target} is neither empty nor a documentation site: pass an empty folder`);
  process.exit(1);
}
rmSync(target, { recursive: true, force: true });

const files = new Set(
  filesBelow(source)
    .toSorted()
    .map((file) => relative(root, file).replaceAll("\\", "/")),
);
const pages = [];
// Iterating includes the files outside docs/ that are added meanwhile.
for (const file of files) {
  if (!file.endsWith(".md")) continue;
  const text = readFileSync(join(root, file), "utf8");
  const path = sitePath(file);
  pages.push({ path, text, title: titleOf(text) });
  for (const linked of outsideLinks(text, path)) files.add(linked);
}
const menu = navigation(pages);
const order = readingOrder(menu);

for (const page of pages) write(page.path.replace(/\.md$/, ".html"), pageHtml({ ...page, ...renderPage(page.text, page.path), menu, order }));
for (const file of files) if (!file.endsWith(".md")) write(webPath(file), readFileSync(join(root, file)));
cpSync(join(root, "packages/designer/public/icon.svg"), join(target, "icon.svg"));
for (const name of ["site.css", "site.js", "search.js"]) cpSync(join(root, "scripts/site", name), join(target, name));
writeFileSync(join(target, "search-index.js"), searchIndex(pages));
writeFileSync(join(target, ".sluice-site"), "");
console.log(`${pages.length} pages in ${target}: open ${join(target, "index.html")}`);

function write(path, content) {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), content);
}
