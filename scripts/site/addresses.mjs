// Where a file of the repository is on the site: docs/ is the root; files outside docs/ that pages link to are below repository/.
import { posix } from "node:path";

/** The path of a file on the site, with its own extension; Markdown is rendered to HTML there. */
export const sitePath = (file) => (file.startsWith("docs/") ? file.slice("docs/".length) : `repository/${file}`);

/** The file of the repository that is at a path of the site. */
const fileAt = (path) => (path.startsWith("repository/") ? path.slice("repository/".length) : posix.join("docs", path));

/** The file that a link on a page refers to. */
const linkedFile = (href, path) => posix.normalize(posix.join(posix.dirname(fileAt(path)), href.split("#")[0]));

/** The name of a file on the site. Files without a type that browsers show, such as Dockerfile, are shown as text. */
export function webPath(file) {
  const path = sitePath(file);
  if (path.endsWith(".md")) return path.replace(/\.md$/, ".html");
  return file.startsWith("docs/") ? path : `${path}.txt`;
}

/** A relative address of one path of the site, as seen from another. */
export const relativeAddress = (target, path) => posix.relative(posix.dirname(path), target) || posix.basename(target);

const isRelative = (href) => !/^(?:[a-z]+:|#)/.test(href);

/** The address on the site of a link in Markdown. */
export function siteAddress(href, path) {
  if (!isRelative(href)) return href;
  const [, anchor] = href.split("#");
  return relativeAddress(webPath(linkedFile(href, path)), path) + (anchor === undefined ? "" : `#${anchor}`);
}

/** The files outside docs/ that the Markdown of a page links to. */
export function outsideLinks(text, path) {
  const prose = text.replaceAll(/^```[^]*?^```$/gm, "");
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, href]) => href).filter(isRelative);
  return links.map((href) => linkedFile(href, path)).filter((file) => !file.startsWith("docs/"));
}
