// `npm run docs:site`: builds a static site from docs/ that needs no server, in docs-site/ or the given folder.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { root } from "./run-command.mjs";
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

const files = filesBelow(source).toSorted();
const pages = files
  .filter((file) => file.endsWith(".md"))
  .map((file) => {
    const text = readFileSync(file, "utf8");
    return { path: relative(source, file).replaceAll("\\", "/"), text, title: titleOf(text) };
  });
const menu = navigation(pages);
const order = readingOrder(pages, menu);

for (const page of pages) {
  const path = join(target, page.path.replace(/\.md$/, ".html"));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, pageHtml({ ...page, ...renderPage(page.text, page.path), menu, order }));
}
for (const file of files.filter((name) => !name.endsWith(".md"))) {
  const path = join(target, relative(source, file));
  mkdirSync(dirname(path), { recursive: true });
  cpSync(file, path);
}
cpSync(join(root, "packages/designer/public/icon.svg"), join(target, "icon.svg"));
for (const name of ["site.css", "site.js", "search.js"]) cpSync(join(root, "scripts/site", name), join(target, name));
writeFileSync(join(target, "search-index.js"), searchIndex(pages));
writeFileSync(join(target, ".sluice-site"), "");
console.log(`${pages.length} pages in ${target}: open ${join(target, "index.html")}`);
