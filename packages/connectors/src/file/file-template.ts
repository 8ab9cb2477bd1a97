// Option values with parts in them that change per file or message: `done/${file:name}`, `out-${date:now:yyyyMMdd}.txt`.
// A handful of parts, not the whole Simple language; what a part yields is data and can never lead to another directory.
import { basename, posix } from "node:path";
import { asText, CompileError, compileDateFormat, zoneOf, type Clock, type Exchange } from "@sluice/engine/spi";
import { fileError } from "./file-path.ts";

/** What a template may draw on. */
interface TemplateSource {
  /** The file's name relative to the endpoint's directory. */
  readonly name: string;
  readonly size?: number;
  readonly modified?: number;
  readonly parent?: string;
  readonly exchange?: Exchange;
}

export type Template = (source: TemplateSource) => string;
type Part = (source: TemplateSource) => string;

const fileParts: Readonly<Record<string, Part>> = {
  name: ({ name }) => name,
  "name.noext": ({ name }) => posix.join(posix.dirname(name), noExtension(basename(name))),
  "name.ext": ({ name }) => extension(basename(name)),
  ext: ({ name }) => extension(basename(name)),
  onlyname: ({ name }) => basename(name),
  "onlyname.noext": ({ name }) => noExtension(basename(name)),
  size: ({ size }) => String(size ?? ""),
  length: ({ size }) => String(size ?? ""),
  modified: ({ modified }) => String(modified ?? ""),
};

export function compileTemplate(option: string, text: string, clock: Clock): Template {
  const parts: Part[] = [];
  let from = 0;
  for (const match of text.matchAll(/\$(?:simple)?\{([^}]*)\}/g)) {
    const literal = text.slice(from, match.index);
    if (literal !== "") parts.push(() => literal);
    parts.push(contained(partOf(option, match[1] as string, clock)));
    from = match.index + match[0].length;
  }
  const rest = text.slice(from);
  if (rest.includes("${")) throw new CompileError("bad-option", `${option} holds '\${' without its '}'`);
  if (rest !== "") parts.push(() => rest);
  return (source) => parts.map((part) => part(source)).join("");
}

export function hasParts(text: string): boolean {
  return text.includes("${") || text.includes("$simple{");
}

function partOf(option: string, text: string, clock: Clock): Part {
  if (text.startsWith("file:") && Object.hasOwn(fileParts, text.slice(5))) return fileParts[text.slice(5)] as Part;
  const date = /^date:(now|file):(.+)$/.exec(text);
  if (date !== null) {
    const format = compileDateFormat(date[2] as string);
    const zone = zoneOf(Intl.DateTimeFormat().resolvedOptions().timeZone);
    return date[1] === "now" ? () => format(clock.now(), zone) : ({ modified }) => format(modified ?? clock.now(), zone);
  }
  const value = /^(?:(?:in\.|message\.)?headers?|variable|exchangeProperty)[.:](.+)$/.exec(text);
  if (value !== null) {
    const name = (value[1] as string).trim();
    if (text.includes("header")) return ({ exchange }) => asText(exchange?.message.headers.get(name));
    if (text.startsWith("variable")) return ({ exchange }) => asText(exchange?.variable(name));
    return ({ exchange }) => asText(exchange?.property(name));
  }
  if (text === "exchangeId" || text === "id") return ({ exchange }) => exchange?.id ?? "";
  throw new CompileError("bad-option", `${option} holds '\${${text}}', which cannot be used in a file option`, {
    hint: "use ${file:name}, ${file:onlyname}, ${file:name.noext}, ${file:ext}, ${date:now:yyyyMMdd}, ${header.x} or ${exchangeId}; for anything else set the header CamelFileName",
  });
}

/** A part may name a folder below, but neither a place above nor one from the root. */
function contained(part: Part): Part {
  return (source) => {
    const text = part(source);
    if (text.includes("\0") || /^([/\\]|[A-Za-z]:)/.test(text) || text.split(/[/\\]/).includes(".."))
      throw fileError("file name is refused: a value in it leads out of the directory", "file-name-refused");
    return text;
  };
}

function noExtension(name: string): string {
  const dot = name.indexOf(".");
  return dot < 0 ? name : name.slice(0, dot);
}

function extension(name: string): string {
  const dot = name.indexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1);
}
