// Markdown to HTML. Relative links point to pages and files of the site.
import markdownIt from "markdown-it";
import { siteAddress } from "./addresses.mjs";
import { pageAnchors } from "./anchor.mjs";
import { highlight } from "./highlight.mjs";

const markdown = markdownIt({ html: true, linkify: false });

markdown.renderer.rules.heading_open = (tokens, index, options, environment, self) => {
  const heading = tokens[index + 1];
  const id = environment.anchorOf(heading.content);
  tokens[index].attrSet("id", id);
  environment.outline.push({ id, level: Number(tokens[index].tag.slice(1)), title: plainText(heading) });
  return self.renderToken(tokens, index, options);
};

const plainText = (heading) =>
  heading.children
    .filter(({ type }) => type === "text" || type === "code_inline")
    .map(({ content }) => content)
    .join("");

/** Screenshots exist in both themes; the text names the light one, which is what GitHub shows. */
markdown.renderer.rules.image = (tokens, index, options, environment, self) => {
  const image = tokens[index];
  const source = image.attrGet("src");
  image.attrSet("alt", self.renderInlineAsText(image.children, options, environment));
  image.attrSet("loading", "lazy");
  const rendered = self.renderToken(tokens, index, options);
  if (!source.endsWith("-light.png")) return rendered;
  const dark = escapeHtml(source.replace(/-light\.png$/, "-dark.png"));
  return `<picture><source media="(prefers-color-scheme: dark)" srcset="${dark}">${rendered}</picture>`;
};

markdown.renderer.rules.link_open = (tokens, index, options, environment, self) => {
  tokens[index].attrSet("href", siteAddress(tokens[index].attrGet("href"), environment.path));
  return self.renderToken(tokens, index, options);
};

/** Text such as <route-id> is not markup: only line breaks are preserved, comments for tools are dropped, the rest is escaped. */
const renderHtml = (tokens, index) => {
  const text = tokens[index].content.replaceAll(/<!--[^]*?-->/g, "");
  return /^<br ?\/?>$/.test(text) ? text : markdown.utils.escapeHtml(text.trim() === "" ? "" : text);
};
markdown.renderer.rules.html_inline = renderHtml;
markdown.renderer.rules.html_block = renderHtml;

// Focusable, so that a table wider than the screen can be scrolled with the keyboard.
markdown.renderer.rules.table_open = () => '<div class="table" role="region" aria-label="Table" tabindex="0"><table>\n';
markdown.renderer.rules.table_close = () => "</table></div>\n";

/** The first word after the fence is the language; the others configure the tests that run the block. */
markdown.renderer.rules.fence = (tokens, index) => {
  const { info, content } = tokens[index];
  const [kind = ""] = info.trim().split(/\s+/);
  const name = /\bfile=(\S+)/.exec(info)?.[1];
  const caption = name === undefined ? "" : `<figcaption>${markdown.utils.escapeHtml(name)}</figcaption>`;
  const className = kind === "output" ? "output" : "code";
  return `<figure class="${className}">${caption}<pre><code class="language-${markdown.utils.escapeHtml(kind)}">${highlight(content, kind) ?? markdown.utils.escapeHtml(content)}</code></pre></figure>\n`;
};

/** The page's HTML and its headings, in order. */
export function renderPage(text, path) {
  const outline = [];
  const body = markdown.render(text, { path, anchorOf: pageAnchors(), outline });
  return { body, outline };
}

export function titleOf(text) {
  return (/^# (.+)$/m.exec(text)?.[1] ?? "Sluice").replaceAll(/[`*]/g, "");
}

export const escapeHtml = (text) => markdown.utils.escapeHtml(text);
