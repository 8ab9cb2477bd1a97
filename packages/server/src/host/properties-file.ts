// The part of Java's properties format people use: `name=value` or `name: value`, `#` and `!` comments, a trailing
// backslash joins lines, `\uXXXX` and the usual escapes.
import { join } from "node:path";
import { readWhole } from "../flows/durable-file.ts";

/** The properties operators keep in the data directory; none when there is no such file. */
export async function readProperties(dataDir: string): Promise<ReadonlyMap<string, string>> {
  return parseProperties(await readWhole(join(dataDir, "application.properties")).then(String, () => ""));
}

/** The entries of a properties file. */
function parseProperties(text: string): ReadonlyMap<string, string> {
  const properties = new Map<string, string>();
  const joined = text.replaceAll(/\\\r?\n[ \t]*/g, "");
  for (const line of joined.split(/\r?\n/)) {
    const entry = /^\s*([^#!\s:=][^:=\s]*)\s*[:=\s]\s*(.*?)\s*$/.exec(line) ?? /^\s*([^#!\s:=]\S*)()$/.exec(line);
    if (entry !== null) properties.set(unescape(entry[1] as string), unescape(entry[2] as string));
  }
  return properties;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f" };

function unescape(text: string): string {
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_all, hex: string | undefined, letter: string | undefined) =>
    hex === undefined ? (escapes[letter as string] ?? (letter as string)) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
