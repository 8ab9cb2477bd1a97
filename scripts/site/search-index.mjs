// What the site's search looks at: titles, headings and the words of each page, as a script, so that it also works from a folder.
const most = 6_000;

export function searchIndex(pages) {
  const entries = pages.map(({ path, title, text }) => {
    const headings = [...text.matchAll(/^#{2,4} (.+)$/gm)].map((match) => match[1]).join(" ");
    const words = [...new Set(text.toLowerCase().match(/[a-z][a-z0-9_-]{2,}/g) ?? [])].join(" ").slice(0, most);
    return [path.replace(/\.md$/, ".html"), title, headings, words];
  });
  return `window.sluiceSearch = ${JSON.stringify(entries).replaceAll("<", "\\u003c")};\n`;
}
