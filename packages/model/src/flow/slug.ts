const words: readonly (readonly [RegExp, string])[] = [
  [/→|->|=>/g, " to "],
  [/&/g, " and "],
];
const letters: Readonly<Record<string, string>> = { ß: "ss", ø: "o", ł: "l", æ: "ae", œ: "oe", đ: "d", ð: "d", þ: "th", ı: "i" };
const maxLength = 63;

/** Generates an id from a name: lower-case words joined by '-'. `isTaken` returns true for ids in use. */
export function slug(name: string, isTaken: (id: string) => boolean = () => false): string {
  const plain = words.reduce((text, [sign, word]) => text.replaceAll(sign, word), name).toLowerCase();
  const ascii = plain
    .replaceAll(/[^\0-\x7f]/g, (letter) => (Object.hasOwn(letters, letter) ? (letters[letter] as string) : letter))
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-");
  const base = trimHyphens(ascii.slice(0, maxLength + 1)) || `flow-${hashOf(name)}`;
  let id = base;
  for (let count = 2; isTaken(id); count++) id = `${trimHyphens(base.slice(0, maxLength - String(count).length - 1))}-${count}`;
  return id;
}

function trimHyphens(text: string): string {
  return text.replace(/^-/, "").slice(0, maxLength).replace(/-+$/, "");
}

/** FNV-1a over the name's UTF-16 units: names without usable letters get different ids. */
function hashOf(name: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}
