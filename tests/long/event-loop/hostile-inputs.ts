// Bodies that are as expensive as their size allows: deep, wide, invalid, or consisting only of characters that a parser must handle.

const fill = (size: number, unit: string, open = "", close = ""): string =>
  open + unit.repeat(Math.max(1, Math.floor((size - open.length - close.length) / unit.length))) + close;

/** Distinct units: `unit(0)`, `unit(1)`, … as many as fit. */
function list(size: number, unit: (index: number) => string, [open, separator, close]: readonly [string, string, string]): string {
  const parts: string[] = [];
  let length = open.length + close.length;
  for (let index = 0; ; index++) {
    const part = unit(index);
    length += part.length + separator.length;
    if (length > size) break;
    parts.push(part);
  }
  return open + parts.join(separator) + close;
}

type InputMaker = (size: number) => string;
const array = ["[", ",", "]"] as const;
const object = ["{", ",", "}"] as const;
const record = (index: number): string => `{"id":${index},"name":"n${index}","tags":["a","b"],"price":${index}.5}`;

const jsonInputs = {
  records: (size) => list(size, record, array),
  emptyArrays: (size) => fill(size, "[],", "[", "[]]"),
  emptyObjects: (size) => fill(size, "{},", "[", "{}]"),
  deep: (size) => "[".repeat(size / 2) + "]".repeat(size / 2),
  deep5000: () => "[".repeat(5000) + "]".repeat(5000),
  deepObjects: (size) => fill(size / 2, '{"a":') + "1" + fill(size / 10, "}"),
  manyDeep: (size) => fill(size, `${"[".repeat(900)}${"]".repeat(900)},`, "[", "0]"),
  numbers: (size) => fill(size, "1,", "[", "1]"),
  wholeNumbers: (size) => fill(size, "12345678901234567890,", "[", "1]"),
  manyKeys: (size) => list(size, (index) => `"k${index}":${index}`, object),
  shapes: (size) => list(size, (index) => `{"k${index}":1}`, array),
  indexKeys: (size) => list(size, (index) => `"${(index * 7919) % 4294967291}":1`, object),
  truncated: (size) => list(size, record, array).slice(0, -1),
  truncatedText: (size) => fill(size, "a", '{"a":"'),
  brokenEarly: (size) => `[,${"1,".repeat(size / 2 - 4)}1]`,
  brokenLate: (size) => fill(size, "[],", "[", "]"),
  longText: (size) => fill(size, "a", '"', '"'),
  escapes: (size) => fill(size, String.raw`\u0041`, '"', '"'),
  quotes: (size) => fill(size, String.raw`\"`, '{"a":"', '"}'),
  quotesInKey: (size) => fill(size, String.raw`\"`, '{"', '":1}'),
  linesThenError: (size) => fill(size, "\n", "{", "!"),
  linesThenDuplicate: (size) => fill(size, "\n", "", '{"a":1,"a":2}'),
  digits: (size) => fill(size, "9"),
  fraction: (size) => fill(size, "9", "0."),
  blanks: (size) => fill(size, " ", "", "{}"),
  strings: (size) => fill(size, '"a",', "[", '"a"]'),
  randomStrings: (size) => list(size, (index) => `"${((index * 2654435761) % 4294967296).toString(36)}"`, array),
  // The maximum sizes that are accepted: one more list, key or level is rejected.
  listsAtLimit: () => `[${"[],".repeat(499_998)}[]]`,
  keysAtLimit: () => `{${Array.from({ length: 62_400 }, (_, index) => `"k${index}":${index}`).join(",")}}`,
  shapesAtLimit: () => `[${Array.from({ length: 55_500 }, (_, index) => `{"k${index}":1}`).join(",")}]`,
  deepObjectsAtLimit: () => `[${Array.from({ length: 60 }, () => `${'{"a":'.repeat(900)}1${"}".repeat(900)}`).join(",")}]`,
  deepAtLimit: () => `[${`${"[".repeat(999)}${"]".repeat(999)},`.repeat(499)}0]`,
} satisfies Readonly<Record<string, InputMaker>>;

const textInputs = {
  commas: (size) => fill(size, ","),
  lines: (size) => fill(size, "\n"),
  words: (size) => fill(size, "a "),
  shortLines: (size) => fill(size, "a,b\n"),
  oneLine: (size) => fill(size, "a"),
  spaces: (size) => fill(size, " "),
  randomWords: (size) => list(size, (index) => ((index * 2654435761) % 4294967296).toString(36), ["", ",", ""]),
  doubleQuotes: (size) => fill(size, '"'),
  backslashes: (size) => fill(size, "\\"),
  umlauts: (size) => fill(size / 2, "ü"),
  emoji: (size) => fill(size / 4, "😀"),
  html: (size) => fill(size, "<p>&amp;&nbsp;<b>"),
  openTags: (size) => fill(size, "<"),
  entities: (size) => fill(size, "&amp;"),
  base64: (size) => fill(size, "QUJD"),
  boundaries: (size) => fill(size, "--x\r\n\r\na\r\n", "Content-Type: multipart/mixed; boundary=x\r\n\r\n", "--x--"),
  csvQuotes: (size) => fill(size, '"a""b",'),
  csvOpenQuote: (size) => fill(size, "a,b\n", '"'),
  csvColumns: (size) => list(size / 2, (index) => `c${index}`, ["", ",", "\n"]) + fill(size / 4, "1,"),
} satisfies Readonly<Record<string, InputMaker>>;

