// `file:…`: the name, size and other metadata of a file, from the headers that the source sets.
import type { Expression } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { headerReader } from "../compile/access.ts";
import { syntaxError } from "../parse/scan.ts";

const name = headerReader("CamelFileName");
const onlyName: Expression = (exchange) => headerReader("CamelFileNameOnly")(exchange) ?? lastPart(name(exchange));

const parts: Readonly<Record<string, Expression>> = {
  name,
  "name.noext": mapText(name, withoutExtension),
  "name.noext.single": mapText(name, withoutLastExtension),
  "name.ext": mapText(name, extension),
  "name.ext.single": mapText(name, lastExtension),
  ext: mapText(name, extension),
  onlyname: onlyName,
  "onlyname.noext": mapText(onlyName, withoutExtension),
  "onlyname.noext.single": mapText(onlyName, withoutLastExtension),
  parent: headerReader("CamelFileParent"),
  path: headerReader("CamelFilePath"),
  absolute: headerReader("CamelFileAbsolute"),
  "absolute.path": headerReader("CamelFileAbsolutePath"),
  size: headerReader("CamelFileLength"),
  length: headerReader("CamelFileLength"),
  modified: headerReader("CamelFileLastModified"),
};

export function fileFunction(text: string, offset: number): Expression {
  const part = Object.hasOwn(parts, text) ? parts[text] : undefined;
  if (part === undefined) throw syntaxError(`unknown function 'file:${text}'`, offset, `write one of ${Object.keys(parts).join(", ")}`);
  return part;
}

function mapText(read: Expression, change: (text: string) => string | null): Expression {
  return (exchange) => {
    const value = read(exchange);
    return value === null || value === undefined ? null : change(asText(value));
  };
}

function lastPart(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = asText(value);
  return text.slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\")) + 1);
}

const nameStart = (text: string): number => text.lastIndexOf("/") + 1;

function withoutExtension(text: string): string {
  const dot = text.indexOf(".", nameStart(text));
  return dot < 0 ? text : text.slice(0, dot);
}

function withoutLastExtension(text: string): string {
  const dot = text.lastIndexOf(".");
  return dot < nameStart(text) ? text : text.slice(0, dot);
}

function extension(text: string): string | null {
  const dot = text.indexOf(".", nameStart(text));
  return dot < 0 ? null : text.slice(dot + 1);
}

function lastExtension(text: string): string | null {
  const dot = text.lastIndexOf(".");
  return dot < nameStart(text) ? null : text.slice(dot + 1);
}
