// HTML made harmless or turned to text. A small reader of tags, not a browser: it never runs or loads anything.
import { FlowError } from "@sluice/engine/spi";

const safeTags = new Set("a b blockquote br cite code dd dl dt em i li ol p pre q small span strike strong sub sup u ul".split(" "));
const sectionTags = "address article aside blockquote body div footer form h1 h2 h3 h4 h5 h6 head header hr html main nav p pre section title".split(" ");
const listAndTableTags = "br dd dl dt fieldset li ol table tbody td tfoot th thead tr ul".split(" ");
const blockTags = new Set([...sectionTags, ...listAndTableTags]);
const rawTags = new Set(["script", "style", "template", "iframe", "noscript", "object"]);
const safeAttributes: Readonly<Record<string, string>> = { a: "href", blockquote: "cite", q: "cite" };
const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  copy: "©",
  reg: "®",
  euro: "€",
  hellip: "…",
  ndash: "–",
  mdash: "—",
};

/** Tags and texts of one document; a tenth of a second or so. */
const mostTokens = 200_000;

type Token =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tag"; readonly name: string; readonly closing: boolean; readonly attributes: string };

/** Only the tags of a safe list are kept, with only harmless attributes; links get `rel="nofollow"`. */
export function cleanHtml(html: string): string {
  let result = "";
  for (const token of tokens(html)) {
    if (token.kind === "text") result += escapeText(decodeEntities(token.text));
    else if (safeTags.has(token.name))
      result += token.closing ? (token.name === "br" ? "" : `</${token.name}>`) : `<${token.name}${safeAttribute(token.name, token.attributes)}>`;
  }
  return result.trim();
}

/** The text a reader would see, blanks collapsed and blocks separated by one. */
export function htmlText(html: string): string {
  let result = "";
  for (const token of tokens(html)) {
    if (token.kind === "text") result += decodeEntities(token.text);
    else if (blockTags.has(token.name)) result += " ";
  }
  return result.replaceAll(/[ \t\r\n\f]+/g, " ").trim();
}

/** A whole document around the fragment. */
export function htmlDocument(html: string): string {
  const lower = html.toLowerCase();
  const head = between(html, lower, "head");
  const body = between(html, lower, "body") ?? { inner: html.slice(head?.end ?? 0), end: html.length };
  return `<html>\n <head>${head?.inner.trim() ?? ""}</head>\n <body>\n  ${body.inner.trim()}\n </body>\n</html>`;
}

function between(html: string, lower: string, tag: string): { readonly inner: string; readonly end: number } | undefined {
  const open = lower.indexOf(`<${tag}`);
  const start = open < 0 ? -1 : lower.indexOf(">", open);
  if (start < 0) return undefined;
  const close = lower.indexOf(`</${tag}`, start);
  const behind = close < 0 ? -1 : lower.indexOf(">", close);
  return { inner: html.slice(start + 1, close < 0 ? html.length : close), end: behind < 0 ? html.length : behind + 1 };
}

/** One pass from start to end: whatever is never closed is text or skipped up to the end, and nothing is looked at twice. */
function* tokens(html: string): Generator<Token> {
  let skipping: string | undefined;
  let count = 0;
  for (let at = 0; at < html.length;) {
    if (++count > mostTokens)
      throw new FlowError("java.lang.IllegalStateException", `time limit: the HTML has more than ${mostTokens} tags and texts`, { code: "limit-time" });
    const found = readToken(html, at);
    at = found.end;
    const { token } = found;
    if (token === undefined) continue;
    if (skipping !== undefined) {
      if (token.kind === "tag" && token.closing && token.name === skipping) skipping = undefined;
    } else if (token.kind === "tag" && rawTags.has(token.name)) {
      if (!token.closing) skipping = token.name;
    } else yield token;
  }
}

function readToken(html: string, at: number): { readonly token: Token | undefined; readonly end: number } {
  if (html[at] !== "<") {
    const next = html.indexOf("<", at);
    const end = next < 0 ? html.length : next;
    return { token: { kind: "text", text: html.slice(at, end) }, end };
  }
  if (html[at + 1] === "!" || html[at + 1] === "?") {
    const sign = html.startsWith("<!--", at) ? "-->" : ">";
    const close = html.indexOf(sign, at);
    return { token: undefined, end: close < 0 ? html.length : close + sign.length };
  }
  const name = /^<(\/?)([A-Za-z][\w:-]{0,40})/.exec(html.slice(at, at + 44));
  if (name === null) return { token: { kind: "text", text: "<" }, end: at + 1 };
  const close = endOfTag(html, at + name[0].length);
  if (close < 0) return { token: { kind: "text", text: html.slice(at) }, end: html.length };
  const tag: Token = { kind: "tag", name: (name[2] as string).toLowerCase(), closing: name[1] === "/", attributes: html.slice(at + name[0].length, close) };
  return { token: tag, end: close + 1 };
}

/** The `>` that ends a tag, past those inside quoted attribute values. */
function endOfTag(html: string, from: number): number {
  let quote: string | undefined;
  for (let at = from; at < html.length; at++) {
    const char = html[at];
    if (quote !== undefined) quote = char === quote ? undefined : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === ">") return at;
  }
  return -1;
}

function safeAttribute(tag: string, attributes: string): string {
  const wanted = safeAttributes[tag];
  if (wanted === undefined) return "";
  const match = new RegExp(`\\b${wanted}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(attributes);
  const value = decodeEntities(match?.[1] ?? match?.[2] ?? match?.[3] ?? "").trim();
  const link =
    /^(?:https?:|ftp:|mailto:)/i.test(value) && !/^(?:ftp|mailto):/i.test(tag === "a" ? "" : value)
      ? ` ${wanted}="${escapeText(value).replaceAll('"', "&quot;")}"`
      : "";
  return link + (tag === "a" ? ' rel="nofollow"' : "");
}

function decodeEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([A-Za-z]{2,10}));/g,
    (all, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
      if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] as string) : all;
      const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
      return code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff) ? String.fromCodePoint(code) : "\uFFFD";
    },
  );
}

const escapeText = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\u00A0", "&nbsp;");
