// Markdown to HTML, with links between pages led to the pages of the site and the rest to the repository.
import { posix } from "node:path";
import markdownIt from "markdown-it";
import { anchorOf } from "./anchor.mjs";

/** Where files that are not part of docs/ are read. */
const repository = process.env["SLUICE_REPOSITORY_URL"] ?? "";

const markdown = markdownIt({ html: true, linkify: false });

markdown.renderer.rules.heading_open = (tokens, index, options, environment, self) => {
  const name = uniqueAnchor(tokens[index + 1].content, environment.anchors);
  tokens[index].attrSet("id", name);
  return self.renderToken(tokens, index, options);
};

markdown.renderer.rules.link_open = (tokens, index, options, environment, self) => {
  tokens[index].attrSet("href", linkTo(tokens[index].attrGet("href"), environment.path));
  return self.renderToken(tokens, index, options);
};

/** The pages' own words may look like tags; only line breaks in tables and remarks for tools are meant. */
const markup = (tokens, index) => {
  const text = tokens[index].content.replaceAll(/<!--[^]*?-->/g, "");
  return /^<br ?\/?>$/.test(text) ? text : markdown.utils.escapeHtml(text.trim() === "" ? "" : text);
};
markdown.renderer.rules.html_inline = markup;
markdown.renderer.rules.html_block = markup;

markdown.renderer.rules.table_open = () => '<div class="table"><table>\n';
markdown.renderer.rules.table_close = () => "</table></div>\n";

/** The block's language is its first word; the others are for the tests. */
markdown.renderer.rules.fence = (tokens, index) => {
  const { info, content } = tokens[index];
  const [kind = ""] = info.trim().split(/\s+/);
  const name = /\bfile=(\S+)/.exec(info)?.[1];
  const caption = name === undefined ? "" : `<figcaption>${markdown.utils.escapeHtml(name)}</figcaption>`;
  const word = kind === "output" ? "output" : "code";
  return `<figure class="${word}">${caption}<pre><code class="language-${markdown.utils.escapeHtml(kind)}">${markdown.utils.escapeHtml(content)}</code></pre></figure>\n`;
};

function uniqueAnchor(heading, seen) {
  const name = anchorOf(heading);
  const before = seen.get(name) ?? 0;
  seen.set(name, before + 1);
  return before === 0 ? name : `${name}-${before}`;
}

function linkTo(href, from) {
  if (/^(?:[a-z]+:|#)/.test(href)) return href;
  const [path, anchor] = href.split("#");
  const whole = posix.normalize(posix.join("docs", posix.dirname(from), path));
  const end = anchor === undefined ? "" : `#${anchor}`;
  if (!whole.startsWith("docs/")) return repository === "" ? `${"../".repeat(from.split("/").length)}${whole}${end}` : `${repository}/${whole}${end}`;
  return path.endsWith(".md") ? `${path.replace(/\.md$/, ".html")}${end}` : `${path}${end}`;
}

export function renderMarkdown(text, path) {
  return markdown.render(text, { path, anchors: new Map() });
}

export function titleOf(text) {
  return (/^# (.+)$/m.exec(text)?.[1] ?? "Sluice").replaceAll(/[`*]/g, "");
}

export const escapeHtml = (text) => markdown.utils.escapeHtml(text);
