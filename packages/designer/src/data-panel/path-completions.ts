// Completes the path that is being typed in an expression, at every level, from the message that the expression will be evaluated on.
import { dataAt, isMembers, type DataRoot, type MessageData, type Names, valueSummary, valueType } from "./message-data.ts";

interface PathCompletion {
  readonly text: string;
  readonly doc: string;
  /** True when the value has members of its own. */
  readonly isDeep: boolean;
}

export interface PathCompletions {
  /** The start of the text to replace. */
  readonly start: number;
  readonly items: readonly PathCompletion[];
}

interface PathSyntax {
  /** Matches the path before the caret: its root, its segments, and the name that is being typed. */
  readonly pattern: RegExp;
  readonly roots: Readonly<Record<string, DataRoot>>;
  /** The text that addresses a list item; empty when a name on a list addresses all items. */
  readonly item: string;
  readonly separator: string;
  /** A name that needs quotes, with its separator; undefined when it cannot be written. */
  quote(name: string): string | undefined;
}

const segments = String.raw`((?:\??\.[\w$-]+|\??\.?\[[^\]]*\])*)`;
const bracketed = (name: string): string => `['${name.replaceAll("'", "\\'")}']`;
const bodyOnly = { $: "body", "": "body" } as const;
const scriptRoots = {
  body: "body",
  "JSON.parse(body)": "body",
  headers: "header",
  header: "header",
  variables: "variable",
  variable: "variable",
  properties: "exchangeProperty",
  exchangeProperties: "exchangeProperty",
} as const;

const simple: PathSyntax = {
  pattern: new RegExp(String.raw`\$\{(?:[^{}]*[(,\s!])?(body|headers?|variables?|exchangeProperty)${segments}\??\.([\w$-]*)$`),
  roots: { ...scriptRoots, exchangeProperty: "exchangeProperty" },
  item: "[0]",
  separator: ".",
  quote: (name) => `[${name}]`,
};

const script: PathSyntax = {
  pattern: new RegExp(
    String.raw`(?:^|[^\w$.])(body|JSON\.parse\(body\)|headers?|variables?|properties|exchangeProperties)((?:\??\.[\w$]+|\[[^\]]*\])*)\??\.([\w$]*)$`,
  ),
  roots: scriptRoots,
  item: "[0]",
  separator: ".",
  quote: bracketed,
};

const xml: PathSyntax = {
  pattern: /(?:^|[^\w/])()((?:\/[\w:.-]+(?:\[[^\]]*\])?)*)\/([\w@:.-]*)$/,
  roots: bodyOnly,
  item: "",
  separator: "/",
  quote: () => undefined,
};

const syntaxes: Readonly<Record<string, readonly PathSyntax[]>> = {
  simple: [simple],
  csimple: [simple],
  js: [script],
  javascript: [script],
  groovy: [script],
  jsonpath: [{ pattern: new RegExp(String.raw`(\$)${segments}\.([\w$-]*)$`), roots: bodyOnly, item: "[*]", separator: ".", quote: bracketed }],
  jq: [
    {
      pattern: /(?:^|[^\w\])"$.])()((?:\.[\w$]+|\.?\[[^\]]*\])*)\.([\w$]*)$/,
      roots: bodyOnly,
      item: "[]",
      separator: ".",
      quote: (name) => `.${JSON.stringify(name)}`,
    },
  ],
  jsonata: [
    {
      pattern: /(\$headers|\$variables|\$properties)((?:\.[\w$]+|\[[^\]]*\])*)\.([\w$]*)$/,
      roots: { $headers: "header", $variables: "variable", $properties: "exchangeProperty" },
      item: "",
      separator: ".",
      quote: (name) => `.\`${name}\``,
    },
    // The first name has no separator.
    { pattern: /(?:^|[^\w$.`"'])()((?:\.?\w+(?:\[[^\]]*\])*(?=\.))*)\.?(\w*)$/, roots: bodyOnly, item: "", separator: "", quote: () => undefined },
  ],
  xpath: [xml],
  xquery: [xml],
};

const maxItems = 50;

/** The members of the value before the caret that start with the typed name; undefined where no path is being typed. */
export function pathCompletions(language: string, before: string, data: MessageData | undefined): PathCompletions | undefined {
  if (data === undefined) return undefined;
  for (const syntax of syntaxes[language] ?? []) {
    const match = syntax.pattern.exec(before);
    if (match === null) continue;
    const [, root = "", path = "", typed = ""] = match;
    if (syntax.separator === "" && path === "" && typed === "") continue;
    const value = dataAt(data, { root: syntax.roots[root] ?? "body", names: namesOf(path) });
    const isList = Array.isArray(value);
    const members = isList ? (value as readonly unknown[]).find(isMembers) : value;
    if (!isMembers(members)) continue;
    const start = before.length - typed.length;
    const index = isList ? syntax.item : "";
    const separatorStart = start - (before.slice(0, start).endsWith(".") ? 1 : 0);
    const items = Object.entries(members).flatMap(([name, member]): readonly PathCompletion[] => {
      if (!name.toLowerCase().startsWith(typed.toLowerCase()) || (name === typed && !isDeep(member))) return [];
      const written = writtenName(name, syntax, index);
      return written === undefined ? [] : [{ text: written, doc: `${valueType(member)} ${valueSummary(member)}`, isDeep: isDeep(member) }];
    });
    if (items.length === 0) return undefined;
    // A list item or a quoted name replaces the separator too.
    const areAllPlain = items.every(({ text }) => /^[\w$@:-]/.test(text));
    return areAllPlain
      ? { start, items: items.slice(0, maxItems) }
      : {
          start: separatorStart,
          items: items.map((item) => ({ ...item, text: /^[\w$@]/.test(item.text) ? syntax.separator + item.text : item.text })).slice(0, maxItems),
        };
  }
  return undefined;
}

const isDeep = (value: unknown): boolean => typeof value === "object" && value !== null;

function writtenName(name: string, { separator, quote }: PathSyntax, index: string): string | undefined {
  const isPlain = separator === "/" ? true : /^[A-Za-z_$][\w$]*$/.test(name);
  if (isPlain) return index === "" ? name : `${index}${separator}${name}`;
  const quotedName = quote(name);
  return quotedName === undefined ? undefined : index + quotedName;
}

/** The names of a written path; an index or a filter of a list means one item. */
function namesOf(path: string): Names {
  return [...path.matchAll(/[./]?([\w$@:-]+)|\[\s*(?:'([^']*)'|"([^"]*)"|([^\]]*))\s*\]/g)].flatMap(([, name, single, double, bare]): Names => {
    const written = name ?? single ?? double;
    if (written !== undefined) return [written];
    if (bare !== undefined && /^\d+$/.test(bare)) return path.startsWith("/") ? [Number(bare) - 1] : [Number(bare)];
    return bare !== undefined && /^[A-Za-z_][\w-]*$/.test(bare) ? [bare] : [0];
  });
}
