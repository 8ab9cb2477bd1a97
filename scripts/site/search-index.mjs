// The search index: one entry per section of a page, as a script, because browsers cannot fetch JSON from file: URLs.
import { pageAnchors } from "./anchor.mjs";

/** Markdown without markup, for matching and for snippets. */
const plain = (markdown) =>
  markdown
    .replaceAll(/<!--[^]*?-->/g, " ")
    .replaceAll(/^```.*$/gm, " ")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/^\|[-| ]+\|$/gm, " ")
    .replaceAll(/[`*|]+/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll(/\s+/g, " ")
    .trim();

/** Entries of `[address, page title, heading, text]`; the part before the first heading has an empty heading. */
export function searchEntries(pages) {
  return pages.flatMap(({ path, title, text }) => {
    const address = path.replace(/\.md$/, ".html");
    const anchorOf = pageAnchors();
    const [first, ...sections] = withoutHeadingsInCode(text).split(/^(?=#{2,6} )/m);
    anchorOf(title);
    return [
      [address, title, "", plain(first.replace(/^# .+$/m, ""))],
      ...sections.map((section) => {
        const [, heading] = /^#+ (.+)/.exec(section);
        return [`${address}#${anchorOf(heading)}`, title, plain(heading), plain(section.slice(section.indexOf("\n")))];
      }),
    ];
  });
}

/** A comment line in a block of code is not a heading. */
const withoutHeadingsInCode = (text) => text.replaceAll(/^```[^]*?^```$/gm, (block) => block.replaceAll(/^#/gm, " #"));

export function searchIndex(pages) {
  return `globalThis.sluiceSearch.entries = ${JSON.stringify(searchEntries(pages)).replaceAll("<", "\\u003c")};\n`;
}
