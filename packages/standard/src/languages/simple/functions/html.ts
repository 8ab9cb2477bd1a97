// HTML made harmless or turned to text. A small reader of tags, not a browser: it never runs or loads anything.

const safeTags = new Set("a b blockquote br cite code dd dl dt em i li ol p pre q small span strike strong sub sup u ul".split(" "));
const blockTags = new Set(
  "address article aside blockquote body br dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 head header hr html li main nav ol p pre section table tbody td tfoot th thead title tr ul".split(
    " ",
  ),
);
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
  const head = /<head[^>]*>([^]*?)<\/head>/i.exec(html)?.[1] ?? "";
  const body = /<body[^>]*>([^]*?)(?:<\/body>|$)/i.exec(html)?.[1] ?? html.replaceAll(/<head[^>]*>[^]*?<\/head>|<\/?html[^>]*>|<!doctype[^>]*>/gi, "");
  return `<html>\n <head>${head.trim()}</head>\n <body>\n  ${body.trim()}\n </body>\n</html>`;
}

function* tokens(html: string): Generator<Token> {
  let skipping: string | undefined;
  for (const [token, closing, tag, attributes] of html.matchAll(/<!--[^]*?(?:-->|$)|<![^>]*>|<(\/?)([A-Za-z][\w:-]*)((?:"[^"]*"|'[^']*'|[^'">])*)>|[^<]+|</g)) {
    if (tag === undefined) {
      if (skipping === undefined && !token.startsWith("<!")) yield { kind: "text", text: token };
      continue;
    }
    const name = tag.toLowerCase();
    if (skipping !== undefined) {
      if (closing === "/" && name === skipping) skipping = undefined;
    } else if (rawTags.has(name)) {
      if (closing === "") skipping = name;
    } else yield { kind: "tag", name, closing: closing === "/", attributes: attributes ?? "" };
  }
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
