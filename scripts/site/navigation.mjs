// The menu: the sections in one order, which the tables of contents of README.md and docs/index.md follow, and in each the pages in the order and the
// groups in which the index of its folder lists them.
import { posix } from "node:path";

/** Folders of docs/, and pages that have no folder. */
const sections = [
  ["start", "Start"],
  ["how-to", "How to"],
  ["repository/examples/README.md", "Examples"],
  ["concepts", "Concepts"],
  ["designer", "Designer"],
  ["reference", "Reference"],
  ["troubleshooting.md", "Troubleshooting"],
  ["operations", "Operations"],
  ["security", "Security"],
  ["performance.md", "Performance"],
  ["coming-from", "Coming from another tool"],
  ["decisions", "Decisions"],
];

/**
 * Sections of `{title, folder, groups: [{title, pages: [{path, title, pages}]}]}`. A section that is a single page has a `path` instead. A page that is the
 * index of a subfolder contains the pages of that subfolder.
 */
export function navigation(pages) {
  return sections.flatMap(([name, title]) => {
    if (name.endsWith(".md")) return pages.some(({ path }) => path === name) ? [{ title, path: name, groups: [] }] : [];
    const groups = groupsOf(name, pages);
    return groups.length === 0 ? [] : [{ title, folder: name, groups }];
  });
}

/** The pages of a folder as its index lists them; the front page lists those of a folder without an index. */
function groupsOf(folder, pages) {
  const index = pages.find(({ path }) => path === `${folder}/index.md`) ?? pages.find(({ path }) => path === "index.md");
  const groups = [{ title: "", pages: [] }];
  const own = index?.path === `${folder}/index.md`;
  if (own) groups[0].pages.push({ path: index.path, title: "Overview", pages: [] });
  const listed = new Set([index?.path]);
  const add = (page) => {
    if (page === undefined || listed.has(page.path) || !isIn(folder, page.path)) return;
    listed.add(page.path);
    groups.at(-1).pages.push({ path: page.path, title: page.title, pages: page.path.endsWith("/index.md") ? subpages(page, pages) : [] });
  };
  for (const { group, link } of entries(index?.text ?? "")) {
    if (own && group !== undefined) groups.push({ title: group, pages: [] });
    if (link !== undefined) add(pages.find(({ path }) => path === posix.join(posix.dirname(index.path), link)));
  }
  for (const page of pages) add(page);
  return groups.filter((group) => group.pages.length > 0);
}

/** The names of groups and the links to pages of an index, in order: a group is a heading or the title of a table. */
function* entries(text) {
  for (const match of text.matchAll(/^## (?<heading>.+)$|^\| (?<table>[^|[]+?) \| \|$|\]\((?<link>[^)#]+\.md)/gm)) {
    const { heading, table, link } = match.groups;
    yield { group: (heading ?? table)?.trim(), link };
  }
}

const isIn = (folder, path) => posix.dirname(path) === folder || (path.endsWith("/index.md") && posix.dirname(posix.dirname(path)) === folder);

const subpages = (index, pages) =>
  pages.filter(({ path }) => path !== index.path && posix.dirname(path) === posix.dirname(index.path)).map(({ path, title }) => ({ path, title, pages: [] }));

/** Every page of the menu in reading order, with the titles of the sections and pages that contain it. */
export function readingOrder(menu) {
  const flatten = (pages, parents) =>
    pages.flatMap((page) => [{ path: page.path, title: page.title, parents }, ...flatten(page.pages, [...parents, { title: page.title, path: page.path }])]);
  return menu.flatMap((section) => {
    if (section.path !== undefined) return [{ path: section.path, title: section.title, parents: [] }];
    const pages = section.groups.flatMap((group) => group.pages);
    const [first] = pages;
    const index = first.path === `${section.folder}/index.md` ? first : undefined;
    const parents = [{ title: section.title, path: index?.path }];
    return flatten(pages, parents).map((page) => (page.path === index?.path ? { ...page, title: section.title, parents: [] } : page));
  });
}
