import { CompileError, type Expression, type LanguageScope } from "@sluice/engine/spi";
import { readVariable } from "../variable/variable.ts";

/** Compiles the option `source`: `header:x`, `property:x`, `variable:x` or the name of a variable; the body by default. */
export function compileSource(source: string | undefined, scope: LanguageScope): Expression {
  const text = source?.trim() ?? "";
  if (text === "" || text === "body") return (exchange) => exchange.message.body;
  const prefix = /^(?:header|property|exchangeProperty|variable):/.exec(text)?.[0] ?? "";
  const name = text.slice(prefix.length).trim();
  if (name === "")
    throw new CompileError("language-source", `source '${text}' has no name after the colon`, {
      hint: "write header:name, property:name or the name of a variable",
    });
  if (prefix === "header:") return readHeader(name);
  if (prefix === "property:" || prefix === "exchangeProperty:") return (exchange) => exchange.property(name);
  return readVariable(name, scope);
}

function readHeader(name: string): Expression {
  const key = name.toLowerCase();
  return (exchange) => exchange.message.headers.getKey(key);
}
