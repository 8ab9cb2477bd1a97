// The menu: the folders of docs/ in reading order, their pages in the order in which the folder's index links to them.
import { posix } from "node:path";

const sections = [
  ["start", "Start"],
  ["how-to", "How to"],
  ["designer", "Designer"],
  ["concepts", "Concepts"],
  ["operations", "Operations"],
  ["security", "Security"],
  ["coming-from", "Coming from"],
  ["reference", "Reference"],
  ["decisions", "Decisions"],
];

/** Sections of `{title, folder, pages: [{path, title}]}`. Pages of subfolders are reached through the subfolder's index. */
export function navigation(pages) {
  const topLevelPages = pages.filter(({ path }) => !path.includes("/") && path !== "index.md");
  return [
    ...sections.map(([folder, title]) => ({ title, folder, pages: inOrder(pages, folder) })),
    { title: "More", folder: "", pages: topLevelPages.map(({ path, title }) => ({ path, title })) },
  ];
}

function inOrder(pages, folder) {
  const indexPage = pages.find(({ path }) => path === `${folder}/index.md`);
  const links = [...(indexPage?.text ?? "").matchAll(/\]\(([^)#]+\.md)/g)].map((match) => posix.join(folder, match[1]));
  const rank = (path) => {
    if (path === indexPage?.path) return -1;
    const at = links.indexOf(path);
    return at === -1 ? links.length : at;
  };
  return pages
    .filter(({ path }) => posix.dirname(path) === folder || (path.endsWith("/index.md") && posix.dirname(posix.dirname(path)) === folder))
    .map(({ path, title }) => ({ path, title: path === indexPage?.path ? "Overview" : title }))
    .toSorted((a, b) => rank(a.path) - rank(b.path));
}

/** Every page in reading order: the menu's pages, with the pages of a subfolder after the subfolder's index. */
export function readingOrder(pages, menu) {
  const inMenu = menu.flatMap((section) => section.pages.map(({ path, title }) => ({ path, title: title === "Overview" ? section.title : title })));
  const listed = new Set(inMenu.map(({ path }) => path));
  return inMenu.flatMap((page) => [
    page,
    ...pages.filter(({ path }) => isBelow(page.path, path) && !listed.has(path)).map(({ path, title }) => ({ path, title })),
  ]);
}

const isBelow = (index, path) => index.endsWith("/index.md") && posix.dirname(path) === posix.dirname(index);
