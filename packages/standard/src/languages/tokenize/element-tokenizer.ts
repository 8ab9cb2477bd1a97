// `tokenize` with `xml: true`: finds elements only by their tags, without parsing the content between them. Nested elements of the same name are not
// distinguished; use xtokenize for that.
import type { Tokenizer } from "./token-stream.ts";

/** The tag's name in `<person>`, `<person/>` or `person`. */
export function tagName(token: string): string {
  return token.replace(/^</, "").replace(/\/?>$/, "").trim();
}

export function elementTokenizer(name: string, inheritFrom: string | undefined): Tokenizer {
  let inherited: readonly (readonly [string, string])[] | undefined = inheritFrom === undefined ? [] : undefined;
  const opening = `<${name}`;
  const closing = `</${name}`;
  return {
    cut(text, from, complete) {
      const start = findTag(text, opening, from);
      if (start < 0) return undefined;
      if (inherited === undefined) inherited = declarationsOf(text, inheritFrom === "*" || inheritFrom === undefined ? undefined : tagName(inheritFrom), start);
      const endOfTag = tagEnd(text, start);
      if (endOfTag < 0) return skipToElement(from, start, complete);
      if (text.charAt(endOfTag - 1) === "/") return { token: withDeclarations(text.slice(start, endOfTag + 1), inherited), next: endOfTag + 1 };
      const close = findTag(text, closing, endOfTag);
      const end = close < 0 ? -1 : text.indexOf(">", close);
      if (end < 0) return skipToElement(from, start, complete);
      return { token: withDeclarations(text.slice(start, end + 1), inherited), next: end + 1 };
    },
  };

  /** Discards the text before an unfinished element; the namespace declarations in it were already read. */
  function skipToElement(from: number, start: number, complete: boolean) {
    return !complete && start > from ? { token: undefined, next: start } : undefined;
  }
}

/** The start of a tag with exactly this name; -1 when there is none. */
function findTag(text: string, opening: string, from: number): number {
  for (let at = text.indexOf(opening, from); at >= 0; at = text.indexOf(opening, at + 1)) {
    const after = text.charAt(at + opening.length);
    if (after === ">" || after === "/" || /\s/.test(after)) return at;
  }
  return -1;
}

/** The end of a start tag, skipping quoted attribute values; -1 when it does not end. */
export function tagEnd(text: string, from: number): number {
  let quote = "";
  for (let at = from + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (character === ">") {
      return at;
    }
  }
  return -1;
}

/** The namespace declarations of the named start tag, if it is before `limit`, or of the first start tag. */
function declarationsOf(text: string, name: string | undefined, limit: number): readonly (readonly [string, string])[] {
  const start = name === undefined ? text.search(/<[^?!]/) : findTag(text, `<${name}`, 0);
  if (start < 0 || start >= limit) return [];
  return readDeclarations(text.slice(start, tagEnd(text, start) + 1));
}

/**
 * `xmlns` attributes of a start tag as pairs of attribute name and quoted value; stops after `limit`, because a tag may have a
 * million of them.
 */
export function readDeclarations(tag: string, limit = Infinity): readonly (readonly [string, string])[] {
  const declarations: (readonly [string, string])[] = [];
  for (const [, attribute, value] of tag.matchAll(/\s(xmlns(?::[^\s=]+)?)\s*=\s*("[^"]*"|'[^']*')/g)) {
    declarations.push([attribute as string, value as string]);
    if (declarations.length >= limit) break;
  }
  return declarations;
}

/** Adds the inherited namespace declarations to an element, except those that it overrides. */
export function withDeclarations(element: string, inherited: readonly (readonly [string, string])[]): string {
  if (inherited.length === 0) return element;
  const end = tagEnd(element, 0);
  const declared = readDeclarations(element.slice(0, end + 1));
  const declaredNames = new Set(declared.map(([attribute]) => attribute));
  const quote = declared[0]?.[1].charAt(0) ?? '"';
  const quoted = (value: string): string => (value.slice(1, -1).includes(quote) ? value : quote + value.slice(1, -1) + quote);
  const added = inherited.filter(([attribute]) => !declaredNames.has(attribute)).map(([attribute, value]) => ` ${attribute}=${quoted(value)}`);
  const close = element.charAt(end - 1) === "/" ? end - 1 : end;
  return element.slice(0, close) + added.join("") + element.slice(close);
}
