// The menu: the folders of docs/ in the order a reader needs them, their pages in the order of the folder's own front page.
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

/** Sections of `{title, pages: [{path, title}]}`; a page further down than its section's folder is found through its index. */
export function navigation(pages) {
  const loose = pages.filter(({ path }) => !path.includes("/") && path !== "index.md");
  return [
    ...sections.map(([folder, title]) => ({ title, folder, pages: inOrder(pages, folder) })),
    { title: "More", folder: "", pages: loose.map(({ path, title }) => ({ path, title })) },
  ];
}

function inOrder(pages, folder) {
  const front = pages.find(({ path }) => path === `${folder}/index.md`);
  const links = [...(front?.text ?? "").matchAll(/\]\(([^)#]+\.md)/g)].map((match) => posix.join(folder, match[1]));
  const rank = (path) => {
    if (path === front?.path) return -1;
    const at = links.indexOf(path);
    return at === -1 ? links.length : at;
  };
  return pages
    .filter(({ path }) => posix.dirname(path) === folder || (path.endsWith("/index.md") && posix.dirname(posix.dirname(path)) === folder))
    .map(({ path, title }) => ({ path, title: path === front?.path ? "Overview" : title }))
    .toSorted((a, b) => rank(a.path) - rank(b.path));
}