const yamlInputs = {
  yamlComments: (size) => fill(size, "#\n"),
  yamlLists: (size) => fill(size, "[],", "[", "[]]"),
  yamlItems: (size) => fill(size, "- a\n"),
  yamlKeys: (size) => list(size, (index) => `k${index}: v`, ["", "\n", "\n"]),
  yamlFlowKeys: (size) => list(size, (index) => `k${index}: v`, ["{", ", ", "}"]),
  yamlDeep: (size) => fill(size, "["),
  yamlDashes: (size) => fill(size, "- "),
  yamlPlain: (size) => fill(size, "a "),
  yamlBlock: (size) => fill(size, "  a\n", "a: |\n"),
  yamlFolded: (size) => fill(size, "  a\n\n", "a: >\n"),
  yamlQuoted: (size) => fill(size, "a\n ", "'", "'"),
  yamlEscapes: (size) => fill(size, String.raw`\x41`, '"', '"'),
  yamlDocuments: (size) => fill(size, "---\n"),
  yamlAnchors: (size) => fill(size, "- &a a\n"),
  yamlIndent: (size) => Array.from({ length: Math.floor(Math.sqrt(2 * size)) }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"),
} satisfies Readonly<Record<string, InputMaker>>;

const xmlInputs = {
  xmlRecords: (size) => list(size, (index) => `<r id="${index}"><n>n${index}</n><t>a</t></r>`, ["<a>", "", "</a>"]),
  xmlEmpty: (size) => fill(size, "<b/>", "<a>", "</a>"),
  xmlDeep: (size) => "<a>".repeat(size / 8) + "</a>".repeat(size / 8),
  xmlDeep200: (size) => fill(size, "<b>".repeat(150) + "</b>".repeat(150), "<a>", "</a>"),
  xmlAttributes: (size) => list(size, (index) => `a${index}="1"`, ["<a ", " ", "/>"]),
  xmlFewAttributes: (size) => fill(size, '<b c="1" d="2" e="3" f="4"/>', "<a>", "</a>"),
  xmlEntities: (size) => fill(size, "&lt;", "<a>", "</a>"),
  xmlNumericEntities: (size) => fill(size, "&#65;", "<a>", "</a>"),
  xmlComments: (size) => fill(size, "<!---->", "<a>", "</a>"),
  xmlSections: (size) => fill(size, "<![CDATA[]]>", "<a>", "</a>"),
  xmlInstructions: (size) => fill(size, "<?a?>", "<a>", "</a>"),
  xmlNamespaces: (size) => list(size, (index) => `<n${index}:b xmlns:n${index}="urn:${index}"/>`, ["<a>", "", "</a>"]),
  xmlNamespaceList: (size) => list(size, (index) => `xmlns:n${index}="u${index}"`, ["<a ", " ", "/>"]),
  xmlTruncated: (size) => fill(size, "<b>a</b>", "<a>"),
  xmlText: (size) => fill(size, "a", "<a>", "</a>"),
  xmlMixed: (size) => fill(size, "x<b/>", "<a>", "</a>"),
  xmlOpenComment: (size) => fill(size, "<!-- -", "<a>"),
  xmlDoctype: (size) => fill(size, "<!ENTITY a 'b'>", "<!DOCTYPE a [", "]><a/>"),
} satisfies Readonly<Record<string, InputMaker>>;

export const inputs = { ...jsonInputs, ...textInputs, ...yamlInputs, ...xmlInputs };
export type InputName = keyof typeof inputs;

export const jsonNames = Object.keys(jsonInputs) as InputName[];
/** JSON that is accepted, so that it reaches code that works on values; and one input that is rejected. */
export const readableJsonNames: readonly InputName[] = [
  "records",
  "numbers",
  "wholeNumbers",
  "randomStrings",
  "longText",
  "listsAtLimit",
  "keysAtLimit",
  "shapesAtLimit",
  "deepAtLimit",
  "deepObjectsAtLimit",
  "truncated",
];
export const textNames = Object.keys(textInputs) as InputName[];
export const yamlNames = Object.keys(yamlInputs) as InputName[];
export const xmlNames = Object.keys(xmlInputs) as InputName[];
/** One of each kind, for parts that only pass a body through. */
export const fewNames: readonly InputName[] = ["records", "emptyArrays", "truncated", "deep", "commas", "oneLine", "xmlEmpty"];
