// Sanitizes HTML or converts it to text. htmlparser2 parses HTML as browsers do; nothing is run or loaded.
import { FlowError } from "@sluice/engine/spi";
import { checkWork } from "@sluice/engine/values";
import { Parser } from "htmlparser2";

const safeTags = new Set("a b blockquote br cite code dd dl dt em i li ol p pre q small span strike strong sub sup u ul".split(" "));
const sectionTags = "address article aside blockquote body div footer form h1 h2 h3 h4 h5 h6 head header hr html main nav p pre section title".split(" ");
const listAndTableTags = "br dd dl dt fieldset li ol table tbody td tfoot th thead tr ul".split(" ");
const blockTags = new Set([...sectionTags, ...listAndTableTags]);
const rawTags = new Set(["script", "style", "template", "iframe", "noscript", "object"]);
const safeAttributes: Readonly<Record<string, string>> = { a: "href", blockquote: "cite", q: "cite" };

const maxHtmlLength = 1_000_000;
/** Maximum number of tags and text nodes in a document, about a tenth of a second of work. */
const maxTokens = 200_000;
/** Maximum number of open tags: the parser searches them for each closing tag. */
const maxDepth = 256;

interface Handler {
  text(text: string): void;
  open(tag: string, attributes: Readonly<Record<string, string>>): void;
  close(tag: string): void;
}

/** Keeps only safe tags and attributes; links get `rel="nofollow"`. */
export function cleanHtml(html: string): string {
  let result = "";
  read(html, {
    text: (text) => (result += escapeText(text)),
    open: (tag, attributes) => safeTags.has(tag) && (result += `<${tag}${safeAttribute(tag, attributes)}>`),
    close: (tag) => safeTags.has(tag) && tag !== "br" && (result += `</${tag}>`),
  });
  return result.trim();
}

/** The visible text, with collapsed whitespace and one space between blocks. */
export function htmlText(html: string): string {
  let result = "";
  const separate = (tag: string): void => void (blockTags.has(tag) && (result += " "));
  read(html, { text: (text) => (result += text), open: separate, close: separate });
  return result.replaceAll(/[ \t\r\n\f]+/g, " ").trim();
}

/** Wraps the fragment in a complete document. */
export function htmlDocument(html: string): string {
  const lower = html.toLowerCase();
  const head = between(html, lower, "head");
  const body = between(html, lower, "body") ?? { inner: html.slice(head?.end ?? 0), end: html.length };
  return `<html>\n <head>${head?.inner.trim() ?? ""}</head>\n <body>\n  ${body.inner.trim()}\n </body>\n</html>`;
}

function between(html: string, lower: string, tag: string): { readonly inner: string; readonly end: number } | undefined {
  const tagStart = lower.indexOf(`<${tag}`);
  const start = tagStart < 0 ? -1 : lower.indexOf(">", tagStart);
  if (start < 0) return undefined;
  const close = lower.indexOf(`</${tag}`, start);
  const closeEnd = close < 0 ? -1 : lower.indexOf(">", close);
  return { inner: html.slice(start + 1, close < 0 ? html.length : close), end: closeEnd < 0 ? html.length : closeEnd + 1 };
}

/** Reports tags and text nodes, without the content of scripts and similar elements. */
function read(html: string, handler: Handler): void {
  checkWork("an HTML function", html.length, maxHtmlLength);
  let count = 0;
  let depth = 0;
  let skipping = 0;
  const limit = (what: string): FlowError => new FlowError("java.lang.IllegalStateException", `time limit: the HTML has ${what}`, { code: "limit-time" });
  const spend = (): void => {
    if (++count > maxTokens) throw limit(`more than ${maxTokens} tags and text nodes`);
  };
  const parser = new Parser({
    ontext(text) {
      spend();
      if (skipping === 0) handler.text(text);
    },
    onopentag(tag, attributes) {
      spend();
      if (++depth > maxDepth) throw limit(`more than ${maxDepth} nested tags`);
      if (rawTags.has(tag)) skipping++;
      else if (skipping === 0) handler.open(tag, attributes);
    },
    onclosetag(tag) {
      depth--;
      if (rawTags.has(tag)) skipping--;
      else if (skipping === 0) handler.close(tag);
    },
  });
  parser.end(html);
}

function safeAttribute(tag: string, attributes: Readonly<Record<string, string>>): string {
  const allowed = safeAttributes[tag];
  if (allowed === undefined) return "";
  const value = attributes[allowed]?.trim() ?? "";
  const isSafe = (tag === "a" ? /^(?:https?|ftp|mailto):/i : /^https?:/i).test(value);
  return `${isSafe ? ` ${allowed}="${escapeText(value).replaceAll('"', "&quot;")}"` : ""}${tag === "a" ? ' rel="nofollow"' : ""}`;
}

const escapeText = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\u00A0", "&nbsp;");
